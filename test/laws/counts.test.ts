import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fold, type Event } from '../../src/model/events.ts'
import { isObject, stringify, type Json } from '../../src/json/json.ts'
import type { Block, Usage } from '../../src/model/request.ts'
import { lossList } from '../../src/model/loss.ts'
import { adapters } from '../../adapters/index.ts'
import { cuts, inPieces, plainReply, requestFor, richReply } from './arbitrary-replies.ts'
import { anyRequest } from './arbitrary-requests.ts'
import {
  ids,
  readFrames,
  readRequest,
  spokenBy,
  spokenOnce,
  writeReply,
  writeRequest,
} from './exchange.ts'
import { always, forEachAdapter } from './law.ts'
import { mutate, pathsOf, valueAt, type Path } from './mutate.ts'

/** Counts, names and sizes: what adds up, what is told apart, what stays in proportion. */

const odd: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(-1, 1.5, 1e300, Number.MAX_SAFE_INTEGER + 2, '7', '', null, true, [], {}),
  fc.integer({ min: -9, max: 99 }),
)

const countedOddly = fc.tuple(richReply, cuts, fc.array(fc.tuple(fc.nat(), odd), { minLength: 1 }))
const oddCount = fc.tuple(plainReply, fc.nat(), odd)

const anyId = fc.constantFrom('', 'a', 'b', 'toolu 1/?', 'x'.repeat(300), '__proto__')
const calledAnything = fc.tuple(plainReply, cuts, fc.array(anyId, { minLength: 1 }))

const isCount = (json: Json, path: Path): boolean =>
  /token/i.test(String(path.at(-1))) && typeof valueAt(json, path) === 'number'

function wrongCounts(usage: Usage): string[] {
  const counts = Object.entries(usage).filter(([name]) => name !== 'tier')
  const wrong = counts.filter(([, count]) => !Number.isSafeInteger(count) || count < 0)
  return wrong.map(([name, count]) => `${name} is ${String(count)}`)
}

const usagesIn = (events: readonly Event[]): Usage[] =>
  events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))

const isCall = (block: Block) => block.kind === 'tool-call'

/** Counts in the words of a dialect that are none. */
function wrongNumbers(json: Json): string[] {
  return pathsOf(json).flatMap((path) => {
    const value = valueAt(json, path)
    const isWrong = typeof value === 'number' && (!Number.isSafeInteger(value) || value < 0)
    return isWrong && isCount(json, path) ? [`${path.join('.')} is ${value}`] : []
  })
}

forEachAdapter((adapter) => {
  it('counts nothing below zero, whatever an upstream counts', () => {
    always(countedOddly, ([reply, places, changes]) => {
      const request = requestFor(reply)
      const counted = { ...reply, usage: { input: 9, cacheRead: 2, output: 7, reasoning: 3 } }
      const { frames } = writeReply(adapter, request, inPieces(counted, places))
      const changed = frames.map((frame, index) => {
        const json: Json = JSON.parse(frame.data)
        const counts = pathsOf(json).filter((path) => isCount(json, path))
        const [at, value] = changes[index % changes.length] ?? [0, 0]
        const path = counts[at % Math.max(counts.length, 1)]
        return path ? { ...frame, data: JSON.stringify(mutate(json, path, value)) } : frame
      })
      const { events } = readFrames(adapter, request, changed)
      const { usage } = fold(events).reply
      expect([...usagesIn(events), ...(usage ? [usage] : [])].flatMap(wrongCounts)).toEqual([])
      for (const caller of adapters) {
        const written = writeReply(caller, request, events)
        const told = written.frames.flatMap(({ data }) => wrongNumbers(JSON.parse(data)))
        expect(told).toEqual([])
      }
    })
  })

  it('tells all calls of a reply apart, whatever an upstream calls them', () => {
    always(calledAnything, ([reply, places, names]) => {
      let next = 0
      const blocks = reply.blocks.map((block) =>
        block.kind === 'tool-call' ? { ...block, id: names[next++ % names.length] ?? '' } : block,
      )
      const request = requestFor(reply)
      const { frames } = writeReply(adapter, request, inPieces({ ...reply, blocks }, places))
      const read = readFrames(adapter, request, frames)
      const calls = read.reply.blocks.filter(isCall)
      expect(calls).toHaveLength(blocks.filter(isCall).length)
      for (const caller of adapters) {
        const told = writeReply(caller, request, read.events)
        const again = readFrames(caller, request, told.frames).reply.blocks.filter(isCall)
        expect(again).toHaveLength(calls.length)
        const known = again.map((block) => ('id' in block ? block.id : ''))
        expect(new Set(known).size).toBe(known.length)
      }
    })
  })

  it('writes a request that is at most a few times as long as what was read', () => {
    always(anyRequest, (any) => {
      const request = spokenOnce(adapter, any)
      const text = stringify(writeRequest(adapter, request).body)
      const read = readRequest(adapter, text)
      for (const upstream of adapters) {
        const written = writeRequest(upstream, read).text
        expect(written.length).toBeLessThanOrEqual(6 * text.length + 65_536)
      }
    })
  })

  it('answers every call with its own result', () => {
    always(anyRequest, (any) => {
      const request = spokenOnce(adapter, any)
      for (const upstream of adapters) {
        const arrived = spokenBy(upstream, request)
        expect(pairs(arrived.turns.flatMap(({ blocks }) => blocks))).toEqual(
          pairs(request.turns.flatMap(({ blocks }) => blocks)),
        )
      }
    })
  })

  it('reads a body that counts oddly without a crash', () => {
    always(oddCount, ([reply, at, value]) => {
      const request = requestFor(reply)
      const counted = { ...reply, usage: { input: 9, cacheRead: 2, output: 7, reasoning: 3 } }
      const { body = '{}' } = writeReply(adapter, request, inPieces(counted, []))
      const json: Json = JSON.parse(body)
      const counts = pathsOf(json).filter((path) => isCount(json, path))
      const path = counts[at % Math.max(counts.length, 1)]
      if (!path || !isObject(json)) return
      const { lose } = lossList()
      const reader = adapter.upstream.reader({ request, lose, newId: ids() })
      expect(usagesIn(reader.body(mutate(json, path, value))).flatMap(wrongCounts)).toEqual([])
    })
  })
})

/** For each result, how many blocks before it the call stands that it belongs to. */
function pairs(blocks: readonly Block[]): number[] {
  const calls = blocks.flatMap((block) => (block.kind === 'tool-call' ? [block.id] : []))
  return blocks.flatMap((block) =>
    block.kind === 'tool-result' ? [calls.lastIndexOf(block.callId)] : [],
  )
}

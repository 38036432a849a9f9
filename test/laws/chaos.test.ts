import fc from 'fast-check'
import { expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { frameReader } from '../../src/stream/event-reader.ts'
import { verify, type Event } from '../../src/model/events.ts'
import { Verbatim, type Json } from '../../src/json/json.ts'
import { lossList } from '../../src/model/loss.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { cuts, inPieces, requestFor, richReply } from './arbitrary-replies.ts'
import { anyRequest } from './arbitrary-requests.ts'
import { clientOf } from './clients.ts'
import { ids, readRequest, routeOf, writeReply, writeRequest } from './exchange.ts'
import { always, forEachAdapter } from './law.ts'
import { mutate, pathsOf } from './mutate.ts'

const EMPTY = requestFor({ id: '', model: '', blocks: [], finish: 'stop' })

/** Words of all three dialects, so that arbitrary JSON gets past the first look at it. */
const WORDS =
  'type content text message messages role user assistant id name index delta usage error code ' +
  'input output item response parts contents candidates functionCall args tool_use tool_result ' +
  'thinking message_start content_block_start content_block_delta content_block_stop model tools ' +
  'response.created response.output_item.added response.output_text.delta function_call ' +
  'reasoning summary finishReason STOP usageMetadata __proto__ constructor'
const word = fc.constantFrom(...WORDS.split(' '))

/** What JSON can say and `String` or `Number` of it throws. */
const NO_PRIMITIVE: Json = { toString: 1, valueOf: 1 }

const wordy: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 0, -1, 1.5, '', 'xseal1.', new Verbatim('{"a":[1,2]}')),
    fc.constant<Json>(NO_PRIMITIVE),
    word,
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 5 }),
  ),
})).value

const frame = fc.record({
  event: fc.option(word, { nil: undefined }),
  data: fc.oneof(
    wordy.map((value) => JSON.stringify(value)),
    fc.string(),
  ),
})

const anyFrames = fc.array(frame, { maxLength: 8 })
const damagedReply = fc.tuple(richReply, cuts, fc.tuple(fc.nat(), fc.nat(), wordy))
const damagedRequest = fc.tuple(anyRequest, fc.tuple(fc.nat(), wordy))

/** Two problems count as an answer; anything else is a crash. */
function refuses(act: () => unknown): boolean {
  try {
    act()
    return false
  } catch (error) {
    if (error instanceof ProblemError) return true
    throw error
  }
}

forEachAdapter((adapter) => {
  const reader = () =>
    frameReader(adapter.upstream.reader({ request: EMPTY, lose: lossList().lose, newId: ids() }))
  const framesOf = (frames: { event: string | undefined; data: string }[]): Event[] => {
    const machine = reader()
    const events = frames.flatMap(({ event, data }) =>
      machine.read(event === undefined ? { data } : { event, data }),
    )
    return [...events, ...machine.end()]
  }

  it('reads any frames without a crash, in normal form', () => {
    always(anyFrames, (frames) => {
      expect(verify(framesOf(frames))).toBeUndefined()
    })
  })

  it('reads any body without a crash, in normal form', () => {
    always(wordy, (body) => {
      const events = reader().body(body)
      expect(verify(events)).toBeUndefined()
      for (const caller of adapters) writeReply(caller, EMPTY, events)
    })
  })

  it('reads a damaged stream without a crash, in normal form', () => {
    always(damagedReply, ([reply, places, [at, where, value]]) => {
      const { frames } = writeReply(adapter, requestFor(reply), inPieces(reply, places))
      const damaged = frames.map(({ event, data }, index) => {
        if (index !== at % frames.length) return { event, data }
        const json: Json = JSON.parse(data)
        const paths = pathsOf(json)
        const path = paths[where % Math.max(paths.length, 1)] ?? []
        return { event, data: JSON.stringify(mutate(json, path, value)) ?? 'null' }
      })
      const events = framesOf(damaged)
      expect(verify(events)).toBeUndefined()
      for (const caller of adapters) writeReply(caller, EMPTY, events)
    })
  })

  it('reads any request as a request or as the fault of its caller', () => {
    const context = {
      route: routeOf(adapter),
      headers: clientOf(adapter.dialect).headers,
      newId: ids(),
    }
    always(wordy, (body) => void refuses(() => adapter.caller.readRequest(body, context)))
  })

  it('reads and writes a damaged request, or says that it is the fault of its caller', () => {
    always(damagedRequest, ([request, [where, value]]) => {
      const { body } = writeRequest(adapter, request)
      const plain: Json = JSON.parse(JSON.stringify(body))
      const paths = pathsOf(plain)
      const damaged = mutate(plain, paths[where % paths.length] ?? [], value)
      const text = JSON.stringify(damaged) ?? 'null'
      for (const upstream of adapters)
        refuses(() => void writeRequest(upstream, readRequest(adapter, text)))
    })
  })
})

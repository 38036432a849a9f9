import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frameReader } from '../../src/stream/event-reader.ts'
import { cpuMs } from '../growth/cpu.ts'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { verify, type Event } from '../../src/model/events.ts'
import { lossList } from '../../src/model/loss.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import { replyEvents } from '../../src/stream/reply-events.ts'
import { cases } from '../cases.ts'
import { grammarOf } from '../grammar/index.ts'
import { requestFor } from '../laws/arbitrary-replies.ts'
import { ids, readRequest, writeReply, writeRequest } from '../laws/exchange.ts'

/**
 * What was written by hand, with bytes flipped, inserted, removed, doubled and spliced. Whatever comes of it:
 * no exception, an end of one kind or the other, in the caller's grammar, soon, and not many times as long.
 */

const FILES: Record<string, string> = import.meta.glob('../../fixtures/*/{request,reply,error}/*', {
  query: '?raw',
  eager: true,
  import: 'default',
})

const RUNS = 1000
const SLOWEST_MS = 1000

const readTexts = (adapter: Adapter, kind: string): Uint8Array[] =>
  Object.entries(FILES)
    .filter(([path]) => path.includes(`/${adapter.dialect}/${kind}`))
    .map(([, text]) => new TextEncoder().encode(text))

const all = Object.values(FILES).map((text) => new TextEncoder().encode(text))

interface Mutation {
  how: 'flip' | 'insert' | 'remove' | 'double' | 'splice'
  at: number
  size: number
  byte: number
  other: Uint8Array
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  how: fc.constantFrom('flip', 'insert', 'remove', 'double', 'splice'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  size: fc.integer({ min: 1, max: 60 }),
  byte: fc.oneof(fc.constantFrom(...new TextEncoder().encode('{}[]",:\\\n\r0-')), fc.nat(255)),
  other: fc.constantFrom(...all),
})

function mutated(bytes: Uint8Array, { how, at, size, byte, other }: Mutation): Uint8Array {
  const place = Math.floor(at * bytes.length)
  const parts: Record<Mutation['how'], () => Uint8Array[]> = {
    flip: () => [bytes.subarray(0, place), Uint8Array.of(byte), bytes.subarray(place + 1)],
    insert: () => [bytes.subarray(0, place), Uint8Array.of(byte), bytes.subarray(place)],
    remove: () => [bytes.subarray(0, place), bytes.subarray(place + size)],
    double: () => [bytes.subarray(0, place + size), bytes.subarray(place)],
    splice: () => [bytes.subarray(0, place), other.subarray(Math.floor(at * other.length))],
  }
  return Uint8Array.from(parts[how]().flatMap((part) => [...part]))
}

const changes = fc.array(mutation, { minLength: 1, maxLength: 4 })
const request = requestFor({ id: '', model: '', blocks: [], finish: 'stop' })

/** What a reader makes of bytes in pieces. */
function readEvents(adapter: Adapter, bytes: Uint8Array, piece: number): Event[] {
  const { lose } = lossList()
  const source = replyEvents({
    reader: frameReader(adapter.upstream.reader({ request, lose, newId: ids() })),
    verbatim: adapter.upstream.verbatim,
    limits: PROCESS_LIMITS,
    contentType: null,
  })
  const events: Event[] = []
  for (let at = 0; at < bytes.length; at += piece)
    events.push(...source.push(bytes.subarray(at, at + piece)))
  return [...events, ...source.end()]
}

const isEnd = ({ type }: Event) => type === 'finish' || type === 'error'

/**
 * Without the blocks that only the upstream's dialect knows: what such a block looks like inside is between
 * the upstream and a caller of its own dialect, who may know a kind of block that we do not.
 */
function withoutOpaque(events: readonly Event[]): Event[] {
  let opaque = false
  return events.filter((event) => {
    const inside = opaque
    if (event.type === 'block-start') opaque = event.block.kind === 'opaque'
    else if (event.type === 'block-end') opaque = false
    return !inside && !opaque
  })
}

/** Likewise what proves a block: it passes as it came, damaged or not. */
const withoutProofs = (events: readonly Event[]): Event[] =>
  events.map((event) => {
    if (event.type === 'block-start') return { ...event, block: withoutProof(event.block) }
    return event.type === 'block-end' ? { ...event, tail: withoutProof(event.tail) } : event
  })

function withoutProof<T extends object>(node: T): T {
  const bare: T & { proof?: unknown } = { ...node }
  delete bare.proof
  return bare
}

describe.each(adapters.map((adapter) => [adapter.dialect, adapter] as const))(
  '%s',
  (_, adapter) => {
    const replies = [...readTexts(adapter, 'reply'), ...readTexts(adapter, 'error')]
    const requests = readTexts(adapter, 'request')

    it('damaged replies end, and are told in the grammar of each caller', () => {
      const given = fc.tuple(fc.constantFrom(...replies), changes, fc.integer({ min: 1, max: 999 }))
      fc.assert(
        fc.property(given, ([text, list, piece]) => {
          const bytes = list.reduce(mutated, text)
          const start = cpuMs()
          const events = readEvents(adapter, bytes, piece)
          expect(verify(events)).toBeUndefined()
          expect(events.filter(isEnd)).toHaveLength(1)
          for (const caller of adapters) {
            const { frames } = writeReply(caller, request, events)
            const known = caller === adapter ? withoutProofs(withoutOpaque(events)) : events
            const told = writeReply(caller, request, known).frames
            expect(grammarOf(caller.dialect).check(told)).toBeUndefined()
            // A stream repeats its envelope with every event, and one dialect repeats the whole at the end.
            const size = frames.reduce((sum, { data }) => sum + data.length, 0)
            expect(size).toBeLessThanOrEqual(12 * bytes.length + 65_536)
          }
          expect(cpuMs() - start).toBeLessThan(SLOWEST_MS)
        }),
        cases(RUNS),
      )
    })

    it('damaged requests are understood or the fault of their caller', () => {
      fc.assert(
        fc.property(fc.constantFrom(...requests), changes, (text, list) => {
          const bytes = list.reduce(mutated, text)
          const start = cpuMs()
          try {
            const read = readRequest(adapter, new TextDecoder().decode(bytes))
            for (const upstream of adapters) writeRequest(upstream, read)
          } catch (error) {
            // A body that is no JSON is noticed before any adapter sees it.
            if (!(error instanceof ProblemError) && !(error instanceof SyntaxError)) throw error
          }
          expect(cpuMs() - start).toBeLessThan(SLOWEST_MS)
        }),
        cases(RUNS),
      )
    })
  },
)

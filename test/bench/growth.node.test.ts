import { describe, expect, it } from 'vitest'
import { frameReader } from '../../src/stream/event-reader.ts'
import { dialects } from '../../adapters/index.ts'
import type { Adapter } from '../../adapters/contract.ts'
import { liftLiterals } from '../../src/json/large-literals.ts'
import { parse, stringify } from '../../src/json/json.ts'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import { replyEvents } from '../../src/stream/reply-events.ts'
import { sseCutter } from '../../src/stream/sse.ts'
import { cutsOf } from '../stream/cuts.ts'
import { framer } from '../../src/stream/framings.ts'
import { scanStructure } from '../../src/json/structure.ts'
import { kitOf } from '../dialects/index.ts'
import { cpuMs } from '../growth/cpu.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'

/** Twice the input may cost at most so many times as much. */
const MOST = 2.5
const ATTEMPTS = 6
const RUNS = 5

type Work = () => void

function fastest(work: Work): number {
  const times = Array.from({ length: RUNS }, () => {
    const began = cpuMs()
    work()
    return cpuMs() - began
  })
  return Math.min(...times)
}

/** A machine that is busy with something else is asked again; what grows faster never passes. */
function growth(prepare: (size: number) => Work, size: number): number {
  const [once, twice] = [prepare(size), prepare(2 * size)]
  let least = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && least > MOST; attempt += 1)
    least = Math.min(least, fastest(twice) / fastest(once))
  return least
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tools = numbers(20).map((index) => ({ name: `tool_${index}`, schema }))
const result = 'a line of a "file"\n'.repeat(30)

const headers = new Headers({ 'anthropic-version': '2023-06-01' })
const target = { model: 'm', defaultMaxOutputTokens: 100, facts: {} }
const nothing = () => undefined
const newId = (prefix: string) => `${prefix}000000000000000000000001`

function translation(from: Adapter, to: Adapter, turns: number): Work {
  const text = JSON.stringify(kitOf(from.dialect).ask.session(turns, tools, result))
  const route = { operation: 'create', model: 'm' } as const
  return () => {
    const body = parse(text, from.caller.verbatim)
    const request = from.caller.readRequest(body, { route, headers, newId })
    stringify(to.upstream.writeRequest(request, { target, lose: nothing }).body)
  }
}

const request = emptyRequest('m', true)

/** Whatever is to be said, said in a dialect, cut into pieces, understood and said in the other one. */
function stream(from: Adapter, to: Adapter, deltas: readonly string[], cut: number): Work {
  const context = { request, now: 1, lose: nothing, newId }
  const call = { kind: 'tool-call', id: 'call_1', name: 'tool_1', form: 'json', input: '' } as const
  const events = [
    { type: 'start', id: 'r', model: 'm' },
    { type: 'block-start', block: call },
    ...deltas.map((text) => ({ type: 'block-delta', text }) as const),
    { type: 'block-end', tail: {} },
    { type: 'finish', reason: 'tool-call' },
  ] as const
  const source = from.caller.writer(context)
  const said = events.map((event) => framer('sse').write(source.push(event))).join('')
  const bytes = new TextEncoder().encode(said)
  const limits = { ...PROCESS_LIMITS, eventBytes: 1e9, replyBytes: 1e9, streamBytes: 1e9 }
  return () => {
    const reader = frameReader(from.upstream.reader({ request, lose: nothing, newId }))
    const { verbatim } = from.upstream
    const reading = replyEvents({ reader, verbatim, limits, contentType: 'text/event-stream' })
    const writer = to.caller.writer(context)
    for (let at = 0; at < bytes.length; at += cut)
      for (const event of reading.push(bytes.subarray(at, at + cut))) writer.push(event)
    for (const event of reading.end()) writer.push(event)
    writer.body()
  }
}

const pairs = dialects.list.flatMap((from) =>
  dialects.list.map((to) => [`${from.dialect} to ${to.dialect}`, from, to] as const),
)
const longLine = (words: number) => [`{"text":"${'words '.repeat(words)}"}`]
const makeArguments = (pieces: number) => [
  '{"text":"',
  ...numbers(pieces).map(() => 'words '),
  '"}',
]

function passing(size: number): Work {
  const piece = 'data: {"a": "b c d"}\n\n'.repeat(2)
  return () => {
    const cutter = sseCutter(1e9)
    for (let count = 0; count < size; count += 1) cutsOf(cutter, piece.slice(0, 30))
  }
}

describe('the cost of twice as much', () => {
  it.each(pairs)('is about twice: a conversation, %s', (_, from, to) => {
    expect(growth((size) => translation(from, to, size), 150)).toBeLessThan(MOST)
  })
  it.each(pairs)(
    'is about twice: a call whose arguments come in many pieces, %s',
    (_, from, to) => {
      expect(growth((size) => stream(from, to, makeArguments(size), 4096), 3000)).toBeLessThan(MOST)
    },
  )
  it.each(pairs)('is about twice: one long line in small pieces, %s', (_, from, to) => {
    expect(growth((size) => stream(from, to, longLine(size), 512), 60_000)).toBeLessThan(MOST)
  })
  it('is about twice: a stream that passes in small pieces', () => {
    expect(growth(passing, 20_000)).toBeLessThan(MOST)
  })
  it.each([
    ['many strings', (size: number) => JSON.stringify({ a: numbers(size).map(() => 'a"b\\c') })],
    ['deep brackets', (size: number) => `{"a":[${'[[[{"b":[1]}]]],'.repeat(size / 10)}1]}`],
    ['pictures', (size: number) => JSON.stringify({ a: numbers(size / 2000).map(() => picture) })],
  ])('is about twice: a look over %s', (_, make) => {
    const look = (size: number): Work => {
      const text = make(size)
      const bytes = new TextEncoder().encode(text)
      return () => {
        scanStructure(text, { depth: 100, nodes: 1e9 })
        liftLiterals([bytes], decode)
      }
    }
    expect(growth(look, 100_000)).toBeLessThan(MOST)
  })
})

const decode = ([bytes]: readonly Uint8Array[]) => new TextDecoder().decode(bytes)

const picture = 'iVBORw0KGgo'.padEnd(20_000, 'AQIDBAUGBwgJ')

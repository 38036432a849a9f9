import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Dialect, DIALECTS } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { demoSend } from '../../src/extras/demo/demo.ts'
import type { UpstreamRequest, UpstreamResponse } from '../../src/ports.ts'
import { joinBytes } from '../../src/json/bytes.ts'
import { toSource } from '../../src/stream/source.ts'
import { cases } from '../cases.ts'
import { kits } from '../dialects/index.ts'
import { proxyOf, streamOf } from './proxy.ts'

/** Upstreams that answer with anything at all: real replies cut, changed and repeated, or mere bytes. */

const demo = demoSend(dialects.list, () => Promise.reject(new Error('no network')))

/** What is asked of a dialect: the path, and the body. */
function asking(dialect: Dialect, stream: boolean): [string, unknown] {
  const { http, ask } = kits[dialect]
  const said = { ...ask.needed, ...ask.text('Hello there') }
  return [http.path('m', stream), http.body('m', stream, said)]
}

async function readBytes({ body }: UpstreamResponse): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const source = body && toSource(body)
  for (let part = await source?.read(); part; part = await source?.read()) parts.push(part)
  return joinBytes(parts)
}

type Change =
  | { kind: 'cut' | 'flip' | 'repeat' | 'insert'; at: number; size: number; bytes: Uint8Array }
  | { kind: 'none' }

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant({ kind: 'none' as const }),
  fc.record({
    kind: fc.constantFrom('cut' as const, 'flip' as const, 'repeat' as const, 'insert' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    size: fc.nat(200),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
  }),
)

function changed(bytes: Uint8Array, how: Change): Uint8Array {
  if (how.kind === 'none') return bytes
  const at = Math.floor(how.at * bytes.length)
  const [before, after] = [[...bytes.subarray(0, at)], [...bytes.subarray(at)]]
  switch (how.kind) {
    case 'cut':
      return Uint8Array.from(before)
    case 'flip':
      return Uint8Array.from([...before, ...after.map((byte, i) => (i === 0 ? byte ^ 0x21 : byte))])
    case 'repeat':
      return Uint8Array.from([...before, ...after.slice(0, how.size), ...after])
    case 'insert':
      return Uint8Array.from([...before, ...how.bytes, ...after])
    default:
      return how satisfies never
  }
}

const scenario = fc.record({
  from: fc.constantFrom(...DIALECTS),
  to: fc.constantFrom(...DIALECTS),
  stream: fc.boolean(),
  answersStream: fc.boolean(),
  changes: fc.array(change, { maxLength: 3 }),
  chunk: fc.integer({ min: 1, max: 400 }),
  reset: fc.boolean(),
  status: fc.constantFrom(200, 200, 200, 200, 400, 429, 500, 302),
  type: fc.constantFrom('text/event-stream', 'application/json', 'text/html', ''),
})

const demoBytes = new Map<string, Promise<Uint8Array>>()

/** What the demo answers to this request, asked for as a body or as a stream. */
async function demoReply(request: UpstreamRequest, to: Dialect, asStream: boolean) {
  const key = `${to} ${asStream}`
  const [path, body] = asking(to, asStream)
  const known =
    demoBytes.get(key) ??
    demo({
      ...request,
      signal: new AbortController().signal,
      url: `http://demo.invalid/${to}${path}`,
      body: new TextEncoder().encode(JSON.stringify(body)),
      headers: { 'anthropic-version': '2023-06-01' },
    }).then(readBytes)
  demoBytes.set(key, known)
  return known
}

describe('whatever an upstream answers', () => {
  it('the caller gets a whole answer, and the log one line', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { from, to, stream, changes, chunk, status, type } = given
        const proxy = proxyOf(
          async (request) => {
            const whole = await demoReply(request, to, given.answersStream)
            const bytes = changes.reduce(changed, whole)
            const chunks: (Uint8Array | Error)[] = []
            for (let at = 0; at < bytes.length; at += chunk)
              chunks.push(bytes.subarray(at, at + chunk))
            if (given.reset) chunks.push(new Error('reset'))
            const headers = new Headers({ 'content-type': type })
            return { status, headers, body: streamOf(chunks) }
          },
          { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: to } },
          { dialects },
        )
        const [path, body] = asking(from, stream)
        const headers = { 'anthropic-version': '2023-06-01' }
        const response = await proxy.fetch(path, { body, headers })
        const text = await response.text()
        expect(response.status).toBeGreaterThanOrEqual(200)
        expect(proxy.sent).toHaveLength(1)
        expect(proxy.log).toHaveLength(1)
        if (from === to) return
        if (response.status !== 200) expect(response.status).toBeGreaterThanOrEqual(400)
        if (response.status !== 200 || !stream) return void JSON.parse(text)
        expect(text.endsWith('\n\n')).toBe(true)
        for (const event of text.trimEnd().split('\n\n')) {
          const data = event.split('\n').find((line) => line.startsWith('data: '))
          if (data !== 'data: [DONE]') JSON.parse(data?.slice(6) ?? '')
        }
      }),
      cases(1000),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { randomId, type HttpRequest } from '../../src/ports.ts'
import { kits } from '../dialects/index.ts'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'

const ENCODER = new TextEncoder()
const WORDS = [' a', ' "b"', ' ü\n', ' 😀', ' c', ' d']

const encoded = (events: readonly string[]) => ENCODER.encode(events.join(''))

/** A stream, and the places where it is cut: all within its first deltas, and some elsewhere. */
function streamOf(dialect: Dialect) {
  const { opening, delta, closing } = kits[dialect].bench.reply
  const deltas = WORDS.map(delta)
  const stream = encoded([...opening, ...deltas, ...closing(WORDS.length)])
  const from = encoded(opening).length
  const end = from + encoded(deltas.slice(0, 3)).length
  const places = Array.from(stream.keys()).filter(
    (at) => at > 0 && (at % 16 === 0 || (at >= from && at < end)),
  )
  return { stream, places }
}

const requestOf = (dialect: Dialect): HttpRequest => {
  const { http, ask } = kits[dialect]
  const body = http.body('m', true, { ...ask.needed, ...ask.text('hi') })
  return {
    method: 'POST',
    url: `http://127.0.0.1${http.path('m', true)}`,
    signal: new AbortController().signal,
    headers: new Headers({ 'content-type': 'application/json', ...http.credentials('a-key') }),
    body: null,
    arrayBuffer: () => Promise.reject(new Error('nobody asks')),
    whole: async () => ENCODER.encode(JSON.stringify(body)),
  }
}

/** Passes a stream that comes in these pieces; returns what leaves, and what is logged of it. */
function passerOf(dialect: Dialect) {
  let pieces: Uint8Array[] = []
  let line: object = {}
  const service = { dialect, url: 'http://upstream.invalid', key: 'a-key-of-the-upstream' }
  const config = {
    upstreams: { one: service },
    routes: [{ model: '*', upstream: 'one' }],
    callers: 'open',
    state: { store: 'off' },
  }
  const handler = createHandler(readSettings(config, {}), {
    now: Date.now,
    randomId,
    log: (record) => void (line = record),
    send: async () => ({
      status: 200,
      headers: new Headers({ 'content-type': 'text/event-stream' }),
      body: { read: async () => pieces.shift(), cancel() {} },
    }),
  })
  return async (parts: Uint8Array[]) => {
    pieces = parts
    const response = await toResponse(await handler(requestOf(dialect)))
    return { text: await response.text(), line: { ...line } as Record<string, unknown> }
  }
}

describe('a stream that passes', () => {
  it.each(DIALECTS)('leaves as it came wherever it is cut: %s', async (dialect) => {
    const { stream, places } = streamOf(dialect)
    const pass = passerOf(dialect)
    const whole = await pass([stream])
    expect(whole.text).toBe(new TextDecoder().decode(stream))
    expect(whole.line).toMatchObject({ status: 200, usage: { output: expect.any(Number) } })
    for (const at of places) {
      const { text, line } = await pass([stream.slice(0, at), stream.slice(at)])
      expect(text).toBe(whole.text)
      expect(line['usage']).toEqual(whole.line['usage'])
    }
  })
})

import { describe, expect, it } from 'vitest'
import type { LimitSettings } from '../../src/config/settings.ts'
import {
  jsonReply,
  proxyOf,
  sse,
  sseReply,
  silenceUntil,
  sleep,
  streamOf,
  type Chunk,
} from '../exchange/proxy.ts'

/** Every limit one below it, at it and one above it; from both sides of the proxy. */

type Limits = Partial<LimitSettings>

const around = [-1, 0, 1]
const reply = () => jsonReply({ modelName: 'x', text: 'Hello' })
const REQUEST = { model: 'pathy-1', text: 'hi' }
const size = (value: unknown) => JSON.stringify(value).length

const send = (limits: Limits, body: unknown = REQUEST) =>
  proxyOf(reply, { limits }).fetch('/v1/plain', { body })

const parts = (ms: number): Chunk[] => ['{"model":"pathy-1",', sleep(ms), '"text":"x"}']

describe('a request', () => {
  it.each(around)('of the allowed bytes and %d', async (over) => {
    const expected = over > 0 ? 413 : 200
    const limits = { bodyBytes: size(REQUEST) - over }
    expect((await send(limits)).status).toBe(expected)
    const chunks = streamOf([...JSON.stringify(REQUEST)])
    expect((await send(limits, chunks)).status).toBe(expected)
  })
  it.each(around)('of the allowed depth and %d', async (over) => {
    const deep = `{"model":"pathy-1","text":"x","d":${'['.repeat(9)}${']'.repeat(9)}}`
    expect((await send({ depth: 10 - over }, deep)).status).toBe(over > 0 ? 400 : 200)
  })
  it.each(around)('of the allowed number of values and %d', async (over) => {
    // Three names with their values, the object, the list and what is in it.
    const many = `{"model":"pathy-1","text":"x","d":[${'1,'.repeat(99)}1]}`
    expect((await send({ nodes: 104 - over }, many)).status).toBe(over > 0 ? 413 : 200)
  })
  it.each(around)('of the bytes that may be in flight and %d', async (over) => {
    const limits = { inFlightBytes: size(REQUEST) - over }
    const response = await send(limits)
    expect(response.status).toBe(over > 0 ? 503 : 200)
    if (over > 0) expect(response.headers.get('retry-after')).toBe('1')
  })
  it.each(around)('when as many run as may and %d', async (over) => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const proxy = proxyOf(() => gate.then(reply), { limits: { streams: 3 } })
    const running = Array.from({ length: 2 + over }, () =>
      proxy.fetch('/v1/plain', { body: REQUEST }),
    )
    await sleep(5)
    const last = proxy.fetch('/v1/plain', { body: REQUEST })
    open()
    expect((await last).status).toBe(over > 0 ? 503 : 200)
    await Promise.all(running)
  })
  it('is waited for as long as is allowed, and no longer', async () => {
    expect((await send({ bodyMs: 400 }, streamOf(parts(20)))).status).toBe(200)
    expect((await send({ bodyMs: 20 }, streamOf(parts(400)))).status).toBe(408)
  })
})

const START = sse({ modelName: 'x' }) + sse({ text: 'Hel' })
const END = sse({ t: 'end' })

async function answered(limits: Limits, chunks: Chunk[], model = 'pathy-1'): Promise<Response> {
  const proxy = proxyOf(() => sseReply(chunks), { limits })
  const body = { ...REQUEST, model, stream: true }
  return proxy.fetch('/v1/plain', { body })
}

const streamed = async (...asked: Parameters<typeof answered>): Promise<string> =>
  (await answered(...asked)).text()

function* blanks(): Generator<string> {
  for (;;) yield ' '.repeat(100)
}

const answerBlanks = (path: string, body: unknown) =>
  proxyOf(() => sseReply(blanks()), { limits: { replyBytes: 5000 } }).fetch(path, { body })

describe('a reply', () => {
  const whole = { modelName: 'x', text: 'Hello' }
  it.each(around)('of the allowed bytes and %d', async (over) => {
    const response = await send({ replyBytes: size(whole) - over })
    expect(response.status).toBe(over > 0 ? 502 : 200)
    const pass = await proxyOf(reply, { limits: { replyBytes: size(whole) - over } }).fetch(
      '/v1beta/pathy/pathy-1:run',
      { body: { text: 'hi' } },
    )
    expect(pass.status).toBe(over > 0 ? 502 : 200)
  })
  it.each(around)('in an event of the allowed size and %d', async (over) => {
    const event = { text: 'x'.repeat(500) }
    const text = await streamed({ eventBytes: size(event) - over }, [START, sse(event), END])
    expect(text).toContain('Hel')
    expect(text.includes('"t":"end"')).toBe(over <= 0)
    expect(text.includes('larger than the limit')).toBe(over > 0)
  })
  it.each(around)('in a stream of the allowed size and %d', async (over) => {
    const limits = { streamBytes: (START + END).length - over }
    for (const model of ['pathy-1', 'plain-1']) {
      const text = await streamed(limits, [START, END], model)
      if (over > 0) expect(text).toContain('larger than the limit')
      else expect(text).toMatch(/"t":"end"/)
    }
  })
  it.each(around)('nested as deep as is allowed and %d', async (over) => {
    const padding = 'x'.repeat(5000)
    const deep = `{"modelName":"x","text":"${padding}","d":${'['.repeat(9)}${']'.repeat(9)}}`
    const proxy = proxyOf(() => jsonReply(deep), { limits: { depth: 10 - over } })
    const response = await proxy.fetch('/v1/plain', { body: REQUEST })
    expect(response.status).toBe(over > 0 ? 502 : 200)
  })
  it('of blank space is not read for ever', async () => {
    const stream = { ...REQUEST, stream: true }
    expect((await answerBlanks('/v1/plain', stream)).status).toBe(502)
    expect((await answerBlanks('/v1/plain', { ...stream, model: 'plain-1' })).status).toBe(502)
  })
  it('is kept alive as often as is configured, and not sooner', async () => {
    const { silence, read } = silenceUntil(/: ping/)
    const kept = await read(await answered({ heartbeatMs: 30 }, [START, silence, END]))
    expect(kept).toContain(': ping')
    expect(await streamed({ heartbeatMs: 5000 }, [START, sleep(60), END])).not.toContain(': ping')
  })
})

import { describe, expect, it } from 'vitest'
import type { UpstreamRequest } from '../../src/ports.ts'
import {
  bytewise,
  jsonReply,
  plainStream,
  pathyStream,
  proxyOf,
  silenceUntil,
  sleep,
  sse,
  sseReply,
  streamOf,
  type Script,
} from './proxy.ts'

const NOTHING_SENT: Pick<UpstreamRequest, 'url' | 'headers'> = { url: '', headers: {} }

const decodeText = (body: unknown) => new TextDecoder().decode(body as Uint8Array)

const makeRequest = (model: string) =>
  `{ "text":"\\"model\\":\\"alias\\"","a":[{"model":"alias"}], "mod\\u0065l" :\t"${model}" , "n":1.0 }`

describe('a request to an upstream of its own dialect', () => {
  it('passes byte for byte', async () => {
    const body =
      '{ "text":"hi",  "n":12345678901234567890,\n"model" : "plain-1","x":{"model":"y"} }'
    const proxy = proxyOf(() => jsonReply({ model: 'plain-1', text: 'Hello' }))
    await proxy.fetch('/v1/plain', { body })
    expect(decodeText(proxy.sent[0]?.body)).toBe(body)
    expect(proxy.sent[0]?.url).toBe('https://plain.example/v1/plain')
  })
  it('has the model renamed and nothing else', async () => {
    const proxy = proxyOf(() => jsonReply({ model: 'real-model', text: 'x' }))
    await proxy.fetch('/v1/plain', { body: makeRequest('alias') })
    expect(decodeText(proxy.sent[0]?.body)).toBe(makeRequest('real-model'))
  })
  it('says once what came twice: parsers differ in which they take', async () => {
    const proxy = proxyOf(() => jsonReply({ model: 'real-model', text: 'x' }))
    for (const model of ['alias', 'plain-1'])
      await proxy.fetch('/v1/plain', { body: `{"model":"other","text":"t","model":"${model}"}` })
    const sent = proxy.sent.map(({ body }) => decodeText(body))
    expect(sent).toEqual(['{"model":"real-model","text":"t"}', '{"model":"plain-1","text":"t"}'])
  })
  it('is not looked into where the path says everything', async () => {
    const body = new Uint8Array([0xff, 0xfe, 0x7b])
    const proxy = proxyOf(() => jsonReply({ modelName: 'pathy-1', text: 'Hello' }))
    const response = await proxy.fetch('/v1beta/pathy/pathy-1:run', { body })
    expect(response.status).toBe(200)
    expect(proxy.sent[0]?.body).toEqual(body)
  })
  it('has the model renamed in the path', async () => {
    const proxy = proxyOf(() => jsonReply({ modelName: 'real-model', text: 'x' }))
    const response = await proxy.fetch('/v1/pathy/alias-pathy:run', { body: '{"text":"x"}' })
    expect(proxy.sent[0]?.url).toMatch('https://pathy.example/v1/pathy/real-model:run?key=')
    expect(await response.json()).toEqual({ modelName: 'alias-pathy', text: 'x' })
  })
  it('loses the mark of a variant', async () => {
    const proxy = proxyOf(() => jsonReply({ model: 'plain-1', text: 'x' }))
    const response = await proxy.fetch('/v1/plain', { body: { model: 'plain-1[1m]', text: 'x' } })
    expect(JSON.parse(decodeText(proxy.sent[0]?.body))).toEqual({ model: 'plain-1', text: 'x' })
    expect(await response.json()).toEqual({ model: 'plain-1[1m]', text: 'x' })
  })
  it('takes along the query and the headers that mean something, in both spellings', async () => {
    const proxy = proxyOf(() => jsonReply({ model: 'plain-1', text: 'x' }))
    await proxy.fetch('/v1/plain?beta=true&evil=1&key=secret', {
      body: { model: 'plain-1', text: 'x' },
      headers: { 'plain-version': '7', cookie: 'a=b', 'x-forwarded-for': '::1' },
    })
    const [{ url, headers } = NOTHING_SENT] = proxy.sent
    expect(url).toBe('https://plain.example/v1/plain?beta=true')
    expect(Object.keys(headers).toSorted()).toEqual([
      'accept',
      'authorization',
      'content-type',
      'other-version',
      'plain-version',
      'user-agent',
    ])
    expect(headers['other-version']).toBe('7')
  })
  it.each(['{"text":', '{"model":"plain-1"', 'null and void'])(
    'is refused when it is not JSON: %s',
    async (body) => {
      const proxy = proxyOf(() => jsonReply({}))
      expect((await proxy.fetch('/v1/plain', { body })).status).toBe(400)
      expect(proxy.sent).toHaveLength(0)
    },
  )
})

const makeReply = (model: string) => `{ "a":{"model":"real-model"},\n"model": "${model}" ,"n":1.0}`

const ask = (script: Script, body: object = {}) =>
  proxyOf(script).fetch('/v1/plain', { body: { model: 'plain-1', text: 'x', ...body } })

describe('a body that comes back', () => {
  it('passes byte for byte with its type and its rates', async () => {
    const body = '{ "model":"whatever-2025",\n "text":"x", "n":1.0 }'
    const response = await ask(() =>
      jsonReply(body, 200, {
        'content-type': 'application/json; charset=UTF-8',
        'x-ratelimit-remaining-tokens': '17',
        'request-id': 'req_1',
        'set-cookie': 'a=b',
        'content-encoding': 'gzip',
        'content-length': '3',
      }),
    )
    expect(await response.text()).toBe(body)
    expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8')
    expect(response.headers.get('x-ratelimit-remaining-tokens')).toBe('17')
    expect(response.headers.get('x-upstream-request-id')).toBe('req_1')
    for (const name of ['set-cookie', 'content-encoding', 'x-dragoman-losses'])
      expect(response.headers.get(name)).toBeNull()
  })
  it('has the model renamed back and nothing else', async () => {
    const response = await ask(() => jsonReply(makeReply('real-model-2025')), { model: 'alias' })
    expect(await response.text()).toBe(makeReply('alias'))
  })
  it.each(['{"model":"x","te', '<html></html>', 'oh no', ''])(
    'is refused when it is none: %s',
    async (body) => {
      const response = await ask(() => jsonReply(body))
      expect(response.status).toBe(502)
      expect(response.headers.get('x-should-retry')).toBe('false')
    },
  )
  it('is refused when the connection breaks in the middle', async () => {
    const response = await ask(() => ({
      ...jsonReply({}),
      body: streamOf(['{"model":"x",', new Error('reset')]),
    }))
    expect(response.status).toBe(502)
  })
})

const streamNaming = (model: string) =>
  [
    `: "model" "real-model"\n\n`,
    `event: start\ndata: { "t":"start","reply": {"x":{"model":"real-model"}, "model":"${model}"}}\n\n`,
    sse({ t: 'text', text: '"model":"real-model" üß' }),
    sse({ t: 'text', model: 'real-model' }),
    sse({ t: 'end' }),
  ].join('')

describe('a stream that comes back', () => {
  const whole = plainStream(['Gr', 'üße 🙂']).join('')
  it.each([
    ['whole', [whole]],
    ['byte by byte', bytewise(whole)],
    ['with CR LF', [whole.replaceAll('\n', '\r\n')]],
    ['with comments and pings', [`: hi\n\nevent: ping\ndata: {}\n\n${whole}`]],
    ['with more after its end', [`${whole}data: [DONE]\n\n`]],
  ])('passes byte for byte %s', async (_, chunks) => {
    const expected = new TextDecoder().decode(
      await new Response(streamOf(chunks)).arrayBuffer().then((buffer) => new Uint8Array(buffer)),
    )
    const response = await ask(() => sseReply(chunks), { stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(await response.text()).toBe(expected)
  })
  it('is read whole where its first event had been seen in part', async () => {
    const [first = '', ...others] = plainStream(['Hi'])
    const proxy = proxyOf(() =>
      sseReply([`: hello\n\n${first.slice(0, 12)}`, first.slice(12), ...others]),
    )
    const body = { model: 'plain-1', text: 'x', stream: true }
    const response = await proxy.fetch('/v1/plain', { body })
    expect(await response.text()).toBe(`: hello\n\n${first}${others.join('')}`)
    expect(proxy.log[0]).toMatchObject({ outcome: 'ok', finish: 'stop' })
  })
  it('has its final blank line, which most readers need', async () => {
    const response = await ask(() => sseReply([whole.trimEnd()]), { stream: true })
    expect(await response.text()).toBe(whole)
  })
  it.each([
    ['at once', (text: string) => [text]],
    ['byte by byte', bytewise],
    ['with CR LF', (text: string) => [text.replaceAll('\n', '\r\n')]],
    ['over several lines', (text: string) => [text.replaceAll(',"', ',\ndata:"')]],
  ])('has the model renamed where it is the model, %s', async (_, cut) => {
    const [expected] = cut(streamNaming('alias'))
    const response = await ask(() => sseReply(cut(streamNaming('real-model-2025'))), {
      model: 'alias',
      stream: true,
    })
    const text = await response.text()
    expect(text).toBe(typeof expected === 'string' ? expected : streamNaming('alias'))
  })
  it('says in its dialect that it was cut, and drops what was cut in half', async () => {
    for (const end of ['data: {"t":"te', new Error('reset'), '']) {
      const response = await ask(() => sseReply([...plainStream().slice(0, 2), end]), {
        stream: true,
      })
      const text = await response.text()
      const [first = '', second = '', third = ''] = text.split('\n\n')
      expect(`${first}\n\n${second}\n\n`).toBe(plainStream().slice(0, 2).join(''))
      expect(third).toMatch(/^data: {"t":"error"/)
    }
  })
  it('is cut when it is longer than the limit', async () => {
    const proxy = proxyOf(() => sseReply(plainStream(Array.from({ length: 50 }, () => 'hello'))), {
      limits: { streamBytes: 400 },
    })
    const body = { model: 'plain-1', text: 'x', stream: true }
    const text = await (await proxy.fetch('/v1/plain', { body })).text()
    expect(text).toMatch(/"t":"error".*larger than the limit.*\n\n$/)
    expect(text.length).toBeLessThan(600)
    expect(proxy.log[0]?.bytesOut).toBe(text.length)
  })
  it('is not cut when it ends with an error of its own', async () => {
    const chunks = [...plainStream().slice(0, 2), sse({ error: 'too busy' })]
    const response = await ask(() => sseReply(chunks), { stream: true })
    expect(await response.text()).toBe(chunks.join(''))
  })
  it.each([
    ['nothing', []],
    ['a broken connection', [new Error('reset')]],
    ['a page', ['<html>']],
  ])('is a status when it begins with %s', async (_, chunks) => {
    expect((await ask(() => sseReply(chunks), { stream: true })).status).toBe(502)
  })
  it('is not held back for longer than a heartbeat', async () => {
    const { silence, read } = silenceUntil(/./)
    const proxy = proxyOf(() => sseReply([silence, ...plainStream()]), {
      limits: { heartbeatMs: 20 },
    })
    const body = { model: 'plain-1', text: 'x', stream: true }
    const text = await read(await proxy.fetch('/v1/plain', { body }))
    expect(text.replace(/^(?:: ?\w*\n\n)+/, '')).toBe(plainStream().join(''))
  })
  it('is kept alive between its events while the upstream is silent, and not inside of one', async () => {
    const [first = '', ...others] = plainStream()
    const rest = others.join('')
    const limits = { heartbeatMs: 20 }
    const asked = (...chunks: (string | Promise<void>)[]) => {
      const proxy = proxyOf(() => sseReply(chunks), { limits })
      const body = { model: 'plain-1', text: 'x', stream: true }
      return proxy.fetch('/v1/plain', { body })
    }
    const heard = async (...chunks: (string | Promise<void>)[]) => (await asked(...chunks)).text()
    const { silence, read } = silenceUntil(/(?:: ?\w*\n\n){2,}$/)
    const kept = await read(await asked(first, silence, rest))
    expect(kept.replaceAll(/^: ?\w*\n\n/gm, '')).toBe(first + rest)
    expect(kept).toMatch(/^data: .*\n\n(?:: ?\w*\n\n){2,}data: /)
    expect(await heard(first + rest.slice(0, 3), sleep(70), rest.slice(3))).toContain(rest)
    const long = sse({ t: 'other', text: 'x'.repeat(200) })
    const parted = await heard(first, long.slice(0, 150), sleep(70), long.slice(150) + rest)
    expect(parted.replaceAll(/^: ?\w*\n\n/gm, '')).toBe(first + long + rest)
  })
  it.each([
    ['behind its end', plainStream(), [], { 'content-type': 'text/event-stream' }],
    ['in what is no stream', ['{"text":'], ['"x"}'], { 'content-type': 'text/plain' }],
  ])('is not kept alive %s', async (_, before, after, headers) => {
    const proxy = proxyOf(() => sseReply([...before, sleep(70), ...after], headers), {
      limits: { heartbeatMs: 20 },
    })
    const body = { model: 'plain-1', text: 'x', stream: true }
    const text = await (await proxy.fetch('/v1/plain', { body })).text()
    expect(text).toBe([...before, ...after].join(''))
  })
  it.each([
    [
      'loses the mark of UTF-8, which is none there',
      `\ufeff${plainStream().join('')}`,
      /\n\ndata: .*start/,
    ],
    ['is an error when it turns out to be a page', '<html>', /\n\ndata: {"t":"error"[^<]*$/],
  ])('that begins after a heartbeat %s', async (_, late, expected) => {
    const { silence, read } = silenceUntil(/./)
    const proxy = proxyOf(() => sseReply([silence, late]), { limits: { heartbeatMs: 20 } })
    const body = { model: 'plain-1', text: 'x', stream: true }
    const text = await read(await proxy.fetch('/v1/plain', { body }))
    expect(text).toMatch(expected)
  })
  it('ends soon behind its last event, where its upstream leaves the connection open', async () => {
    const began = performance.now()
    const proxy = proxyOf(() => sseReply([...plainStream(), sse({ tokens: 7 }), sleep(30_000)]))
    const body = { model: 'plain-1', text: 'x', stream: true }
    const text = await (await proxy.fetch('/v1/plain', { body })).text()
    // What is no part of the reply does not pass.
    expect(text).toBe(plainStream().join(''))
    expect(performance.now() - began).toBeLessThan(25_000)
    expect(proxy.log).toMatchObject([{ status: 200, finish: 'stop', outcome: 'ok' }])
    expect(proxy.log[0]?.error).toBeUndefined()
  })
  it('is logged when it is over, once', async () => {
    const proxy = proxyOf(() => sseReply([...plainStream(), sse({ tokens: 7 })]))
    const body = { model: 'plain-1', text: 'x', stream: true }
    const response = await proxy.fetch('/v1/plain', { body })
    expect(proxy.log).toHaveLength(0)
    await response.text()
    expect(proxy.log).toHaveLength(1)
    expect(proxy.log[0]).toMatchObject({
      status: 200,
      finish: 'stop',
      upstream: 'plain',
      route: 'plain-*',
    })
  })
})

const array = (model: string) =>
  `[{\n "modelName": "${model}",\n "x": "]}\\"{"}\n,\r\n{"t":"text","text":"ü"}\n,\r\n{"t":"end"}\n]\n`
const fetchArray = (script: Script, model = 'pathy-1') =>
  proxyOf(script).fetch(`/v1beta/pathy/${model}:stream`, { body: { text: 'hi' } })
const arrayReply = (chunks: (string | Uint8Array | Error)[]) => ({
  ...sseReply(chunks),
  headers: new Headers({ 'content-type': 'application/json' }),
})

describe('a streamed array that comes back', () => {
  it('passes byte for byte', async () => {
    const text = array('pathy-1')
    expect(await (await fetchArray(() => arrayReply([text]))).text()).toBe(text)
    expect(await (await fetchArray(() => arrayReply(bytewise(text)))).text()).toBe(text)
  })
  it('has the model renamed', async () => {
    const chunks = bytewise(array('real-model'))
    const response = await fetchArray(() => arrayReply(chunks), 'alias-pathy')
    expect(await response.text()).toBe(array('alias-pathy'))
  })
  it('is closed with an error when it was cut', async () => {
    const cut = array('pathy-1').slice(0, -14)
    const response = await fetchArray(() => arrayReply([cut, new Error('reset')]))
    const elements = (await response.json()) as unknown[]
    expect(elements).toHaveLength(3)
    expect(elements[2]).toMatchObject({ t: 'error' })
  })
})

describe('a refusal that comes back', () => {
  it('passes with its status, its words and its hints', async () => {
    const text = '{ "error":{ "why":"slow down" } }'
    const response = await ask(() =>
      jsonReply(text, 429, {
        'retry-after': '7',
        'x-should-retry': 'true',
        'x-ratelimit-remaining-requests': '0',
        'plain-rate-reset': '9',
        'set-cookie': 'a=b',
      }),
    )
    expect(response.status).toBe(429)
    expect(await response.text()).toBe(text)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(response.headers.get('x-should-retry')).toBe('true')
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect(response.headers.get('plain-rate-reset')).toBe('9')
    expect(response.headers.get('set-cookie')).toBeNull()
  })
  it.each([
    ['in an address', (key: string) => `"at /v1?key=${encodeURIComponent(key)}"`],
    ['with slashes as JSON may spell them', (key: string) => `"${key.replace('/', '\\/')}"`],
  ])('does not repeat a key %s', async (_, spell) => {
    const value = 'upstream+key/0123456789'
    const proxy = proxyOf(() => jsonReply(`{"error":{"message":${spell(value)}}}`, 400), {
      upstream: { key: { kind: 'literal', value } },
    })
    const response = await proxy.fetch('/v1/plain', { body: { model: 'plain-1', text: 'x' } })
    expect(await response.text()).not.toContain('0123456789')
    expect(JSON.stringify(proxy.log)).not.toContain('0123456789')
  })
  it('is told in the words of the proxy when it has none', async () => {
    const response = await ask(() => jsonReply('<html>', 503))
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ kind: 'unavailable' })
  })
})

it('the stream of an upstream of the other kind passes too', async () => {
  const proxy = proxyOf(() => sseReply(pathyStream()))
  const response = await proxy.fetch('/v1beta/pathy/pathy-1:stream?alt=sse', {
    body: { text: 'x' },
  })
  expect(proxy.sent[0]?.url).toMatch(/:stream\?alt=sse&key=/)
  expect(await response.text()).toBe(pathyStream().join(''))
})

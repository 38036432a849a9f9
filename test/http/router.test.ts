import { describe, expect, it } from 'vitest'
import { createApp, type Send } from '../../src/index.ts'
import {
  jsonReply,
  KEY,
  plainStream,
  proxyOf,
  sleep,
  sseReply,
  streamOf,
  type Chunk,
} from '../exchange/proxy.ts'

const CALLER_KEY = 'caller-key-0123456789abcdef'
const reply = () => jsonReply({ modelName: 'x', model: 'x', text: 'Hello' })
const body = { model: 'pathy-1', text: 'hi' }

describe('the entrance', () => {
  const closed = {
    callers: { kind: 'keys', keys: ['another-key-0123456789', CALLER_KEY] },
  } as const
  const places: [string, Record<string, string>, string][] = [
    ['a bearer', { authorization: `Bearer ${CALLER_KEY}` }, ''],
    ['a bearer in small letters', { authorization: `bearer ${CALLER_KEY}` }, ''],
    ['x-api-key', { 'x-api-key': CALLER_KEY }, ''],
    ['x-goog-api-key', { 'x-goog-api-key': CALLER_KEY }, ''],
    ['the query', {}, `?key=${CALLER_KEY}`],
    ['a place beside a stale key', { authorization: 'Bearer stale', 'x-api-key': CALLER_KEY }, ''],
  ]
  const paths = ['/v1/plain', '/v1beta/pathy/pathy-1:run', '/v1beta/pathy/pathy-1:count']

  it.each(places)('opens for a key in %s, and no upstream sees it', async (_, headers, query) => {
    for (const path of paths) {
      const proxy = proxyOf(reply, closed)
      const response = await proxy.fetch(path + query, { body, headers })
      expect(response.status).toBe(200)
      expect(await response.text()).not.toContain(KEY)
      const { url, headers: sent } = proxy.sent[0] ?? { url: '', headers: {} }
      expect(url + JSON.stringify(sent)).not.toContain(CALLER_KEY)
      expect(url + JSON.stringify(sent)).toContain(KEY)
      expect(JSON.stringify(proxy.log)).not.toMatch(new RegExp(`${KEY}|${CALLER_KEY}`))
    }
  })
  it.each([
    ['no key', {}],
    ['another key', { 'x-api-key': 'wrong-key-0123456789abcdef' }],
    ['a part of a key', { 'x-api-key': CALLER_KEY.slice(0, -1) }],
    ['more than a key', { 'x-api-key': `${CALLER_KEY}x` }],
    ['an endless key', { 'x-api-key': CALLER_KEY.repeat(100) }],
    ['another scheme', { authorization: `Basic ${CALLER_KEY}` }],
    ['an empty key', { authorization: 'Bearer ' }],
  ])('stays shut for %s', async (_, headers) => {
    const proxy = proxyOf(reply, closed)
    for (const path of [
      ...paths,
      '/v1/models',
      '/nothing',
      '//v1/plain',
      '/V1/PLAIN',
      '/explain/v1/plain',
    ])
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
        const init = method === 'GET' ? { headers, method } : { headers, method, body }
        expect((await proxy.fetch(path, init)).status).toBe(401)
      }
    expect(proxy.sent).toHaveLength(0)
  })
  it('speaks the dialect that the path looks like', async () => {
    const proxy = proxyOf(reply, closed)
    expect(await (await proxy.fetch('/v1beta/x')).json()).toHaveProperty('pathyError')
    expect(await (await proxy.fetch('/v1/plain')).json()).toHaveProperty('plainError')
  })
  it('lets anybody see whether the proxy is alive, and whether it drains (trap 33)', async () => {
    let draining = false
    const proxy = proxyOf(reply, closed, { draining: () => draining })
    const health = ['/healthz', '/readyz', '/livez']
    for (const path of health)
      for (const method of ['GET', 'HEAD', 'OPTIONS'])
        expect((await proxy.fetch(path, { method })).status).toBe(200)
    draining = true
    for (const path of health)
      expect((await proxy.fetch(path)).status).toBe(path === '/livez' ? 200 : 503)
    expect(proxy.log).toEqual([])
    for (const path of ['/', '/api/hello'])
      expect((await proxy.fetch(path, { method: 'HEAD' })).status).toBe(200)
  })
})

describe("the caller's own key", () => {
  const own = { upstream: { key: { kind: 'caller' } } } as const
  it.each([
    ['authorization', 'Bearer sk-own'],
    ['x-api-key', 'sk-own'],
    ['x-goog-api-key', 'sk-own'],
  ])('goes from %s to where the upstream expects it', async (name, value) => {
    const proxy = proxyOf(reply, own)
    const headers = { [name]: value }
    await proxy.fetch('/v1/plain', { body, headers })
    await proxy.fetch('/v1/plain', { body: { model: 'plain-1', text: 'x' }, headers })
    expect(proxy.sent[0]?.url).toBe('https://pathy.example/v1beta/pathy/pathy-1:run?key=sk-own')
    expect(proxy.sent[0]?.headers).not.toHaveProperty(name)
    expect(proxy.sent[1]?.headers['authorization']).toBe('Bearer sk-own')
  })
  it('is not the one that opened the door, when there are two', async () => {
    const proxy = proxyOf(reply, { ...own, callers: { kind: 'keys', keys: [CALLER_KEY] } })
    const headers = { authorization: `Bearer ${CALLER_KEY}`, 'x-api-key': 'sk-own' }
    await proxy.fetch('/v1/plain', { body, headers })
    expect(proxy.sent[0]?.url).toMatch(/key=sk-own$/)
  })
  it('is nothing that could not be sent', async () => {
    const proxy = proxyOf(reply, own)
    await proxy.fetch('/v1/plain?key=a%0d%0aevil:1', { body })
    expect(proxy.sent[0]?.url).not.toContain('key=')
  })
})

describe('an upstream request', () => {
  it('has exactly the headers that are meant', async () => {
    const proxy = proxyOf(reply, { upstream: { headers: { 'X-Extra': 'yes' } } })
    await proxy.fetch('/v1/plain?alt=evil&x=1', {
      body,
      headers: {
        cookie: 'a=b',
        'x-forwarded-for': '::1',
        'plain-version': '3',
        'accept-encoding': 'br',
        te: 'trailers',
        'x-api-base': 'http://evil.example',
      },
    })
    const { url, headers } = proxy.sent[0] ?? { url: '', headers: {} }
    expect(url).toBe(`https://pathy.example/v1beta/pathy/pathy-1:run?key=${KEY}`)
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^dragoman\/\d/),
      'pathy-version': '1',
      'x-extra': 'yes',
    })
  })
  it('goes below the configured address and version', async () => {
    const proxy = proxyOf(reply, { upstream: { base: 'https://host.example/base', version: 'v1' } })
    await proxy.fetch('/v1/plain', { body: { ...body, stream: true } })
    expect(proxy.sent[0]?.url).toBe(
      `https://host.example/base/v1/pathy/pathy-1:stream?alt=sse&key=${KEY}`,
    )
    expect(proxy.sent[0]?.headers['accept']).toBe('text/event-stream')
  })
  it.each([
    ['https://api.z.ai/api/paas/v4', 'https://api.z.ai/api/paas/v4/chat/completions'],
    ['https://x.example/v1beta/openai', 'https://x.example/v1beta/openai/chat/completions'],
    ['https://x.example/chat/completions', 'https://x.example/chat/completions'],
    ['https://x.example', 'https://x.example/v1/chat/completions'],
  ])('at %s asks %s', async (url, asked) => {
    const urls: string[] = []
    const send: Send = async (request) => {
      urls.push(request.url)
      return jsonReply({ choices: [] })
    }
    const upstreams = { a: { dialect: 'chat-completions', url } } as const
    const routes = [{ model: '*', upstream: 'a' }]
    const app = createApp({ upstreams, routes, callers: 'open' }, { send })
    const sent = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
    const path = '/v1/chat/completions'
    const headers = { 'content-type': 'application/json' }
    await app.request(path, { method: 'POST', headers, body: JSON.stringify(sent) })
    expect(urls).toEqual([asked])
  })
  it.each(['../../admin', 'a/../../b', 'x?y=1', 'x#y', 'x\\y', '%2e%2e/x', 'x y', 'ü', 'x\ny'])(
    'does not climb out of its place: %j',
    async (name) => {
      const proxy = proxyOf(reply, { routes: [{ model: '*', upstream: 'pathy' }] })
      const response = await proxy.fetch('/v1/plain', { body: { ...body, model: name } })
      const path = new URL(proxy.sent[0]?.url ?? 'x:').pathname
      if (response.status === 200) expect(path).toBe(`/v1beta/pathy/${name}:run`)
      else expect(response.status).toBe(400)
    },
  )
})

const text = JSON.stringify(body)
const fetchWith = (sent: unknown, headers: Record<string, string> = {}, limits = {}) =>
  proxyOf(reply, { limits }).fetch('/v1/plain', { body: sent, headers })

async function packed(
  source: string,
  format: 'gzip' | 'deflate' | 'deflate-raw',
): Promise<Uint8Array> {
  const stream = streamOf([source]).pipeThrough(new CompressionStream(format))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

describe('the body of a request', () => {
  it.each([
    [0, 200],
    [1, 413],
  ])('%d bytes over the limit: %d', async (over, status) => {
    const limits = { bodyBytes: text.length - over }
    expect((await fetchWith(text, {}, limits)).status).toBe(status)
    const chunks = streamOf([text.slice(0, 5), text.slice(5)])
    expect((await fetchWith(chunks, {}, limits)).status).toBe(status)
    const lie = await fetchWith(text, { 'content-length': '5' }, limits)
    expect(lie.status).toBe(status)
  })
  it('is not read when it says that it is too large', async () => {
    const endless = streamOf(
      (function* () {
        for (;;) yield 'x'.repeat(1000)
      })(),
    )
    expect((await fetchWith(endless, {}, { bodyBytes: 10_000 })).status).toBe(413)
  })
  it.each(['gzip', 'deflate'] as const)('may be packed: %s', async (format) => {
    const response = await fetchWith(await packed(text, format), { 'content-encoding': format })
    expect(response.status).toBe(200)
  })
  it('may be packed in deflate without the header of zlib', async () => {
    const body = await packed(text, 'deflate-raw')
    expect((await fetchWith(body, { 'content-encoding': 'deflate' })).status).toBe(200)
  })
  it('may not unfold beyond the limit', async () => {
    const bomb = await packed(' '.repeat(5_000_000), 'gzip')
    expect(bomb.length).toBeLessThan(10_000)
    const response = await fetchWith(bomb, { 'content-encoding': 'gzip' }, { bodyBytes: 100_000 })
    expect(response.status).toBe(413)
  })
  it.each([
    ['a coding that nobody reads', text, { 'content-encoding': 'zstd' }, 415],
    ['a coding that it does not have', text, { 'content-encoding': 'gzip' }, 400],
    ['another type', text, { 'content-type': 'text/plain' }, 415],
    ['a type with parameters', text, { 'content-type': 'Application/JSON; charset=utf-8' }, 200],
    ['a byte order mark', `\u{feff}${text}`, {}, 200],
    ['bytes that are no text', new Uint8Array([123, 34, 0xff, 34, 125]), {}, 400],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0]), {}, 400],
    ['nothing', '', {}, 400],
    ['no object', '[1,2]', {}, 400],
    ['half an object', text.slice(0, -1), {}, 400],
  ])('with %s', async (_, sent, headers, status) => {
    const response = await fetchWith(sent, headers as Record<string, string>)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
    if (status !== 200) expect(await response.json()).toHaveProperty('plainError')
  })
  it('without a type is refused', async () => {
    const response = await fetchWith(new Uint8Array([123, 125]), { 'content-type': '' })
    expect(response.status).toBe(415)
  })
  it.each([
    ['application/json', 200],
    ['Application/JSON ;charset=utf-8', 200],
    ['application/json, application/json; charset=UTF-8', 200],
    ['text/plain, application/json', 415],
    ['application/json, text/plain', 415],
    ['application/jsonp', 415],
    ['application/json,', 415],
  ])('of the type %s: %d', async (type, status) => {
    const body = '{"model":"pathy-1","text":"x"}'
    expect((await fetchWith(body, { 'content-type': type })).status).toBe(status)
  })
  it('is not quoted in an error', async () => {
    const response = await fetchWith('{"model":"pathy-1","text":"secret words" oops')
    expect(await response.text()).not.toContain('secret')
  })
  it.each([
    [199, 200],
    [200, 400],
    [5000, 400],
    [1_000_000, 400],
  ])('nested %d levels deep in an object: %d', async (depth, status) => {
    const nested = `{"model":"pathy-1","text":"x","d":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect((await fetchWith(nested)).status).toBe(status)
  })
  it.each([
    [0, 200],
    [1, 413],
  ])('with %d values over the limit: %d', async (over, status) => {
    const many = `{"model":"pathy-1","text":"x","d":[${'1,'.repeat(99)}1]}`
    expect((await fetchWith(many, {}, { nodes: 104 - over })).status).toBe(status)
  })
  it('that does not arrive is not waited for', async () => {
    const slow: Chunk[] = ['{', new Promise(() => {})]
    const response = await fetchWith(streamOf(slow), {}, { bodyMs: 30 })
    expect(response.status).toBe(408)
  })
})

describe('a crowd', () => {
  it('of exchanges is bounded', async () => {
    const { promise: gate, resolve: answer } = Promise.withResolvers<void>()
    const proxy = proxyOf(() => gate.then(reply), { limits: { streams: 2 } })
    const running = [1, 2].map(() => proxy.fetch('/v1/plain', { body }))
    const refused = await proxy.fetch('/v1/plain', { body })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('x-should-retry')).toBeNull()
    answer()
    for (const response of await Promise.all(running)) expect(response.status).toBe(200)
    expect((await proxy.fetch('/v1/plain', { body })).status).toBe(200)
  })
  it('of bytes is bounded', async () => {
    const size = JSON.stringify(body).length
    const proxy = proxyOf(reply, { limits: { inFlightBytes: size * 2 } })
    for (let round = 0; round < 5; round += 1)
      expect((await proxy.fetch('/v1/plain', { body })).status).toBe(200)
    const { promise: gate, resolve: answer } = Promise.withResolvers<void>()
    const slow = proxyOf(() => gate.then(reply), { limits: { inFlightBytes: size * 2 } })
    const running = [1, 2].map(() => slow.fetch('/v1/plain', { body }))
    await sleep(10)
    expect((await slow.fetch('/v1/plain', { body })).status).toBe(503)
    answer()
    for (const response of await Promise.all(running)) expect(response.status).toBe(200)
  })
  it('of streams is counted until they end', async () => {
    const proxy = proxyOf(() => sseReply(plainStream()), { limits: { streams: 1 } })
    const stream = { body: { model: 'plain-1', text: 'x', stream: true } }
    const first = await proxy.fetch('/v1/plain', stream)
    expect((await proxy.fetch('/v1/plain', stream)).status).toBe(503)
    await first.text()
    const second = await proxy.fetch('/v1/plain', stream)
    expect(second.status).toBe(200)
    await second.body?.cancel()
    expect((await proxy.fetch('/v1/plain', stream)).status).toBe(200)
  })
})

describe('paths', () => {
  const proxy = proxyOf(reply)
  it.each([
    ['GET', '/v1/plain', 405, 'POST'],
    ['DELETE', '/v1beta/pathy/x:run', 405, 'POST'],
    ['GET', '/explain/v1/plain', 405, 'POST'],
    ['DELETE', '/v1/models', 405, 'GET, HEAD'],
    ['POST', '/healthz', 405, 'GET, HEAD'],
    ['GET', '/v1/nothing', 404, null],
    ['POST', '/v1/plain//', 404, null],
    ['POST', '//v1/plain', 404, null],
    ['GET', '/v1/models/unknown', 404, null],
    ['GET', '/v1/models/plain-%2f..%2fx', 404, null],
    ['GET', '/v1/models/plain-%ff', 404, null],
    ['POST', '/v1beta/models/x:unknown', 404, null],
    ['GET', '/', 404, null],
  ])('%s %s: %d', async (method, path, status, allow) => {
    const response = await proxy.fetch(path, { method })
    expect(response.status).toBe(status)
    expect(response.headers.get('allow')).toBe(allow)
    expect(response.headers.get('content-type')).toBe('application/json')
    const shape = path.startsWith('/v1beta') ? 'pathyError' : 'plainError'
    expect(await response.json()).toHaveProperty(shape)
  })
  it('a socket is refused in a way that clients understand', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    expect((await proxy.fetch('/v1/plain', { headers })).status).toBe(426)
  })
  it.each([
    ['/v1/plain/', '/v1beta/pathy/pathy-1:run'],
    ['/v1/plain/?a=b', '/v1beta/pathy/pathy-1:run'],
    ['/v1beta/pathy/pathy-1:run/', '/v1beta/pathy/pathy-1:run'],
    ['/v1beta/openai/plain', '/v1beta/pathy/pathy-1:run'],
    ['/v1beta/openai/plain/', '/v1beta/pathy/pathy-1:run'],
  ])('%s is taken as it is meant', async (path, sent) => {
    const taken = proxyOf(reply)
    expect((await taken.fetch(path, { body })).status).toBe(200)
    expect(new URL(taken.sent[0]?.url ?? '').pathname).toBe(sent)
    expect((await taken.fetch(`/explain${path}`, { body })).status).toBe(200)
    expect(taken.log[0]).toMatchObject({ path: path.replace(/\?.*/, '') })
    expect((await taken.fetch(path, { method: 'DELETE' })).status).toBe(405)
  })
  it.each(['/v1/models/', '/v1beta/openai/models', '/v1beta/openai/models/'])(
    '%s lists models as their usual place does',
    async (path) => {
      const list = await (await proxy.fetch('/v1/models')).json()
      expect(await (await proxy.fetch(path)).json()).toEqual(list)
      expect((await proxy.fetch(path, { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD')
    },
  )
  it('a model that no route leads to is not found', async () => {
    const response = await proxy.fetch('/v1/plain', { body: { ...body, model: 'unknown' } })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ param: 'model' })
  })
  it('a request that says neither what nor to whom is told what is missing', async () => {
    const response = await proxy.fetch('/v1/plain', { body: {} })
    expect(await response.json()).toMatchObject({ param: 'text' })
  })
})

describe('models', () => {
  const models = new Map([
    ['real-model', { contextWindow: 1000 }],
    ['plain-big', {}],
    ['plain-*', {}],
  ])
  const proxy = proxyOf(reply, { upstream: { models } })
  it('are listed when they have a name and a route', async () => {
    const list = { shape: 'plain', models: ['alias', 'alias-pathy', 'plain-big'] }
    expect(await (await proxy.fetch('/v1/models')).json()).toEqual(list)
    const pathy = await proxy.fetch('/v1beta/models?key=x')
    expect(await pathy.json()).toEqual({ ...list, shape: 'pathy' })
  })
  it('are found by any name that has a route', async () => {
    const response = await proxy.fetch('/v1/models/plain-org%2Fany')
    expect(await response.json()).toEqual({ shape: 'plain', id: 'plain-org/any' })
  })
})

describe('headers of a reply', () => {
  it('name the exchange as the caller did', async () => {
    for (const path of ['/v1/plain', '/nothing', '/healthz']) {
      const response = await proxyOf(reply).fetch(path, { headers: { 'x-request-id': 'my.id=1' } })
      expect(response.headers.get('x-request-id')).toBe('my.id=1')
      expect(response.headers.get('request-id')).toBe('my.id=1')
    }
  })
  it.each(['', 'a b', 'x'.repeat(65), '"'])('name it anew: %j', async (id) => {
    const response = await proxyOf(reply).fetch('/healthz', { headers: { 'x-request-id': id } })
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/)
  })
  it('say who answered and what was lost', async () => {
    const response = await proxyOf(reply).fetch('/v1/plain', { body: { ...body, topK: 3 } })
    expect(response.headers.get('x-dragoman-upstream')).toBe('pathy; dialect=pathy; model=pathy-1')
    expect(response.headers.get('x-dragoman-losses')).toBe('1; dropped sampling.topK')
  })
  it('say nothing where nothing was lost', async () => {
    const response = await proxyOf(reply).fetch('/v1/plain', { body })
    expect(response.headers.get('x-dragoman-losses')).toBeNull()
  })
})

describe('losses', () => {
  it('are refused where they are not wanted', async () => {
    const proxy = proxyOf(reply, { losses: 'reject' })
    const response = await proxy.fetch('/v1/plain', { body: { ...body, topK: 3 } })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('dropped sampling.topK')
    expect(proxy.sent).toHaveLength(0)
    expect((await proxy.fetch('/v1/plain', { body })).status).toBe(200)
  })
  it('of a whole earlier conversation are always refused', async () => {
    const response = await proxyOf(reply).fetch('/v1/plain', { body: { ...body, previous: 'r1' } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ param: 'previous_response_id' })
  })
})

describe('an explanation', () => {
  it('shows what would be sent, without secrets, and sends nothing', async () => {
    const proxy = proxyOf(reply, { upstream: { headers: { 'x-secret-token': KEY } } })
    const response = await proxy.fetch('/explain/v1/plain', {
      body: { ...body, topK: 3 },
    })
    expect(await response.json()).toEqual({
      caller: 'plain',
      upstream: {
        name: 'pathy',
        dialect: 'pathy',
        method: 'POST',
        url: 'https://pathy.example/v1beta/pathy/pathy-1:run?key=***',
        headers: expect.objectContaining({ 'pathy-version': '1', 'x-secret-token': '***' }),
        body: { text: 'hi' },
      },
      losses: [
        {
          code: 'dropped',
          path: 'sampling.topK',
          field: '/topK',
          why: 'The upstream has no place for it.',
          effect: 'changes the answer',
        },
      ],
    })
    expect(proxy.sent).toHaveLength(0)
  })
  it('shows no value of a configured header that may be a secret, whatever its name is', async () => {
    const headers = {
      'x-credential': 'credential-0123456789',
      'x-sig': 'signed-0123456789',
      'cf-access-client-id': '0123456789.access',
      'x-route': 'tenant 0123456789abcdef',
      'x-team': 'blue',
      'openai-project': 'proj_0123456789',
    }
    const proxy = proxyOf(reply, { upstream: { headers } })
    const told = await (await proxy.fetch('/explain/v1/plain', { body })).json()
    expect(told).toMatchObject({
      upstream: {
        headers: {
          'x-credential': '***',
          'x-sig': '***',
          'cf-access-client-id': '***',
          'x-route': '***',
          'x-team': 'blue',
          'openai-project': 'proj_0123456789',
        },
      },
    })
  })
  it('shows the bytes that would pass, to the digit', async () => {
    const sent = '{"model":"alias","text":"hi","n":12345678901234567890}'
    const text = await (await proxyOf(reply).fetch('/explain/v1/plain', { body: sent })).text()
    expect(text).toContain('"body":{"model":"real-model","text":"hi","n":12345678901234567890}')
    expect(text).toContain('"authorization":"Bearer ***"')
  })
  it('is refused in the same words', async () => {
    expect((await proxyOf(reply).fetch('/explain/v1/plain', { body: {} })).status).toBe(400)
  })
})

describe('counting tokens', () => {
  const text = 'x'.repeat(40)
  it('is done by an upstream that can', async () => {
    const proxy = proxyOf(() => jsonReply({ tokens: 17 }))
    const response = await proxy.fetch('/v1/plain/count', { body: { model: 'pathy-1', text } })
    expect(await response.json()).toEqual({ tokens: 17 })
    expect(response.headers.get('x-dragoman-losses')).toBeNull()
    expect(proxy.sent[0]?.url).toContain(':count')
  })
  it.each([404, 405, 501])('is done here when the upstream says %d', async (status) => {
    for (const model of ['pathy-1', 'plain-1']) {
      const proxy = proxyOf(() => jsonReply({ error: 'no' }, status))
      const response = await proxy.fetch('/v1/plain/count', { body: { model, text } })
      const { tokens } = (await response.json()) as { tokens: number }
      expect(tokens).toBeGreaterThanOrEqual(10)
      expect(response.headers.get('x-dragoman-losses')).toBe('1; approximated usage.input')
    }
  })
  it('is done here for an upstream that cannot', async () => {
    const proxy = proxyOf(reply)
    const response = await proxy.fetch('/v1beta/pathy/plain-1:count', { body: { text } })
    expect(((await response.json()) as { tokens: number }).tokens).toBeGreaterThanOrEqual(10)
    expect(proxy.sent).toHaveLength(0)
  })
  it('passes between two of a kind', async () => {
    const proxy = proxyOf(() => jsonReply('{ "tokens":17, "more":1 }'))
    const response = await proxy.fetch('/v1/plain/count', { body: { model: 'plain-1', text } })
    expect(await response.text()).toBe('{ "tokens":17, "more":1 }')
    expect(proxy.sent[0]?.url).toBe('https://plain.example/v1/plain/count')
  })
  it('fails as any other request does', async () => {
    const proxy = proxyOf(() => jsonReply({ error: 'slow down' }, 429))
    const response = await proxy.fetch('/v1/plain/count', { body: { model: 'pathy-1', text } })
    expect(response.status).toBe(429)
  })
})

describe('the log', () => {
  it('has one line per exchange, with what is known of it', async () => {
    const proxy = proxyOf(reply)
    await proxy.fetch('/v1/plain?key=secret', { body: { ...body, topK: 1 } })
    expect(proxy.log).toEqual([
      {
        id: expect.any(String),
        method: 'POST',
        path: '/v1/plain',
        caller: 'open',
        dialect: 'plain',
        operation: 'create',
        upstream: 'pathy',
        member: 'pathy',
        upstreamDialect: 'pathy',
        route: 'pathy-*',
        model: 'pathy-1',
        sentModel: 'pathy-1',
        stream: false,
        status: 200,
        finish: 'stop',
        usage: { input: 10, output: 2 },
        estimated: true,
        losses: [{ code: 'dropped', path: 'sampling.topK' }],
        bytesIn: expect.any(Number),
        outcome: 'ok',
        overheadMs: expect.any(Number),
        firstByteMs: 0,
        totalMs: 0,
      },
    ])
  })
  it.each([
    ['/nothing', 404],
    ['/v1/models', 200],
    ['/v1/plain', 405],
  ])('has one line for %s: %d', async (path, status) => {
    const proxy = proxyOf(reply)
    await proxy.fetch(path)
    expect(proxy.log).toHaveLength(1)
    expect(proxy.log[0]).toMatchObject({ path, status })
  })
  it('has none for those who only look whether the proxy is alive', async () => {
    const proxy = proxyOf(reply)
    await proxy.fetch('/healthz')
    expect(proxy.log).toHaveLength(0)
  })
  it('has one line for a failure too', async () => {
    const proxy = proxyOf(reply)
    await proxy.fetch('/v1/plain', { body: {} })
    expect(proxy.log).toHaveLength(1)
    expect(proxy.log[0]).toMatchObject({ status: 400, error: 'text: expected a string' })
  })
})

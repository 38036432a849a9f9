import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import type { Send } from '../../src/ports.ts'
import { bytesOf, post, reply, taskBench, TASK_KEY, CALLER_KEY } from './bench.ts'

const ID = '2512292042121000001'
const ROWS: [method: string, path: string][] = [
  ['POST', '/img/submit/imagine'],
  ['POST', '/img/submit/blend'],
  ['POST', '/img/submit/describe'],
  ['POST', '/img/submit/modal'],
  ['POST', '/img/insight-face/swap'],
  ['POST', '/img/submit/action'],
  ['POST', '/img/submit/upload-chat-images'],
  ['POST', '/img/task/list-by-condition'],
  ['GET', `/img/task/${ID}/fetch`],
  ['GET', `/img/task/${ID}/image-seed`],
  ['POST', '/music/submit/music'],
  ['POST', '/music/submit/lyrics'],
  ['POST', '/music/uploads/audio-url'],
  ['POST', '/music/submit/concat'],
  ['POST', '/music/fetch'],
  ['GET', `/music/fetch/${ID}`],
]

/** Bytes that no round trip through a parser would keep. */
const BODY =
  '{ "prompt":"a\\u0301 caf\u00e9",  "notifyHook":"http://169.254.169.254/latest?x=1","notify_hook":"",' +
  `"seed":${ID},"big":1e400,"float":1.0,"__proto__":{"a":1},"a":1,"a":2 }\n`

const init = (method: string): RequestInit => (method === 'POST' ? post(BODY) : { method })
const hostOf = (path: string) => (path.startsWith('/img') ? 'image.example' : 'music.example')

describe('task services', () => {
  it.each(ROWS)('%s %s reaches its upstream and comes back unchanged', async (method, path) => {
    const answer = `{"code" : 1,"result":${ID},"imageUrl":"http://a/b","x":1.0}\r\n`
    const type = 'application/json;charset=UTF-8'
    const { call, sent, log } = taskBench()
    const { call: answered } = taskBench({
      send: async () => reply(answer, 202, { 'content-type': type }),
    })
    await call(`${path}?a=%2f&b=c+d&a=`, init(method))
    expect(sent).toHaveLength(1)
    const [request] = sent
    expect(request?.method).toBe(method)
    expect(request?.url).toBe(`https://${hostOf(path)}${path}?a=%2f&b=c+d&a=`)
    expect(new TextDecoder().decode(request?.body)).toBe(method === 'POST' ? BODY : '')
    expect(request?.headers['authorization']).toBe(`Bearer ${TASK_KEY}`)
    expect(request?.headers['content-type']).toBe(
      method === 'POST' ? 'application/json' : undefined,
    )
    expect(log).toMatchObject([
      { method, path, status: 200, upstream: expect.stringMatching(/^tasks/) },
    ])

    const response = await answered(path, init(method))
    expect(response.status).toBe(202)
    expect(response.headers.get('content-type')).toBe(type)
    expect(await response.text()).toBe(answer)
  })

  it.each([200, 201, 400, 404, 422, 429, 500, 503, 529])(
    'passes the status %s on',
    async (status) => {
      const body = `{"code":21,"description":"says the service","result":null,"id":${ID}}`
      const headers = { 'content-type': 'application/json', 'retry-after': '7' }
      const { call } = taskBench({ send: async () => reply(body, status, headers) })
      const response = await call(`/img/task/${ID}/fetch`)
      expect(response.status).toBe(status)
      expect(response.headers.get('retry-after')).toBe('7')
      expect(await response.text()).toBe(body)
    },
  )

  it('passes an empty answer and a binary one', async () => {
    const empty = taskBench({ send: async () => reply(null, 204, {}) })
    const nothing = await empty.call('/music/fetch/1')
    expect([nothing.status, await nothing.text()]).toEqual([204, ''])
    const picture = new Uint8Array(256).map((_, index) => index)
    const binary = taskBench({
      send: async () => reply(picture, 200, { 'content-type': 'image/png' }),
    })
    const response = await binary.call('/music/fetch/1')
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture)
  })

  it('knows a deployment that has the services elsewhere', async () => {
    const { call, sent } = taskBench({ task: { base: 'https://host.example/base', prefix: '/mj' } })
    await call('/img/submit/imagine?x=1', post('{}'))
    await call('/music/fetch', post('{}'))
    expect(sent.map(({ url }) => url)).toEqual([
      'https://host.example/base/mj/submit/imagine?x=1',
      'https://host.example/base/mj/fetch',
    ])
    const root = taskBench({ task: { base: 'https://host.example', prefix: '' } })
    await root.call('/img/submit/imagine', post('{}'))
    expect(root.sent[0]?.url).toBe('https://host.example/submit/imagine')
  })

  it.each([
    ['?key=K', ''],
    ['?a=1&key=K&b=%20', '?a=1&b=%20'],
    ['?a=1&k%65y=K&key', '?a=1'],
    ['?monkey=1&keys=2', '?monkey=1&keys=2'],
    ['?', ''],
  ])('leaves of the query %s all but the key', async (given, passed) => {
    const { call, sent } = taskBench()
    await call(`/music/fetch/1${given.replaceAll('K', CALLER_KEY)}`)
    expect(new URL(sent[0]?.url ?? '').search).toBe(passed)
  })
})

describe('the way to a task service', () => {
  const unknown = [
    '/img',
    '/img/',
    '/img/submit',
    '/img/submit/imagine/',
    '/img//submit/imagine',
    '/img/submit/%69magine',
    '/img/submit/IMAGINE',
    '/img/submit/change',
    '/img/task/list',
    '/img/task//fetch',
    '/img/task/1/2/fetch',
    '/img/task/1/fetch/more',
    '/music/submit/imagine',
    '/music/fetch/',
    '/music/fetch/1/2',
  ]
  it.each(unknown)('there is no %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const { call, sent } = taskBench()
      const response = await call(path, init(method))
      const body = await response.json()
      expect(sent).toHaveLength(0)
      if (path.endsWith('//fetch') || path === '/music/fetch/')
        expect([400, 404, 405]).toContain(response.status)
      else expect(response.status).toBe(404)
      expectForm(path, body)
    }
  })

  it.each([
    ['GET', '/img/submit/imagine', 'POST'],
    ['PUT', '/img/submit/imagine', 'POST'],
    ['DELETE', '/img/task/1/fetch', 'GET'],
    ['POST', '/img/task/1/fetch', 'GET'],
    ['GET', '/music/fetch', 'POST'],
    ['POST', '/music/fetch/1', 'GET'],
    ['OPTIONS', '/music/submit/music', 'POST'],
  ])('%s %s is told which method to use', async (method, path, allow) => {
    const { call, sent } = taskBench()
    const response = await call(path, { ...init(method), method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expectForm(path, await response.json())
    expect(sent).toHaveLength(0)
  })

  it('sends no HEAD', async () => {
    const { call, sent } = taskBench()
    expect((await call('/music/fetch/1', { method: 'HEAD' })).status).toBe(405)
    expect(sent).toHaveLength(0)
  })

  it.each(['1', ID, 'a.b_c~d-e', 'A'.repeat(128), '%41bc', '%2D', '0'])(
    'takes the id %s',
    async (id) => {
      const { call, sent } = taskBench()
      for (const path of [
        `/img/task/${id}/fetch`,
        `/img/task/${id}/image-seed`,
        `/music/fetch/${id}`,
      ]) {
        expect((await call(path)).status).toBe(200)
        expect(new URL(sent.at(-1)?.url ?? '').pathname).toBe(path)
      }
    },
  )

  const hostile = [
    '..%2f..%2fadmin',
    '%2e%2e%2fadmin',
    '..%5cadmin',
    '%2E%2E%2F',
    'a%2fb',
    'a%5cb',
    'a%3fb',
    'a%23b',
    'a%00',
    'a%0d%0aX:1',
    'a%252fb',
    '%252e%252e',
    'a;b',
    'a:b',
    'a@b',
    'a%20b',
    'a+b',
    '%ff',
    '%c0%ae%c0%ae',
    '%zz',
    '%',
    'A'.repeat(129),
    '%F0%9F%98%80',
  ]
  it.each(hostile)('does not take the id %s', async (id) => {
    for (const path of [
      `/img/task/${id}/fetch`,
      `/img/task/${id}/image-seed`,
      `/music/fetch/${id}`,
    ]) {
      const { call, sent } = taskBench()
      const response = await call(path)
      expect([400, 404]).toContain(response.status)
      expectForm(path, await response.json())
      expect(sent).toHaveLength(0)
    }
  })

  it('never leaves the place of the service, whatever the path', async () => {
    const { call, sent } = taskBench({ task: { prefix: '/place' } })
    const part = fc.constantFrom(
      '..',
      '.',
      '%2e',
      '%2f',
      '/',
      '//',
      '\\',
      '?',
      '#',
      '@',
      ':',
      'a',
      '%00',
      ID,
      'fetch',
      'task',
    )
    const property = fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      sent.length = 0
      await call(`/img/task/${parts.join('')}/fetch`)
      await call(`/music/fetch/${parts.join('')}`)
      for (const { url } of sent)
        expect(url).toMatch(/^https:\/\/(?:image|music)\.example\/place\/(?:task|fetch)\//)
    })
    await fc.assert(property, cases(1000))
  })

  it.each([
    ['/img/submit/imagine', 'tasks.image.url', 'DRAGOMAN_IMAGE_URL'],
    ['/music/submit/music', 'tasks.music.url', 'DRAGOMAN_MUSIC_URL'],
  ])('says of %s what to configure', async (path, place, variable) => {
    const { call } = taskBench({ settings: { tasks: {} } })
    const response = await call(path, post('{}'))
    const text = await response.text()
    expect(response.status).toBe(404)
    expect(text).toContain(place)
    expect(text).toContain(variable)
    expectForm(path, JSON.parse(text))
  })
})

/** The failures of either service in its own form, and nothing more in it. */
function expectForm(path: string, body: unknown): void {
  if (path.startsWith('/img'))
    expect(body).toEqual({
      code: expect.toSatisfy(Number.isInteger),
      description: expect.stringMatching(/./),
      result: null,
    })
  else
    expect(body).toEqual({
      code: expect.stringMatching(/^(?!success$)[a-z_]+$/),
      message: expect.stringMatching(/./),
      data: null,
    })
}

const refusing: Send = async () => reply('{"code":3,"description":"no","result":null}', 401)

describe('the keys of the task services', () => {
  const places: [string, Record<string, string>, string][] = [
    ['bearer', { authorization: `Bearer ${CALLER_KEY}` }, ''],
    ['x-api-key', { authorization: '', 'x-api-key': CALLER_KEY }, ''],
    ['x-goog-api-key', { authorization: '', 'x-goog-api-key': CALLER_KEY }, ''],
    ['query', { authorization: '' }, `?key=${CALLER_KEY}`],
  ]
  it.each(places)("keeps the caller's key (%s) to itself", async (_, headers, query) => {
    const { call, sent, log } = taskBench()
    const response = await call(
      `/img/submit/imagine${query}`,
      post('{}', { ...headers, cookie: 'c=1' }),
    )
    expect(response.status).toBe(200)
    const { body: _body, signal: _signal, ...seen } = sent[0] ?? {}
    expect(JSON.stringify(seen)).not.toContain(CALLER_KEY)
    expect(JSON.stringify(log)).not.toMatch(/-key-/)
  })

  it.each(['/img/submit/imagine', '/img/nowhere', '/music/fetch/1'])(
    'answers %s without a key in the form of the service',
    async (path) => {
      const { call, sent, log } = taskBench()
      for (const authorization of ['', 'Bearer wrong-wrong-wrong-wrong', `Basic ${CALLER_KEY}`]) {
        const response = await call(path, { ...init('POST'), headers: { authorization } })
        expect(response.status).toBe(401)
        expectForm(path, await response.json())
      }
      expect(sent).toHaveLength(0)
      expect(log.map(({ status }) => status)).toEqual([401, 401, 401])
    },
  )

  it("moves the caller's own key where the service expects one", async () => {
    const key = { kind: 'caller' } as const
    const { call, sent } = taskBench({
      task: { key },
      send: refusing,
      settings: { callers: { kind: 'open' } },
    })
    const headers = { authorization: '', 'x-api-key': 'own-key' }
    const response = await call('/img/submit/imagine', post('{}', headers))
    expect(sent[0]?.headers['authorization']).toBe('Bearer own-key')
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ code: 3, description: 'no', result: null })
  })

  it.each([401, 403])(
    'does not let a caller answer for the %s of the configured key',
    async (status) => {
      const { call } = taskBench({ send: async () => reply(`{"key":"${TASK_KEY}"}`, status) })
      const response = await call('/music/fetch/1')
      const text = await response.text()
      expect(response.status).toBe(502)
      expect(text).not.toContain(TASK_KEY)
      expectForm('/music', JSON.parse(text))
    },
  )

  it('does not repeat the key that a service repeats in a failure', async () => {
    const body = `{"code":21,"description":"Bearer ${TASK_KEY} \u00e4","result":null}`
    const { call } = taskBench({ send: async () => reply(body, 400) })
    const response = await call('/img/submit/imagine', post('{}'))
    expect(await response.text()).toBe(body.replace(TASK_KEY, '***'))
  })
})

describe('the headers of the task services', () => {
  it('are, towards the service, only those that are meant for it', async () => {
    const { call, sent } = taskBench()
    const hostile = {
      connection: 'x-secret, keep-alive',
      cookie: 'session=1',
      'x-secret': '1',
      'x-forwarded-for': '10.0.0.1',
      via: '1.1 a',
      te: 'trailers',
      origin: 'https://page.example',
      'x-portkey-custom-host': 'http://evil.example',
      'proxy-authorization': 'Basic x',
      range: 'bytes=0-1',
      'if-none-match': 'x',
      'accept-language': 'de',
      accept: 'application/json, */*',
      'idempotency-key': 'once',
    }
    await call('/img/submit/imagine', post('{}', hostile))
    const { 'content-length': _, ...headers } = sent[0]?.headers ?? {}
    expect(headers).toEqual({
      accept: 'application/json, */*',
      'accept-language': 'de',
      authorization: `Bearer ${TASK_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': 'once',
      'user-agent': expect.stringMatching(/^dragoman\//),
    })
  })

  it('are, towards the caller, only those that are meant for it', async () => {
    const headers = {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'content-length': '5',
      'transfer-encoding': 'chunked',
      connection: 'x-secret',
      'x-secret': '1',
      'set-cookie': 'a=b',
      location: 'https://evil.example',
      'access-control-allow-origin': '*',
      'strict-transport-security': 'max-age=1',
      'x-ratelimit-remaining': '3',
      'x-request-id': 'theirs',
    }
    const { call } = taskBench({ send: async () => reply('{"code":1}', 200, headers) })
    const response = await call('/music/fetch/1', { headers: { 'x-request-id': 'mine' } })
    expect(await response.text()).toBe('{"code":1}')
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/json',
      'request-id': 'mine',
      'x-content-type-options': 'nosniff',
      'x-ratelimit-remaining': '3',
      'x-request-id': 'mine',
      'x-upstream-request-id': 'theirs',
    })
  })

  it('say what the body is: compressed bytes pass as they are', async () => {
    const packed = new Uint8Array([31, 139, 8, 0, 255])
    const { call, sent } = taskBench()
    await call('/img/submit/blend', post(packed, { 'content-encoding': 'gzip' }))
    expect(sent[0]?.body).toEqual(packed)
    expect(sent[0]?.headers['content-encoding']).toBe('gzip')
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', ''])(
    'a web page could send %s without asking, so it does not pass',
    async (type) => {
      const { call, sent } = taskBench()
      const response = await call('/img/submit/imagine', post('{}', { 'content-type': type }))
      expect(response.status).toBe(415)
      expectForm('/img', await response.json())
      expect(sent).toHaveLength(0)
    },
  )

  it('is not confused by a body that comes with its length', async () => {
    const { call, sent } = taskBench()
    await call('/music/fetch', post('{"ids":[]}', { 'content-length': '10' }))
    expect(sent[0]?.headers['content-length']).toBe('10')
    expect(await bytesOf(sent[0]?.body)).toHaveLength(10)
  })

  it.each([200, 400])('hides the key in the JSON of a %s, in any spelling', async (status) => {
    const spelled = [TASK_KEY, encodeURIComponent(TASK_KEY), btoa(`x:${TASK_KEY}`)]
    const body = JSON.stringify({ code: 24, description: spelled.join(' '), result: 12 })
    const headers = { 'content-type': 'application/json', 'x-ratelimit-policy': `for ${TASK_KEY}` }
    const { call } = taskBench({ send: async () => reply(body, status, headers) })
    const response = await call('/img/submit/imagine', post('{}'))
    const text = await response.text()
    for (const spelling of spelled) expect(text).not.toContain(spelling)
    expect(JSON.parse(text)).toMatchObject({ code: 24, result: 12 })
    expect(response.headers.get('x-ratelimit-policy')).toBe('for ***')
  })

  it('cuts a failure that is too long to be looked through', async () => {
    const body = `{"description":"${TASK_KEY} ${'x'.repeat(200_000)}"}`
    const { call } = taskBench({ send: async () => reply(body, 500) })
    const text = await (await call('/img/submit/imagine', post('{}'))).text()
    expect(text).toMatch(/^\{"description":"\*\*\* x/)
    expect(text.length).toBeLessThan(65_536)
  })

  it.each([
    ['a quota is used up', 403],
    ['this key may not do that', 502],
  ])('tells a 403 that is not about the key as it is: %s', async (description, status) => {
    const body = JSON.stringify({ code: 23, description, result: null })
    const { call } = taskBench({ send: async () => reply(body, 403) })
    const response = await call('/img/submit/imagine', post('{}'))
    expect(response.status).toBe(status)
    expect((await response.text()).includes(description)).toBe(status === 403)
  })

  it('tells the time to wait in whole seconds', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString()
    for (const [value, least] of [
      [date, 28],
      ['1.5', 2],
      ['7', 7],
    ] as const) {
      const { call } = taskBench({ send: async () => reply('{}', 429, { 'retry-after': value }) })
      const response = await call('/img/submit/imagine', post('{}'))
      const seconds = response.headers.get('retry-after') ?? ''
      expect(seconds).toMatch(/^\d+$/)
      expect(Number(seconds)).toBeGreaterThanOrEqual(least)
    }
  })

  it.each(['retry-after', 'retry-after-ms'])(
    'tells no longer time than a day: %s',
    async (name) => {
      const { call } = taskBench({ send: async () => reply('{}', 429, { [name]: '999999999999' }) })
      const { headers } = await call('/img/submit/imagine', post('{}'))
      expect(headers.get('retry-after')).toBe('86400')
      expect(Number(headers.get('retry-after-ms') ?? 0)).toBeLessThanOrEqual(86_400_000)
    },
  )
})

import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask, openPlace, type Place } from './place.ts'

const EVIL = 'http://evil.test:9000'
const PAGE = 'http://chat.test:9000'
const JSON_TYPE = { 'content-type': 'application/json' }
const question = JSON.stringify({ model: 'm', input: 'Hi' })

let place: Place
beforeAll(async () => {
  place = await openPlace({ web: { origins: [PAGE], hosts: ['proxy.internal'] } })
})
afterAll(() => place.close())

interface Attempt {
  method?: string
  path: string
  headers: Record<string, string>
  body?: string
}

const CROSS = { origin: EVIL, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
const preflight = {
  method: 'OPTIONS',
  headers: {
    ...CROSS,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  },
}
const rebound = () => `rebind.test:${place.port}`

/** What a page can make a browser send, as Chromium was seen to send it. */
const ATTEMPTS: [string, () => Attempt][] = [
  ['a JSON request asks first', () => ({ path: '/v1/responses', ...preflight })],
  [
    'a JSON request that did not ask',
    () => ({
      method: 'POST',
      path: '/v1/responses',
      headers: { ...CROSS, ...JSON_TYPE },
      body: question,
    }),
  ],
  [
    'plain text needs no asking',
    () => ({
      method: 'POST',
      path: '/v1/responses',
      headers: { ...CROSS, 'content-type': 'text/plain' },
      body: question,
    }),
  ],
  ['a beacon of JSON asks first', () => ({ path: '/v1/messages', ...preflight })],
  [
    'no body needs no asking: a stored response is cancelled',
    () => ({ method: 'POST', path: '/v1/responses/resp_x/cancel', headers: CROSS }),
  ],
  ['an image', () => ({ path: '/img/task/1/fetch', headers: { 'sec-fetch-site': 'cross-site' } })],
  [
    'an image of a neighbour’s page',
    () => ({ path: '/music/fetch/1', headers: { 'sec-fetch-site': 'same-site' } }),
  ],
  [
    'reading without asking: what is stored',
    () => ({ path: '/v1/responses/resp_x', headers: { 'sec-fetch-site': 'cross-site' } }),
  ],
  [
    'reading without asking: models',
    () => ({ path: '/v1/models', headers: { 'sec-fetch-site': 'cross-site' } }),
  ],
  [
    'a frame in a sandbox',
    () => ({
      method: 'POST',
      path: '/v1/responses/resp_x/cancel',
      headers: { origin: 'null', 'sec-fetch-site': 'cross-site' },
    }),
  ],
  [
    'a socket',
    () => ({
      path: '/v1/responses',
      headers: {
        origin: EVIL,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
      },
    }),
  ],
  [
    'a name that was bound anew, sending',
    () => ({
      method: 'POST',
      path: '/v1/responses',
      headers: { host: rebound(), origin: `http://${rebound()}`, ...JSON_TYPE },
      body: question,
    }),
  ],
  [
    'a name that looks like an address and is none',
    () => ({ path: '/v1/responses/resp_x', headers: { host: '127.256.0.1' } }),
  ],
  [
    'a foreign name in a whole address, whatever the host is',
    () => ({
      path: `http://${rebound()}/v1/responses/resp_x`,
      headers: { host: `127.0.0.1:${place.port}` },
    }),
  ],
  [
    'a foreign name behind our own in a whole address',
    () => ({
      path: `http://127.0.0.1@evil.test/v1/responses/resp_x`,
      headers: { host: `127.0.0.1:${place.port}` },
    }),
  ],
  [
    'a name that was bound anew, reading',
    () => ({ path: '/v1/responses/resp_x', headers: { host: rebound() } }),
  ],
  [
    'a name that was bound anew, asking what would be sent',
    () => ({
      method: 'POST',
      path: '/explain/v1/responses',
      headers: { host: rebound(), ...JSON_TYPE },
      body: question,
    }),
  ],
  [
    'a name that was bound anew, probing',
    () => ({ method: 'HEAD', path: '/', headers: { host: rebound() } }),
  ],
]

describe('a foreign page', () => {
  it.each(ATTEMPTS)('trap 38: %s: 403, and nothing reaches an upstream', async (_, attempt) => {
    const { path, ...init } = attempt()
    const before = place.reached.length
    const heard = await ask(place.port, path, init)
    expect(heard.status).toBe(403)
    const code = init.headers['host'] ? 'forbidden_host' : 'forbidden_origin'
    if (init.method !== 'HEAD') {
      expect(heard.text).toContain(code)
      expect(heard.text).toContain(code === 'forbidden_host' ? 'web.hosts' : 'web.origins')
    }
    expect(heard.headers['content-type']).toBe('application/json')
    expect(JSON.stringify(heard.headers)).not.toContain('access-control')
    expect(place.reached.length).toBe(before)
  })

  it('is refused in the words of what the path looks like, and in one line of the log', async () => {
    const headers = { origin: 'null', 'x-request-id': 'refused-1' }
    const said = async (path: string) =>
      JSON.parse((await ask(place.port, path, { method: 'POST', headers })).text)
    const error = { code: 'forbidden_origin' }
    expect(await said('/v1/messages')).toMatchObject({
      type: 'error',
      error: { type: 'permission_error', ...error },
    })
    expect(await said('/v1/responses')).toMatchObject({ error })
    expect(await said('/v1beta/models/m:generateContent')).toMatchObject({
      error: { code: 403, status: 'PERMISSION_DENIED' },
    })
    expect(await said('/img/submit/imagine')).toMatchObject({ result: null })
    expect(await said('/music/submit/music')).toMatchObject({ code: 'permission', data: null })
    const lines = await vi.waitFor(() => {
      const refused = place.lines().filter((line) => line.includes('refused-1'))
      expect(refused).toHaveLength(5)
      return refused
    }, 20_000)
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ status: 403, error: expect.stringMatching(/^forb/) })
  })

  it('costs no connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    for (let count = 0; count < 3; count += 1)
      await new Promise<void>((done, failed) => {
        const headers = { ...JSON_TYPE, origin: EVIL }
        request({ agent, port: place.port, path: '/v1/responses', method: 'POST', headers })
          .on('response', (incoming) => {
            ports.add(incoming.socket.localPort)
            incoming.resume().on('end', done)
          })
          .on('error', failed)
          .end(question.repeat(20))
      })
    agent.destroy()
    expect(ports.size).toBe(1)
  })

  it('comes before the key, the path and the body', async () => {
    const locked = await openPlace({ keys: ['caller-key-0123456789'] })
    const headers = { origin: EVIL, 'x-api-key': 'caller-key-0123456789' }
    for (const path of ['/v1/messages', '/nothing', '/img/nothing', '/explain/x'])
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE'])
        expect((await ask(locked.port, path, { method, headers })).status).toBe(403)
    await locked.close()
  })

  it('may see whether the proxy lives', async () => {
    for (const headers of [{ origin: EVIL }, { host: rebound() }, { 'sec-fetch-site': 'x' }]) {
      const { status, text } = await ask(place.port, '/healthz', { headers: { ...headers } })
      expect([status, text]).toEqual([200, '{"status":"ok"}'])
    }
  })
})

describe('a program', () => {
  it.each([
    ['by address', {}],
    ['by name', { host: 'localhost:8787' }],
    ['by the other address', { host: '[::1]:8787' }],
    ['by a configured name', { host: 'proxy.internal' }],
    ['with the fetch of Node', { 'sec-fetch-mode': 'cors' }],
    ['that claims to be a browser', { 'anthropic-dangerous-direct-browser-access': 'true' }],
  ])('trap 38: is answered as ever: %s', async (_, headers: Record<string, string>) => {
    const init = { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: question }
    const heard = await ask(place.port, '/v1/responses', init)
    expect(heard.status).toBe(200)
    expect(JSON.stringify(heard.headers)).not.toMatch(/access-control|vary/)
  })
})

const asks = (headers: Record<string, string>, path = '/v1/messages') =>
  ask(place.port, path, {
    method: 'OPTIONS',
    headers: { origin: PAGE, 'access-control-request-method': 'POST', ...headers },
  })

describe('a page that is listed', () => {
  it('trap 39: may ask first, and learns what it may send', async () => {
    const wanted = 'content-type, X-Api-Key,anthropic-version, x-stainless-os, cookie, x-evil, *'
    const { status, headers, text } = await asks({ 'access-control-request-headers': wanted })
    expect([status, text]).toEqual([204, ''])
    expect(headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      vary: 'Origin',
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
      'access-control-allow-headers': 'content-type, x-api-key, anthropic-version, x-stainless-os',
      'access-control-max-age': '600',
    })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    expect(headers).not.toHaveProperty('access-control-allow-private-network')
    const local = await asks({ 'access-control-request-private-network': 'true' }, '/img/x')
    expect(local.headers['access-control-allow-private-network']).toBe('true')
  })
  it('trap 39: may ask before it has shown a key, and reads what is said of one', async () => {
    const locked = await openPlace({ web: { origins: [PAGE] }, keys: ['caller-key-0123456789'] })
    const headers = { origin: PAGE, 'access-control-request-method': 'POST' }
    const asked = await ask(locked.port, '/v1/responses', { method: 'OPTIONS', headers })
    expect(asked.status).toBe(204)
    const sent = { method: 'POST', headers: { origin: PAGE, ...JSON_TYPE }, body: question }
    const refused = await ask(locked.port, '/v1/responses', sent)
    expect(refused.status).toBe(401)
    expect(refused.headers['access-control-allow-origin']).toBe(PAGE)
    await locked.close()
  })
  it.each(['/v1/responses', '/v1/models', '/nothing', '/img/task/1/fetch', '/healthz'])(
    'reads the answer of %s',
    async (path) => {
      const isPost = path === '/v1/responses'
      const { headers } = await ask(place.port, path, {
        method: isPost ? 'POST' : 'GET',
        headers: { origin: PAGE, 'sec-fetch-site': 'cross-site', ...(isPost && JSON_TYPE) },
        ...(isPost && { body: question }),
      })
      expect(headers).toMatchObject({
        'access-control-allow-origin': PAGE,
        vary: 'Origin',
        'access-control-expose-headers':
          'x-request-id, request-id, retry-after, x-should-retry, x-dragoman-upstream, x-dragoman-losses',
      })
    },
  )
  it('is not told of a foreign name', async () => {
    const heard = await asks({ host: 'rebind.test' })
    expect(heard.status).toBe(403)
    expect(JSON.stringify(heard.headers)).not.toContain('access-control')
  })
})

it('no answer of a task service is taken for anything but what it says it is', async () => {
  for (const [path, status] of [
    ['/img/task/1/fetch', 200],
    ['/music/fetch/1', 200],
    ['/img/nothing', 404],
  ] as const) {
    const heard = await ask(place.port, path)
    expect([heard.status, heard.headers['x-content-type-options']]).toEqual([status, 'nosniff'])
  }
})

import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import worker from '../../src/worker.ts'

const KEY = 'worker-caller-key-0001'
const SECRET = 'sk-very-secret-value'
const upstreams = {
  demo: { dialect: 'messages', url: 'http://demo.invalid/messages', key: 'env:UPSTREAM' },
}
const callers = { keys: ['env:CALLER'] }
const secrets = { UPSTREAM: SECRET, CALLER: KEY }

const ask = (environment: Record<string, unknown>, headers: Record<string, string> = {}) =>
  worker.fetch(
    new Request('https://proxy.example/v1/messages', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        ...headers,
      },
      body: '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hello!"}]}',
    }),
    { STATE: Reflect.get(env, 'STATE'), ...environment },
  )

describe('the Worker', () => {
  it.each([
    ['as JSON', { DRAGOMAN_CONFIG: JSON.stringify({ upstreams, callers }), ...secrets }],
    ['as a table', { DRAGOMAN_CONFIG: { upstreams, callers }, ...secrets }],
    [
      'in the short form',
      {
        DRAGOMAN_DIALECT: 'messages',
        DRAGOMAN_URL: 'http://demo.invalid/messages',
        DRAGOMAN_KEY: SECRET,
        DRAGOMAN_CALLER_KEYS: KEY,
      },
    ],
  ])('reads its configuration %s', async (_, environment) => {
    expect((await ask(environment)).status).toBe(401)
    const response = await ask(environment, { 'x-api-key': KEY })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Hello!')
  })

  it.each([
    [
      '{',
      'DRAGOMAN_CONFIG:1:2: expected a field name in double quotes or "}", but the text ends here',
    ],
    [
      { upstreams },
      'DRAGOMAN_CONFIG: callers: expected the keys of the callers (or "open"), because others than this machine can call',
    ],
    [
      { upstreams, callers: { keys: [SECRET, 'short'] } },
      'DRAGOMAN_CONFIG: callers.keys[1]: expected a key of 16 to 512 characters',
    ],
    [
      { upstreams, callers, state: { store: 'sqlite:x' } },
      'DRAGOMAN_CONFIG: state.store: expected durable, kv or off',
    ],
    [
      { upstreams, callers: { keys: ['env:NOBODY'] } },
      'DRAGOMAN_CONFIG: callers.keys[0]: the environment variable NOBODY is not set',
    ],
  ])('says of %j what is wrong to its log, and to nobody else', async (config, message) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const id = { 'x-request-id': 'faulty-1' }
    const response = await ask({ DRAGOMAN_CONFIG: config, ...secrets }, id)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      type: 'error',
      error: {
        type: 'api_error',
        code: 'configuration',
        message: 'This proxy is not configured as it should be; its log says what is wrong.',
      },
      request_id: 'faulty-1',
    })
    expect(response.headers.get('request-id')).toBe('faulty-1')
    expect(logged.mock.calls.flat()).toEqual([`dragoman: ${message}`])
    logged.mockRestore()
  })

  it('refuses everything in the words of whoever asks, as long as it is not configured', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const environment = { DRAGOMAN_CONFIG: { upstreams, callers: { keys: ['short'] } }, ...secrets }
    const said = async (path: string, init?: RequestInit) => {
      const request = new Request(`https://proxy.example${path}`, init)
      const response = await worker.fetch(request, environment)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        500,
        'application/json',
      ])
      const text = await response.text()
      expect(text).not.toMatch(/short|keys|callers|16/)
      return text
    }
    const post = { method: 'POST', body: '{}' }
    expect(JSON.parse(await said('/v1/responses', post))).toHaveProperty('error.type')
    expect(JSON.parse(await said('/v1beta/models/m:generateContent', post))).toMatchObject({
      error: { code: 500, status: 'INTERNAL' },
    })
    expect(JSON.parse(await said('/img/task/1/fetch'))).toMatchObject({ result: null })
    expect(JSON.parse(await said('/music/fetch/1'))).toMatchObject({ data: null })
    expect(await said('/healthz')).toContain('configuration')
    expect(await said('/', { method: 'HEAD' })).toBe('')
    logged.mockRestore()
  })

  it('keeps foreign pages out, and answers those that are listed', async () => {
    const page = { origin: 'https://chat.example', 'x-api-key': KEY }
    const config = { upstreams, callers, web: { origins: [page.origin] } }
    const foreign = await ask({ DRAGOMAN_CONFIG: { upstreams, callers }, ...secrets }, page)
    expect(foreign.status).toBe(403)
    expect(await foreign.text()).toContain('forbidden_origin')
    const listed = await ask({ DRAGOMAN_CONFIG: config, ...secrets }, page)
    expect(listed.status).toBe(200)
    expect(listed.headers.get('access-control-allow-origin')).toBe(page.origin)
    const preflight = await worker.fetch(
      new Request('https://proxy.example/v1/messages', {
        method: 'OPTIONS',
        headers: { origin: page.origin, 'access-control-request-method': 'POST' },
      }),
      { STATE: Reflect.get(env, 'STATE'), DRAGOMAN_CONFIG: config, ...secrets },
    )
    expect(preflight.status).toBe(204)
  })

  it('shows the demo when nothing is configured', async () => {
    expect((await ask({})).status).toBe(200)
    expect((await ask({ DRAGOMAN_CALLER_KEYS: KEY })).status).toBe(401)
  })
})

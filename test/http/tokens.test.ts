import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import type { Config } from '../../src/config/type.ts'
import { demoSend } from '../../src/extras/demo/demo.ts'
import { adapters } from '../../adapters/index.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import type { JsonObject } from '../../src/json/json.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { DEFAULT_RETENTION } from '../../src/config/defaults.ts'
import { randomId } from '../../src/ports.ts'

const ADDRESS = 'https://login.example/jwks.json'
const ISSUER = 'https://login.example/'
const NOW = Date.UTC(2026, 10, 28, 12)
const KEY = 'caller-key-0123456789'

const base64 = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const part = (value: object): string => base64(new TextEncoder().encode(JSON.stringify(value)))

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
}
const KINDS = {
  RS256: [{ ...RSA, hash: 'SHA-256' }, RSA],
  RS512: [{ ...RSA, hash: 'SHA-512' }, RSA],
  PS256: [
    { ...RSA, name: 'RSA-PSS', hash: 'SHA-256' },
    { name: 'RSA-PSS', saltLength: 32 },
  ],
  ES256: [
    { name: 'ECDSA', namedCurve: 'P-256' },
    { name: 'ECDSA', hash: 'SHA-256' },
  ],
  ES384: [
    { name: 'ECDSA', namedCurve: 'P-384' },
    { name: 'ECDSA', hash: 'SHA-384' },
  ],
  EdDSA: [{ name: 'Ed25519' }, { name: 'Ed25519' }],
} as const
type Alg = keyof typeof KINDS

async function keyOf(alg: Alg, kid: string, change: object = {}) {
  const [made, used] = KINDS[alg]
  const pair = await crypto.subtle.generateKey(
    made as Parameters<typeof crypto.subtle.generateKey>[0],
    true,
    ['sign', 'verify'],
  )
  if (!('publicKey' in pair)) throw new Error('these are pairs of keys')
  const { kty, crv, n, e, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  const jwk: JsonObject = JSON.parse(JSON.stringify({ kty, crv, n, e, x, y, kid, ...change }))
  const sign = async (claims: object = {}, header: object = {}) => {
    const text = `${part({ alg, kid, ...header })}.${part({ ...CLAIMS, ...claims })}`
    const bytes = new TextEncoder().encode(text)
    return `${text}.${base64(new Uint8Array(await crypto.subtle.sign(used, pair.privateKey, bytes)))}`
  }
  return { jwk, sign }
}

const CLAIMS = { iss: ISSUER, aud: 'dragoman', sub: 'ada', exp: NOW / 1000 + 600 }

function proxyFor(keys: () => unknown, callers: object = {}, more: Partial<Config> = {}) {
  let now = NOW
  const asked: string[] = []
  const sent: string[] = []
  const log: LogEntry[] = []
  const config = {
    upstreams: { up: { dialect: 'messages', url: 'http://demo.invalid/messages' } },
    callers: { jwt: { jwks: ADDRESS, audience: 'dragoman', issuer: ISSUER }, ...callers },
    ...more,
  }
  const own = demoSend(adapters, () => Promise.reject(new Error('not for the demo')))
  const answer = createHandler(readSettings(config, {}), {
    send: async (request) => {
      if (!request.url.startsWith('https://login.')) {
        sent.push(JSON.stringify([request.url, request.headers]))
        return own(request)
      }
      asked.push(request.url)
      const said = keys()
      if (said instanceof Response)
        return { status: said.status, headers: said.headers, body: said.body }
      const body = new Response(JSON.stringify({ keys: said })).body
      return { status: 200, headers: new Headers(), body }
    },
    now: () => now,
    randomId,
    log: (entry) => log.push(entry),
    store: memoryStore(DEFAULT_RETENTION),
  })
  return {
    asked,
    sent,
    log,
    pass: (ms: number) => (now += ms),
    async ask(headers: Record<string, string>, path = '/v1/messages', body: object = MESSAGE) {
      const head = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
      const request = new Request(`http://127.0.0.1${path}`, {
        method: 'POST',
        headers: { ...head, ...headers },
        body: JSON.stringify(body),
      })
      const response = toResponse(await answer(request))
      return { status: response.status, text: await response.text() }
    },
  }
}

const MESSAGE = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a token in the place of a key', () => {
  it.each(Object.keys(KINDS) as Alg[])('lets its caller in: %s', async (alg) => {
    const { jwk, sign } = await keyOf(alg, 'one')
    const { ask, log, asked } = proxyFor(() => [jwk])
    expect(await ask(bearer(await sign()))).toMatchObject({ status: 200 })
    expect((await ask({ 'x-api-key': await sign() })).status).toBe(200)
    expect((await ask(bearer(await sign({ aud: ['x', 'dragoman'] })))).status).toBe(200)
    expect((await ask(bearer(await sign({}, { kid: undefined })))).status).toBe(200)
    expect(log.map(({ caller }) => caller)).toEqual(['ada', 'ada', 'ada', 'ada'])
    expect(asked).toEqual([ADDRESS])
  })

  const refused: [string, (sign: Awaited<ReturnType<typeof keyOf>>) => Promise<string>][] = [
    ['of another audience', ({ sign }) => sign({ aud: 'other' })],
    ['of no audience', ({ sign }) => sign({ aud: undefined })],
    ['of another issuer', ({ sign }) => sign({ iss: `${ISSUER}x` })],
    ['that is over', ({ sign }) => sign({ exp: NOW / 1000 - 1 })],
    ['that is over now', ({ sign }) => sign({ exp: NOW / 1000 })],
    ['without an end', ({ sign }) => sign({ exp: undefined })],
    ['whose end is a text', ({ sign }) => sign({ exp: '9999999999' })],
    ['that is not good yet', ({ sign }) => sign({ nbf: NOW / 1000 + 120 })],
    ['without a name', ({ sign }) => sign({ sub: undefined })],
    ['whose name is no text', ({ sign }) => sign({ sub: { a: 1 } })],
    ['whose name forges lines', ({ sign }) => sign({ sub: 'a\nb' })],
    ['with an extension that has to be understood', ({ sign }) => sign({}, { crit: ['x'] })],
    ['by another algorithm of the same key', ({ sign }) => sign({}, { alg: 'RS384' })],
    ['by an algorithm that there is not', ({ sign }) => sign({}, { alg: 'constructor' })],
    ['of an unknown key', ({ sign }) => sign({}, { kid: 'two' })],
    [
      'that was changed',
      async ({ sign }) => {
        const [head, , signature] = (await sign()).split('.')
        return `${head}.${part({ ...CLAIMS, sub: 'eve' })}.${signature}`
      },
    ],
    [
      'that is signed by nobody',
      async () =>
        `${part({ alg: 'none', kid: 'one' })}.${part(CLAIMS)}.${base64(new Uint8Array(3))}`,
    ],
    ['with no signature at all', async () => `${part({ alg: 'none' })}.${part(CLAIMS)}.`],
    [
      'that is signed with the public key as a secret',
      async ({ jwk }) => {
        const text = `${part({ alg: 'HS256', kid: 'one' })}.${part(CLAIMS)}`
        const secret = new TextEncoder().encode(JSON.stringify(jwk))
        const key = await crypto.subtle.importKey(
          'raw',
          secret,
          { name: 'HMAC', hash: 'SHA-256' },
          false,
          ['sign'],
        )
        const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
        return `${text}.${base64(new Uint8Array(signed))}`
      },
    ],
    [
      'with a key of its own',
      async () => {
        const own = await keyOf('RS256', 'one')
        return own.sign({}, { jwk: own.jwk, jku: 'https://login.evil.example/' })
      },
    ],
    ['that is none', async () => 'a.b.c'],
  ]
  it.each(refused)('is refused: one %s', async (_, make) => {
    const key = await keyOf('RS256', 'one')
    const { ask, sent, asked } = proxyFor(() => [key.jwk])
    const { status, text } = await ask(bearer(await make(key)))
    expect(status).toBe(401)
    expect(text).toContain('authentication_error')
    expect(sent).toEqual([])
    expect(new Set(asked).size).toBeLessThanOrEqual(1)
    expect((await ask(bearer(await key.sign()))).status).toBe(200)
  })

  it.each<[Alg, object]>([
    ['RS256', { alg: 'RS512' }],
    ['RS256', { use: 'enc' }],
    ['ES256', { alg: 'ES384' }],
    ['ES256', { kty: 'oct', k: 'c2VjcmV0' }],
    ['ES256', { crv: 'P-384' }],
    ['RS256', { n: 'AQAB' }],
  ])('is refused where the key is for something else: %s, %j', async (alg, change) => {
    const { jwk, sign } = await keyOf(alg, 'one', change)
    expect((await proxyFor(() => [jwk]).ask(bearer(await sign()))).status).toBe(401)
  })

  it('has another claim for a name, limits and a memory of its own', async () => {
    const { jwk, sign } = await keyOf('ES256', 'one')
    const { ask, log } = proxyFor(() => [jwk], {
      jwt: { jwks: ADDRESS, audience: ['dragoman'], issuer: ISSUER, name: 'email' },
      limits: { requestsPerMinute: 3 },
    })
    const [ada, again, eve] = await Promise.all([
      sign({ email: 'ada@a.example' }),
      sign({ email: 'ada@a.example', jti: '2' }),
      sign({ email: 'eve@a.example' }),
    ])
    const said = await ask(bearer(ada), '/v1/responses', {
      model: 'm',
      input: 'Hello',
      store: true,
    })
    const previous = /"id":"(resp_\w+)"/.exec(said.text)?.[1]
    const next = { model: 'm', input: 'More', previous_response_id: previous }
    expect((await ask(bearer(again), '/v1/responses', next)).status).toBe(200)
    expect((await ask(bearer(eve), '/v1/responses', next)).status).not.toBe(200)
    expect((await ask(bearer(ada))).status).toBe(200)
    expect((await ask(bearer(again))).status).toBe(429)
    expect(log.map(({ caller }) => caller)).toEqual([
      'ada@a.example',
      'ada@a.example',
      'eve@a.example',
      'ada@a.example',
      'ada@a.example',
    ])
  })

  it('goes to no upstream, unlike the key beside it', async () => {
    const { jwk, sign } = await keyOf('ES256', 'one')
    const upstreams = {
      up: { dialect: 'messages' as const, url: 'http://demo.invalid/messages', key: 'caller' },
    }
    const { ask, sent } = proxyFor(() => [jwk], {}, { upstreams })
    const token = await sign()
    await ask(bearer(token))
    await ask({ ...bearer(token), 'x-api-key': 'own-key-0123456789' })
    expect(sent).toHaveLength(2)
    expect(sent.join()).not.toContain(token)
    expect(sent[1]).toContain('own-key-0123456789')
  })

  it('stands beside keys', async () => {
    const { jwk, sign } = await keyOf('ES256', 'one')
    const { ask, asked } = proxyFor(() => [jwk], { keys: [KEY] })
    expect((await ask(bearer(KEY))).status).toBe(200)
    expect(asked).toEqual([])
    expect((await ask(bearer(await sign()))).status).toBe(200)
    expect((await ask({})).status).toBe(401)
  })
})

describe('the keys of an issuer', () => {
  it('are kept, asked again in time, and for a key that nobody knows', async () => {
    const [one, two] = await Promise.all([keyOf('ES256', 'one'), keyOf('ES256', 'two')])
    let keys = [one.jwk]
    const { ask, asked, pass } = proxyFor(() => keys)
    const far = { exp: NOW / 1000 + 9000 }
    const [first, second] = await Promise.all([one.sign(far), two.sign(far)])
    for (const _ of [1, 2, 3]) expect((await ask(bearer(first))).status).toBe(200)
    // A stranger cannot make the proxy ask again and again.
    for (const _ of [1, 2, 3]) expect((await ask(bearer(second))).status).toBe(401)
    expect(asked).toHaveLength(1)
    keys = [two.jwk]
    pass(31_000)
    expect((await ask(bearer(second))).status).toBe(200)
    expect(asked).toHaveLength(2)
    pass(601_000)
    // The other one was taken back.
    expect((await ask(bearer(first))).status).toBe(401)
    expect(asked).toHaveLength(3)
  })

  it('stay where new ones cannot be had, and without any it is said', async () => {
    const { jwk, sign } = await keyOf('ES256', 'one')
    let said: unknown = new Response('no', { status: 302, headers: { location: 'https://x' } })
    const { ask, asked, pass, log } = proxyFor(() => said)
    const token = await sign({ exp: NOW / 1000 + 9000 })
    expect((await ask(bearer(token))).status).toBe(503)
    expect(asked).toEqual([ADDRESS])
    said = [jwk]
    expect((await ask(bearer(token))).status).toBe(200)
    said = new Response('no', { status: 500 })
    pass(601_000)
    expect((await ask(bearer(token))).status).toBe(200)
    expect(log[0]?.caller).toBeUndefined()
  })

  it.each(['http://login.example/jwks', 'login', 'https://u:p@login.example/', 'file:/x'])(
    'are asked for over a safe connection alone: %s',
    (jwks) => {
      const jwt = { jwks, audience: 'a', issuer: 'b' }
      const upstreams = { up: { dialect: 'messages', url: 'https://x.example' } }
      expect(() => readSettings({ upstreams, callers: { jwt } }, {})).toThrow(
        'callers.jwt.jwks: expected the address of a set of keys',
      )
    },
  )
})

import { beforeAll, describe, expect, it } from 'vitest'
import type { UpstreamResponse } from '../../src/ports.ts'
import {
  answer,
  ASKED,
  cloudSite,
  MESSAGE,
  type CloudSite,
  type Sent,
  type Upstream,
} from './site.ts'

const TOKENS = 'https://tokens.example/token'
const ENTRA = {
  tenant: 'contoso',
  clientId: 'client-id-0123456789',
  clientSecret: 'client-secret-0123456789',
}
const CLAUDE = 'https://claude.example'
const BASE: Upstream = { dialect: 'messages', url: CLAUDE }
const entra: Upstream = { ...BASE, auth: { entra: ENTRA, tokenUrl: TOKENS } }

interface Stand {
  site: CloudSite
  /** What was asked of the place of tokens, and of the service. */
  asked(): Sent[]
  served(): Sent[]
}

interface Playing {
  token?: (index: number) => UpstreamResponse | Promise<UpstreamResponse>
  serve?: (sent: Sent, index: number) => UpstreamResponse
}

const token = (index: number, life = 3600): UpstreamResponse =>
  answer({ access_token: `token-${index}-abcdefghijkl`, expires_in: life, token_type: 'Bearer' })

const isToken = ({ url }: Sent): boolean => !url.startsWith('https://claude')

function standIn(
  upstreams: Record<string, Upstream>,
  { token: give = (index) => token(index), serve = () => answer(MESSAGE) }: Playing = {},
  config: Parameters<typeof cloudSite>[2] = {},
  around: Parameters<typeof cloudSite>[3] = {},
): Stand {
  let tokens = 0
  let served = 0
  const site = cloudSite(
    upstreams,
    (sent) => (isToken(sent) ? give((tokens += 1)) : serve(sent, (served += 1))),
    config,
    around,
  )
  return {
    site,
    asked: () => site.sent.filter(isToken),
    served: () => site.sent.filter((sent) => !isToken(sent)),
  }
}

const ask = ({ site }: Stand) => site.fetch('/v1/messages', ASKED)

const wordsOf = async (reply: Response): Promise<string> =>
  `${JSON.stringify([...reply.headers])} ${await reply.text()}`

const refuse = (sent: Sent): UpstreamResponse =>
  answer({ error: { message: `no ${sent.headers['authorization']}` } }, 401)

const onlyOne = (index: number): UpstreamResponse => (index === 1 ? token(1) : answer({}, 500))

describe('a token of Entra', () => {
  it('is fetched for the first request and used for the next ones', async () => {
    const stand = standIn({ c: entra })
    for (let count = 0; count < 3; count += 1) expect((await ask(stand)).status).toBe(200)
    const [fetched, ...others] = stand.asked()
    expect(others).toEqual([])
    expect(fetched).toMatchObject({ method: 'POST', url: TOKENS })
    expect(Object.fromEntries(new URLSearchParams(fetched?.text))).toEqual({
      grant_type: 'client_credentials',
      client_id: ENTRA.clientId,
      client_secret: ENTRA.clientSecret,
      scope: 'https://cognitiveservices.azure.com/.default',
    })
    for (const { headers } of stand.served())
      expect(headers['authorization']).toBe('Bearer token-1-abcdefghijkl')
  })

  it('is fetched once for ten that wait', async () => {
    const stand = standIn({ c: entra })
    const replies = await Promise.all(Array.from({ length: 10 }, () => ask(stand)))
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(stand.asked()).toHaveLength(1)
  })

  it('is renewed once after a 401, and the request is repeated', async () => {
    const stand = standIn(
      { c: entra },
      { serve: (_, index) => (index === 1 ? answer({}, 401) : answer(MESSAGE)) },
    )
    expect((await ask(stand)).status).toBe(200)
    expect(stand.asked()).toHaveLength(2)
    const sent = stand.served()
    expect(sent.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1-abcdefghijkl',
      'Bearer token-2-abcdefghijkl',
    ])
    expect(sent[1]?.text).toBe(sent[0]?.text)
  })

  it('is not renewed twice for one request', async () => {
    const stand = standIn({ c: entra }, { serve: refuse })
    const reply = await ask(stand)
    expect(reply.status).toBeGreaterThanOrEqual(400)
    expect(stand.served()).toHaveLength(2)
    const words = (await wordsOf(reply)) + JSON.stringify(stand.site.log)
    expect(words).not.toContain('abcdefghijkl')
  })

  it.each([
    [
      'a refusal',
      () => answer({ error: 'invalid_grant', error_description: `${ENTRA.clientSecret}` }, 400),
      '400 invalid_grant',
    ],
    ['no token', () => answer({ token: 'x' }), '200'],
    ['no JSON', () => answer('<html>'), '200'],
    ['no answer', () => Promise.reject(new Error(ENTRA.clientSecret)), 'no answer'],
  ])('that cannot be had is told by its place: %s', async (_, give, why) => {
    const stand = standIn({ c: entra }, { token: give })
    const reply = await ask(stand)
    expect(reply.status).toBe(503)
    const words = await wordsOf(reply)
    expect(words).toContain(`no token for upstream c: ${why}`)
    expect(words + JSON.stringify(stand.site.log)).not.toContain(ENTRA.clientSecret)
    expect(stand.served()).toEqual([])
  })

  it('that cannot be had lets another member be asked', async () => {
    const stand = standIn(
      { a: entra, b: { ...BASE, url: 'https://claude-b.example', key: 'key-of-b-0123456789' } },
      { token: () => answer({}, 500) },
      { routes: [{ model: '*', upstream: ['a', 'b'] }] },
    )
    expect((await ask(stand)).status).toBe(200)
    expect(stand.served().map(({ url }) => url)).toEqual(['https://claude-b.example/v1/messages'])
  })

  it('is in no explanation, and its secret neither', async () => {
    const stand = standIn({ c: entra })
    await ask(stand)
    const reply = await stand.site.fetch('/explain/v1/messages', ASKED)
    const words = await wordsOf(reply)
    expect(words).not.toMatch(/abcdefghijkl|client-secret/)
    expect(words).toContain('"authorization":"Bearer ***"')
  })

  it('is hidden where the service repeats it', async () => {
    const stand = standIn(
      { c: entra },
      {
        serve: ({ headers }) =>
          answer(
            {
              type: 'error',
              error: { type: 'invalid_request_error', message: `bad ${headers['authorization']}` },
            },
            400,
          ),
      },
    )
    expect(await wordsOf(await ask(stand))).not.toContain('abcdefghijkl')
  })
})

describe('a token that ends', () => {
  const at = { now: 1_700_000_000_000 }
  const clock = { now: () => at.now }
  const later = (seconds: number) => {
    at.now += seconds * 1000
  }

  it.each([
    [3600, 3299, 3301],
    [600, 539, 541],
  ])('is renewed ahead of it: %d seconds', async (life, before, behind) => {
    const stand = standIn({ c: entra }, { token: (index) => token(index, life) }, {}, clock)
    await ask(stand)
    later(before)
    await ask(stand)
    expect(stand.asked()).toHaveLength(1)
    later(behind - before)
    await Promise.all([ask(stand), ask(stand), ask(stand)])
    expect(stand.asked()).toHaveLength(2)
    expect(stand.served().at(-1)?.headers['authorization']).toContain('token-2-')
  })

  it('serves on while it is good and no other one can be had', async () => {
    const stand = standIn({ c: entra }, { token: onlyOne }, {}, clock)
    await ask(stand)
    later(3400)
    expect((await ask(stand)).status).toBe(200)
    expect((await ask(stand)).status).toBe(200)
    expect(stand.asked()).toHaveLength(2)
    later(201)
    expect((await ask(stand)).status).toBe(503)
  })
})

describe('a signature of Amazon', () => {
  const AWS = {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE0123456',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    AWS_SESSION_TOKEN: 'session-token-0123456789',
  }
  const url = 'https://claude.us-west-2.api.aws'
  const aws: Upstream = { ...BASE, url, auth: { aws: 'env' }, profile: 'claude-aws' }
  const START = Date.UTC(2026, 10, 28)

  it('has its place in an explanation, and is not made for it', async () => {
    const stand = standIn({ c: aws }, {}, {}, { environment: AWS, now: () => START })
    const words = await wordsOf(await stand.site.fetch('/explain/v1/messages', ASKED))
    expect(words).toContain('"authorization":"***"')
    expect(words).not.toMatch(/wJalrXUtn|session-token/)
  })

  it('is made of the variables, with the service of the profile and the region of the host', async () => {
    const stand = standIn({ c: aws }, {}, {}, { environment: AWS, now: () => START })
    expect((await ask(stand)).status).toBe(200)
    const [sent] = stand.served()
    expect(sent?.headers['authorization']).toContain(
      'Credential=AKIDEXAMPLE0123456/20261128/us-west-2/aws-external-anthropic/aws4_request',
    )
    expect(sent?.headers).toMatchObject({ 'x-amz-security-token': AWS.AWS_SESSION_TOKEN })
    expect(sent?.headers).not.toHaveProperty('x-api-key')
  })

  it('is made again where the clock is off, and stays so', async () => {
    const there = START + 600_000
    const serve = ({ headers }: Sent) =>
      headers['x-amz-date'] === '20261128T001000Z'
        ? answer(MESSAGE)
        : answer({ message: 'expired' }, 403, { date: new Date(there).toUTCString() })
    const stand = standIn({ c: aws }, { serve }, {}, { environment: AWS, now: () => START })
    expect((await ask(stand)).status).toBe(200)
    expect(stand.served()).toHaveLength(2)
    expect((await ask(stand)).status).toBe(200)
    expect(stand.served()).toHaveLength(3)
  })

  it('that is refused is not repeated, and shows nothing of the key', async () => {
    const serve = ({ headers }: Sent) =>
      answer({ message: `${JSON.stringify(headers)} ${AWS.AWS_SECRET_ACCESS_KEY}` }, 403, {
        date: new Date(START).toUTCString(),
      })
    const stand = standIn({ c: aws }, { serve }, {}, { environment: AWS, now: () => START })
    const reply = await ask(stand)
    expect(stand.served()).toHaveLength(1)
    const words = (await wordsOf(reply)) + JSON.stringify(stand.site.log)
    for (const secret of Object.values(AWS)) expect(words).not.toContain(secret)
  })
})

describe('a key that is made', () => {
  it.each([
    [{ auth: { google: 'literal' } }, 'auth.google: expected "metadata"'],
    [
      { auth: { google: 'env:NO_SUCH' } },
      'auth.google: the environment variable NO_SUCH is not set',
    ],
    [{ auth: {} }, 'auth: expected one of "google", "aws" and "entra"'],
    [{ auth: { aws: 'env', google: 'metadata' } }, 'auth: expected one of'],
    [{ auth: { aws: 'env' } }, 'auth.aws: the environment variable AWS_ACCESS_KEY_ID is not set'],
    [
      { auth: { entra: ENTRA, tokenUrl: 'http://elsewhere.example' } },
      'auth.tokenUrl: expected an https address',
    ],
    [{ auth: { google: 'metadata' }, key: 'another-key-0123' }, 'key: the key is made here'],
  ])('is refused where it cannot be made: %j', (change, words) => {
    const upstream = { ...BASE, ...change } as Upstream
    expect(() => cloudSite({ c: upstream }, () => answer(MESSAGE))).toThrow(`upstreams.c.${words}`)
  })
})

const account = (privateKey: string) =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'me@project.iam.gserviceaccount.com',
    private_key: privateKey,
    private_key_id: 'key-1',
    token_uri: 'https://oauth2.googleapis.com/token',
  })

const withGoogle = (google: string, environment: Record<string, string>, tokenUrl = TOKENS) =>
  standIn({ c: { ...BASE, auth: { google, tokenUrl } } }, {}, {}, { environment })

describe('a token of Google', () => {
  let key: string
  let open: Parameters<typeof crypto.subtle.verify>[1]
  beforeAll(async () => {
    const pair = await crypto.subtle.generateKey(
      {
        name: 'RSASSA-PKCS1-v1_5',
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: 'SHA-256',
      },
      true,
      ['sign', 'verify'],
    )
    if (!('privateKey' in pair)) throw new Error('a pair of keys was expected')
    const { privateKey, publicKey } = pair
    const bytes = new Uint8Array(
      (await crypto.subtle.exportKey('pkcs8', privateKey)) as ArrayBuffer,
    )
    const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g) ?? []
    key = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n')
    open = publicKey
  })

  it.each([
    ['as it is', (pem: string) => pem],
    ['with the ends of its lines as letters', (pem: string) => pem.replaceAll('\n', '\\n')],
  ])('is asked for with what a service account has signed: a key %s', async (_, spelled) => {
    const stand = withGoogle('env:ACCOUNT', { ACCOUNT: account(spelled(key)) })
    expect((await ask(stand)).status).toBe(200)
    const form = Object.fromEntries(new URLSearchParams(stand.asked()[0]?.text))
    expect(form['grant_type']).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const [head = '', claims = '', signature = ''] = (form['assertion'] ?? '').split('.')
    expect(read(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
    const said = read(claims)
    expect(said).toMatchObject({
      iss: 'me@project.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://oauth2.googleapis.com/token',
    })
    expect(Number(said['exp']) - Number(said['iat'])).toBe(3600)
    const isGood = await crypto.subtle.verify(
      'RSASSA-PKCS1-v1_5',
      open,
      bytesOf(signature),
      new TextEncoder().encode(`${head}.${claims}`),
    )
    expect(isGood).toBe(true)
    expect(stand.served()[0]?.headers['authorization']).toBe('Bearer token-1-abcdefghijkl')
  })

  it('of a machine is asked for without a secret', async () => {
    const stand = standIn({ c: { ...BASE, auth: { google: 'metadata' } } })
    await ask(stand)
    expect(stand.asked()[0]).toMatchObject({
      method: 'GET',
      url: 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token',
      headers: { 'metadata-flavor': 'Google' },
    })
  })

  it('of a user is refreshed', async () => {
    const file = {
      type: 'authorized_user',
      client_id: 'id',
      client_secret: 'secret-of-the-client',
      refresh_token: 'refresh-0123456789',
    }
    const stand = withGoogle('env:USER_FILE', { USER_FILE: JSON.stringify(file) })
    await ask(stand)
    expect(Object.fromEntries(new URLSearchParams(stand.asked()[0]?.text))).toEqual({
      grant_type: 'refresh_token',
      client_id: 'id',
      client_secret: 'secret-of-the-client',
      refresh_token: 'refresh-0123456789',
    })
  })
})

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  )

const read = (part: string): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(bytesOf(part)))

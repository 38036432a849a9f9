import { describe, expect, it } from 'vitest'
import { CALLER_LEFT } from '../../src/problems/failures.ts'
import type { Problem } from '../../src/model/problem.ts'
import { readSettings } from '../../src/config/config.ts'
import {
  NO_SECRETS,
  withoutSecrets,
  listSecrets,
  shownState,
  createSecrets,
} from '../../src/upstream/secrets.ts'
import { ODD, SPELLINGS } from './spellings.ts'
import { jsonReply, KEY, plainStream, proxyOf, sseReply } from '../exchange/proxy.ts'

/** Whether at most a few letters of the spelling are left. */
const remains = (spelled: string, hidden: string) =>
  hidden.length > '***'.length + 9 || !hidden.includes('***') || hidden.includes(spelled)

describe('a secret', () => {
  it.each(SPELLINGS)('is hidden: %s', (_, spell) => {
    const secrets = createSecrets(ODD)
    const spelled = spell(ODD)
    expect(remains(spelled, secrets.hide(spelled))).toBe(false)
    expect(secrets.hide(`<${spell('another')}>`)).toBe(`<${spell('another')}>`)
  })

  // Tokens of clouds.
  const LONG = Array.from({ length: 500 }, (_, at) => `${at}${ODD}`).join('.')

  it.each(SPELLINGS)(
    'is hidden as a whole where it has thousands of characters: %s',
    (_, spell) => {
      const { hide, forms } = createSecrets(LONG)
      const spelled = spell(LONG)
      for (const hidden of [hide(`a ${spelled} b`), forms?.hide(`a ${spelled} b`) ?? ''])
        expect(hidden.length).toBeLessThan('a *** b'.length + 9)
      // Of half a token the other half may be guessed.
      expect(hide(spell(LONG.slice(0, 9000))).length).toBeLessThan(16)
      expect(hide(`<${spell('another')}>`)).toBe(`<${spell('another')}>`)
    },
  )

  it('of thousands of characters is hidden in digits, in a stream and beside another one', () => {
    const { hide, forms } = createSecrets(LONG, { 'x-gateway': 'gateway-0123456789' })
    const digits = Buffer.from(LONG).toString('hex')
    for (const dump of [digits, digits.toUpperCase(), digits.replace(/..(?!$)/g, '$& ')])
      expect(hide(`<${dump}>`)).toBe('<***>')
    expect(hide(`${LONG} gateway-0123456789 ${LONG}`)).toBe('*** *** ***')
    expect(forms?.end(`${LONG} b`, 0)).toBe(LONG.length)
    expect(forms?.end(LONG.slice(0, 5000), 0)).toBe('open')
    expect(forms?.end(`${LONG.slice(0, 5000)} b`, 0)).toBe(5000)
    expect(forms?.end(`${LONG.slice(0, 100)} b`, 0)).toBeUndefined()
  })

  it('is hidden in a dump, in digits of either case and apart', () => {
    const digits = Buffer.from(ODD).toString('hex')
    const dumps = [digits, digits.toUpperCase(), digits.replace(/..(?!$)/g, '$& ')]
    for (const dump of dumps) expect(createSecrets(ODD).hide(`<${dump}>`)).toBe('<***>')
    const other = Buffer.from(ODD.replace('Ab', 'aB')).toString('hex')
    expect(createSecrets(ODD).hide(other)).toBe(other)
  })

  it('is hidden in every member of a problem', () => {
    const problem = {
      kind: 'invalid-request',
      message: `no ${ODD}`,
      code: ODD,
      param: `a.${ODD}`,
      sentParam: ODD,
      details: [{ reason: ODD }],
      tokens: { used: 1 },
    } as const
    expect(withoutSecrets(createSecrets(ODD), problem)).toEqual({
      kind: 'invalid-request',
      message: 'no ***',
      code: '***',
      param: 'a.***',
      sentParam: '***',
      details: [{ reason: '***' }],
      tokens: { used: 1 },
    })
  })

  it('as short as a word is one only by itself, and never changes what a problem is', () => {
    const overflow = {
      kind: 'context-overflow',
      message: 'prompt is too long: 9 tokens > 8 maximum',
    } as const
    for (const key of ['x', 'k', 'token', 'overflow'])
      expect(withoutSecrets(createSecrets(key), overflow), key).toBe(overflow)
    const refused = { kind: 'context-overflow', message: 'key=x, not maximum: "overflow"' } as const
    expect(withoutSecrets(createSecrets('x'), refused).message).toBe(
      'key=***, not maximum: "overflow"',
    )
    expect(withoutSecrets(createSecrets('overflow'), refused)).toEqual({
      kind: 'context-overflow',
      message: 'key=x, not maximum: "***"',
    })
    expect(createSecrets('key').hide('invalid_api_key: key')).toBe('invalid_api_key: ***')
    expect(createSecrets('sk-1').hide('Bearer sk-1, sk%2D1 or "sk-1"')).not.toContain('sk')
  })

  it('leaves a problem that holds none the object that it is', () => {
    expect(withoutSecrets(createSecrets(ODD), CALLER_LEFT)).toBe(CALLER_LEFT)
  })

  it.each([String.raw`\key\\\0123`, String.raw`key\u0041\\9`])(
    'is hidden with its backslashes: %s',
    (secret) => {
      const once = JSON.stringify(secret).slice(1, -1)
      const spellings = [
        secret,
        once,
        JSON.stringify(once).slice(1, -1),
        encodeURIComponent(secret),
      ]
      for (const spelling of spellings) {
        expect(createSecrets(secret).hide(`a ${spelling} b`)).toBe('a *** b')
        expect(createSecrets(secret).forms?.hide(`a ${spelling} b`)).toBe('a *** b')
        expect(createSecrets(secret).forms?.end(`${spelling} b`, 0)).toBe(spelling.length)
      }
    },
  )
  it('says the kind of a problem also where a short key stands in it', () => {
    const problem: Problem = { kind: 'context-overflow', message: 'no context here' }
    expect(withoutSecrets(createSecrets('context'), problem)).toEqual({
      ...problem,
      message: 'no *** here',
    })
  })

  it('leaves JSON behind where it was in JSON', () => {
    const text = JSON.stringify({ [ODD]: ['\\u0073k-Ab', `\\${ODD}`, { key: `Bearer ${ODD}` }] })
    const hidden = createSecrets(ODD).hideJson(text)
    expect(JSON.parse(hidden)).toEqual({ '***': ['\\u0073k-Ab', '\\***', { key: 'Bearer ***' }] })
    // What looks like an escape here is a backslash and four letters.
    const odd = String.raw`{"a":"\\u0073k-Ab+c\/d=e&f\"g'h 0123456789"}`
    expect(JSON.parse(createSecrets(ODD).hideJson(odd))).toBeTypeOf('object')
  })

  it('may be the value of any header that is configured, but for those that are in the documents', () => {
    const secrets = createSecrets(undefined, {
      'x-gateway': 'gateway-0123456789',
      cookie: 'session=0123abcd; a=b',
      'anthropic-version': '2023-06-01',
      'x-team': 'blue',
    })
    expect(secrets.hide('gateway-0123456789 0123abcd 2023-06-01 blue')).toBe(
      '*** *** 2023-06-01 blue',
    )
    // Of these two only one is surely no word of an answer.
    expect(secrets.forms?.plain).toContain('0123abcd')
    expect(secrets.forms?.plain).not.toContain('gateway-0123456789')
  })

  it('is none where nothing was sent', () => {
    expect(createSecrets(undefined)).toBe(NO_SECRETS)
  })
})

const asked = (
  headers: Record<string, string>,
  body: unknown = { model: 'plain-1', text: 'x' },
) => {
  const proxy = proxyOf(() => jsonReply(body, 200, headers), {
    upstream: { headers: { 'x-gateway-token': 'token-0123456789' } },
  })
  return proxy.fetch('/v1/plain', { body: { model: 'plain-1', text: 'x' } })
}

describe('what an upstream says of its key', () => {
  it('is hidden in headers', async () => {
    const { headers } = await asked({
      'x-ratelimit-key': `7 for ${KEY}`,
      'plain-rate-key': 'token-0123456789',
      'request-id': KEY,
      'content-type': `application/json; key=${KEY}`,
    })
    expect(headers.get('x-ratelimit-key')).toBe('7 for ***')
    expect(headers.get('plain-rate-key')).toBe('***')
    expect(headers.get('x-upstream-request-id')).toBeNull()
    expect(headers.get('content-type')).toBe('application/json; key=***')
  })
})

describe('the password of a state server', () => {
  it.each([
    ['redis://state.example:6379/2', 'redis://state.example:6379/2', []],
    [
      'redis://:p4ss%2Fword@state.example/2',
      'redis://***@state.example/2',
      ['p4ss%2Fword', 'p4ss/word'],
    ],
    [
      'rediss://state.example/2?db=1&password=p4ssword',
      'rediss://state.example/2?***',
      ['p4ssword'],
    ],
    ['redis://me:p4/ss@state.example', 'redis://***', []],
    ['sqlite:state.db', 'sqlite:state.db', []],
  ])('%s is shown as %s', (store, shown, secrets) => {
    expect(shownState(store)).toBe(shown)
    const upstreams = { a: { dialect: 'messages', url: 'https://upstream.example' } }
    const known = listSecrets(readSettings({ upstreams, state: { store } }, {}))
    expect(known).toEqual(expect.arrayContaining(secrets))
    expect(known).not.toContain('1')
  })

  it('is hidden in a text that is translated', async () => {
    const whole = proxyOf(() => jsonReply({ model: 'plain-1', text: `my key is ${KEY}` }))
    const answer = await whole.fetch('/v1/pathy/plain-1:run', { body: { text: 'x' } })
    expect(await answer.json()).toMatchObject({ text: 'my key is ***' })
    const pieces = ['my key is ', KEY.slice(0, 9), KEY.slice(9), ' indeed']
    const streamed = proxyOf(() => sseReply(plainStream(pieces)))
    const stream = await streamed.fetch('/v1/pathy/plain-1:stream?alt=sse', { body: { text: 'x' } })
    const said = [...(await stream.text()).matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text)
    expect(said.join('')).toBe('my key is *** indeed')
  })
})

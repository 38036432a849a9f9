import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { findingsIn } from '../../src/config/lint/check.ts'
import { createApp } from '../../src/index.ts'
import type { Loss } from '../../src/model/loss.ts'
import { translator } from '../../src/named-translator.ts'
import type { NamedOptions } from '../../src/translator.ts'
import { ALL_OF_PLATFORM } from '../config/faulty.ts'
import { kits } from '../dialects/index.ts'

/** A request of each dialect that says so of `store`; one dialect has no word for it. */
const ASKED: Readonly<Record<Dialect, (store?: boolean) => object>> = {
  messages: () => ({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }),
  'generate-content': (store) => ({ contents: [{ parts: [{ text: 'x' }] }], store }),
  responses: (store) => ({ model: 'm', input: 'x', store }),
  'chat-completions': (store) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'x' }],
    store,
  }),
}

type Options = Partial<Omit<NamedOptions, 'from' | 'to'>>

/** What an upstream is told of keeping the request, and what is lost of it. */
function told(from: Dialect, to: Dialect, store: boolean | undefined, options: Options = {}) {
  const { body, losses } = translator({ from, to, model: 'm', ...options }).request(
    JSON.stringify(ASKED[from](store)),
  )
  const lost = losses.filter(({ path }) => path === 'store').map(({ code }) => code)
  return [body['store'], ...lost]
}

const KEEPERS = ['responses', 'chat-completions', 'generate-content'] as const
const foreign = (to: Dialect) => KEEPERS.filter((from) => from !== to)

describe('store', () => {
  it.each(foreign('responses'))('reaches responses from %s, and silence is no', (from) => {
    expect(told(from, 'responses', true)).toEqual([true])
    expect(told(from, 'responses', false)).toEqual([false])
    expect(told(from, 'responses', undefined)).toEqual([false])
    expect(told('messages', 'responses', undefined)).toEqual([false])
  })

  it.each(foreign('generate-content'))('reaches generate-content from %s, likewise', (from) => {
    for (const model of ['gemini-3.8-flash', 'gemini-2.5-pro', 'gemma-4-31b-it', 'unheard-of']) {
      expect(told(from, 'generate-content', true, { model })).toEqual([true])
      expect(told(from, 'generate-content', false, { model })).toEqual([false])
      expect(told(from, 'generate-content', undefined, { model })).toEqual([false])
      expect(told('messages', 'generate-content', undefined, { model })).toEqual([false])
    }
  })

  it.each(foreign('chat-completions'))(
    'reaches a server of chat that knows it, from %s',
    (from) => {
      for (const profile of ['openai', 'azure']) {
        expect(told(from, 'chat-completions', true, { profile })).toEqual([true])
        expect(told(from, 'chat-completions', false, { profile })).toEqual([false])
        expect(told(from, 'chat-completions', undefined, { profile })).toEqual([undefined])
      }
      expect(told(from, 'chat-completions', true)).toEqual([undefined, 'dropped'])
      expect(told(from, 'chat-completions', false)).toEqual([undefined])
      expect(told(from, 'chat-completions', undefined, { model: 'gpt-5.5' })).toEqual([undefined])
    },
  )

  it.each(foreign('messages'))('is lost where nothing is kept, from %s', (from) => {
    expect(told(from, 'messages', true)).toEqual([undefined, 'dropped'])
    expect(told(from, 'messages', false)).toEqual([undefined])
    expect(told(from, 'messages', undefined)).toEqual([undefined])
    const ollama = { profile: 'ollama' }
    if (from !== 'responses')
      expect(told(from, 'responses', true, ollama)).toEqual([false, 'dropped'])
  })

  it('is a loss where what is kept cannot be declined', () => {
    const keeper = { profile: { storesByDefault: true } }
    expect(told('messages', 'chat-completions', undefined, keeper)).toEqual([undefined, 'dropped'])
    expect(told('responses', 'messages', false, keeper)).toEqual([undefined, 'dropped'])
    const google = { profile: 'gemini' }
    expect(told('messages', 'chat-completions', undefined, google)).toEqual([undefined, 'dropped'])
  })

  it('is nothing to a cloud that keeps what it was set up to keep', () => {
    const cloud = { model: 'publishers/google/models/gemini-3.8-flash' }
    expect(told('messages', 'generate-content', undefined, cloud)).toEqual([undefined])
    expect(told('responses', 'generate-content', false, cloud)).toEqual([undefined])
    expect(told('responses', 'generate-content', true, cloud)).toEqual([undefined, 'dropped'])
  })

  it('passes between two sides of one dialect', () => {
    for (const dialect of KEEPERS) {
      expect(told(dialect, dialect, true)).toEqual([true])
      expect(told(dialect, dialect, undefined)).toEqual([undefined])
    }
  })
})

const URL_OF = {
  vertex: 'https://europe-west1-aiplatform.googleapis.com',
  google: 'https://generativelanguage.googleapis.com',
  other: 'https://one.example',
}

function app(dialect: Dialect, url: keyof typeof URL_OF, models: object, state?: 'off') {
  return createApp({
    upstreams: {
      one: { dialect, url: URL_OF[url], key: 'key-of-the-test', models: { '*': models } },
    },
    callers: 'open',
    ...(state && { state: { store: state } }),
  })
}

interface Explained {
  upstream: { body: { store?: boolean } }
  losses: Loss[]
}

async function explained(asked: ReturnType<typeof app>, from: Dialect, store?: boolean) {
  const { http } = kits[from]
  const response = await asked.fetch(
    new Request(`http://localhost/explain${http.path('m', false)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...http.credentials('key-of-the-caller') },
      body: JSON.stringify(ASKED[from](store)),
    }),
  )
  const said: unknown = await response.json()
  const { upstream, losses } = said as Explained
  return [
    upstream.body.store,
    ...losses.filter(({ path }) => path === 'store').map(({ code }) => code),
  ]
}

describe('store, as it is configured', () => {
  it('is told as the model or its service is said to keep', async () => {
    const stores = { storesByDefault: true }
    const not = { storesByDefault: false }
    const google = 'generate-content'
    expect(await explained(app(google, 'google', {}), 'messages')).toEqual([false])
    expect(await explained(app(google, 'google', not), 'messages')).toEqual([undefined])
    expect(await explained(app(google, 'vertex', {}), 'messages')).toEqual([undefined])
    expect(await explained(app(google, 'vertex', stores), 'messages')).toEqual([
      undefined,
      'dropped',
    ])
    expect(await explained(app('messages', 'other', stores), 'chat-completions')).toEqual([
      undefined,
      'dropped',
    ])
    expect(await explained(app('chat-completions', 'google', {}), 'messages')).toEqual([
      undefined,
      'dropped',
    ])
  })

  it('is kept here where the caller’s own dialect is remembered, and not there too', async () => {
    const [stored, off] = [undefined, 'off' as const].map((state) =>
      app('messages', 'other', {}, state),
    )
    expect(stored && (await explained(stored, 'responses', true))).toEqual([undefined])
    expect(off && (await explained(off, 'responses', true))).toEqual([undefined, 'dropped'])
    const google = app('generate-content', 'google', {})
    expect(await explained(google, 'responses', true)).toEqual([false])
    expect(await explained(google, 'chat-completions', true)).toEqual([true])
  })
})

const warned = (dialect: Dialect, url: keyof typeof URL_OF, more: object = {}) =>
  findingsIn(
    { upstreams: { one: { dialect, url: URL_OF[url], ...more } }, callers: 'open' },
    {},
    ALL_OF_PLATFORM,
  ).filter(({ text }) => text.includes('dropped store'))

describe('check', () => {
  const stores = { models: { 'a*': { storesByDefault: true } } }

  it('warns of an upstream that keeps what it cannot be told not to keep', () => {
    expect(warned('generate-content', 'vertex', stores)).toHaveLength(1)
    expect(warned('messages', 'other', stores)).toHaveLength(1)
    expect(warned('chat-completions', 'google')).toMatchObject([
      { path: ['upstreams', 'one'], warns: true },
    ])
    expect(
      warned('chat-completions', 'other', { profile: { storesByDefault: true } }),
    ).toHaveLength(1)
  })

  it('says nothing where it can be told, or keeps nothing', () => {
    const none = { models: { '*': { storesByDefault: false } } }
    expect(warned('chat-completions', 'google', none)).toEqual([])
    expect(warned('chat-completions', 'other', { profile: 'openai', ...stores })).toEqual([])
    for (const dialect of ['messages', 'responses', 'generate-content'] as const)
      expect(warned(dialect, 'other')).toEqual([])
    expect(warned('generate-content', 'google', stores)).toEqual([])
    expect(warned('generate-content', 'vertex')).toEqual([])
  })
})

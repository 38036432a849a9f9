import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { good, refusing, siteOf, twoKeys, type MemberScript } from './site.ts'

const reset: MemberScript = () => Promise.reject(new Error('read ECONNRESET'))

/** What clients do by themselves: each repeats twice. */
const CLIENTS = {
  anthropic: (fetch: typeof globalThis.fetch) =>
    new Anthropic({ apiKey: 'k', baseURL: BASE, maxRetries: 2, fetch }).messages.create({
      model: 'm',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  'openai responses': (fetch: typeof globalThis.fetch) =>
    new OpenAI({ apiKey: 'k', baseURL: `${BASE}/v1`, maxRetries: 2, fetch }).responses.create({
      model: 'm',
      input: 'Hello',
    }),
  'openai chat': (fetch: typeof globalThis.fetch) =>
    new OpenAI({
      apiKey: 'k',
      baseURL: `${BASE}/v1`,
      maxRetries: 2,
      fetch,
    }).chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
}
const BASE = 'http://127.0.0.1:8787'

describe.each(Object.entries(CLIENTS))('the library of %s, which repeats twice', (_, ask) => {
  const played = async (one: MemberScript, two: MemberScript) => {
    const site = siteOf(twoKeys('messages'), { one, two })
    let requests = 0
    const fetch: typeof globalThis.fetch = (input, init) => {
      requests += 1
      return site.fetch(input, init)
    }
    const error: unknown = await ask(fetch).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return { requests, sent: site.sent.length, error }
  }
  it.each([
    ['both fail', refusing(500), refusing(529), 2],
    ['the outcome is unknown', reset, good('messages'), 1],
    ['time is over at the second', refusing(503), refusing(504), 2],
  ])('asks once where %s (trap 6)', async (_, one, two, asked) => {
    const { requests, sent, error } = await played(one, two)
    expect(error).toBeInstanceOf(Error)
    expect([requests, sent]).toEqual([1, asked])
  })
})

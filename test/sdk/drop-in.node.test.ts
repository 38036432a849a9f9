import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { type Config, createApp, type Send } from '../../src/index.ts'

const DEMO: Config = {
  upstreams: Object.fromEntries(
    DIALECTS.map((dialect) => [
      `demo-${dialect}`,
      { dialect, url: `http://demo.invalid/${dialect}` },
    ]),
  ),
  routes: DIALECTS.map((dialect) => ({
    model: `demo-${dialect}`,
    upstream: `demo-${dialect}`,
  })),
  callers: 'open',
}

/** A program changes the provider's format in process, with nothing but another `fetch`. */
describe.each(DIALECTS.map((dialect) => `demo-${dialect}`))('%s', (model) => {
  const { fetch } = createApp(DEMO)
  const baseURL = 'http://in-process.invalid'

  test('answers @anthropic-ai/sdk', async () => {
    const client = new Anthropic({ apiKey: 'k', baseURL, fetch, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: 'Marmalade?' }]
    const body = { model, max_tokens: 2000, messages }
    const whole = await client.messages.create(body)
    const [first] = whole.content
    expect(first?.type === 'text' && first.text).toContain('Marmalade')
    const streamed = await client.messages.stream(body).finalMessage()
    expect(streamed.content).toEqual(whole.content)
    expect(streamed.model).toBe(model)
  })
  test('answers openai', async () => {
    const client = new OpenAI({ apiKey: 'k', baseURL: `${baseURL}/v1`, fetch, maxRetries: 0 })
    const whole = await client.responses.create({ model, input: 'Marmalade?' })
    expect(whole.output_text).toContain('Marmalade')
    const streamed = await client.responses.stream({ model, input: 'Marmalade?' }).finalResponse()
    expect(streamed.output_text).toBe(whole.output_text)
  })
  test('answers @google/genai', async () => {
    const httpOptions = { baseUrl: baseURL, fetch }
    const { models } = new GoogleGenAI({ apiKey: 'k', httpOptions })
    const whole = await models.generateContent({ model, contents: 'Marmalade?' })
    expect(whole.text).toContain('Marmalade')
    let streamed = ''
    for await (const chunk of await models.generateContentStream({ model, contents: 'Marmalade?' }))
      streamed += chunk.text ?? ''
    expect(streamed).toBe(whole.text)
  })
})

const begun = (type: string) => `event: ${type}\ndata: {"type":"${type}","message":{"id":"m"}}\n\n`
const upstream: Config = {
  upstreams: { one: { dialect: 'messages', url: 'https://one.invalid' } },
}
const request = (stream: boolean) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'm', input: 'Marmalade?', stream }),
})
const silent: Send = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** As the platform's `fetch`, which SDKs tell from a refusal by what it fails with. */
describe('a program that gives up', () => {
  test('before the answer is told its own reason, and no refusal', async () => {
    const { fetch } = createApp(upstream, { send: silent })
    const given = new AbortController()
    const asked = fetch('http://in.invalid/v1/responses', {
      ...request(false),
      signal: given.signal,
    })
    given.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    const late = fetch('http://in.invalid/v1/responses', {
      ...request(false),
      signal: given.signal,
    })
    await expect(late).rejects.toThrow('enough')
  })
  test('is told by its SDK that the time is over, or that it was itself', async () => {
    const { fetch } = createApp(upstream, { send: silent })
    const openai = new OpenAI({ apiKey: 'k', fetch, maxRetries: 0, timeout: 20 })
    const asked = openai.responses.create({ model: 'm', input: 'Marmalade?' })
    await expect(asked).rejects.toThrow(OpenAI.APIConnectionTimeoutError)
    const anthropic = new Anthropic({ apiKey: 'k', fetch, maxRetries: 0 })
    const body = { model: 'm', max_tokens: 9, messages: [] }
    const given = anthropic.messages.create(body, { signal: AbortSignal.timeout(20) })
    await expect(given).rejects.toThrow(Anthropic.APIUserAbortError)
  })
  test('in the middle of a stream is not told that it is whole', async () => {
    const cancelled = Promise.withResolvers<void>()
    const headers = new Headers({ 'content-type': 'text/event-stream' })
    const send: Send = async ({ signal }) => ({
      status: 200,
      headers,
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(begun('message_start')))
          // As a body of the platform's `fetch` does it.
          signal.addEventListener('abort', () => {
            controller.error(signal.reason)
            cancelled.resolve()
          })
        },
        cancel: () => cancelled.resolve(),
      }),
    })
    const { fetch } = createApp(upstream, { send })
    const given = new AbortController()
    const init = { ...request(true), signal: given.signal }
    const response = await fetch('http://in.invalid/v1/responses', init)
    const text = response.text()
    given.abort(new Error('enough'))
    await expect(text).rejects.toThrow('enough')
    await cancelled.promise
  })
})

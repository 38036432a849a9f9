import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { type Config, createApp } from '../../src/index.ts'

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

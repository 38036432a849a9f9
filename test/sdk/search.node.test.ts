import { describe, expect, test } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { anthropicClient } from './driver-anthropic.ts'
import { genaiClient } from './driver-genai.ts'
import { openaiClient } from './driver-openai.ts'
import { stage } from './proxy.ts'
import { MODEL, type Dialect } from './script.ts'
import type { Stage } from './stage.ts'

const URL = 'https://weather.example/ulm'
const TITLE = 'Weather in Ulm'
const WORDS = 'It is sunny in Ülm.'
const FINDING = { query: 'weather ulm', url: URL, title: TITLE, words: WORDS }

/** It answers in one piece also who wants a stream: what comes decides. */
const searching = (upstream: Dialect): Stage =>
  stage(upstream, () => ({ body: kits[upstream].scripted.found(FINDING) }), {
    routes: [
      { model: '*', upstream: 'scripted', as: kits[upstream].scripted.searchModel ?? MODEL },
    ],
  })

function expectAsked(staged: Stage, upstream: Dialect): void {
  const { tools, web_search_options } = staged.received[0]?.body ?? {}
  expect(JSON.stringify({ tools, web_search_options })).toMatch(kits[upstream].scripted.searchTool)
}

describe.each([false, true])('a web search of the provider (stream: %s)', (stream) => {
  test.each(othersThan('messages'))('messages over %s', async (upstream) => {
    const staged = searching(upstream)
    const { messages } = anthropicClient(staged)
    const body = {
      model: 'claude-opus-4-8',
      max_tokens: 900,
      messages: [{ role: 'user' as const, content: 'Weather?' }],
      tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 3 }],
    }
    const message = stream
      ? await messages.stream(body).finalMessage()
      : await messages.create(body)
    expectAsked(staged, upstream)
    const words = message.content.filter((block) => block.type === 'text')
    expect(words.map((block) => block.text).join('')).toBe(WORDS)
    expect(words.flatMap(({ citations }) => citations ?? [])).toMatchObject([
      { type: 'web_search_result_location', url: URL, title: TITLE },
    ])
    const types = message.content.map(({ type }) => type)
    if (kits[upstream].scripted.hidesSearch) expect(new Set(types)).toEqual(new Set(['text']))
    else
      expect(types).toEqual(expect.arrayContaining(['server_tool_use', 'web_search_tool_result']))
  })

  test.each(othersThan('responses'))('responses over %s', async (upstream) => {
    const staged = searching(upstream)
    const { responses } = openaiClient(staged)
    const body = { model: 'gpt-5', input: 'Weather?', tools: [{ type: 'web_search' as const }] }
    const response = stream
      ? await responses.stream(body).finalResponse()
      : await responses.create(body)
    expectAsked(staged, upstream)
    expect(response.output_text).toBe(WORDS)
    const [call] = response.output.filter((item) => item.type === 'web_search_call')
    if (kits[upstream].scripted.hidesSearch) expect(call).toBeUndefined()
    else expect(call).toMatchObject({ status: 'completed', action: { type: 'search' } })
    const annotations = response.output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .flatMap((part) => (part.type === 'output_text' ? part.annotations : []))
    expect(annotations).toMatchObject([{ type: 'url_citation', url: URL, title: TITLE }])
  })

  test.each(othersThan('generate-content'))('generate-content over %s', async (upstream) => {
    const staged = searching(upstream)
    const { models } = genaiClient(staged)
    const ask = {
      model: 'gemini-3-pro',
      contents: 'Weather?',
      config: { tools: [{ googleSearch: {} }] },
    }
    const chunks = []
    if (stream)
      for await (const chunk of await models.generateContentStream(ask)) chunks.push(chunk)
    else chunks.push(await models.generateContent(ask))
    expectAsked(staged, upstream)
    expect(chunks.map((chunk) => chunk.text ?? '').join('')).toBe(WORDS)
    const grounding = chunks.flatMap((chunk) => chunk.candidates?.[0]?.groundingMetadata ?? [])
    expect(grounding.flatMap(({ groundingChunks }) => groundingChunks ?? [])).toMatchObject([
      { web: { uri: URL, title: TITLE } },
    ])
  })
})

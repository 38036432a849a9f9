import { describe, expect, test } from 'vitest'
import { anthropicClient } from './driver-anthropic.ts'
import { genaiClient } from './driver-genai.ts'
import { openaiClient } from './driver-openai.ts'
import { stage } from './proxy.ts'
import { COUNTS, MODEL, said, text, type Dialect, type Wire } from './script.ts'
import { generateContentBody } from './speak-generate-content.ts'
import { messagesBody } from './speak-messages.ts'
import { responsesBody } from './speak-responses.ts'
import type { Stage } from './stage.ts'

const URL = 'https://weather.example/ulm'
const TITLE = 'Weather in Ulm'
const WORDS = 'It is sunny in Ülm.'
const QUERY = 'weather ulm'
const PLAIN = said([text(WORDS)], 'stop', COUNTS)

const inMessages = (): Wire => ({
  ...messagesBody(PLAIN, MODEL),
  content: [
    { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: QUERY } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_01',
      content: [
        {
          type: 'web_search_result',
          url: URL,
          title: TITLE,
          encrypted_content: 'RWE=',
          page_age: null,
        },
      ],
    },
    {
      type: 'text',
      text: WORDS,
      citations: [
        {
          type: 'web_search_result_location',
          url: URL,
          title: TITLE,
          encrypted_index: 'RWk=',
          cited_text: 'Sunny.',
        },
      ],
    },
  ],
})

/** Offsets count bytes of UTF-8. */
const inGenerateContent = (): Wire => {
  const body = generateContentBody(PLAIN, MODEL)
  const [candidate] = body['candidates'] as Wire[]
  const segment = { startIndex: 0, endIndex: new TextEncoder().encode(WORDS).length, text: WORDS }
  return {
    ...body,
    candidates: [
      {
        ...candidate,
        groundingMetadata: {
          webSearchQueries: [QUERY],
          groundingChunks: [{ web: { uri: URL, title: TITLE } }],
          groundingSupports: [{ segment, groundingChunkIndices: [0], confidenceScores: [0.9] }],
          searchEntryPoint: { renderedContent: '<div></div>' },
        },
      },
    ],
  }
}

const inResponses = (): Wire => {
  const body = responsesBody(PLAIN, MODEL)
  const [message] = body['output'] as Wire[]
  const span = { start_index: 0, end_index: WORDS.length }
  const annotation = { type: 'url_citation', ...span, url: URL, title: TITLE }
  return {
    ...body,
    output: [
      {
        type: 'web_search_call',
        id: 'ws_6891a5f2c1b481a0',
        status: 'completed',
        action: { type: 'search', query: QUERY, sources: [{ type: 'url', url: URL }] },
      },
      {
        ...message,
        content: [{ type: 'output_text', text: WORDS, annotations: [annotation], logprobs: [] }],
      },
    ],
  }
}

const FOUND: Record<Dialect, () => Wire> = {
  messages: inMessages,
  'generate-content': inGenerateContent,
  responses: inResponses,
}
const SEARCH_TOOL: Record<Dialect, RegExp> = {
  messages: /"type":"web_search_20\d{6}","name":"web_search"/,
  'generate-content': /\{"googleSearch":\{/,
  responses: /"type":"web_search/,
}

/** It answers in one piece also who wants a stream: what comes decides. */
const searching = (upstream: Dialect): Stage => stage(upstream, () => ({ body: FOUND[upstream]() }))

function expectAsked(staged: Stage, upstream: Dialect): void {
  expect(JSON.stringify(staged.received[0]?.body['tools'])).toMatch(SEARCH_TOOL[upstream])
}

describe.each([false, true])('a web search of the provider (stream: %s)', (stream) => {
  test.each(['generate-content', 'responses'] as const)('messages over %s', async (upstream) => {
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
    expect(message.content.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['server_tool_use', 'web_search_tool_result']),
    )
  })

  test.each(['messages', 'generate-content'] as const)('responses over %s', async (upstream) => {
    const staged = searching(upstream)
    const { responses } = openaiClient(staged)
    const body = { model: 'gpt-5', input: 'Weather?', tools: [{ type: 'web_search' as const }] }
    const response = stream
      ? await responses.stream(body).finalResponse()
      : await responses.create(body)
    expectAsked(staged, upstream)
    expect(response.output_text).toBe(WORDS)
    const [call] = response.output.filter((item) => item.type === 'web_search_call')
    expect(call).toMatchObject({ status: 'completed', action: { type: 'search' } })
    const annotations = response.output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .flatMap((part) => (part.type === 'output_text' ? part.annotations : []))
    expect(annotations).toMatchObject([{ type: 'url_citation', url: URL, title: TITLE }])
  })

  test.each(['messages', 'responses'] as const)('generate-content over %s', async (upstream) => {
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

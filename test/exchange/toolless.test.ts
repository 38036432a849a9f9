import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { createApp } from '../../src/index.ts'
import type { Config, UpstreamConfig } from '../../src/config/type.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'

type Caller = 'messages' | 'responses' | 'generate-content'

/** What asks for the web alone. Claude Code (2.1) asks so for each search of its WebSearch. */
const SEARCHES: Record<Caller, JsonObject[]> = {
  messages: [
    {
      system: 'You are an assistant for performing a web search tool use',
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
    },
    { tools: [{ type: 'web_search_20260318', name: 'web_search' }], tool_choice: { type: 'any' } },
    {
      tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }],
      tool_choice: { type: 'tool', name: 'web_fetch' },
    },
    { tools: [{ type: 'code_execution_20260120', name: 'code_execution' }] },
    {
      tools: [
        { name: 'f', input_schema: { type: 'object' } },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      tool_choice: { type: 'tool', name: 'web_search' },
    },
  ],
  responses: [
    { tools: [{ type: 'web_search' }] },
    { tools: [{ type: 'web_search_preview_2025_03_11' }], tool_choice: 'required' },
    { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    {
      tools: [{ type: 'function', name: 'f', parameters: {} }, { type: 'web_search' }],
      tool_choice: { type: 'web_search' },
    },
  ],
  'generate-content': [
    { tools: [{ googleSearch: {} }] },
    { tools: [{ urlContext: {} }, { googleSearch: {} }] },
    { tools: [{ codeExecution: {} }] },
  ],
}

/** What goes on: the caller has functions besides, or wants no tool now. */
const OTHERS: Record<Caller, JsonObject[]> = {
  messages: [
    {
      tools: [
        { name: 'f', input_schema: { type: 'object' } },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
    },
    {
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      tool_choice: { type: 'none' },
    },
    { tools: [] },
  ],
  responses: [
    { tools: [{ type: 'function', name: 'f', parameters: {} }, { type: 'web_search' }] },
    { tools: [{ type: 'web_search' }], tool_choice: 'none' },
  ],
  'generate-content': [
    { tools: [{ functionDeclarations: [{ name: 'f' }], googleSearch: {} }] },
    {
      tools: [{ googleSearch: {} }],
      toolConfig: { functionCallingConfig: { mode: 'NONE' } },
    },
  ],
}

const rowsOf = (table: Record<Caller, JsonObject[]>) =>
  (['messages', 'responses', 'generate-content'] as const).flatMap((from) =>
    table[from].map((more) => ({ from, more })),
  )

const bodyOf = (from: Dialect, stream: boolean, more: JsonObject): JsonObject => {
  const { http, ask } = kits[from]
  return { ...http.body('m', stream, { ...ask.needed, ...ask.text('Who won?') }), ...more }
}

/** An upstream that answers from memory, and counts how often. */
function served(upstreams: Record<string, UpstreamConfig>, dialectOf: (url: string) => Dialect) {
  const asked: string[] = []
  const config: Config = {
    upstreams,
    routes: [{ model: '*', upstream: Object.keys(upstreams) }],
    callers: 'open',
  }
  const app = createApp(config, {
    send: ({ url }) => {
      asked.push(url)
      return Promise.resolve({
        status: 200,
        headers: new Headers({ 'content-type': 'application/json' }),
        body: new Response(JSON.stringify(kits[dialectOf(url)].say.hello.body)).body,
      })
    },
  })
  const ask = (from: Dialect, stream: boolean, more: JsonObject) =>
    app.fetch(
      new Request(`http://localhost${kits[from].http.path('m', stream)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(bodyOf(from, stream, more)),
      }),
    )
  return { ask, asked }
}

const chat = {
  dialect: 'chat-completions',
  url: 'https://chat.example',
  key: 'k-chat-1234',
} as const
const WHY = /the service has no such tool, and its model would answer as if it had used it/

describe.each(rowsOf(SEARCHES))(
  'over an upstream without such tools: $from $more',
  ({ from, more }) => {
    it.each([false, true])(
      'nothing is asked, and the caller is told (stream: %s)',
      async (stream) => {
        const { ask, asked } = served({ chat }, () => 'chat-completions')
        const response = await ask(from, stream, more)
        const text = await response.text()
        expect([response.status, asked]).toEqual([400, []])
        expect(text).toMatch(WHY)
        expect(text).toMatch(/tools[.[]\d/)
      },
    )

    it('a member that has them is asked instead', async () => {
      const own = { dialect: from, url: 'https://own.example', key: 'k-own-12345' }
      const { ask, asked } = served({ chat, own }, (url) =>
        url.includes('own.example') ? from : 'chat-completions',
      )
      const response = await ask(from, false, more)
      expect(response.status).toBe(200)
      expect(asked.every((url) => url.includes('own.example'))).toBe(true)
    })

    it('the bare translation refuses it too', () => {
      const both = translator({ from, to: 'chat-completions', model: 'm' })
      expect(() => both.request(bodyOf(from, false, more))).toThrow(WHY)
    })
  },
)

it.each(rowsOf(OTHERS))('a request goes on with a loss: $from $more', async ({ from, more }) => {
  const { ask, asked } = served({ chat }, () => 'chat-completions')
  const response = await ask(from, false, more)
  expect([response.status, asked.length]).toEqual([200, 1])
})

describe('of its own dialect', () => {
  const plain = { key: 'k-plain-123', profile: 'lmstudio' } as const
  const rows = (['messages', 'responses'] as const).flatMap((from) =>
    [SEARCHES[from][0] ?? {}].map((more) => ({ from, more })),
  )
  it.each(rows)(
    'an upstream without such tools is not asked either: $from',
    async ({ from, more }) => {
      const upstream = { ...plain, dialect: from, url: 'https://plain.example' }
      const { ask, asked } = served({ upstream }, () => from)
      const response = await ask(from, false, more)
      expect([response.status, asked]).toEqual([400, []])
      expect(await response.text()).toMatch(WHY)
      const both = translator({ from, to: from, profile: 'lmstudio' })
      expect(() => both.request(bodyOf(from, false, more))).toThrow(WHY)
      expect((await ask(from, false, OTHERS[from][0] ?? {})).status).toBe(200)
    },
  )

  it('one that has them is sent the bytes', async () => {
    const own = { dialect: 'messages', url: 'https://own.example', key: 'k-own-12345' } as const
    const { ask } = served({ own }, () => 'messages')
    expect((await ask('messages', false, SEARCHES.messages[0] ?? {})).status).toBe(200)
  })
})

it('tokens are counted all the same', async () => {
  const app = createApp({
    upstreams: { chat },
    routes: [{ model: '*', upstream: 'chat' }],
    callers: 'open',
  })
  const response = await app.fetch(
    new Request('http://localhost/v1/messages/count_tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(bodyOf('messages', false, SEARCHES.messages[0] ?? {})),
    }),
  )
  expect(response.status).toBe(200)
})

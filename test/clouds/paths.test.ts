import { describe, expect, it } from 'vitest'
import { answer, ASKED, cloudSite, COMPLETION, CONTENT, MESSAGE, RESPONSE } from './site.ts'

const PROJECT = 'https://aiplatform.googleapis.com/v1/projects/p/locations/global'
const KEY = 'a-key-of-the-cloud-0123'
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

describe('paths of clouds', () => {
  it.each([
    ['generateContent', ''],
    ['streamGenerateContent', '?alt=sse'],
  ])('Vertex takes %s directly below the publisher', async (action, search) => {
    const site = cloudSite(
      { g: { dialect: 'generate-content', url: `${PROJECT}/publishers/google`, key: KEY } },
      () => answer(CONTENT),
    )
    await site.fetch(`/v1beta/models/gemini-3-pro:${action}${search}`, GEMINI)
    expect(site.sent[0]?.url).toBe(
      `${PROJECT}/publishers/google/models/gemini-3-pro:${action}${search}`,
    )
  })

  it('Vertex counts the tokens of the request as it stands', async () => {
    const site = cloudSite(
      { g: { dialect: 'generate-content', url: `${PROJECT}/publishers/google`, key: KEY } },
      () => answer({ totalTokens: 3 }),
    )
    const text = `{"generateContentRequest": {"model":"models/gemini-3-pro", "n":12345678901234567890, ${JSON.stringify(GEMINI).slice(1)}}`
    const reply = await site.fetch('/v1beta/models/gemini-3-pro:countTokens', text)
    expect(await reply.json()).toEqual({ totalTokens: 3 })
    expect(site.sent[0]?.text).toBe(
      `{ "n":12345678901234567890, ${JSON.stringify(GEMINI).slice(1)}`,
    )
    const other = await site.fetch('/v1/messages/count_tokens', { ...ASKED, model: 'gemini-3-pro' })
    expect(await other.json()).toEqual({ input_tokens: 3 })
    expect(site.sent[1]?.body).toMatchObject({ contents: GEMINI.contents })
  })

  it('Vertex takes Claude by rawPredict, with the rest of the bytes', async () => {
    const site = cloudSite(
      {
        c: {
          dialect: 'messages',
          url: `${PROJECT}/publishers/anthropic/`,
          key: KEY,
          auth: 'bearer',
        },
      },
      () => answer(MESSAGE),
    )
    const rest =
      '"max_tokens":16,  "x": 1.0e0, "messages":[{"role":"user","content":"h\\u00e9 \u2028é"}]'
    await site.fetch('/v1/messages?beta=true', `{ "model":"claude-sonnet-4-5@20250929", ${rest}}`)
    const [sent] = site.sent
    expect(sent?.url).toBe(
      `${PROJECT}/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`,
    )
    expect(sent?.text).toBe(`{ ${rest},"anthropic_version":"vertex-2023-10-16"}`)
    expect(sent?.headers).toMatchObject({ authorization: `Bearer ${KEY}` })
    expect(Object.keys(sent?.headers ?? {})).not.toContain('anthropic-version')
  })

  it('Vertex streams by its own method, and is told so in the body', async () => {
    const site = cloudSite(
      { c: { dialect: 'messages', url: `${PROJECT}/publishers/anthropic`, key: KEY } },
      () => answer(MESSAGE),
    )
    await site.fetch('/v1/messages', { ...ASKED, stream: true })
    expect(site.sent[0]?.url).toMatch(/:streamRawPredict$/)
    expect(site.sent[0]?.body).toMatchObject({
      stream: true,
      anthropic_version: 'vertex-2023-10-16',
    })
    expect(site.sent[0]?.body).not.toHaveProperty('model')
  })

  it('Vertex takes one beta in the body, and the others in the header', async () => {
    const site = cloudSite(
      { c: { dialect: 'messages', url: `${PROJECT}/publishers/anthropic`, key: KEY } },
      () => answer(MESSAGE),
    )
    const betas = 'context-1m-2025-08-07,context-management-2025-06-27'
    await site.fetch('/v1/messages', ASKED, { 'anthropic-beta': betas })
    expect(site.sent[0]?.headers['anthropic-beta']).toBe('context-management-2025-06-27')
    expect(site.sent[0]?.body).toMatchObject({ anthropic_beta: ['context-1m-2025-08-07'] })
  })

  it('Vertex counts the tokens of Claude with the model in the body', async () => {
    const site = cloudSite(
      { c: { dialect: 'messages', url: `${PROJECT}/publishers/anthropic`, key: KEY } },
      () => answer({ input_tokens: 3 }),
    )
    await site.fetch('/v1/messages/count_tokens', { model: ASKED.model, messages: ASKED.messages })
    expect(site.sent[0]?.url).toBe(`${PROJECT}/publishers/anthropic/models/count-tokens:rawPredict`)
    expect(site.sent[0]?.body).toMatchObject({ model: ASKED.model })
  })

  it('Vertex takes Claude for callers of other dialects', async () => {
    const site = cloudSite(
      { c: { dialect: 'messages', url: `${PROJECT}/publishers/anthropic`, key: KEY } },
      () => answer(MESSAGE),
    )
    const reply = await site.fetch('/v1/chat/completions', {
      model: 'claude-sonnet-4-5@20250929',
      messages: [{ role: 'user', content: 'hi' }],
    })
    expect(await reply.json()).toMatchObject({ choices: [{ message: { content: 'hello' } }] })
    expect(site.sent[0]?.body).toMatchObject({ anthropic_version: 'vertex-2023-10-16' })
    expect(site.sent[0]?.body).not.toHaveProperty('model')
  })

  it('chat completions go directly below endpoints/openapi', async () => {
    const site = cloudSite(
      { o: { dialect: 'chat-completions', url: `${PROJECT}/endpoints/openapi`, key: KEY } },
      () => answer(COMPLETION),
    )
    await site.fetch('/v1/chat/completions', { model: 'google/gemini', messages: ASKED.messages })
    expect(site.sent[0]?.url).toBe(`${PROJECT}/endpoints/openapi/chat/completions`)
  })

  it.each([
    ['https://r.openai.azure.com/openai/responses', 'https://r.openai.azure.com/openai/responses'],
    ['https://h.example/v1/responses', 'https://h.example/v1/responses'],
    ['https://h.example/v3', 'https://h.example/v3/responses'],
    ['https://h.example', 'https://h.example/v1/responses'],
  ])('an endpoint of responses is taken as it stands: %s', async (url, expected) => {
    const query = { 'api-version': '2025-04-01-preview' }
    const site = cloudSite(
      { a: { dialect: 'responses', url, key: KEY, auth: 'api-key', query } },
      () => answer(RESPONSE),
    )
    await site.fetch('/v1/responses', { model: 'gpt-5.4', input: 'hi' })
    expect(site.sent[0]?.url).toBe(`${expected}?api-version=2025-04-01-preview`)
    expect(site.sent[0]?.headers).toMatchObject({ 'api-key': KEY })
    expect(site.sent[0]?.headers).not.toHaveProperty('authorization')
  })

  it.each(['', '/chat/completions'])('a deployment of Azure stands in the path%s', async (end) => {
    const url = 'https://r.openai.azure.com/openai/deployments/mine'
    const site = cloudSite(
      {
        a: {
          dialect: 'chat-completions',
          url: `${url}${end}`,
          key: KEY,
          auth: 'api-key',
          query: { 'api-version': '2024-10-21' },
        },
      },
      () => answer(COMPLETION),
    )
    await site.fetch('/v1/chat/completions', { model: 'mine', messages: ASKED.messages })
    expect(site.sent[0]?.url).toBe(`${url}/chat/completions?api-version=2024-10-21`)
  })

  it.each(['..', '.', 'a/../b', 'a?b', ''])(
    'no name of a model leaves its place: %j',
    async (model) => {
      for (const upstream of [
        { dialect: 'messages', url: `${PROJECT}/publishers/anthropic`, key: KEY },
        { dialect: 'messages', url: 'https://b.example', key: KEY, profile: 'bedrock-invoke' },
      ] as const) {
        const site = cloudSite({ c: upstream }, () => answer(MESSAGE))
        await site.fetch('/v1/messages', { ...ASKED, model })
        for (const { url } of site.sent)
          expect(new URL(url).pathname).toMatch(
            /^\/(?:v1\/projects\/p\/locations\/global\/publishers\/anthropic\/models\/[^/]+:rawPredict|model\/[^/]+\/invoke)$/,
          )
      }
    },
  )
})

import { FunctionCallingConfigMode, type CallableTool, type FunctionCall } from '@google/genai'
import { describe, expect, test } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { genaiClient } from './driver-genai.ts'
import { stage } from './proxy.ts'
import { call, MODEL, said, text, thinking, type Dialect } from './script.ts'
import { BASE, CALLER_KEY, says, type Script } from './stage.ts'

const FOREIGN = othersThan('generate-content')
const model = 'gemini-3-pro'
const PRICE = {
  type: 'object',
  properties: { price: { type: 'number' }, currency: { type: 'string', enum: ['EUR', 'CHF'] } },
  required: ['price', 'currency'],
}

describe.each(FOREIGN)('@google/genai over %s', (upstream) => {
  test.each([
    ['responseJsonSchema', PRICE],
    [
      'responseSchema',
      {
        type: 'OBJECT',
        properties: {
          price: { type: 'NUMBER' },
          currency: { type: 'STRING', enum: ['EUR', 'CHF'] },
        },
        required: ['price', 'currency'],
      },
    ],
  ])('%s asks for structured output', async (member, schema) => {
    const staged = stage(upstream, says(upstream, said([text('{"price":4.2,"currency":"EUR"}')])))
    const response = await genaiClient(staged).models.generateContent({
      model,
      contents: 'Price?',
      config: { responseMimeType: 'application/json', [member]: schema },
    })
    expect(JSON.parse(response.text ?? '')).toEqual({ price: 4.2, currency: 'EUR' })
    expect(staged.heard(0).schema).toMatchObject(PRICE)
  })

  test('runs functions automatically', async () => {
    const [first, second] = kits[upstream].scripted.ids
    const staged = stage(
      upstream,
      says(
        upstream,
        said(
          [
            thinking('Two prices.', 'cHJvb2Y='),
            call(first, 'get_price', { item: 'tea' }),
            call(second, 'get_price', { item: 'jam' }),
          ],
          'tool-call',
        ),
        said([text('Seven in all.')]),
      ),
    )
    const asked: unknown[] = []
    const tool: CallableTool = {
      tool: async () => ({
        functionDeclarations: [
          {
            name: 'get_price',
            description: 'Price of an item.',
            parametersJsonSchema: { type: 'object', properties: { item: { type: 'string' } } },
          },
        ],
      }),
      callTool: async (calls: FunctionCall[]) =>
        calls.map(({ id, name, args }) => {
          asked.push(args)
          const response = { output: asked.length === 1 ? '4' : '3' }
          return {
            functionResponse: { ...(id !== undefined && { id }), name: name ?? '', response },
          }
        }),
    }
    const response = await genaiClient(staged).models.generateContent({
      model,
      contents: 'What do tea and jam cost?',
      config: { tools: [tool], thinkingConfig: { includeThoughts: true } },
    })
    expect(response.text).toBe('Seven in all.')
    expect(asked).toEqual([{ item: 'tea' }, { item: 'jam' }])
    expect(staged.heard(1).turns.slice(1)).toMatchObject([
      {
        role: 'assistant',
        pieces: [{ kind: 'thinking', proof: 'cHJvb2Y=' }, { id: first }, { id: second }],
      },
      {
        role: 'user',
        pieces: [
          { id: first, output: '4' },
          { id: second, output: '3' },
        ],
      },
    ])
  })

  test.each([
    [FunctionCallingConfigMode.AUTO, undefined, ['', 'auto']],
    [FunctionCallingConfigMode.ANY, undefined, ['required']],
    [FunctionCallingConfigMode.ANY, ['get_price'], ['get_price']],
    [FunctionCallingConfigMode.NONE, undefined, ['none']],
  ])('carries the mode %s with %j', async (mode, allowedFunctionNames, wanted) => {
    const staged = stage(upstream, says(upstream, said([text('Fine.')])))
    await genaiClient(staged).models.generateContent({
      model,
      contents: 'Price?',
      config: {
        tools: [{ functionDeclarations: [{ name: 'get_price', description: 'Price.' }] }],
        toolConfig: {
          functionCallingConfig: { mode, ...(allowedFunctionNames && { allowedFunctionNames }) },
        },
      },
    })
    expect(wanted).toContain(staged.heard(0).choice)
  })

  test('streams a growing JSON array to who asks for no events', async () => {
    const staged = stage(upstream, says(upstream, said([text('One two three.')])))
    const response = await staged.fetch(`${BASE}/v1beta/models/${model}:streamGenerateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': CALLER_KEY },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Count.' }] }] }),
    })
    expect(response.headers.get('content-type')).toContain('application/json')
    const chunks = (await response.json()) as {
      candidates: { content: { parts: { text: string }[] } }[]
    }[]
    const words = chunks.flatMap((chunk) => chunk.candidates[0]?.content.parts ?? [])
    expect(words.map((part) => part.text).join('')).toBe('One two three.')
  })

  test('every chunk of a stream has content, and the last one the reason', async () => {
    const staged = stage(
      upstream,
      says(upstream, said([thinking('Hm.', 'cHJvb2Y='), text('Four.')])),
    )
    const stream = await genaiClient(staged).models.generateContentStream({
      model,
      contents: 'Sum?',
    })
    const reasons: unknown[] = []
    for await (const chunk of stream) {
      expect(chunk.candidates?.[0]?.content?.parts?.length).toBeGreaterThan(0)
      reasons.push(chunk.candidates?.[0]?.finishReason)
    }
    expect(reasons.at(-1)).toBe('STOP')
    expect(reasons.slice(0, -1).every((reason) => reason === undefined)).toBe(true)
  })
})

const COUNTED: [Dialect, string, unknown][] = [
  ['messages', '/v1/messages/count_tokens', { input_tokens: 321 }],
  ['generate-content', `/v1beta/models/${MODEL}:countTokens`, { totalTokens: 321 }],
  [
    'responses',
    '/v1/responses/input_tokens',
    { object: 'response.input_tokens', input_tokens: 321 },
  ],
]

test.each(COUNTED)('countTokens over %s', async (upstream, path, body) => {
  const script: Script = (received) =>
    received.path.replace('/v1/models', '/v1beta/models') === path
      ? { body }
      : { status: 404, body: { error: {} } }
  const client = genaiClient(stage(upstream, script))
  const counted = await client.models.countTokens({ model, contents: 'How long is this?' })
  expect(counted.totalTokens).toBe(321)
})

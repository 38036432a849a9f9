import { generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { kits } from '../dialects/index.ts'
import { officials } from '../dialects/official/index.ts'
import { stage } from './proxy.ts'
import { issued, plainSchema } from './scene.ts'
import { call, DIALECTS, said, text, thinking, type Dialect } from './script.ts'
import { says } from './stage.ts'

const PDF = 'JVBERi0xLjQKJeLjz9MKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoK'
const PAIRS = DIALECTS.flatMap((caller) =>
  DIALECTS.filter((upstream) => upstream !== caller).map((upstream) => ({ caller, upstream })),
)

const NOT_STORED = { openai: { store: false } }
const price = jsonSchema<{ item: string }>({
  type: 'object',
  properties: { item: { type: 'string' } },
  required: ['item'],
})

const replies = (upstream: Dialect) => {
  const [one, two] = kits[upstream].scripted.ids
  return [
    said(
      [
        thinking('Two prices.', kits[upstream].scripted.proofs[0]),
        call(one, 'get_price', { item: 'tea' }),
        call(two, 'get_price', { item: 'jam' }),
      ],
      'tool-call',
    ),
    said([text('Seven in all.')]),
  ]
}

describe.each(PAIRS)('ai, the provider of $caller over $upstream', ({ caller, upstream }) => {
  test.each([false, true])('runs tools by itself (stream: %s)', async (stream) => {
    const staged = stage(upstream, says(upstream, ...replies(upstream)))
    const asked: string[] = []
    const settings = {
      model: officials[caller].provider.model(staged),
      maxRetries: 0,
      prompt: 'What do tea and jam cost?',
      providerOptions: NOT_STORED,
      stopWhen: isStepCount(4),
      tools: {
        get_price: tool({
          description: 'Price of an item.',
          inputSchema: price,
          execute: async ({ item }) => {
            asked.push(item)
            return { euros: item === 'tea' ? 4 : 3 }
          },
        }),
      },
    }
    const answer = stream ? await streamText(settings).text : (await generateText(settings)).text
    expect(answer).toBe('Seven in all.')
    expect(asked.toSorted()).toEqual(['jam', 'tea'])
    const [, assistant, user] = issued(staged.heard(1).turns, upstream)
    const [first] = assistant?.pieces ?? []
    if (officials[caller].provider.forgetsThoughts) expect(first).toMatchObject({ kind: 'call' })
    else
      expect(first).toMatchObject({
        kind: 'thinking',
        proof: kits[upstream].scripted.proofs[0],
      })
    expect(user?.pieces).toMatchObject([
      { kind: 'result', output: '{"euros":4}' },
      { kind: 'result', output: '{"euros":3}' },
    ])
  })

  test('reads structured output', async () => {
    const staged = stage(upstream, says(upstream, said([text('{"euros":4.2}')])))
    const { output } = await generateText({
      model: officials[caller].provider.model(staged),
      maxRetries: 0,
      prompt: 'Price?',
      providerOptions: NOT_STORED,
      output: Output.object({
        schema: jsonSchema<{ euros: number }>({
          type: 'object',
          properties: { euros: { type: 'number' } },
          required: ['euros'],
          additionalProperties: false,
        }),
      }),
    })
    expect(output).toEqual({ euros: 4.2 })
    expect(plainSchema(staged.heard(0).schema)).toMatchObject({
      type: 'object',
      properties: { euros: { type: 'number' } },
    })
  })

  test('sends a document', async () => {
    const staged = stage(upstream, says(upstream, said([text('A page.')])))
    const { text: answer } = await generateText({
      model: officials[caller].provider.model(staged),
      maxRetries: 0,
      providerOptions: NOT_STORED,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'file', data: PDF, mediaType: 'application/pdf', filename: 'a.pdf' },
          ],
        },
      ],
    })
    expect(answer).toBe('A page.')
    expect(staged.heard(0).turns[0]?.pieces).toMatchObject([
      { text: 'What is it?' },
      { mediaType: 'application/pdf', data: PDF },
    ])
  })
})

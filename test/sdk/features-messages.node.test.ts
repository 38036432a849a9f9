import type Anthropic from '@anthropic-ai/sdk'
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { describe, expect, test } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { anthropicClient } from './driver-anthropic.ts'
import { stage } from './proxy.ts'
import { plainSchema } from './scene.ts'
import { call, said, text, thinking } from './script.ts'
import { COUNTING, counts, says } from './stage.ts'

const ASK = {
  model: 'claude-opus-4-8',
  max_tokens: 2000,
  messages: [{ role: 'user' as const, content: 'How much is it?' }],
}
const PRICE = {
  type: 'object',
  properties: { price: { type: 'number' }, currency: { type: 'string', enum: ['EUR', 'CHF'] } },
  required: ['price', 'currency'],
  additionalProperties: false,
} as const

const FOREIGN = othersThan('messages')

describe.each(FOREIGN)('@anthropic-ai/sdk over %s', (upstream) => {
  test('messages.parse reads structured output', async () => {
    const staged = stage(
      upstream,
      says(upstream, said([text('{"price": 4.2, "currency": "EUR"}')])),
    )
    const message = await anthropicClient(staged).messages.parse({
      ...ASK,
      output_config: { format: jsonSchemaOutputFormat(PRICE) },
    })
    expect(message.parsed_output).toEqual({ price: 4.2, currency: 'EUR' })
    expect(plainSchema(staged.heard(0).schema)).toMatchObject({
      type: 'object',
      properties: { price: { type: 'number' } },
      required: ['price', 'currency'],
    })
  })

  test('messages.stream parses structured output too', async () => {
    const staged = stage(upstream, says(upstream, said([text('{"price": 1, "currency": "CHF"}')])))
    const stream = anthropicClient(staged).messages.stream({
      ...ASK,
      output_config: { format: jsonSchemaOutputFormat(PRICE) },
    })
    expect((await stream.finalMessage()).parsed_output).toEqual({ price: 1, currency: 'CHF' })
  })

  test.each([
    [{ type: 'auto' }, ['', 'auto']],
    [{ type: 'any' }, ['required']],
    [{ type: 'tool', name: 'get_price' }, ['get_price']],
    [{ type: 'none' }, ['none']],
  ] as const)('carries tool_choice %j', async (choice, wanted) => {
    const staged = stage(upstream, says(upstream, said([text('Fine.')])))
    await anthropicClient(staged).messages.create({
      ...ASK,
      tools: [{ name: 'get_price', input_schema: { type: 'object' } }],
      tool_choice: choice,
    })
    expect(wanted).toContain(staged.heard(0).choice)
  })

  test('a call that is cut by the bound ends with max_tokens', async () => {
    const pieces = [call(kits[upstream].scripted.ids[0], 'get_price', { item: 'tea' })]
    const staged = stage(upstream, says(upstream, said(pieces, 'length')))
    const message = await anthropicClient(staged)
      .messages.stream({ ...ASK })
      .finalMessage()
    expect(message.stop_reason).toBe('max_tokens')
  })

  test('the text, the events and the final message of a stream agree', async () => {
    const pieces = [thinking('Hm.', 'c2lnbmF0dXJl'), text('Four '), text('euros.')]
    const staged = stage(upstream, says(upstream, said(pieces)))
    const stream = anthropicClient(staged).messages.stream(ASK)
    let seen = ''
    let thought = ''
    const signatures: string[] = []
    stream.on('text', (delta) => void (seen += delta))
    stream.on('thinking', (delta) => void (thought += delta))
    stream.on('signature', (signature) => void signatures.push(signature))
    const message = await stream.finalMessage()
    expect(seen).toBe('Four euros.')
    expect(thought).toBe('Hm.')
    expect(signatures).toEqual(
      message.content.flatMap((block) =>
        block.type === 'thinking' && block.signature !== '' ? [block.signature] : [],
      ),
    )
    expect(message).toMatchObject({ type: 'message', role: 'assistant', stop_sequence: null })
  })
})

test.each(COUNTING)('countTokens over %s', async (upstream) => {
  const { max_tokens: _, ...ask } = ASK
  const staged = stage(upstream, counts(upstream, 321))
  const counted = await anthropicClient(staged).messages.countTokens({ ...ask, system: 'Brief.' })
  expect(counted).toEqual({ input_tokens: 321 })
})

describe.each(FOREIGN)('beta.messages.toolRunner over %s', (upstream) => {
  const toolRun = async (stream: boolean): Promise<void> => {
    const staged = stage(
      upstream,
      says(
        upstream,
        said([call(kits[upstream].scripted.ids[0], 'get_price', { item: 'tea' })], 'tool-call'),
        said([text('It is 4.20.')]),
      ),
    )
    const asked: string[] = []
    const runner = anthropicClient(staged).beta.messages.toolRunner({
      ...ASK,
      stream,
      tools: [
        betaTool({
          name: 'get_price',
          description: 'Price of an item.',
          inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
          run: (input) => {
            asked.push(JSON.stringify(input))
            return '4.20'
          },
        }),
      ],
    })
    const message = (await runner.runUntilDone()) as Anthropic.Beta.BetaMessage
    expect(asked).toEqual(['{"item":"tea"}'])
    expect(message.content).toMatchObject([{ type: 'text', text: 'It is 4.20.' }])
    const { turns } = staged.heard(1)
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(turns[2]?.pieces).toMatchObject([{ kind: 'result', output: '4.20' }])
  }
  test('falls back from threads to whole histories', () => toolRun(false))
  test('falls back from threads to whole histories, streaming', () => toolRun(true))
})

import type OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import * as z from 'zod'
import { describe, expect, test } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { askOpenai, openaiClient, type AskedResponse } from './driver-openai.ts'
import { stage } from './proxy.ts'
import { plainSchema } from './scene.ts'
import { call, said, text, type Stop } from './script.ts'
import { COUNTING, counts, says } from './stage.ts'

const FOREIGN = othersThan('responses')
const PATCH = '*** Begin Patch\n*** Add File: ä.txt\n+"hello" \\ there\n*** End Patch'

describe.each(FOREIGN)('openai over %s', (upstream) => {
  test.each([false, true])(
    'responses.parse reads structured output (stream: %s)',
    async (stream) => {
      const schema = z.object({ price: z.number(), currency: z.enum(['EUR', 'CHF']) })
      const staged = stage(
        upstream,
        says(upstream, said([text('{"price": 4.2, "currency": "EUR"}')])),
      )
      const body = {
        model: 'gpt-5',
        input: 'Price?',
        text: { format: zodTextFormat(schema, 'price') },
      }
      const { responses } = openaiClient(staged)
      const response = stream
        ? await responses.stream(body).finalResponse()
        : await responses.parse(body)
      expect(response.output_parsed).toEqual({ price: 4.2, currency: 'EUR' })
      expect(plainSchema(staged.heard(0).schema)).toMatchObject({
        type: 'object',
        properties: { price: { type: 'number' }, currency: { enum: ['EUR', 'CHF'] } },
        required: ['price', 'currency'],
      })
    },
  )

  test.each([false, true])(
    'free-form tools take and give free text (stream: %s)',
    async (stream) => {
      const staged = stage(
        upstream,
        says(
          upstream,
          said(
            [call(kits[upstream].scripted.ids[0], 'apply_patch', { input: PATCH })],
            'tool-call',
          ),
          said([text('Done.')]),
        ),
      )
      const definition = 'start: /.+/s'
      const format = { type: 'grammar' as const, syntax: 'lark' as const, definition }
      const tools: AskedResponse['tools'] = [
        { type: 'custom', name: 'apply_patch', description: 'Applies a patch.', format },
      ]
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Add ä.txt' }]
      const first = await askOpenai(staged, { model: 'gpt-5', input, tools, store: false }, stream)
      const [made] = first.output
      expect(made).toMatchObject({ type: 'custom_tool_call', name: 'apply_patch', input: PATCH })
      if (made?.type !== 'custom_tool_call') return
      input.push(made, {
        type: 'custom_tool_call_output',
        call_id: made.call_id,
        output: 'Success.',
      })
      await askOpenai(staged, { model: 'gpt-5', input, tools, store: false }, stream)
      const heard = staged.heard(1)
      expect(heard.tools.map(({ name }) => name)).toEqual(['apply_patch'])
      expect(plainSchema(heard.tools[0]?.schema)).toMatchObject({
        properties: { input: { type: 'string' } },
      })
      expect(heard.tools[0]?.description).toContain('Applies a patch.')
      expect(heard.turns[1]?.pieces).toMatchObject([
        { kind: 'call', name: 'apply_patch', input: JSON.stringify({ input: PATCH }) },
      ])
      expect(heard.turns[2]?.pieces).toMatchObject([{ kind: 'result', output: 'Success.' }])
    },
  )

  test('the raw events of a stream are all known and agree with each other', async () => {
    const staged = stage(upstream, says(upstream, said([text('Hello there.')])))
    const stream = await openaiClient(staged).responses.create({
      model: 'gpt-5',
      input: 'Hello',
      stream: true,
    })
    const types: string[] = []
    let seen = ''
    let number = 0
    for await (const event of stream) {
      expect(event.sequence_number).toBe(number)
      number += 1
      if (types.at(-1) !== event.type) types.push(event.type)
      if (event.type === 'response.output_text.delta') seen += event.delta
    }
    expect(seen).toBe('Hello there.')
    expect(types.filter((type) => type !== 'response.in_progress')).toEqual([
      'response.created',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
  })

  test.each([
    ['auto', ['', 'auto']],
    ['required', ['required']],
    ['none', ['none']],
    [{ type: 'function' as const, name: 'get_price' }, ['get_price']],
  ] as [NonNullable<AskedResponse['tool_choice']>, string[]][])(
    'carries tool_choice %j',
    async (tool_choice, wanted) => {
      const staged = stage(upstream, says(upstream, said([text('Fine.')])))
      const parameters = { type: 'object', properties: {} }
      const tool = { type: 'function' as const, name: 'get_price', parameters, strict: false }
      await askOpenai(
        staged,
        { model: 'gpt-5', input: 'Price?', tools: [tool], tool_choice },
        false,
      )
      expect(wanted).toContain(staged.heard(0).choice)
    },
  )

  test.each([
    ['length', 'incomplete', 'max_output_tokens'],
    ['stop', 'completed', undefined],
  ] as [Stop, string, string | undefined][])('ends with %s as %s', async (stop, status, reason) => {
    const staged = stage(upstream, says(upstream, said([text('To be')], stop)))
    const response = await askOpenai(staged, { model: 'gpt-5', input: 'Go on' }, true)
    expect(response).toMatchObject({ object: 'response', status, error: null })
    expect(response.incomplete_details?.reason).toBe(reason)
    expect(response.output_text).toBe('To be')
  })

  test('developer messages on top become the system prompt', async () => {
    const staged = stage(upstream, says(upstream, said([text('Ja.')])))
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'developer', content: 'Answer in German.' },
      { role: 'user', content: 'Yes?' },
    ]
    await askOpenai(staged, { model: 'gpt-5', input, instructions: 'Be brief.' }, false)
    const { system, turns } = staged.heard(0)
    expect(system).toBe('Be brief.\nAnswer in German.')
    expect(turns).toEqual([{ role: 'user', pieces: [text('Yes?')] }])
  })
})

test.each(COUNTING)('responses.inputTokens.count over %s', async (upstream) => {
  const client = openaiClient(stage(upstream, counts(upstream, 321)))
  const counted = await client.responses.inputTokens.count({ model: 'gpt-5', input: 'How long?' })
  expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: 321 })
})

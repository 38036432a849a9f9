import { createOpenAI } from '@ai-sdk/openai'
import { generateText, streamText, type ModelMessage } from 'ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { kits, othersThan } from '../dialects/index.ts'
import { askOpenai, openaiClient } from './driver-openai.ts'
import { stage } from './proxy.ts'
import { issued, result } from './scene.ts'
import { call, said, text, thinking, type Dialect, type HeardTurn, type Said } from './script.ts'
import { BASE, CALLER_KEY, says, type Stage } from './stage.ts'

const FOREIGN = othersThan('responses')
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }
const TOOL = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'Weather.',
  parameters: PARAMETERS,
  strict: false,
}

const remembering = (upstream: Dialect, ...replies: Said[]): Stage =>
  stage(upstream, says(upstream, ...replies), {}, memoryStore(STORE_BOUNDS))

describe.each(FOREIGN)('a memory over %s', (upstream) => {
  test.each([false, true])('continues a tool loop by its id alone (stream: %s)', async (stream) => {
    const first = [
      thinking('Look it up.', kits[upstream].scripted.proofs[0]),
      call(kits[upstream].scripted.ids[0], 'get_weather', { city: 'Ulm' }),
    ]
    const second = [thinking('Dry.', kits[upstream].scripted.proofs[1]), text('It is dry.')]
    const staged = remembering(
      upstream,
      said(first, 'tool-call'),
      said(second),
      said([text('Bye.')]),
    )
    const common = {
      model: 'gpt-5',
      tools: [TOOL],
      reasoning: { effort: 'medium' as const, summary: 'auto' as const },
      max_output_tokens: 8000,
    }
    const one = await askOpenai(staged, { ...common, input: 'Is it dry in Ulm?' }, stream)
    const [made] = one.output.filter((item) => item.type === 'function_call')
    const two = await askOpenai(
      staged,
      {
        ...common,
        previous_response_id: one.id,
        input: [{ type: 'function_call_output', call_id: made?.call_id ?? '', output: 'dry' }],
      },
      stream,
    )
    expect(two).toMatchObject({ previous_response_id: one.id, output_text: 'It is dry.' })
    await askOpenai(staged, { ...common, previous_response_id: two.id, input: 'Thanks.' }, stream)
    const told: HeardTurn[] = [
      { role: 'user', pieces: [text('Is it dry in Ulm?')] },
      { role: 'assistant', pieces: first },
      { role: 'user', pieces: [result('get_weather', 'dry')] },
      { role: 'assistant', pieces: second },
      { role: 'user', pieces: [text('Thanks.')] },
    ]
    expect(issued(staged.heard(2).turns, upstream)).toEqual(issued(told, upstream))
  })

  test('one reply can be continued in two ways, and instructions are not carried over', async () => {
    const staged = remembering(upstream, ...['A', 'B', 'C'].map((words) => said([text(words)])))
    const model = 'gpt-5'
    const one = await askOpenai(staged, { model, input: 'First', instructions: 'Be brief.' }, false)
    const previous_response_id = one.id
    await askOpenai(staged, { model, previous_response_id, input: 'Left' }, false)
    await askOpenai(staged, { model, previous_response_id, input: 'Right' }, true)
    const words = (turn: number) =>
      staged
        .heard(turn)
        .turns.map(({ pieces }) => pieces.map((piece) => 'text' in piece && piece.text))
    expect(words(1)).toEqual([['First'], ['A'], ['Left']])
    expect(words(2)).toEqual([['First'], ['A'], ['Right']])
    expect(staged.heard(0).system).toBe('Be brief.')
    expect(staged.heard(1).system).toBe('')
  })

  test('a reply can be read again, with its input, and be deleted', async () => {
    const staged = remembering(upstream, said([text('Yes.')]))
    const { responses } = openaiClient(staged)
    const made = await responses.create({ model: 'gpt-5', input: 'Sure?', metadata: { a: 'b' } })
    const again = await responses.retrieve(made.id)
    expect(again).toEqual(made)
    const replayed = await responses.stream({ response_id: made.id }).finalResponse()
    expect(replayed.output).toMatchObject(made.output)
    const items: unknown[] = []
    for await (const item of responses.inputItems.list(made.id)) items.push(item)
    expect(items).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Sure?' }] },
    ])
    await responses.delete(made.id)
    await expect(responses.retrieve(made.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    const asked = responses.create({
      model: 'gpt-5',
      input: 'Go on',
      previous_response_id: made.id,
    })
    await expect(asked).rejects.toMatchObject({ code: 'previous_response_not_found' })
    expect(staged.received).toHaveLength(1)
  })

  test('what must not be stored is not, and what is over cannot be cancelled', async () => {
    const staged = remembering(upstream, said([text('Psst.')]), said([text('Yes.')]))
    const { responses } = openaiClient(staged)
    const secret = await responses.create({ model: 'gpt-5', input: 'Psst?', store: false })
    await expect(responses.retrieve(secret.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    const open = await responses.create({ model: 'gpt-5', input: 'Sure?' })
    await expect(responses.cancel(open.id)).rejects.toBeInstanceOf(OpenAI.APIError)
  })

  test('nobody reads what another key has stored', async () => {
    const store = memoryStore(STORE_BOUNDS)
    const script = says(upstream, said([text('Yes.')]))
    const keys = [CALLER_KEY, 'another-key']
    const staged = stage(upstream, script, { callers: { kind: 'keys', keys } }, store)
    const made = await askOpenai(staged, { model: 'gpt-5', input: 'Sure?' }, false)
    const baseURL = `${BASE}/v1`
    const other = new OpenAI({ apiKey: 'another-key', baseURL, fetch: staged.fetch, maxRetries: 0 })
    await expect(other.responses.retrieve(made.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    await expect(
      other.responses.create({ model: 'gpt-5', input: 'And?', previous_response_id: made.id }),
    ).rejects.toMatchObject({ code: 'previous_response_not_found' })
  })

  test.each([false, true])('finds what the AI SDK only refers to (stream: %s)', async (stream) => {
    const replies = [
      [thinking('Sum.', kits[upstream].scripted.proofs[0]), text('Four.')],
      [text('Five.')],
    ]
    const staged = remembering(upstream, ...replies.map((pieces) => said(pieces)))
    const { fetch } = staged
    const provider = createOpenAI({ apiKey: CALLER_KEY, baseURL: `${BASE}/v1`, fetch })
    const messages: ModelMessage[] = [{ role: 'user', content: 'Two and two?' }]
    const model = provider('gpt-5')
    const providerOptions = { openai: { reasoningSummary: 'auto', reasoningEffort: 'medium' } }
    const settings = { model, maxRetries: 0, providerOptions }
    const first = stream
      ? streamText({ ...settings, messages })
      : await generateText({ ...settings, messages })
    const { messages: said1 } = await first.response
    messages.push(...said1, { role: 'user', content: 'And one?' })
    const { text: last } = await generateText({ ...settings, messages })
    expect(last).toBe('Five.')
    const [, assistant] = issued(staged.heard(1).turns, upstream)
    const [wanted] = issued([{ role: 'assistant', pieces: replies[0] ?? [] }], upstream)
    expect(assistant).toEqual(wanted)
  })
})

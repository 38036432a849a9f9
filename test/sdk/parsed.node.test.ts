import type { ResponseInput } from 'openai/resources/responses/responses'
import { zodFunction, zodResponsesFunction } from 'openai/helpers/zod'
import * as z from 'zod'
import { describe, expect, test } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { openaiClient } from './driver-openai.ts'
import { stage } from './proxy.ts'
import { call, said, text, type Dialect } from './script.ts'
import { says } from './stage.ts'

const tool = { name: 'get_time', parameters: z.object({ zone: z.string() }) }
const model = 'gpt-5'

/** A text and a call, both of them read by the library, and an answer. */
const talking = (upstream: Dialect) => {
  const made = call(kits[upstream].scripted.ids[0], 'get_time', { zone: 'utc' })
  return stage(upstream, says(upstream, said([text('{}'), made], 'tool-call'), said([text('Ok.')])))
}

/** What the library has read itself comes back with its objects (openai 7.55, and 2.54 for Python). */
describe.each(othersThan('responses'))('openai over %s', (upstream) => {
  test('responses.parse: what was parsed is no loss in the next turn', async () => {
    const { responses } = openaiClient(talking(upstream))
    const tools = [zodResponsesFunction(tool)]
    const { output } = await responses.parse({ model, input: 'x', tools })
    const made = output.find((item) => item.type === 'function_call')
    expect(made?.parsed_arguments).toEqual({ zone: 'utc' })
    const call_id = made?.call_id ?? ''
    const result = { type: 'function_call_output' as const, call_id, output: 'noon' }
    const spoken = output.map((item) =>
      item.type === 'message'
        ? { ...item, content: item.content.map((part) => ({ ...part, parsed: { a: 1 } })) }
        : item,
    )
    const input = [{ role: 'user', content: 'x' }, ...spoken, result] as ResponseInput
    const { headers } = await responses.create({ model, input, tools }).asResponse()
    expect(headers.get('x-dragoman-losses') ?? '').not.toContain('parsed')
  })
})

describe.each(othersThan('chat-completions'))('openai, chat, over %s', (upstream) => {
  test('completions.parse: what was parsed is no loss in the next turn', async () => {
    const { completions } = openaiClient(talking(upstream)).chat
    const tools = [zodFunction(tool)]
    const user = { role: 'user' as const, content: 'x' }
    const { choices } = await completions.parse({ model, messages: [user], tools })
    const message = choices[0]?.message
    if (!message) throw new Error('no message')
    const [made] = message.tool_calls ?? []
    expect(made).toMatchObject({ function: { parsed_arguments: { zone: 'utc' } } })
    const result = { role: 'tool' as const, tool_call_id: made?.id ?? '', content: 'noon' }
    const messages = [user, { ...message, parsed: { a: 1 } }, result]
    const { headers } = await completions.create({ model, messages, tools }).asResponse()
    expect(headers.get('x-dragoman-losses') ?? '').not.toContain('parsed')
  })
})

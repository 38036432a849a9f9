import type { JsonObject } from '../../../src/json/json.ts'

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
})
const called = (rest: JsonObject) => ({ tool_calls: [{ index: 0, ...rest }] })

/** A correct stream, written by hand. */
export const correctStream: JsonObject[] = [
  chunk({ role: 'assistant', content: '', refusal: null }),
  chunk({ content: 'hi' }),
  chunk(called({ id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } })),
  chunk(called({ function: { arguments: '{}' } })),
  chunk({}, 'tool_calls'),
]

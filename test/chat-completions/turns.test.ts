import { expect, it } from 'vitest'
import { sent } from '../pitfalls/translate.ts'

const message = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

it('says in one message what the model said between two of the caller, so that results find their calls', () => {
  const { text, losses } = sent(['responses', 'chat-completions'], {
    input: [
      { role: 'user', content: 'Go.' },
      message('Let me look.'),
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      message(' Looking.'),
      { type: 'function_call_output', call_id: 'call_1', output: 'found' },
    ],
  })
  expect(JSON.parse(text).messages).toEqual([
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: 'Let me look. Looking.',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'found' },
  ])
  expect(losses).toEqual([
    { code: 'reordered', path: 'turns.1.blocks', detail: 'content and calls stand apart' },
  ])
})

const call = (n: number) => ({
  type: 'function_call',
  call_id: 'call_0',
  name: 'f',
  arguments: `{"n":${n}}`,
})
const output = (text: string) => ({
  type: 'function_call_output',
  call_id: 'call_0',
  output: text,
})
const ids = (...input: object[]) => {
  const asked = [{ role: 'user', content: 'Go.' }, ...input]
  const { messages } = JSON.parse(sent(['responses', 'chat-completions'], { input: asked }).text)
  return messages.flatMap((told: { tool_calls?: { id: string }[]; tool_call_id?: string }) => [
    ...(told.tool_calls ?? []).map(({ id }) => id),
    ...(told.tool_call_id === undefined ? [] : [[told.tool_call_id, Object(told)['content']]]),
  ])
}

it('tells calls of one message apart that have one id, as OpenAI wants it, and their results', () => {
  const twice = ['call_0', 'call_0_2', ['call_0', 'one'], ['call_0_2', 'two']]
  expect(ids(call(1), call(2), output('one'), output('two'))).toEqual(twice)
  const missing = [
    'call_0',
    'call_0_2',
    ['call_0', 'one'],
    ['call_0_2', '[no result: interrupted]'],
  ]
  expect(ids(call(1), call(2), output('one'))).toEqual(missing)
  const apart = ['call_0', ['call_0', 'one'], 'call_0', ['call_0', 'two']]
  expect(ids(call(1), output('one'), call(2), output('two'))).toEqual(apart)
})

it('says of thoughts of which no word followed that they are left out, also behind calls', () => {
  const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }
  const { text, losses } = sent(['responses', 'chat-completions'], {
    input: [
      { role: 'user', content: 'Go.' },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'found' },
      thought,
      { role: 'user', content: 'Stop.' },
    ],
  })
  expect(text).not.toContain('Hm.')
  expect(losses).toEqual([{ code: 'dropped', path: 'turns.3.blocks.0', detail: 'not taken back' }])
})

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

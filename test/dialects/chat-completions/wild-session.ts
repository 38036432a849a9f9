import type { JsonObject } from '../../../src/json/json.ts'
import { NAMES, PICTURE, say, schema, type WildSession } from '../wild-session.ts'

const calls = (...ids: string[]): JsonObject => ({
  role: 'assistant',
  content: null,
  reasoning_content: say('thought'),
  tool_calls: ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'read', arguments: '{"path":"1"}' },
  })),
})
const tool = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: say(id) })

export const wildSession: WildSession = {
  history: 'messages',
  base: {
    tools: NAMES.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
  },
  steps: [
    [
      { role: 'system', content: say('system') },
      { role: 'user', content: say('task') },
    ],
    [calls('a', 'b'), tool('b'), tool('a')],
    [{ role: 'developer', content: say('note') }],
    [
      { role: 'assistant', content: say('answer') },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
          { type: 'text', text: say('look') },
        ],
      },
    ],
    [calls('c'), tool('c'), { role: 'user', content: say('and') }],
    [
      { role: 'assistant', content: say('done') },
      { role: 'system', content: say('late') },
      { role: 'user', content: say('again') },
    ],
  ],
  options: [
    {},
    { tool_choice: 'none' },
    { tool_choice: 'required', stream: true },
    { tool_choice: { type: 'function', function: { name: 'read' } } },
    { reasoning_effort: 'low', max_completion_tokens: 3000 },
  ],
}

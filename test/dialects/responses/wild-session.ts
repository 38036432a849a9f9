import type { JsonObject } from '../../../src/json/json.ts'
import { NAMES, PICTURE, say, schema, type WildSession } from '../wild-session.ts'

const part = (type: string, name: string): JsonObject => ({ type, text: say(name) })
const item = (role: string, ...content: JsonObject[]): JsonObject => ({
  type: 'message',
  role,
  content,
})
const call = (id: string): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{"path":"1"}',
})
const output = (id: string, value: JsonObject['output']): JsonObject => ({
  type: 'function_call_output',
  call_id: id,
  output: value ?? '',
})
const image = { type: 'input_image', image_url: `data:image/png;base64,${PICTURE}` }

export const wildSession: WildSession = {
  history: 'input',
  base: {
    instructions: say('system'),
    store: false,
    tools: NAMES.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
  },
  steps: [
    [item('developer', part('input_text', 'rules')), item('user', part('input_text', 'task'))],
    [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2ln' },
      call('call_1'),
      call('call_2'),
      output('call_2', [image]),
      output('call_1', say('one')),
    ],
    [item('developer', part('input_text', 'note'))],
    [
      item('assistant', part('output_text', 'answer')),
      item('user', part('input_text', 'asked'), image),
    ],
    [
      {
        type: 'web_search_call',
        id: 'ws_1',
        status: 'completed',
        action: { type: 'search', query: 'q' },
      },
      item('assistant', part('output_text', 'found')),
      item('user', part('input_text', 'more')),
    ],
    [{ type: 'configuration_update', reasoning: { effort: 'low' } }],
    [
      {
        type: 'agent_message',
        author: '/root',
        recipient: '/root/look',
        content: [
          part('input_text', 'task'),
          { type: 'encrypted_content', encrypted_content: 'look' },
        ],
      },
    ],
    [call('call_3'), output('call_3', say('three')), item('user', part('input_text', 'and'))],
    [item('assistant', part('output_text', 'done')), item('user', part('input_text', 'again'))],
  ],
  options: [
    {},
    { tool_choice: 'none' },
    { tool_choice: 'required', stream: true },
    { tool_choice: { type: 'function', name: 'read' } },
    { reasoning: { effort: 'high' } },
    {
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [{ type: 'function', name: 'write' }],
      },
    },
    { max_output_tokens: 3000, metadata: { a: 'b' } },
  ],
}

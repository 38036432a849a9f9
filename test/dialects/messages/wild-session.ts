import type { JsonObject } from '../../../src/json/json.ts'
import { NAMES, PICTURE, say, schema, type WildSession } from '../wild-session.ts'

const source = { type: 'base64', media_type: 'image/png', data: PICTURE }
const uses = (turn: number) =>
  [1, 2].map((n) => ({
    type: 'tool_use',
    id: `toolu_${turn}_${n}`,
    name: 'read',
    input: { path: `${n}` },
  }))
const result = (turn: number, n: number, content: JsonObject['content']): JsonObject => ({
  type: 'tool_result',
  tool_use_id: `toolu_${turn}_${n}`,
  content: content ?? '',
})
const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content })
const assistant = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content })
const text = (name: string): JsonObject => ({ type: 'text', text: say(name) })
const system = (content: JsonObject['content'], more: JsonObject = {}): JsonObject => ({
  role: 'system',
  content: content ?? '',
  ...more,
})
const named = (name: string): JsonObject => ({ type: 'tool_reference', name })

export const wildSession: WildSession = {
  history: 'messages',
  base: {
    max_tokens: 9000,
    system: [text('system')],
    tools: NAMES.map((name) => ({ name, description: say(name), input_schema: schema })),
  },
  steps: [
    [user(text('task'))],
    [
      assistant(
        { type: 'thinking', thinking: say('thought'), signature: 'c2ln' },
        text('said'),
        ...uses(1),
      ),
      user(result(1, 2, [{ type: 'image', source }]), result(1, 1, say('one')), text('and')),
    ],
    [system(say('note'), { clear_at: 'next_user_message' })],
    [assistant(text('answer')), user(text('asked'))],
    [system([{ type: 'tool_removal', tool: named('list') }])],
    [assistant(...uses(2)), user(result(2, 1, 'no'), result(2, 2, [text('two')]))],
    [system([], { output_config: { effort: 'low' } })],
    [
      assistant(
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        text('found'),
      ),
      user({ type: 'image', source }, text('look')),
    ],
    [system([{ type: 'tool_addition', tool: named('list') }, text('back')])],
    [assistant(text('done')), user(text('again'), text('and again'))],
  ],
  options: [
    {},
    { tool_choice: { type: 'none' } },
    { tool_choice: { type: 'any' } },
    { tool_choice: { type: 'tool', name: 'read' }, stream: true },
    { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
    { max_tokens: 5000, metadata: { user_id: 'u' } },
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
  ],
}

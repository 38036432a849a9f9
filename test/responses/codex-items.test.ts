import { expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { translator } from '../../src/named-translator.ts'
import { CODEX_OPTIONS, CODEX_PERMISSIONS } from '../dialects/responses/codex.ts'

/** What Codex (0.171.0) says of each item to its own service. */
const marked = (item: object) => ({
  ...item,
  internal_chat_message_metadata_passthrough: {
    turn_id: '01a059de-d2ff-78f1-9750-19ecc984a60f',
    create_time: 1_788_214_171.128,
    content_item_kinds: ['environment_context'],
  },
})

const items = [
  CODEX_PERMISSIONS,
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say 42.' }] },
  { type: 'function_call', call_id: 'call_1', name: 'wait', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'ended' },
  { type: 'custom_tool_call', call_id: 'call_2', name: 'exec', input: 'ls' },
  { type: 'custom_tool_call_output', call_id: 'call_2', output: 'a' },
  { type: 'agent_message', author: 'a', recipient: 'b', content: [] },
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'q' },
  },
  {
    type: 'local_shell_call',
    call_id: 'call_3',
    status: 'completed',
    action: { type: 'exec', command: ['ls'], env: {} },
  },
  { type: 'local_shell_call_output', call_id: 'call_3', output: 'a' },
  { type: 'compaction_later', value: 1 },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'On.' }] },
]

it.each(DIALECTS.filter((to) => to !== 'responses'))(
  'what Codex says of an item to its own service is no loss, and stays unsaid, over %s',
  (to) => {
    const ask = (input: object[]) =>
      translator({ from: 'responses', to }).request({ ...CODEX_OPTIONS, input })
    const { text, losses } = ask(items.map(marked))
    const plain = ask(items)
    expect(losses).toEqual(plain.losses)
    expect(text).toBe(plain.text)
  },
)

import type { JsonObject } from '../../../src/json/json.ts'

const snapshot = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'in_progress',
  output: [],
  usage: null,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  user: null,
  metadata: {},
}
const usage = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 2,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 3,
}
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
const item = { id: 'msg_1', type: 'message', role: 'assistant' }
const done = { ...item, status: 'completed', content: [{ ...part, text: 'hi' }] }
const events: JsonObject[] = [
  { type: 'response.created', response: snapshot },
  { type: 'response.in_progress', response: snapshot },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...item, status: 'in_progress', content: [] },
  },
  { type: 'response.content_part.added', ...at, part },
  { type: 'response.output_text.delta', ...at, delta: 'hi', logprobs: [] },
  { type: 'response.output_text.done', ...at, text: 'hi', logprobs: [] },
  { type: 'response.content_part.done', ...at, part: { ...part, text: 'hi' } },
  { type: 'response.output_item.done', output_index: 0, item: done },
  {
    type: 'response.completed',
    response: { ...snapshot, status: 'completed', output: [done], usage },
  },
]
/** A correct stream, written by hand. */
export const correctStream: JsonObject[] = events.map((event, index) => ({
  ...event,
  sequence_number: index,
}))

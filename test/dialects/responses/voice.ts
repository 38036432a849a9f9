import type { JsonObject } from '../../../src/json/json.ts'
import { sse, type Voice } from '../voice.ts'
import { isOpenAiProblem, OPENAI_REFUSAL } from '../openai-refusals.ts'

const content = (text: string) => [{ type: 'output_text', text, annotations: [], logprobs: [] }]
const item = (status: string, text?: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status,
  content: text === undefined ? [] : content(text),
})
const response = (status: string, text?: string): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: 'm',
  error: null,
  incomplete_details: null,
  output: text === undefined ? [] : [item('completed', text)],
  usage: text === undefined ? null : { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
})
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const numbered = (from: number, events: JsonObject[]): string =>
  events.map((event, index) => sse({ ...event, sequence_number: from + index })).join('')

export const voice: Voice = {
  dialect: 'responses',
  path: () => '/v1/responses',
  request: (model, stream) => ({ model, stream, store: false, input: 'Hello' }),
  opening: numbered(0, [
    { type: 'response.created', response: response('in_progress') },
    { type: 'response.output_item.added', output_index: 0, item: item('in_progress') },
    { type: 'response.content_part.added', ...at, part: content('')[0] ?? {} },
    { type: 'response.output_text.delta', ...at, delta: 'Hel', logprobs: [] },
  ]),
  half: 'event: response.output_text.delta\ndata: {"type":"response.outp',
  closing: numbered(4, [
    { type: 'response.output_text.delta', ...at, delta: 'lo', logprobs: [] },
    { type: 'response.output_text.done', ...at, text: 'Hello', logprobs: [] },
    { type: 'response.content_part.done', ...at, part: content('Hello')[0] ?? {} },
    { type: 'response.output_item.done', output_index: 0, item: item('completed', 'Hello') },
    { type: 'response.completed', response: response('completed', 'Hello') },
  ]),
  whole: JSON.stringify(response('completed', 'Hello')),
  failure: sse({ type: 'error', code: 'server_error', message: 'busy', sequence_number: 9 }),
  refusal: OPENAI_REFUSAL,
  isTerminal: ({ type }) => type === 'response.completed' || type === 'response.incomplete',
  isError: ({ type }) => type === 'error' || type === 'response.failed',
  isProblem: isOpenAiProblem,
}

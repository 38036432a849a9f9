import type { Frame } from '../../adapters/contract.ts'
import { isObject, parse, type Json, type JsonObject } from '../../src/json/json.ts'

/** A dialect as both of its ends write it, by hand: what the scripts send and what the checks look for. */
export interface Voice {
  dialect: string
  path(model: string, stream: boolean): string
  request(model: string, stream: boolean): JsonObject
  /** A stream in three parts: up to the text `Hel`, the beginning of an event, and the rest. */
  opening: string
  half: string
  closing: string
  whole: string
  /** A failure in the middle of a stream, and one instead of it. */
  failure: string
  refusal: string
  /** Whether a frame says that all went well, or that something went wrong. */
  isTerminal(event: JsonObject): boolean
  isError(event: JsonObject): boolean
  isProblem(body: JsonObject, status: number): boolean
}

const sse = (event: JsonObject): string =>
  (typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '') +
  `data: ${JSON.stringify(event)}\n\n`

const hasText = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 0 },
}
const textDelta = (text: string) =>
  sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })

const messages: Voice = {
  dialect: 'messages',
  path: () => '/v1/messages',
  request: (model, stream) => ({
    model,
    max_tokens: 64,
    stream,
    messages: [{ role: 'user', content: 'Hello' }],
  }),
  opening:
    sse({ type: 'message_start', message }) +
    sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
    textDelta('Hel'),
  half: 'event: content_block_delta\ndata: {"type":"content_block_del',
  closing:
    textDelta('lo') +
    sse({ type: 'content_block_stop', index: 0 }) +
    sse({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 2 },
    }) +
    sse({ type: 'message_stop' }),
  whole: JSON.stringify({
    ...message,
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 },
  }),
  failure: sse({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }),
  refusal: JSON.stringify({ type: 'error', error: { type: 'x', message: 'the words of it' } }),
  isTerminal: (event) => event['type'] === 'message_stop',
  isError: (event) => event['type'] === 'error',
  isProblem: ({ type, error }) =>
    type === 'error' && isObject(error) && hasText(error['type']) && hasText(error['message']),
}

const part = (text: string, more: JsonObject = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
  modelVersion: 'm',
  responseId: 'r_1',
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
})
const failure = { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }

const generateContent: Voice = {
  dialect: 'generate-content',
  path: (model, stream) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  request: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  opening: sse(part('Hel')),
  half: 'data: {"candidates": [{"content": {"par',
  closing: sse(part('lo', { finishReason: 'STOP' })),
  whole: JSON.stringify(part('Hello', { finishReason: 'STOP' })),
  failure: sse(failure),
  refusal: JSON.stringify({ error: { code: 400, message: 'the words of it', status: 'X' } }),
  isTerminal: (event) => /"(?:finishReason|blockReason)":/.test(JSON.stringify(event)),
  isError: (event) => isObject(event['error']),
  isProblem: ({ error }, status) =>
    isObject(error) &&
    error['code'] === status &&
    hasText(error['message']) &&
    hasText(error['status']),
}

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

const responses: Voice = {
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
  refusal: JSON.stringify({
    error: { message: 'the words of it', type: 'invalid_request_error', param: null, code: null },
  }),
  isTerminal: ({ type }) => type === 'response.completed' || type === 'response.incomplete',
  isError: ({ type }) => type === 'error' || type === 'response.failed',
  isProblem: ({ error }) =>
    isObject(error) &&
    hasText(error['message']) &&
    hasText(error['type']) &&
    'param' in error &&
    'code' in error,
}

export const voices: readonly Voice[] = [messages, generateContent, responses]

/** The event in a frame; one that is no JSON is none. */
export function eventIn(frame: Frame): JsonObject | undefined {
  try {
    const event = parse(frame.data)
    return isObject(event) ? event : undefined
  } catch {
    return undefined
  }
}

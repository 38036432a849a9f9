import { MODEL, said, text, type Dialect, type Wire } from './script.ts'
import { SPEAK, type Answer, type Script } from './stage.ts'

/** How each upstream refuses, in words that were seen on the wire. */
export interface Refusals {
  invalid: Answer
  key: Answer
  rate: Answer
  overloaded: Answer
  overflow: Answer
  broken: Answer
}

const messages = (status: number, type: string, message: string, headers = {}): Answer => ({
  status,
  headers: { 'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy', ...headers },
  body: { type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' },
})
const content = (code: number, status: string, message: string, details?: Wire[]): Answer => ({
  status: code,
  body: { error: { code, message, status, ...(details && { details }) } },
})
const responses = (status: number, error: Wire, headers = {}): Answer => ({
  status,
  headers: { 'x-request-id': 'req_b0c0ffee', ...headers },
  body: { error: { type: 'invalid_request_error', param: null, code: null, ...error } },
})

export const REFUSALS: Record<Dialect, Refusals> = {
  messages: {
    invalid: messages(400, 'invalid_request_error', 'messages.0.content.0.text: odd text'),
    key: messages(401, 'authentication_error', 'invalid x-api-key'),
    rate: messages(429, 'rate_limit_error', 'Too many tokens.', { 'retry-after': '7' }),
    overloaded: messages(529, 'overloaded_error', 'Overloaded'),
    overflow: messages(
      400,
      'invalid_request_error',
      'prompt is too long: 215000 tokens > 200000 maximum',
    ),
    broken: messages(500, 'api_error', 'Internal server error'),
  },
  'generate-content': {
    invalid: content(400, 'INVALID_ARGUMENT', 'odd text'),
    key: content(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
    rate: content(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
    ]),
    overloaded: content(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    overflow: content(
      400,
      'INVALID_ARGUMENT',
      'The input token count (215000) exceeds the maximum number of tokens allowed (200000).',
    ),
    broken: content(500, 'INTERNAL', 'An internal error has occurred.'),
  },
  responses: {
    invalid: responses(400, { message: 'odd text', param: 'input[0].content' }),
    key: responses(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }),
    rate: responses(
      429,
      { message: 'Rate limit reached.', type: 'tokens', code: 'rate_limit_exceeded' },
      { 'retry-after': '7' },
    ),
    overloaded: responses(503, {
      message: 'The engine is currently overloaded, please try again later',
      type: 'server_error',
      code: 'server_is_overloaded',
    }),
    overflow: responses(400, {
      message:
        "This model's maximum context length is 200000 tokens. However, your input is 215000 tokens.",
      param: 'input',
      code: 'context_length_exceeded',
    }),
    broken: responses(500, { message: 'The server had an error.', type: 'server_error' }),
  },
}

/** What an upstream sends in the middle of a stream when it fails after all. */
export const IN_STREAM: Record<Dialect, string> = {
  messages:
    'event: error\ndata: {"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"}}\n\n',
  'generate-content':
    'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\r\n\r\n',
  responses: `event: response.failed\ndata: ${JSON.stringify({
    type: 'response.failed',
    sequence_number: 9,
    response: {
      id: 'resp_6891a5f2c1b481a0a4e2d7c3f5b60918',
      object: 'response',
      created_at: 1_786_000_000,
      status: 'failed',
      error: { code: 'server_error', message: 'The server had an error.' },
      incomplete_details: null,
      model: 'dragon-1',
      output: [],
      usage: null,
    },
  })}\n\n`,
}

/** A reply that stops in the middle of its text, perhaps with a last word. */
export function broken(upstream: Dialect, lastWords?: Record<Dialect, string>): Script {
  return (): Answer => {
    const reply = said([text('This is a text of some length that never gets to its')])
    const events = SPEAK[upstream](reply, MODEL, true).events ?? []
    const half = events.slice(0, Math.ceil(events.length / 2))
    return { events: lastWords ? [...half, lastWords[upstream]] : half }
  }
}

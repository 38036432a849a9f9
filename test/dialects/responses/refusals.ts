import type { Answer, Wire } from '../../sdk/script.ts'
import type { Refusals } from '../scripted.ts'

const refused = (status: number, error: Wire, headers = {}): Answer => ({
  status,
  headers: { 'x-request-id': 'req_b0c0ffee', ...headers },
  body: { error: { type: 'invalid_request_error', param: null, code: null, ...error } },
})

export const refusals: Refusals = {
  invalid: refused(400, { message: 'odd text', param: 'input[0].content' }),
  key: refused(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }),
  rate: refused(
    429,
    { message: 'Rate limit reached.', type: 'tokens', code: 'rate_limit_exceeded' },
    { 'retry-after': '7' },
  ),
  overloaded: refused(503, {
    message: 'The engine is currently overloaded, please try again later',
    type: 'server_error',
    code: 'server_is_overloaded',
  }),
  overflow: refused(400, {
    message:
      "This model's maximum context length is 200000 tokens. However, your input is 215000 tokens.",
    param: 'input',
    code: 'context_length_exceeded',
  }),
  broken: refused(500, { message: 'The server had an error.', type: 'server_error' }),
}

/** What it sends in the middle of a stream when it fails after all. */
export const failureInStream = `event: response.failed\ndata: ${JSON.stringify({
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
})}\n\n`

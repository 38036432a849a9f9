import type { Answer, Wire } from '../../sdk/script.ts'
import type { Refusals } from '../scripted.ts'

const refused = (status: number, error: Wire, headers = {}): Answer => ({
  status,
  headers: { 'x-request-id': 'req_c0ffee', ...headers },
  body: { error: { type: 'invalid_request_error', param: null, code: null, ...error } },
})

export const refusals: Refusals = {
  invalid: refused(400, { message: 'odd text', param: 'messages.[0].content' }),
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
      "This model's maximum context length is 200000 tokens. However, your messages resulted in 215000 tokens.",
    param: 'messages',
    code: 'context_length_exceeded',
  }),
  broken: refused(500, { message: 'The server had an error.', type: 'server_error' }),
}

/** What it sends in the middle of a stream when it fails after all. */
export const failureInStream = `data: ${JSON.stringify({
  error: { message: 'The server had an error.', type: 'server_error', param: null, code: null },
})}\n\n`

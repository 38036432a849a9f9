import type { Answer } from '../../sdk/script.ts'
import type { Refusals } from '../scripted.ts'

const refused = (status: number, type: string, message: string, headers = {}): Answer => ({
  status,
  headers: { 'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy', ...headers },
  body: { type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' },
})

export const refusals: Refusals = {
  invalid: refused(400, 'invalid_request_error', 'messages.0.content.0.text: odd text'),
  key: refused(401, 'authentication_error', 'invalid x-api-key'),
  rate: refused(429, 'rate_limit_error', 'Too many tokens.', { 'retry-after': '7' }),
  overloaded: refused(529, 'overloaded_error', 'Overloaded'),
  overflow: refused(
    400,
    'invalid_request_error',
    'prompt is too long: 215000 tokens > 200000 maximum',
  ),
  broken: refused(500, 'api_error', 'Internal server error'),
}

/** What it sends in the middle of a stream when it fails after all. */
export const failureInStream =
  'event: error\ndata: {"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"}}\n\n'

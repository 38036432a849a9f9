import type { Answer, Wire } from '../../sdk/script.ts'
import type { Refusals } from '../scripted.ts'

const refused = (code: number, status: string, message: string, details?: Wire[]): Answer => ({
  status: code,
  body: { error: { code, message, status, ...(details && { details }) } },
})

export const refusals: Refusals = {
  invalid: refused(400, 'INVALID_ARGUMENT', 'odd text'),
  key: refused(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
  rate: refused(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
  ]),
  overloaded: refused(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  overflow: refused(
    400,
    'INVALID_ARGUMENT',
    'The input token count (215000) exceeds the maximum number of tokens allowed (200000).',
  ),
  broken: refused(500, 'INTERNAL', 'An internal error has occurred.'),
}

/** What it sends in the middle of a stream when it fails after all. */
export const failureInStream =
  'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\r\n\r\n'

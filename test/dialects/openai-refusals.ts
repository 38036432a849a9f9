import type { Answer, Wire } from '../sdk/script.ts'
import { isObject, type JsonObject } from '../../src/json/json.ts'
import type { Refusals } from './scripted.ts'
import { hasText } from './voice.ts'

/** How OpenAI refuses requests, in the words of one of its APIs. */
export interface RefusalWords {
  requestId: string
  /** The parameter that holds the conversation, and one of its messages. */
  param: string
  message: string
  /** How much the conversation of 215,000 tokens was. */
  amount: string
}

export function openAiRefusals({ requestId, param, message, amount }: RefusalWords): Refusals {
  const refused = (status: number, error: Wire, headers = {}): Answer => ({
    status,
    headers: { 'x-request-id': requestId, ...headers },
    body: { error: { type: 'invalid_request_error', param: null, code: null, ...error } },
  })
  return {
    invalid: refused(400, { message: 'odd text', param: message }),
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
      message: `This model's maximum context length is 200000 tokens. However, ${amount}.`,
      param,
      code: 'context_length_exceeded',
    }),
    broken: refused(500, { message: 'The server had an error.', type: 'server_error' }),
  }
}

/** A refusal as a body, and what tells one from a reply. */
export const OPENAI_REFUSAL = JSON.stringify({
  error: { message: 'the words of it', type: 'invalid_request_error', param: null, code: null },
})
export const isOpenAiProblem = ({ error }: JsonObject): boolean =>
  isObject(error) &&
  hasText(error['message']) &&
  hasText(error['type']) &&
  'param' in error &&
  'code' in error

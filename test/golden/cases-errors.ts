import type { Frame } from '../../adapters/contract.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { hello, MODEL, type Case } from './case.ts'

const WAIT = 'Slow down. Please retry in 7s.'

const before: Case = {
  name: 'error-before',
  request: hello,
  answer: {
    messages: {
      status: 429,
      error: { type: 'error', error: { type: 'rate_limit_error', message: WAIT }, request_id: 'r' },
    },
    'generate-content': {
      status: 429,
      error: {
        error: {
          code: 429,
          message: WAIT,
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }],
        },
      },
    },
    responses: {
      status: 429,
      error: {
        error: {
          message: WAIT,
          type: 'rate_limit_error',
          param: null,
          code: 'rate_limit_exceeded',
        },
      },
    },
  },
}

const overflow: Case = {
  name: 'error-overflow',
  request: hello,
  answer: {
    messages: {
      status: 400,
      error: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 210000 tokens > 200000 maximum',
        },
      },
    },
    'generate-content': {
      status: 400,
      error: {
        error: {
          code: 400,
          message:
            'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    },
    responses: {
      status: 400,
      error: {
        error: {
          message: 'Your input exceeds the context window of this model.',
          type: 'invalid_request_error',
          param: 'input',
          code: 'context_length_exceeded',
        },
      },
    },
  },
}

const named = (events: JsonObject[]): Frame[] =>
  events.map((event) => ({ event: String(event['type']), data: JSON.stringify(event) }))
const unnamed = (events: JsonObject[]): Frame[] =>
  events.map((event) => ({ data: JSON.stringify(event) }))

const started = {
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 1 },
}

const within: Case = {
  name: 'error-within',
  request: hello,
  answer: {
    messages: {
      frames: named([
        { type: 'message_start', message: started },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } },
        { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ]),
    },
    'generate-content': {
      frames: unnamed([
        {
          candidates: [{ content: { role: 'model', parts: [{ text: 'Half' }] }, index: 0 }],
          modelVersion: MODEL,
          responseId: 'reply-01',
        },
        { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } },
      ]),
    },
    responses: {
      frames: named([
        {
          type: 'response.created',
          sequence_number: 0,
          response: { id: 'resp_01', object: 'response', model: MODEL, output: [] },
        },
        {
          type: 'response.output_item.added',
          sequence_number: 1,
          output_index: 0,
          item: { id: 'msg_01', type: 'message', role: 'assistant', content: [] },
        },
        {
          type: 'response.output_text.delta',
          sequence_number: 2,
          item_id: 'msg_01',
          output_index: 0,
          content_index: 0,
          delta: 'Half',
        },
        {
          type: 'response.failed',
          sequence_number: 3,
          response: {
            id: 'resp_01',
            status: 'failed',
            error: { code: 'server_error', message: 'Overloaded' },
          },
        },
      ]),
    },
  },
}

export const ERROR_CASES: readonly Case[] = [before, overflow, within]

import type { JsonObject } from '../../../src/json/json.ts'
import { messagesStart } from './reply.ts'

/** A correct stream, written by hand. */
export const correctStream: JsonObject[] = [
  {
    type: 'message_start',
    message: {
      ...messagesStart.message,
      usage: {
        input_tokens: 3,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
  },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 't_1', name: 'f', input: {} },
  },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
  },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 5 },
  },
  { type: 'message_stop' },
]

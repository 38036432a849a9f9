import { isObject } from '../../../src/json/json.ts'
import { hasText, sse, type Voice } from '../voice.ts'
import { messagesReply, messagesStart } from './reply.ts'

const textDelta = (text: string) =>
  sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })

export const voice: Voice = {
  dialect: 'messages',
  path: () => '/v1/messages',
  request: (model, stream) => ({
    model,
    max_tokens: 64,
    stream,
    messages: [{ role: 'user', content: 'Hello' }],
  }),
  opening:
    sse(messagesStart) +
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
    ...messagesReply('Hello'),
    usage: { input_tokens: 5, output_tokens: 2 },
  }),
  failure: sse({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }),
  refusal: JSON.stringify({ type: 'error', error: { type: 'x', message: 'the words of it' } }),
  isTerminal: (event) => event['type'] === 'message_stop',
  isError: (event) => event['type'] === 'error',
  isProblem: ({ type, error }) =>
    type === 'error' && isObject(error) && hasText(error['type']) && hasText(error['message']),
}

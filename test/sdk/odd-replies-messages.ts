import type { OddReply } from './odd-reply.ts'
import { COUNTS, eventText, MODEL, said, text, type Wire } from './script.ts'
import { messagesBody } from './speak-messages.ts'

const plain = said([text('Fine.')], 'stop', COUNTS)
const stopping = (stop_reason: string, content?: Wire[]): Wire => ({
  ...messagesBody(plain, MODEL),
  ...(content && { content }),
  stop_reason,
})

const { content: _, ...opening } = messagesBody(plain, MODEL)
const messageStart = eventText('message_start', {
  message: { ...opening, content: [], stop_reason: null },
})
const messageEnd = [
  eventText('message_delta', {
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 3 },
  }),
  eventText('message_stop', {}),
]
const tool = (input: Wire): Wire => ({ type: 'tool_use', id: 'toolu_1', name: 'get_time', input })

export const ODD_REPLIES: Omit<OddReply, 'upstream'>[] = [
  {
    name: 'the end of the context window',
    only: 'json',
    answer: () => ({ body: stopping('model_context_window_exceeded') }),
    wanted: { text: 'Fine.', stop: 'length' },
  },
  {
    name: 'nothing at all',
    only: 'json',
    answer: () => ({ body: stopping('end_turn', []) }),
    wanted: { text: '', calls: [], stop: 'stop' },
  },
  {
    name: 'an empty text in front of a call',
    only: 'json',
    answer: () => ({
      body: stopping('tool_use', [{ type: 'text', text: '' }, tool({ zone: 'utc' })]),
    }),
    wanted: { text: '', stop: 'tool-call' },
  },
  {
    name: 'an input that comes whole at the start',
    only: 'stream',
    answer: () => ({
      events: [
        messageStart,
        eventText('content_block_start', { index: 0, content_block: tool({ zone: 'utc' }) }),
        eventText('content_block_stop', { index: 0 }),
        ...messageEnd,
      ],
    }),
    wanted: { stop: 'tool-call' },
  },
  {
    name: 'a call without any input',
    only: 'stream',
    answer: () => ({
      events: [
        messageStart,
        eventText('content_block_start', { index: 0, content_block: tool({}) }),
        eventText('content_block_delta', {
          index: 0,
          delta: { type: 'input_json_delta', partial_json: '' },
        }),
        eventText('content_block_stop', { index: 0 }),
        ...messageEnd,
      ],
    }),
    wanted: { stop: 'tool-call', calls: [{ id: 'toolu_1', name: 'get_time', input: {} }] },
  },
  {
    name: 'events of which nobody has heard, and comments',
    only: 'stream',
    answer: () => ({
      events: [
        ': hello\r\n\r\n',
        messageStart.replaceAll('\n', '\r\n'),
        eventText('weather_report', { sunny: true }),
        eventText('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
        eventText('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
        eventText('content_block_delta', { index: 0, delta: { type: 'mood_delta', mood: 'good' } }),
        eventText('content_block_stop', { index: 0 }),
        ...messageEnd,
      ],
    }),
    wanted: { text: 'Hi' },
  },
]

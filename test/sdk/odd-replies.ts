import type { Outcome } from './driver.ts'
import { COUNTS, eventText, MODEL, said, text, type Dialect, type Wire } from './script.ts'
import { messagesBody } from './speak-messages.ts'
import { responsesBody } from './speak-responses.ts'
import type { Answer } from './stage.ts'

/** A reply that a real upstream has been seen to give, and that is easily misunderstood. */
export interface OddReply {
  name: string
  upstream: Dialect
  answer(stream: boolean): Answer
  wanted: Partial<Outcome>
  /** Where it makes sense one way only. */
  only?: 'stream' | 'json'
}

const chunk = (body: Wire): string => `data: ${JSON.stringify(body)}\r\n\r\n`
const frame = { usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 }, modelVersion: MODEL }
const candidate = (value: Wire): Wire => ({ candidates: [{ index: 0, ...value }], ...frame })
const parts = (...list: Wire[]): Wire => ({ content: { role: 'model', parts: list } })
const inChunks = (...bodies: Wire[]): Answer => ({ events: bodies.map(chunk) })

const FROM_CONTENTS: Omit<OddReply, 'upstream'>[] = [
  {
    name: 'a prompt that is blocked',
    answer(stream) {
      const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...frame }
      return stream ? inChunks(body) : { body }
    },
    wanted: { stop: 'refusal', calls: [] },
  },
  {
    name: 'a call that the model could not write',
    answer(stream) {
      const body = candidate({ finishReason: 'MALFORMED_FUNCTION_CALL', content: {} })
      return stream ? inChunks(body) : { body }
    },
    wanted: { stop: 'refusal', calls: [] },
  },
  {
    name: 'a call in one chunk, the reason in another and the counts in a third',
    only: 'stream',
    answer: () =>
      inChunks(
        candidate(parts({ functionCall: { name: 'get_time', args: { zone: 'utc' } } })),
        candidate({ finishReason: 'STOP' }),
        { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 } },
      ),
    wanted: { stop: 'tool-call', text: '' },
  },
  {
    name: 'a stream that is a JSON array',
    only: 'stream',
    answer: () => ({
      body: [
        candidate(parts({ text: 'One ' })),
        candidate({ ...parts({ text: 'two.' }), finishReason: 'STOP' }),
      ],
    }),
    wanted: { stop: 'stop', text: 'One two.' },
  },
  {
    name: 'thoughts that are not to be shown',
    answer(stream) {
      const spoken = candidate({
        ...parts({ text: 'Secret.', thought: true }, { text: 'Said.' }),
        finishReason: 'STOP',
      })
      return stream ? inChunks(spoken) : { body: spoken }
    },
    wanted: { text: 'Said.', thinking: 'Secret.' },
  },
  {
    name: 'thoughts that used up the bound',
    answer(stream) {
      const body = candidate({ finishReason: 'MAX_TOKENS' })
      return stream ? inChunks(body) : { body }
    },
    wanted: { stop: 'length', text: '' },
  },
]

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

const FROM_MESSAGES: Omit<OddReply, 'upstream'>[] = [
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

const whole = responsesBody(plain, MODEL)
const [message] = whole['output'] as Wire[]
const running = { ...whole, status: 'in_progress', output: [], usage: null }

const FROM_RESPONSES: Omit<OddReply, 'upstream'>[] = [
  {
    name: 'an item that is only there when it is done',
    only: 'stream',
    answer: () => ({
      events: [
        eventText('response.created', { response: running }),
        eventText('response.output_item.done', { output_index: 0, item: message }),
        eventText('response.completed', { response: whole }),
      ],
    }),
    wanted: { text: 'Fine.', stop: 'stop' },
  },
  {
    name: 'everything only at the very end',
    only: 'stream',
    answer: () => ({
      events: [
        eventText('response.created', { response: running }),
        eventText('response.completed', { response: whole }),
      ],
    }),
    wanted: { text: 'Fine.', stop: 'stop' },
  },
  {
    name: 'a filter that cut the text',
    answer(stream) {
      const body = {
        ...whole,
        status: 'incomplete',
        incomplete_details: { reason: 'content_filter' },
      }
      const created = eventText('response.created', { response: running })
      const end = eventText('response.incomplete', { response: body })
      return stream ? { events: [created, end] } : { body }
    },
    wanted: { stop: 'refusal' },
  },
  {
    name: 'JSON in place of a stream',
    only: 'stream',
    answer: () => ({ body: whole }),
    wanted: { text: 'Fine.', stop: 'stop' },
  },
]

const from =
  (upstream: Dialect) =>
  (odd: Omit<OddReply, 'upstream'>): OddReply => ({ upstream, ...odd })

export const ODD_REPLIES: OddReply[] = [
  ...FROM_CONTENTS.map(from('generate-content')),
  ...FROM_MESSAGES.map(from('messages')),
  ...FROM_RESPONSES.map(from('responses')),
]

import type { OddReply } from './odd-reply.ts'
import { COUNTS, MODEL, said, text, type Wire } from './script.ts'
import { chatBody, chatEvents } from './speak-chat-completions.ts'

const plain = said([text('Fine.')], 'stop', COUNTS)
const whole = chatBody(plain, MODEL)
const [choice] = whole['choices'] as Wire[]

const chunk = (choices: Wire[], rest: Wire = {}): string =>
  `data: ${JSON.stringify({ id: 'x-1', object: 'chat.completion.chunk', created: 1, model: MODEL, choices, ...rest })}\n\n`
const delta = (content: Wire, finish_reason: string | null = null): Wire => ({
  index: 0,
  delta: content,
  finish_reason,
})

export const ODD_REPLIES: Omit<OddReply, 'upstream'>[] = [
  {
    name: 'no end but that of the bytes',
    only: 'stream',
    answer: () => ({ events: chatEvents(plain, MODEL).slice(0, -1) }),
    wanted: { text: 'Fine.', stop: 'stop' },
  },
  {
    name: 'a first chunk that says nothing',
    only: 'stream',
    answer: () => ({
      events: [
        `data: ${JSON.stringify({ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] })}\n\n`,
        chunk([delta({ role: 'assistant', content: 'Fine.' })]),
        chunk([delta({}, 'stop')]),
        'data: [DONE]\n\n',
      ],
    }),
    wanted: { text: 'Fine.', stop: 'stop' },
  },
  {
    name: 'a whole call in one piece, without an index',
    only: 'stream',
    answer: () => ({
      events: [
        chunk([
          delta(
            {
              tool_calls: [{ id: 'call_000000001', function: { name: 'look', arguments: '{}' } }],
            },
            'tool_calls',
          ),
        ]),
        'data: [DONE]\n\n',
      ],
    }),
    wanted: { stop: 'tool-call', calls: [{ id: 'call_000000001', name: 'look', input: {} }] },
  },
  {
    name: 'a stop in spite of a call',
    only: 'json',
    answer: () => ({
      body: {
        ...whole,
        choices: [
          {
            ...choice,
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } },
              ],
            },
          },
        ],
      },
    }),
    wanted: { stop: 'tool-call', calls: [{ id: 'call_1', name: 'look', input: {} }] },
  },
  {
    name: 'a filter that cut the text',
    only: 'json',
    answer: () => ({
      body: { ...whole, choices: [{ ...choice, finish_reason: 'content_filter' }] },
    }),
    wanted: { stop: 'refusal' },
  },
  {
    name: 'JSON in place of a stream',
    only: 'stream',
    answer: () => ({ body: whole }),
    wanted: { text: 'Fine.', stop: 'stop' },
  },
]

import type { OddReply } from './odd-reply.ts'
import { COUNTS, eventText, MODEL, said, text, type Wire } from './script.ts'
import { responsesBody } from './speak-responses.ts'

const plain = said([text('Fine.')], 'stop', COUNTS)

const whole = responsesBody(plain, MODEL)
const [message] = whole['output'] as Wire[]
const running = { ...whole, status: 'in_progress', output: [], usage: null }

export const ODD_REPLIES: Omit<OddReply, 'upstream'>[] = [
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

import type { OddReply } from './odd-reply.ts'
import { MODEL, type Answer, type Wire } from './script.ts'

const chunk = (body: Wire): string => `data: ${JSON.stringify(body)}\r\n\r\n`
const frame = { usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 }, modelVersion: MODEL }
const candidate = (value: Wire): Wire => ({ candidates: [{ index: 0, ...value }], ...frame })
const parts = (...list: Wire[]): Wire => ({ content: { role: 'model', parts: list } })
const inChunks = (...bodies: Wire[]): Answer => ({ events: bodies.map(chunk) })

export const ODD_REPLIES: Omit<OddReply, 'upstream'>[] = [
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

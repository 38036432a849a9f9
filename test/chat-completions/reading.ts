import { chatCompletions } from '../../adapters/chat-completions/index.ts'
import type { Event } from '../../src/model/events.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import { fold } from '../../src/model/events.ts'
import type { FrameReader } from '../../src/stream/codec.ts'
import { frameReader } from '../../src/stream/event-reader.ts'

/** One chunk of a stream. */
export const chunk = (delta: object, finish_reason: string | null = null, rest = {}) => ({
  id: 'x-1',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
  ...rest,
})

/** A whole reply. */
export const completion = (message: object, finish_reason: string | null = 'stop', rest = {}) => ({
  id: 'x-1',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  ...rest,
})

export const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }

function newReader(): FrameReader {
  let made = 0
  const newId = (prefix: string) => `${prefix}${(made += 1)}`
  const context = { request: emptyRequest('m'), lose: () => undefined, newId }
  return frameReader(chatCompletions.upstream.reader(context))
}

const folded = (events: Event[]) => {
  const { reply, problem } = fold(events)
  return { ...reply, problem }
}

/** What a stream of these frames is understood as. */
export function read(...frames: unknown[]) {
  const reader = newReader()
  const events = frames.flatMap((frame) =>
    reader.read({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) }),
  )
  return folded([...events, ...reader.end()])
}

/** What a whole reply is understood as. */
export const readWhole = (body: object) =>
  folded(newReader().body(JSON.parse(JSON.stringify(body))))

/** Both ways to bring one message, which have to say the same. */
export const bothWays = (message: object, finish_reason = 'stop', rest = {}) => [
  readWhole(completion(message, finish_reason, rest)),
  read(chunk(message), chunk({}, finish_reason, rest), '[DONE]'),
]

import type { Json, JsonObject } from '../json/json.ts'
import type { Event } from '../model/events.ts'

/** One server-sent event without its framing: `data` is JSON, which the framing writes on one line. */
export interface Frame {
  readonly event?: string | undefined
  readonly data: string
  /** It came without any framing, so that no client of the dialect reads it. */
  readonly bare?: boolean
}

/** How a stream leaves: server-sent events, or a JSON array that grows. */
export type Framing = 'sse' | 'json-array'

/** What keeps a silent stream alive, where the dialect's clients bear one. */
export type Heartbeat = Frame | 'comment'

/** Reply in: a whole body, or frames and then `end`. Synchronous: no promises, no clock, no I/O. */
export interface Reader {
  /** `text`: the body as it came, for a caller that keeps it. */
  body(json: Json, text?: string): Event[]
  push(frame: Frame): Event[]
  /** The bytes are over. Completes the reply, or says with an `error` event that it is incomplete. */
  end(): Event[]
}

/** Reply out: frames as they come; `body` is the same reply as one object, gathered from what was written. */
export interface Writer {
  push(event: Event): Frame[]
  body(): JsonObject
}

/** A writer whose events are heard first by a listener. */
export const overheard = (writer: Writer, hear: (event: Event) => unknown): Writer => ({
  push(event) {
    hear(event)
    return writer.push(event)
  },
  body: () => writer.body(),
})

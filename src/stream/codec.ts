import type { Json, JsonObject } from '../json/json.ts'
import type { VerbatimPaths } from '../json/verbatim-paths.ts'
import type { Event } from '../model/events.ts'
import type { DeltaHint, WireEvent } from './wire-events.ts'

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
export type Heartbeat = WireEvent | 'comment'

/** Reply in: a whole body, or events and then `end`. Synchronous: no promises, no clock, no I/O. */
export interface Reader {
  /** What of an event stays text. Nothing when absent. */
  readonly verbatim?: VerbatimPaths
  /** How deltas are read faster than other events, by a reader that tells. */
  readonly hint?: DeltaHint
  body(json: Json): Event[]
  push(event: WireEvent): Event[]
  /** An event came that is no JSON. */
  broken(): Event[]
  /** The bytes are over. Completes the reply, or says with an `error` event that it is incomplete. */
  end(): Event[]
}

/** The same of a stream as it comes: `frameReader` makes one of a dialect's reader. */
export interface FrameReader {
  /** `text`: the body as it came, for a caller that keeps it. */
  body(json: Json, text?: string): Event[]
  read(frame: Frame): Event[]
  end(): Event[]
}

/** Reply out: events as they come; `body` is the same reply as one object, gathered from what was written. */
export interface Writer {
  push(event: Event): WireEvent[]
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

import type { Json, JsonObject } from '../json/json.ts'
import type { VerbatimPaths } from '../json/verbatim-paths.ts'
import type { Event, StartEvent } from '../model/events.ts'
import type { Usage } from '../model/request.ts'
import type { DeltaHint, WireEvent } from './wire-events.ts'

/** One server-sent event without its framing: `data` is JSON, which the framing writes on one line. */
export interface Frame {
  readonly event?: string | undefined
  readonly data: string
  /** The event came without a framing, so no client of the dialect reads it. */
  readonly bare?: boolean
}

/** One frame of `application/vnd.amazon.eventstream`: an event, or a failure in the place of one. */
export interface AmazonFrame {
  kind: string
  /** The type of the event or of the exception, or the code of the error. */
  name: string
  /** Of an error, which has no payload. */
  message: string
  payload: string
}

/** Says a frame as an event of the dialect; undefined for one that the dialect has no word for. */
export type SayFrame = (frame: AmazonFrame) => Frame | undefined

/** How a stream leaves: server-sent events, or a JSON array that grows. */
export type Framing = 'sse' | 'json-array'

/** The event or comment that keeps a silent stream alive, where the dialect's clients accept one. */
export type Heartbeat = WireEvent | 'comment'

/**
 * The names of the events that surely bring only a piece of the reply, in the dialect's shape, so that they need neither
 * be read nor searched for secrets. Where events have no names, what differs from the one before in one string is such a
 * piece (`DeltaHint`).
 */
export type PieceRule = (name: string) => boolean

/** Whether an event surely brings only a piece of the reply. `start` and `end`: where its data stands in a text. */
export type IsPiece = (
  name: string | undefined,
  text: string,
  start: number,
  end: number,
) => boolean

/** Reads a reply: a whole body, or events and then `end`. Synchronous: no promises, no clock, no I/O. */
export interface Reader {
  /** The subtrees of an event that stay text; none when absent. */
  readonly verbatim?: VerbatimPaths
  /** Set where the reader can tell that later deltas need not be parsed. */
  readonly hint?: DeltaHint
  body(json: Json): Event[]
  push(event: WireEvent): Event[]
  /** The bytes are over: completes the reply, or reports with an `error` event that it is incomplete. */
  end(): Event[]
  /** What has been counted so far; absent where each count is an event at once. */
  counts?(): Usage | undefined
}

/** Reads a stream of frames; `frameReader` makes one from a dialect's reader. */
export interface FrameReader {
  /** `text`: the body as it came, for a caller that keeps it. */
  body(json: Json, text?: string): Event[]
  read(frame: Frame): Event[]
  end(): Event[]
  counts(): Usage | undefined
  /** Whether a frame differs from the one before in one string alone. Then it need not be read where it passes. */
  skips(...event: Parameters<IsPiece>): boolean
}

/** Writes a reply as events; `body` is the same reply as one object. */
export interface Writer {
  push(event: Event): WireEvent[]
  body(): JsonObject
}

/** What is asked of a dialect where a reply passes between two sides of it. */
export interface PassingRules {
  /** Which frames surely bring only a piece of the reply, so that they need not be read. */
  readonly isPiece?: PieceRule
  /**
   * Whether the text of a frame shows that it has the dialect's shape: its content then passes unchanged. Any other
   * frame may be the words of a server in between, in which keys are masked. When absent, all frames have it.
   */
  isOwnFrame?(frame: Frame): boolean
  /**
   * Whether the dialect's clients take a frame for a failure, or for an end that reports one. In place of any other
   * frame that a reader takes for a failure, an error of the dialect is written. When absent, clients take all of
   * them for failures.
   */
  tellsFailure?(frame: Frame): boolean
  /**
   * Whether the dialect's clients can read the error in a body, which then passes. Any other one is written anew. When
   * absent, they can read whatever is an object.
   */
  tellsError?(body: JsonObject): boolean
  /** Whether a body without an error at its top tells of a failure all the same, and of nothing else. */
  failsWithin?(body: JsonObject): boolean
  /**
   * Follows a stream whose events refer to each other. `isRoom`: takes the room for so many characters that are kept
   * of it; false where there is none.
   */
  streamThread?(isRoom: (characters: number) => boolean): StreamThread
}

/** What holds the events of one stream together, so that an error behind those of an upstream is the next of them. */
export interface StreamThread {
  /** Takes a frame that was passed on and is only a piece. */
  piece(frame: Frame): void
  /** Takes any other frame that was passed on. */
  event(frame: Frame, start: StartEvent | undefined): void
  /** A failure as the next event. `model`: the caller's name of the model, where the upstream has another. */
  failure(said: WireEvent, how: { isStream: boolean; model: string | undefined }): WireEvent
}

import type { Frame, FrameReader, IsPiece } from './codec.ts'
import { ENDED_EARLY } from '../model/cursor.ts'
import type { Event } from '../model/events.ts'
import { isRecognised } from '../problems/error-words.ts'
import { failureInWords } from './event-reader.ts'
import { streamDecoder } from '../json/bytes.ts'
import { parse } from '../json/json.ts'
import type { VerbatimPaths } from '../json/verbatim-paths.ts'
import type { Problem } from '../model/problem.ts'
import type { Usage } from '../model/request.ts'
import { scanStructure } from '../json/structure.ts'
import type { PieceFinder } from './pieces/pieces.ts'
import type { FramingRules } from './framings.ts'
import { sseParser, type CutFrame, type Cuts, type FrameCutter, type PieceCount } from './sse.ts'
import {
  EVENT_TOO_LARGE,
  INTERNAL,
  NO_EVENT,
  NOT_A_REPLY,
  NOT_JSON,
  REPLY_TOO_LARGE,
} from '../problems/failures.ts'

/** The largest size and depth of a reply that is read. */
export interface ReplyLimits {
  depth: number
  nodes: number
  eventBytes: number
  replyBytes: number
  streamBytes: number
}

/**
 * A part of a reply as it came, and the events in it. Frames that surely bring only a piece have none that count: those
 * that follow each other are one part, whose frame is the last.
 */
export interface ReadFrame {
  readonly text: string
  readonly frame: Frame | undefined
  readonly events: readonly Event[]
  readonly pieces?: Readonly<PieceCount> | undefined
}

/** Reads a reply from bytes to frames. Exactly one terminal event comes, and no event behind it. */
export interface ReplyFrames {
  push(bytes: Uint8Array): readonly ReadFrame[]
  end(): readonly ReadFrame[]
  fail(problem: Problem): readonly ReadFrame[]
  /** What has been counted; a reply that breaks off may have no event of it. */
  counts(): Usage | undefined
  readonly ended: boolean
  /** Whether a part of a frame is held until the whole has come. */
  readonly isWithin: boolean
}

/** The same where nothing is asked of the frames. */
export interface ReplyEvents {
  push(bytes: Uint8Array): Event[]
  end(): Event[]
  fail(problem: Problem): Event[]
  readonly ended: boolean
}

export interface ReplySource {
  reader: FrameReader
  verbatim: VerbatimPaths
  limits: ReplyLimits
  /** The declared content type. The bytes decide; it is used only for an empty reply. */
  contentType: string | null
  /** For a reply whose frames pass as they came. */
  passing?: Passing
}

interface Passing {
  framing: FramingRules
  /** Frames that need not be read. */
  pieces: PieceFinder
  /** Makes the reader that goes on where the last one could not. */
  restart(): FrameReader
}

/** The kind of the reply, as its first bytes show. */
interface Mode {
  maxBytes: number
  push(text: string): readonly ReadFrame[]
  end(): readonly ReadFrame[]
  readonly isWithin: boolean
  counts?(): Usage | undefined
}

const failed = (problem: Problem): Event[] => [{ type: 'error', problem }]
const isTerminal = (event: Event) => event.type === 'finish' || event.type === 'error'
const ALONE = { text: '', frame: undefined }
/** Events that came with no frame of their own. */
const alone = (events: readonly Event[]): readonly ReadFrame[] => [{ ...ALONE, events }]
const NONE: readonly Event[] = []

export const replyFrames = (source: ReplySource): ReplyFrames => new ReplyReading(source)

export const replyEvents = (source: ReplySource): ReplyEvents => new EventReading(source)

class EventReading implements ReplyEvents {
  readonly #frames: ReplyFrames

  constructor(source: ReplySource) {
    this.#frames = replyFrames(source)
  }

  get ended(): boolean {
    return this.#frames.ended
  }

  push(bytes: Uint8Array): Event[] {
    return this.#frames.push(bytes).flatMap(({ events }) => events)
  }

  end(): Event[] {
    return this.#frames.end().flatMap(({ events }) => events)
  }

  fail(problem: Problem): Event[] {
    return this.#frames.fail(problem).flatMap(({ events }) => events)
  }
}

class ReplyReading implements ReplyFrames {
  ended = false
  readonly #source: ReplySource
  readonly #decode = streamDecoder()
  #mode: Mode | undefined
  #size = 0

  constructor(source: ReplySource) {
    this.#source = source
  }

  get isWithin(): boolean {
    return this.#mode ? this.#mode.isWithin : this.#size > 0
  }

  push(bytes: Uint8Array): readonly ReadFrame[] {
    if (this.ended && !this.#source.passing) return []
    this.#size += bytes.length
    try {
      return this.#untilEnd(this.#feed(this.#decode(bytes)))
    } catch {
      return this.#untilEnd(alone(failed(INTERNAL)))
    }
  }

  end(): readonly ReadFrame[] {
    if (this.ended && !this.#source.passing) return []
    return this.#untilEnd(this.#rest())
  }

  /** For any bytes of an upstream, an exchange ends with a problem and never with an exception. */
  #rest(): readonly ReadFrame[] {
    const source = this.#source
    try {
      const isStream = isStreamType(source.contentType) || source.passing?.framing.isJson
      this.#mode ??= isStream ? new StreamMode(source) : jsonMode(source)
      const frames = [...this.#feed(this.#decode()), ...this.#mode.end()]
      return frames.some(({ events }) => events.some(isTerminal))
        ? frames
        : [...frames, ...alone(failed(NOT_A_REPLY))]
    } catch {
      return alone(failed(INTERNAL))
    }
  }

  fail(problem: Problem): readonly ReadFrame[] {
    return this.ended ? [] : this.#untilEnd(alone(failed(problem)))
  }

  counts(): Usage | undefined {
    return this.#mode?.counts?.()
  }

  /** Behind the end, frames that pass go on without events. */
  #untilEnd(frames: readonly ReadFrame[]): readonly ReadFrame[] {
    if (this.ended) return frames.map(eventless)
    const first = firstEnd(frames)
    if (first < 0) return frames
    this.ended = true
    const rest = this.#source.passing ? frames.slice(first + 1).map(eventless) : []
    return [...frames.slice(0, first), ...frames.slice(first, first + 1).map(untilEnd), ...rest]
  }

  #feed(text: string): readonly ReadFrame[] {
    const mode = (this.#mode ??= chooseMode(text, this.#source))
    // Blank space does not show the kind, and must not go on without a bound.
    const { maxBytes } = mode ?? { maxBytes: this.#source.limits.replyBytes }
    if (this.#size > maxBytes) return alone(failed(REPLY_TOO_LARGE))
    return mode?.push(text) ?? []
  }
}

function firstEnd(frames: readonly ReadFrame[]): number {
  for (let index = 0; index < frames.length; index += 1) {
    const events = frames[index]?.events ?? NONE
    for (const event of events) if (event.type === 'finish' || event.type === 'error') return index
  }
  return -1
}

const eventless = ({ text, frame }: ReadFrame): ReadFrame => ({ text, frame, events: NONE })

function untilEnd(read: ReadFrame): ReadFrame {
  const last = read.events.findIndex(isTerminal)
  return last === read.events.length - 1
    ? read
    : { ...read, events: read.events.slice(0, last + 1) }
}

export const isStreamType = (contentType: string | null): boolean =>
  /^text\/event-stream/i.test(contentType ?? '')

/** The first character tells the kind: JSON begins with a bracket or brace, a stream with the name of a field. */
export function guessKind(text: string): 'json' | 'events' | 'other' | undefined {
  const first = /[^\s\u{feff}]/u.exec(text)?.[0]
  if (first === undefined) return undefined
  if (first === '{' || first === '[') return 'json'
  return ':deir'.includes(first) ? 'events' : 'other'
}

function chooseMode(text: string, source: ReplySource): Mode | undefined {
  const kind = guessKind(text)
  const isFramed = source.passing?.framing.isJson && text.trimStart().startsWith('[')
  if (kind === 'events' || isFramed) return new StreamMode(source)
  return kind === 'json' ? jsonMode(source) : kind && foreignMode()
}

/** What is no reply: it is read until it is clear what it is. */
function foreignMode(): Mode {
  let said = ''
  const end = () => alone(failed({ ...NOT_A_REPLY, said }))
  return {
    isWithin: true,
    maxBytes: Infinity,
    push(text) {
      said += text
      return isRecognised(said) ? end() : []
    },
    end,
  }
}

class StreamMode implements Mode, Cuts {
  readonly maxBytes: number
  readonly isPiece: IsPiece | undefined
  readonly #limits: ReplyLimits
  readonly #passing: Passing | undefined
  readonly #cutter: FrameCutter
  #reader: FrameReader
  /** What has been taken: frames that pass, or the events of others. */
  #frames: ReadFrame[] = []
  #events: Event[] = []

  constructor({ reader, limits, passing }: ReplySource) {
    this.maxBytes = limits.streamBytes
    this.#limits = limits
    this.#passing = passing
    this.#reader = reader
    this.#cutter = (passing?.framing.cutter ?? sseParser)(limits.eventBytes)
    this.isPiece =
      passing &&
      ((name, text, start, end) =>
        passing.pieces.has(name, text, start, end) || this.#reader.skips(name, text, start, end))
  }

  /** An event that is too large is not among the frames. */
  get isWithin(): boolean {
    return this.#cutter.isWithin || this.#cutter.overflowed
  }

  counts(): Usage | undefined {
    return this.#reader.counts()
  }

  push(text: string): readonly ReadFrame[] {
    this.#cutter.cut(text, this)
    const frames = this.#taken()
    return this.#cutter.overflowed ? [...frames, ...alone(failed(EVENT_TOO_LARGE))] : frames
  }

  /** Half an event, behind which nothing came, is none: the stream was cut. */
  end(): readonly ReadFrame[] {
    const rest = this.#cutter.rest()
    const whole = rest.filter(({ frame }) => !frame || isWholeData(frame))
    for (const cut of whole) this.take(cut)
    const read = this.#taken()
    const events = whole.length < rest.length ? failed(ENDED_EARLY) : this.#reader.end()
    const isCut = events.some(({ type }) => type === 'error')
    const { foreign } = this.#cutter
    const last = isCut && foreign !== '' ? failed({ ...NO_EVENT, said: foreign }) : events
    // What is no event belongs to none that failed.
    return [...(isCut ? read.filter((each) => each.events.length > 0) : read), ...alone(last)]
  }

  take({ text, frame, pieces }: CutFrame): void {
    if (!this.#passing) {
      if (frame) for (const event of this.#readOne(frame)) this.#events.push(event)
      return
    }
    const found = pieces ?? (frame && this.#pieceIn(frame))
    const events = frame && !found ? this.#readOne(frame) : NONE
    this.#frames.push({ text, frame, events, pieces: found })
  }

  #pieceIn({ event, data }: Frame): PieceCount | undefined {
    const { length } = data
    return this.isPiece?.(event, data, 0, length)
      ? { count: 1, size: length, least: length }
      : undefined
  }

  /** What does not pass is read alone: all events that came together are handed over together. */
  #taken(): readonly ReadFrame[] {
    const frames = this.#frames
    const events = this.#events
    this.#frames = []
    this.#events = []
    return this.#passing || events.length === 0 ? frames : alone(events)
  }

  #readOne(frame: Frame): readonly Event[] {
    // The cutter bounds text that it gathers, but not an event that comes in one piece.
    if (frame.data.length > this.#limits.eventBytes) return failed(EVENT_TOO_LARGE)
    if (isTooDeep(frame.data, this.#limits)) return failed(NOT_A_REPLY)
    try {
      return this.#reader.read(frame)
    } catch {
      if (!this.#passing) return failed(INTERNAL)
      // A failure of the reader itself says nothing about a frame that passes.
      this.#reader = this.#passing.restart()
      return NONE
    }
  }
}

/** Whether an event without its final blank line has come whole: words of a failure, the mark of the end, or JSON. */
const isWholeData = (frame: Frame): boolean =>
  isDone(frame) || failureInWords(frame) !== undefined || isJson(frame.data)

/** `[DONE]` or the like: the end mark of this family of dialects. Clients read no further. */
export const isDone = ({ data }: Frame): boolean => data.length < 16 && data.trim() === '[DONE]'

function isJson(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

function jsonMode({ reader, verbatim, limits }: ReplySource): Mode {
  const parts: string[] = []
  return {
    isWithin: true,
    maxBytes: limits.replyBytes,
    push(text) {
      parts.push(text)
      return []
    },
    end() {
      const text = parts.splice(0).join('')
      if (isTooDeep(text, limits)) return alone(failed(NOT_A_REPLY))
      let json
      try {
        json = parse(text, verbatim)
      } catch {
        return alone(failed(NOT_JSON))
      }
      const frame = { data: text, bare: true }
      return [{ text, frame, events: reader.body(json, text) }]
    },
  }
}

/** A text of so few characters cannot be nested too deep. */
const HARMLESS_CHARACTERS = 4096

function isTooDeep(text: string, limits: ReplyLimits): boolean {
  if (text.length <= HARMLESS_CHARACTERS) return false
  try {
    scanStructure(text, { depth: limits.depth, nodes: Infinity })
    return false
  } catch {
    return true
  }
}

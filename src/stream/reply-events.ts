import type { Frame, FrameReader } from './codec.ts'
import type { Event } from '../model/events.ts'
import { isRecognised } from '../problems/error-words.ts'
import { failureInWords } from './event-reader.ts'
import { streamDecoder } from '../json/bytes.ts'
import { isObject, parse } from '../json/json.ts'
import type { VerbatimPaths } from '../json/verbatim-paths.ts'
import type { Problem } from '../model/problem.ts'
import { scanStructure } from '../json/structure.ts'
import type { PieceFinder, PieceTally } from './pieces/pieces.ts'
import { sseParser, type FrameParser, type Skipping } from './sse.ts'
import {
  EVENT_TOO_LARGE,
  INTERNAL,
  NO_JSON_EVENT,
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

/** Reads a reply from bytes to events. Exactly one terminal event comes, and nothing after it. */
export interface ReplyEvents {
  push(bytes: Uint8Array): Event[]
  end(): Event[]
  fail(problem: Problem): Event[]
  readonly ended: boolean
  /** The stream held text that belongs to no event. */
  readonly strayed: boolean
  /** An event was skipped that the reader does not understand, or that `isSuspect`. */
  readonly suspect: boolean
  /** The last event that was only a piece and has not been read. */
  readonly unread: Frame | undefined
  /** What is wrong with an event that was skipped although its dialect's clients read it. */
  readonly broken: Problem | undefined
}

export interface ReplySource {
  reader: FrameReader
  verbatim: VerbatimPaths
  limits: ReplyLimits
  /** The declared content type. The bytes decide; it is used only for an empty reply. */
  contentType: string | null
  /** For bytes that pass in any case. */
  passing?: Passing
}

interface Passing {
  /**
   * Makes the reader that goes on after an unreadable event. A failure that the upstream itself reports still ends the
   * reply.
   */
  anew(): FrameReader
  /** Whether clients of the dialect read an event. */
  isKnown(frame: Frame): boolean
  /** Events that need not be read, unless one is the last. */
  pieces: PieceFinder
  tally: PieceTally
  /** Called for all that is read. */
  kept?(): void
  /** Whether a text must be inspected; it comes in parts, without the events that are not read. */
  isSuspect(text: string): boolean
}

/** The kind of the reply, as its first bytes show. */
interface Mode {
  maxBytes: number
  push(text: string): Event[]
  end(): Event[]
  readonly strayed?: boolean
  /** Something in it must be inspected. */
  suspect?: boolean
  readonly broken?: Problem | undefined
  readonly unread?: Frame | undefined
}

const failed = (problem: Problem): Event[] => [{ type: 'error', problem }]
const isTerminal = (event: Event) => event.type === 'finish' || event.type === 'error'

export const replyEvents = (source: ReplySource): ReplyEvents => new ReplyReading(source)

class ReplyReading implements ReplyEvents {
  ended = false
  strayed = false
  suspect = false
  readonly #source: ReplySource
  readonly #decode = streamDecoder()
  #mode: Mode | undefined
  #size = 0

  constructor(source: ReplySource) {
    this.#source = source
  }

  get unread(): Frame | undefined {
    return this.#mode?.unread
  }

  get broken(): Problem | undefined {
    return this.#mode?.broken
  }

  push(bytes: Uint8Array): Event[] {
    return this.#guarded(() => {
      this.#size += bytes.length
      return this.#feed(this.#decode(bytes))
    })
  }

  end(): Event[] {
    return this.#guarded(() => {
      const source = this.#source
      this.#mode ??= isStreamType(source.contentType) ? new StreamMode(source) : jsonMode(source)
      const events = [...this.#feed(this.#decode()), ...this.#mode.end()]
      return events.some(isTerminal) ? events : [...events, ...failed(NOT_A_REPLY)]
    })
  }

  fail(problem: Problem): Event[] {
    return this.#guarded(() => failed(problem))
  }

  #guarded(work: () => Event[]): Event[] {
    if (this.ended) return []
    const events = attempt(work)
    const last = events.findIndex(isTerminal)
    if (last < 0) return events
    this.ended = true
    return events.slice(0, last + 1)
  }

  #feed(text: string): Event[] {
    const mode = (this.#mode ??= chooseMode(text, this.#source))
    // Blank space does not show the kind, and must not go on without a bound.
    const { maxBytes } = mode ?? { maxBytes: this.#source.limits.replyBytes }
    if (this.#size > maxBytes) return failed(REPLY_TOO_LARGE)
    const events = mode?.push(text) ?? []
    this.strayed ||= mode?.strayed ?? false
    this.suspect ||= mode?.suspect ?? false
    return events
  }
}

/** For any bytes of an upstream, an exchange ends with a problem and never with an exception. */
function attempt(work: () => Event[]): Event[] {
  try {
    return work()
  } catch {
    return failed(INTERNAL)
  }
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
  if (kind === 'json') return jsonMode(source)
  if (kind === 'events') return new StreamMode(source)
  return kind && foreignMode(source)
}

/** What is no reply: it is read until it is clear what it is. Where bytes pass, none of it does. */
function foreignMode({ passing }: ReplySource): Mode {
  let said = ''
  const end = () => failed({ ...NOT_A_REPLY, said })
  return {
    maxBytes: Infinity,
    push(text) {
      said += text
      if (passing) return failed(NOT_A_REPLY)
      return isRecognised(said) ? end() : []
    },
    end,
  }
}

class StreamMode implements Mode {
  suspect = false
  broken: Problem | undefined
  readonly maxBytes: number
  readonly #limits: ReplyLimits
  readonly #passing: Passing | undefined
  readonly #skipping: Skipping | undefined
  #reader: FrameReader
  #parser: FrameParser

  constructor({ reader, limits, passing }: ReplySource) {
    this.maxBytes = limits.streamBytes
    this.#limits = limits
    this.#passing = passing
    this.#reader = reader
    this.#skipping = passing && {
      skips: (event, text, from, end) =>
        end - from <= HARMLESS_CHARACTERS && passing.pieces.has(event, text, from, end),
      tally: passing.tally,
      behindSkipped: (text, from, head, end) => passing.pieces.behind(text, from, head, end),
      kept: (text) => {
        passing.kept?.()
        this.suspect ||= passing.isSuspect(text)
      },
    }
    this.#parser = sseParser(limits.eventBytes, this.#skipping)
  }

  push(text: string): Event[] {
    const events = this.#read(this.#parser.push(text))
    const passing = this.#passing
    if (!passing) return this.#parser.overflowed ? [...events, ...failed(EVENT_TOO_LARGE)] : events
    let rest = text
    while (this.#parser.overflowed) {
      rest = rest.slice(BLANK_LINE.exec(rest)?.index ?? rest.length).trimStart()
      this.#reader = passing.anew()
      this.#parser = sseParser(this.#limits.eventBytes, this.#skipping)
      events.push(...this.#read(this.#parser.push(rest)))
    }
    return events
  }

  get strayed(): boolean {
    return this.#parser.strayed
  }

  get unread(): Frame | undefined {
    return this.#parser.skipped
  }

  end(): Event[] {
    return [...this.#read(this.#parser.end()), ...this.#reader.end()]
  }

  /** Events before an unreadable frame are still handed over. */
  #read(frames: Frame[]): Event[] {
    const events: Event[] = []
    let isOver = false
    for (const frame of frames) {
      const one = this.#readOne(frame)
      if (one.length === 0) continue
      if (this.#passing && one.some((event) => isStumble(event, frame))) {
        if (this.#passing.isKnown(frame) && !isJsonObject(frame.data)) this.broken ??= NO_JSON_EVENT
        this.#reader = this.#passing.anew()
        this.suspect = true
        continue
      }
      for (const event of one) {
        events.push(event)
        isOver ||= isTerminal(event)
      }
      if (isOver) break
    }
    return events
  }

  #readOne(frame: Frame): Event[] {
    // The parser bounds text that it gathers, but not an event that comes in one piece.
    if (frame.data.length > this.#limits.eventBytes) return failed(EVENT_TOO_LARGE)
    if (isTooDeep(frame.data, this.#limits)) return failed(NOT_A_REPLY)
    try {
      return this.#reader.read(frame)
    } catch {
      return failed(INTERNAL)
    }
  }
}

const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/

/** Whether an error is about the frame itself, and not reported by its content. */
export function isStumble(event: Event, frame: Frame): boolean {
  if (event.type !== 'error' || isDone(frame) || failureInWords(frame)) return false
  return (
    [INTERNAL, EVENT_TOO_LARGE, NOT_A_REPLY].includes(event.problem) || !isJsonObject(frame.data)
  )
}

/** `[DONE]` or the like: the end mark of this family of dialects. Clients read no further. */
export const isDone = ({ data }: Frame): boolean => data.length < 16 && data.trim() === '[DONE]'

function isJsonObject(text: string): boolean {
  try {
    const json = parse(text)
    return isObject(Array.isArray(json) ? json[0] : json)
  } catch {
    return false
  }
}

function jsonMode({ reader, verbatim, limits, passing }: ReplySource): Mode {
  const parts: string[] = []
  return {
    suspect: false,
    maxBytes: limits.replyBytes,
    push(text) {
      parts.push(text)
      this.suspect ||= passing?.isSuspect(text) ?? false
      return []
    },
    end() {
      const text = parts.splice(0).join('')
      if (isTooDeep(text, limits)) return failed(NOT_A_REPLY)
      let json
      try {
        json = parse(text, verbatim)
      } catch {
        return failed(NOT_JSON)
      }
      return reader.body(json, text)
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

import { createParser, type EventSourceParser } from 'eventsource-parser'
import type { Frame } from './codec.ts'
import { memoize } from '../json/memoize.ts'
import { eventFrame } from './event-text.ts'
import type { PieceTally } from './pieces/pieces.ts'
import { oneLine } from './one-line.ts'
import { DeltaEvent, type Template, type Write } from './pieces/template.ts'
import type { WireEvent } from './wire-events.ts'

/** Text in, frames out, in any chunking. */
export interface FrameParser {
  push(text: string): Frame[]
  /** Ends the text: an event without its final blank line counts too. */
  end(): Frame[]
  /** A frame was too large, so nothing more can be read. */
  readonly overflowed: boolean
  /** A bare JSON text has begun, with which some upstreams end a broken stream. No event follows it. */
  readonly strayed: boolean
  /** The last event that was skipped. */
  readonly skipped: Frame | undefined
}

/** For a stream of which most events need not be read. */
export interface Skipping {
  /**
   * Whether an event, of that name and with its data there in a text, need not be handed over. The last of all events
   * is handed over at the end in any case.
   */
  skips(event: string | undefined, text: string, from: number, end: number): boolean
  /**
   * The index behind an event that begins at `from` and surely is skipped; `from` itself for any other. `head`: what
   * stands before its data, and `end` what stands behind it.
   */
  behindSkipped(text: string, from: number, head: string, end: string): number
  /** Is told how long the data of each event is that is skipped, and the last one of a piece of text. */
  readonly tally?: PieceTally
  /** Is told of all text that is not skipped. */
  kept(text: string): void
}

export const sseParser = (maxEventCharacters: number, skipping?: Skipping): FrameParser =>
  new EventParser(maxEventCharacters, skipping)

/**
 * Most events of a stream begin as the one before them and are one line of data: those are cut out by their line ends.
 * All other text goes through the parser of the format.
 */
class EventParser implements FrameParser {
  overflowed = false
  strayed = false
  readonly #most: number
  readonly #skipping: Skipping | undefined
  skipped: Frame | undefined
  /** No other event has followed it. */
  #endsSkipped = false
  /** Most streams never need it. */
  #parser: EventSourceParser | undefined
  #frames: Frame[] = []
  #stray = ''
  /** The last character that the parser was given. */
  #last = ''
  /** How much it may hold of an event that has not ended. */
  #held = 0
  /** No part of an event is held by the parser. */
  #atEventStart = true
  /** How the last event began, and its name. */
  #head = ''
  #name: string | undefined

  constructor(most: number, skipping: Skipping | undefined) {
    this.#most = most
    this.#skipping = skipping
  }

  push(text: string): Frame[] {
    const lineEnd = lineEndOf(text)
    if (lineEnd === undefined) this.#takeOne(text, undefined)
    else this.#cut(text, lineEnd)
    return this.#take()
  }

  end(): Frame[] {
    if (!this.overflowed) this.#parser?.feed('\n\n')
    if (this.#endsSkipped && this.skipped) this.#frames.push(this.skipped)
    const taken = this.#take()
    const stray = this.#stray.trimStart()
    return stray.startsWith('{') || stray.startsWith('[')
      ? [...taken, { data: this.#stray, bare: true }]
      : taken
  }

  #take(): Frame[] {
    const taken = this.#frames
    this.#frames = []
    return taken
  }

  #cut(text: string, lineEnd: LineEnd): void {
    const blankLine = lineEnd + lineEnd
    let at = 0
    while (at < text.length && !this.overflowed) {
      if (this.#atEventStart) at = this.#cutAlike(text, at, blankLine)
      if (at === text.length) return
      if (this.strayed) return this.#takeOne(text.slice(at), undefined)
      const blank = text.indexOf(blankLine, at)
      const end = blank < 0 ? text.length : blank + blankLine.length
      if (at < end) this.#takeOne(text.slice(at, end), blank < 0 ? undefined : blankLine)
      at = end
    }
  }

  /** Takes the events that begin as the last one did; returns where another one begins. */
  #cutAlike(text: string, start: number, blankLine: string): number {
    const head = this.#head
    if (head === '') return start
    const name = this.#name
    const skipping = this.#skipping
    let at = start
    let skipped = -1
    while (at < text.length) {
      const behind = skipping?.behindSkipped(text, at, head, blankLine) ?? at
      const from = at + head.length
      if (behind > at) {
        skipping?.tally?.add(name, behind - from - blankLine.length)
        skipped = from
        at = behind
        continue
      }
      if (text.slice(at, from) !== head) break
      const end = text.indexOf(blankLine.charAt(0), from)
      if (end <= from || !isBlankLine(text, end, blankLine)) break
      // Before a CR LF, an LF alone may have ended the line.
      if (blankLine.length > 2 && text.slice(from, end).includes('\n')) break
      const next = end + blankLine.length
      skipped = skipping?.skips(name, text, from, end) ? from : -1
      if (skipped < 0) {
        skipping?.kept(text.slice(at, next))
        this.#add(name, text.slice(from, end))
      } else skipping?.tally?.add(name, end - from)
      at = next
    }
    if (skipped >= 0) {
      this.skipped = frameOf(name, text.slice(skipped, at - blankLine.length))
      skipping?.tally?.ended(this.skipped)
      this.#endsSkipped = true
    }
    return at
  }

  /** Takes one event or a part of it. `blankLine`: with which it ends, if it does. */
  #takeOne(text: string, blankLine: string | undefined): void {
    this.#skipping?.kept(text)
    const isEnded = blankLine !== undefined && !this.strayed
    if (isEnded && this.#atEventStart && this.#cutOut(text, blankLine)) return
    this.#feed(text, isEnded)
    this.#atEventStart = isEnded && !this.strayed
  }

  /** Takes an event that is one line of data, perhaps with a name; returns false for any other. */
  #cutOut(text: string, blankLine: string): boolean {
    const [found] = HEAD.exec(text) ?? []
    if (found === undefined) return false
    const { head, name } = headIn(found)
    const data = text.slice(head.length, -blankLine.length)
    if (data === '' || data.includes('\n') || data.includes('\r')) return false
    this.#head = head
    this.#name = name
    this.#add(name, data)
    return true
  }

  #add(name: string | undefined, data: string): void {
    this.#endsSkipped = false
    this.#frames.push(frameOf(name, data))
  }

  #feed(text: string, isEnded: boolean): void {
    if (text === '' || this.overflowed) return
    const start = this.strayed ? 0 : strayIn(text, '\r\n'.includes(this.#last))
    if (!this.strayed) this.#weigh(text, isEnded)
    if (this.overflowed) return
    this.#atEventStart = false
    const parser = (this.#parser ??= this.#begin())
    if (start < 0) return parser.feed(text)
    // Kept here: the parser would keep nothing of it where it comes in small pieces.
    this.strayed = true
    parser.feed(text.slice(0, start))
    if (this.#stray.length < this.#most) this.#stray += text.slice(start)
  }

  /**
   * Bounds what is kept of an event that has not ended. Its lines cost memory beside their data, also empty ones, and a
   * piece of data keeps the whole text in which it came.
   */
  #weigh(text: string, isEnded: boolean): void {
    const isOver = isEnded || BLANK_LINE.test(this.#last + text)
    this.#last = text.slice(-1)
    if (isOver) this.#held = 0
    else this.#held += text.length + linesIn(text) * LINE_CHARACTERS
    if (this.#held <= this.#most + HEAD_CHARACTERS) return
    this.overflowed = true
    this.#parser = undefined
  }

  #begin(): EventSourceParser {
    // Without a listener for errors: eventsource-parser 4.1.3 makes one, with its trace, for each line that is no field.
    const parser = createParser({
      onEvent: ({ event, data }) => this.#add(event ? sameName(event) : undefined, data),
    })
    // Behind other events it does not begin the stream, at whose beginning alone it removes a byte order mark.
    if (this.#head !== '') parser.feed('\n')
    return parser
  }
}

const frameOf = (event: string | undefined, data: string): Frame =>
  event === undefined ? { data } : { event, data }

const LF = 10

/** What a line takes beside its text. */
const LINE_CHARACTERS = 16
/** Names of fields, and some lines. */
const HEAD_CHARACTERS = 4096

/** Where the last line end belongs to it; before it may stand the end of another line. */
const BLANK_LINE = /\n[\n\r]|\r\r/

const linesIn = (text: string): number => text.split('\n').length + text.split('\r').length - 2

type LineEnd = '\n' | '\r\n'

/** Of a text that has the first sign of a blank line there. */
function isBlankLine(text: string, at: number, blankLine: string): boolean {
  for (let index = 1; index < blankLine.length; index += 1)
    if (text.charCodeAt(at + index) !== blankLine.charCodeAt(index)) return false
  return true
}

/** How the lines of a text end; undefined where the first CR stands alone. */
function lineEndOf(text: string): LineEnd | undefined {
  const first = text.indexOf('\r')
  if (first < 0) return '\n'
  return text.charCodeAt(first + 1) === LF ? '\r\n' : undefined
}

/** The beginning of an event up to its data, where its name comes first and nothing else does. */
const HEAD = /^(?:event: ([^\r\n]+)(?:\r\n|\n))?data: /

/**
 * How events begin, and their names, the same for all streams. Cut out of a text, they would keep that text for as
 * long as no other event comes: `responses` begins with an event that has all instructions and tools in it.
 */
const headIn = memoize((head) => ({ head, name: HEAD.exec(head)?.[1] }))
const sameName = memoize((name) => name)

/** The place of a line that begins like JSON and not like a field; -1 for none. */
function strayIn(text: string, atLineStart: boolean): number {
  if (atLineStart && (text.startsWith('{') || text.startsWith('['))) return 0
  const before = text.search(/[\r\n][{[]/)
  return before < 0 ? -1 : before + 1
}

/** One event as text. JSON is written on one line. */
export const sseFrame = ({ event, data }: Frame): string => eventHead(event) + oneLine(data) + END

const eventHead = (event: string | undefined): string =>
  event === undefined ? 'data: ' : `event: ${event}\ndata: `
const END = '\n\n'

/** Writes the events of one stream; what deltas have in common is put together once. */
export function sseEvents(): (event: WireEvent) => string {
  let known: { template: Template; write: Write } | undefined
  return (event) => {
    if (!(event instanceof DeltaEvent)) return sseFrame(eventFrame(event))
    const { name, template, text, number } = event
    if (known?.template !== template)
      known = { template, write: template.within(eventHead(name), END) }
    return known.write(text, number)
  }
}

export const SSE_COMMENT = ': ping\n\n'

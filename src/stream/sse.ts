import { createParser, type EventSourceParser } from 'eventsource-parser'
import type { Frame, IsPiece } from './codec.ts'
import { memoize } from '../json/memoize.ts'
import { eventFrame } from './event-text.ts'
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
}

/** Frames that surely bring only a piece of the reply: how many, and how long their data is, of all and at least. */
export interface PieceCount {
  count: number
  size: number
  least: number
}

/**
 * A part of a stream as it came, whole up to its blank line, and the frame in it; none in a comment. `pieces`: there are
 * so many frames in it, of which `frame` is the last.
 */
export interface CutFrame {
  readonly text: string
  readonly frame: Frame | undefined
  readonly pieces?: Readonly<PieceCount>
}

/** Takes what is cut out of a stream, one after the other. */
export interface Cuts {
  take(cut: CutFrame): void
  /** Whether an event, behind all that have been taken, surely brings only a piece. */
  readonly isPiece?: IsPiece | undefined
}

/** Cuts a stream into frames. All texts together are the stream, but for what is no part of any event. */
export interface FrameCutter {
  cut(text: string, cuts: Cuts): void
  /** What has come of an event that was not ended, as if it were, and then what strayed. */
  rest(): CutFrame[]
  readonly overflowed: boolean
  /** What has come behind the last event and is part of none, or its beginning. */
  readonly foreign: string
  /** Whether a part of an event is held until the whole has come, or of what strayed. */
  readonly isWithin: boolean
}

export const sseParser = (maxEventCharacters: number): FrameParser & FrameCutter =>
  new EventParser(maxEventCharacters, false)

export const sseCutter = (maxEventCharacters: number): FrameCutter =>
  new EventParser(maxEventCharacters, true)

/**
 * Most events of a stream begin as the one before them and are one line of data: those are cut out by their line ends.
 * All other text goes through the parser of the format.
 */
class EventParser implements FrameParser, FrameCutter {
  overflowed = false
  strayed = false
  foreign = ''
  /** No part of an event is held. */
  isWithin = false
  readonly #most: number
  /** Whether its text is kept of an event that has not ended. */
  readonly #keepsText: boolean
  /** Most streams never need it. */
  #parser: EventSourceParser | undefined
  #cuts: Cuts = new ListedCuts()
  /** What the parser of the format has found in the text that it was given last. */
  #found: Frame[] = []
  #stray = ''
  /** The last character that the parser was given. */
  #last = ''
  /** How much it may hold of an event that has not ended. */
  #held = 0
  /** The text of that event. */
  #begun = ''
  /** In how many parts that came since they were joined. */
  #parts = 0
  /** The last characters of that. */
  #tail = ''
  /** How the last event began, and its name. */
  #head = ''
  #name: string | undefined

  constructor(most: number, keepsText: boolean) {
    this.#most = most
    this.#keepsText = keepsText
  }

  push(text: string): Frame[] {
    const cuts = new ListedCuts()
    this.cut(text, cuts)
    return framesOf(cuts.drain())
  }

  end(): Frame[] {
    return framesOf(this.rest())
  }

  cut(whole: string, cuts: Cuts): void {
    this.#cuts = cuts
    // The blank line may have begun in the text before.
    const seam = this.isWithin ? seamEnd(this.#tail, whole) : 0
    if (seam > 0) this.#takeOne(whole.slice(0, seam))
    const text = seam > 0 ? whole.slice(seam) : whole
    const lineEnd = lineEndOf(text)
    if (lineEnd === undefined) for (const part of text.split(BEHIND_BLANK_LINE)) this.#takeOne(part)
    else this.#cut(text, lineEnd)
  }

  rest(): CutFrame[] {
    if (!this.overflowed) this.#parser?.feed('\n\n')
    // Behind CR, one LF would still belong to the same line end.
    const missing = this.#begun.endsWith('\n') ? '\n' : '\n\n'
    const taken = new ListedCuts()
    this.#cuts = taken
    this.#handOver(this.#begun + (this.#found.length > 0 ? missing : ''))
    const stray = this.#stray.trimStart()
    return stray.startsWith('{') || stray.startsWith('[')
      ? [...taken.drain(), { text: '', frame: { data: this.#stray, bare: true } }]
      : taken.drain()
  }

  #cut(text: string, lineEnd: LineEnd): void {
    const blankLine = lineEnd + lineEnd
    let at = 0
    while (at < text.length && !this.overflowed) {
      if (!this.isWithin) at = this.#cutSameShape(text, at, blankLine)
      if (at === text.length) return
      if (this.strayed) return this.#takeOne(text.slice(at))
      const blank = text.indexOf(blankLine, at)
      const end = blank < 0 ? text.length : blank + blankLine.length
      if (at < end) this.#takeOne(text.slice(at, end), blank < 0 ? undefined : blankLine)
      at = end
    }
  }

  /** Takes the events that begin as the last one did; returns where another one begins. */
  #cutSameShape(text: string, start: number, blankLine: string): number {
    const head = this.#head
    const name = this.#name
    const cuts = this.#cuts
    if (head === '' || this.strayed) return start
    /** Pieces that follow each other, where they begin, and the data of the last one. */
    let pieces: PieceCount | undefined
    let [begin, data] = [start, '']
    let at = start
    for (;;) {
      const from = at + head.length
      const end = text.slice(at, from) === head ? endOfData(text, from, blankLine) : -1
      const isPiece = end > from && cuts.isPiece?.(name, text, from, end) === true
      if (pieces && !isPiece) {
        cuts.take({ text: text.slice(begin, at), frame: frameOf(name, data), pieces })
        pieces = undefined
      }
      if (end <= from) break
      const next = end + blankLine.length
      data = text.slice(from, end)
      if (!isPiece) cuts.take({ text: text.slice(at, next), frame: frameOf(name, data) })
      else if (pieces) {
        pieces.count += 1
        pieces.size += data.length
        pieces.least = Math.min(pieces.least, data.length)
      } else {
        pieces = { count: 1, size: data.length, least: data.length }
        begin = at
      }
      at = next
    }
    if (at > start) this.foreign = ''
    return at
  }

  /** Takes one event or a part of it. `blankLine`: with which it ends, if it does. */
  #takeOne(text: string, blankLine?: string): void {
    const isEnded = blankLine !== undefined && !this.strayed
    if (isEnded && !this.isWithin && this.#cutOut(text, blankLine)) return
    this.#feed(text, isEnded)
    if (this.strayed || this.overflowed) return this.#handOver('')
    if (this.#keepsText || this.#begun.length < MOST_FOREIGN) this.#keep(text)
    this.isWithin ||= text !== ''
    this.#tail = (text.length < TAIL ? this.#tail + text : text).slice(-TAIL)
    if (isEnded || ENDS_BLANK.test(this.#tail)) this.#handOver(this.#begun)
  }

  /** Joins small parts now and then: V8 keeps a text that grows as a tree with a node for each. */
  #keep(text: string): void {
    this.#begun += text
    this.#parts += 1
    if (this.#parts < FEW_PARTS + this.#begun.length / LENGTH_OF_PART) return
    this.#parts = 0
    this.#begun = this.#begun.split(NO_SIGN).join('')
  }

  /** What was found in a text that has come whole. */
  #handOver(text: string): void {
    const [first, ...others] = this.#found
    if (first) this.foreign = ''
    else if (text !== '' && this.foreign.length < MOST_FOREIGN) this.foreign += linesOfNone(text)
    if (text !== '' || first) this.#cuts.take({ text, frame: first })
    for (const frame of others) this.#cuts.take({ text: '', frame })
    this.#found = []
    this.#begun = ''
    this.#parts = 0
    this.#tail = ''
    this.isWithin = this.strayed
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
    this.foreign = ''
    this.#cuts.take({ text, frame: frameOf(name, data) })
    return true
  }

  #feed(text: string, isEnded: boolean): void {
    if (text === '' || this.overflowed) return
    const start = this.strayed ? 0 : strayIn(text, '\r\n'.includes(this.#last))
    if (!this.strayed) this.#weigh(text, isEnded)
    if (this.overflowed) return
    const parser = (this.#parser ??= this.#begin())
    if (start < 0) return parser.feed(text)
    // Kept here: the parser would keep nothing of it where it comes in small pieces.
    this.strayed = true
    this.foreign += linesOfNone(this.#begun + text.slice(0, start))
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
    this.#begun = ''
  }

  #begin(): EventSourceParser {
    // Without a listener for errors: eventsource-parser 4.1.3 makes one, with its trace, for each line that is no field.
    const parser = createParser({
      onEvent: ({ event, data }) =>
        void this.#found.push(frameOf(event ? sameName(event) : undefined, data)),
    })
    // Behind other events it does not begin the stream, at whose beginning alone it removes a byte order mark.
    if (this.#head !== '') parser.feed('\n')
    return parser
  }
}

/** Nothing but a list of what was cut. */
export class ListedCuts implements Cuts {
  #list: CutFrame[] = []

  take(cut: CutFrame): void {
    this.#list.push(cut)
  }

  drain(): CutFrame[] {
    const list = this.#list
    this.#list = []
    return list
  }
}

const framesOf = (cuts: readonly CutFrame[]): Frame[] => cuts.flatMap(({ frame }) => frame ?? [])

const FEW_PARTS = 64
const LENGTH_OF_PART = 8
const NO_SIGN = '\u{ffff}'

const BEHIND_BLANK_LINE = /(?<=\n\r?\n|\r\r)/
const ENDS_BLANK = /(?:\n\r?\n|\r\r)$/
const BLANK = /\n\r?\n|\r\r/g
/** Characters of the longest blank line. */
const TAIL = 3

const frameOf = (event: string | undefined, data: string): Frame =>
  event === undefined ? { data } : { event, data }

const LF = 10

/** What a line takes beside its text. */
const LINE_CHARACTERS = 16
/** Names of fields, and some lines. */
const HEAD_CHARACTERS = 4096

/** Where the last line end belongs to it; before it may stand the end of another line. */
const BLANK_LINE = /\n[\n\r]|\r\r/

/** Where the blank line ends in a text that began in the text before it; 0 for none. */
function seamEnd(tail: string, text: string): number {
  for (const { index, 0: blank } of (tail + text.slice(0, TAIL)).matchAll(BLANK)) {
    const end = index + blank.length - tail.length
    if (end > 0) return end
  }
  return 0
}

/** So much is looked at of what is part of no event. */
const MOST_FOREIGN = 4096
const FIELDS = ['data', 'event', 'id', 'retry']

/** The lines that belong to no event; the last one may have been cut in the name of a field. */
const linesOfNone = (text: string): string => text.split(LINE_END).filter(isOfNone).join('\n')

function isOfNone(line: string): boolean {
  const [name = ''] = line.trim().split(':', 1)
  return name !== '' && !FIELDS.some((field) => field.startsWith(name))
}
const LINE_END = /\r\n|[\n\r]/

const linesIn = (text: string): number => text.split('\n').length + text.split('\r').length - 2

type LineEnd = '\n' | '\r\n'

/** The end of the only line of an event; below its start where it has another end or none. */
function endOfData(text: string, start: number, blankLine: string): number {
  const end = text.indexOf(blankLine.charAt(0), start)
  for (let index = 1; index < blankLine.length; index += 1)
    if (text.charCodeAt(end + index) !== blankLine.charCodeAt(index)) return -1
  // Before a CR LF, an LF alone may have ended the line.
  return blankLine.length > 2 && text.indexOf('\n', start) < end ? -1 : end
}

/** How the lines of a text end; undefined where not all end alike. */
function lineEndOf(text: string): LineEnd | undefined {
  const first = text.indexOf('\r')
  if (first < 0) return '\n'
  if (text.charCodeAt(first + 1) !== LF || text.includes('\n\n')) return undefined
  return '\r\n'
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

import type { Adapter, Frame } from '../../../adapters/contract.ts'
import { parse, stringify } from '../../json/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { FrameReader } from '../../stream/codec.ts'
import type { ReadFrame, ReadFrames } from './first-read.ts'
import { pieceFinder, type PieceFinder } from '../../stream/pieces/pieces.ts'
import { sseParser } from '../../stream/sse.ts'
import { BEHIND_BLANK_LINE } from '../../stream/whole-events.ts'
import { isStumble, guessKind, isDone } from '../../stream/reply-events.ts'
import type { Veil } from '../../upstream/secrets.ts'
import { isShown, type Event } from '../../model/events.ts'
import { mayHop } from '../../upstream/verdict.ts'

/**
 * Handles failures in a stream that passes unchanged. An event that clients of the dialect take for a failure
 * passes with its secrets hidden. In place of any other failure an error of the dialect is written.
 */
export interface PassingErrors {
  /**
   * Reads the first events, and then further ones until the reply has begun; of JSON the whole text.
   * `isDecisive`: reads all up to the first event that shows something of the reply, because until then another
   * upstream may be asked.
   */
  beginning(text: string, isDecisive?: boolean): Beginning
  /**
   * Handles whole events. `told`: the failure that the reader has found in them; undefined behind the end of the
   * reply.
   */
  inspected(text: string, told: Problem | undefined): Inspected
  /** Handles an element of a stream that is an array. Behind one that is `untold` no other passes. */
  element(text: string): string
  /** The failure of an element that was taken out, since the proxy has more to say of it: the stream ends there. */
  readonly untold: Problem | undefined
  /** A failure that clients understand has passed. */
  readonly said: boolean
}

/**
 * `begun`: the reply has begun. `failure`: it failed, in words that clients do not take for a failure. `first`: the
 * first frames, where all that were needed to tell have been read one after the other.
 */
export interface Beginning {
  begun: boolean
  failure?: Problem
  first?: ReadFrames
}

/** `failure`: the error to be written behind `text`, where the stream ends. */
export interface Inspected {
  text: string
  failure?: Problem
  /** The failure in `told` has been found. */
  found: boolean
}

interface Told {
  said: boolean
  untold: Problem | undefined
}

interface Options {
  adapter: Adapter
  veil: Veil
  reader(): FrameReader
  /** Whether the proxy has more to say of a failure than the upstream has said. */
  isImproved(problem: Problem): boolean
  maxEventCharacters: number
}

/** No service says so much in an error, and searching a larger one for secrets takes too long. */
const LARGEST_ERROR = 262_144

export function passingErrors(options: Options): PassingErrors {
  const { adapter, veil, maxEventCharacters } = options
  const judge = frameJudge(options)
  const { hidden, masked } = secretMasks(veil)
  const { knows = () => true } = adapter.same
  const framesIn = (text: string) => eachFrame(text, maxEventCharacters)
  const errors: PassingErrors & Told = {
    said: false,
    untold: undefined,
    beginning: beginningReader(options, judge),
    inspected(text: string, told: Problem | undefined): Inspected {
      let out = ''
      for (const event of text.split(BEHIND_BLANK_LINE)) {
        const frame = framesIn(event).next().value
        // What is wrong only now is so with all that came.
        if (frame && isDone(frame) && told && !errors.said)
          return { text: out, failure: told, found: true }
        const problem = frame && judge.problemIn(frame)
        if (!problem) {
          out += judge.isContent(frame) ? event : masked(event, hidden)
          continue
        }
        // Clients read the first error of two.
        if (told && !errors.said && !judge.passes(frame, problem))
          return { text: out, failure: problem, found: true }
        out += hidden(event)
        errors.said ||= judge.isOwn(frame)
      }
      return { text: out, found: errors.said }
    },
    element(text: string) {
      if (errors.untold) return ''
      const frame = { data: text }
      const problem = text.includes('"error"') ? judge.problemIn(frame) : undefined
      if (!problem) return knows(frame) ? text : masked(text, veil.hideJson)
      if (!errors.said && !judge.passes(frame, problem)) {
        errors.untold = problem
        return ''
      }
      errors.said ||= judge.isOwn(frame)
      return veil.hideJson(text)
    },
  }
  return errors
}

/**
 * The frames of a text, each cut out when it is asked for: the first one mostly decides, and a piece holds many. It is
 * not made anew for each stream: a generator function gets a shape of its own, which keeps its exchange until a full
 * collection.
 */
function* eachFrame(text: string, maxEventCharacters: number): Generator<Frame> {
  const parser = sseParser(maxEventCharacters)
  for (let at = 0; at < text.length;) {
    const end = behindBlankLine(text, at)
    yield* parser.push(text.slice(at, end))
    at = end
  }
  // An error that came without a framing is read at the end too.
  yield* parser.end()
}

/** What a single frame is, without those before it: a fresh reader reads each. */
interface FrameJudge {
  /** The failure that the frame tells of. */
  problemIn(frame: Frame): Problem | undefined
  /** Whether the frame tells its failure in words that clients of the dialect take for one. */
  isOwn(frame: Frame): boolean
  /** Whether the failure in the frame passes as it is. */
  passes(frame: Frame, problem: Problem): boolean
  /** Whether the frame is more than a comment. */
  isContent(frame: Frame | undefined): boolean
  /** Lets go of the frame that was read last: a stream may go on for an hour. */
  forget(): void
  /** Whether the frame says anything of a reply. One that the reader cannot read does: the caller is to see it. */
  saysSomething(frame: Frame): boolean
  opened(frame: Frame): OpenedFrame
}

/** A frame, the reader that has read it alone, and what it found; no events where it cannot read the frame. */
interface OpenedFrame {
  readonly frame: Frame
  readonly reader: FrameReader
  readonly events: Event[] | undefined
}

function frameJudge({ adapter, reader, isImproved }: Options): FrameJudge {
  const { tellsFailure = () => true, pieces, knows = () => true } = adapter.same
  const found = pieceFinder(pieces)
  // Several questions are asked about one frame, which is read once.
  let last: OpenedFrame | undefined
  const opened = (frame: Frame): OpenedFrame => {
    if (last?.frame === frame) return last
    const alone = reader()
    return (last = { frame, reader: alone, events: attemptedRead(alone, frame) })
  }
  const eventsIn = (frame: Frame) => opened(frame).events
  const isReadable = (frame: Frame): boolean =>
    eventsIn(frame)?.every((event) => !isStumble(event, frame)) ?? false
  const isOwn = (frame: Frame): boolean => tellsFailure(frame) && frame.data.length <= LARGEST_ERROR
  return {
    problemIn(frame) {
      const readable = eventsIn(frame)?.filter((event) => !isStumble(event, frame))
      return errorIn(readable ?? [])
    },
    isOwn,
    passes: (frame, problem) => isOwn(frame) && !isImproved(problem),
    isContent: (frame) =>
      frame !== undefined && (isDone(frame) || (isReadable(frame) && knows(frame))),
    forget: () => void (last = undefined),
    saysSomething: (frame) => found.has(frame.event, frame.data) || eventsIn(frame)?.length !== 0,
    opened,
  }
}

const errorIn = (events: readonly Event[]): Problem | undefined =>
  events.find((event) => event.type === 'error')?.problem

/** Undefined where the reader cannot read the frame. */
function attemptedRead(reader: FrameReader, frame: Frame): Event[] | undefined {
  try {
    return reader.read(frame)
  } catch {
    return undefined
  }
}

function beginningReader(
  { adapter, maxEventCharacters }: Options,
  judge: FrameJudge,
): PassingErrors['beginning'] {
  let reading: PlainBeginning | DecisiveBeginning | undefined
  return (text, isDecisive = false) => {
    // What follows events is none, however it begins.
    const isJson = !reading && guessKind(text) === 'json'
    const frames = isJson ? [unframed(text)] : eachFrame(text, maxEventCharacters)
    reading ??= isDecisive ? new DecisiveBeginning(adapter, judge) : new PlainBeginning(judge)
    const beginning = reading.read(frames)
    judge.forget()
    // What was read is released with the beginning: a stream may go on for an hour.
    if (beginning.begun) reading = undefined
    return beginning
  }
}

/** The beginning up to the first event that says anything. */
class PlainBeginning {
  readonly #judge: FrameJudge
  #isFirst = true

  constructor(judge: FrameJudge) {
    this.#judge = judge
  }

  read(frames: Iterable<Frame>): Beginning {
    for (const frame of frames) {
      const beginning = this.#readOne(frame)
      if (beginning) return beginning
      this.#isFirst = false
    }
    return { begun: false }
  }

  /** Undefined where the frame says nothing. */
  #readOne(frame: Frame): Beginning | undefined {
    const judge = this.#judge
    const problem = judge.problemIn(frame)
    if (problem)
      return judge.passes(frame, problem) ? { begun: true } : { begun: true, failure: problem }
    const { reader, events = [] } = judge.opened(frame)
    // Frames that are only a piece have not been read.
    const isRead = this.#isFirst && events.length > 0
    return judge.saysSomething(frame)
      ? { begun: true, ...(isRead && { first: { reader, frames: [{ frame, events }] } }) }
      : undefined
  }
}

/** The beginning up to the first event that shows something of the reply. */
class DecisiveBeginning {
  readonly #judge: FrameJudge
  readonly #pieces: PieceFinder
  /** Reads all frames, one after the other. */
  #reader: FrameReader | undefined
  readonly #frames: ReadFrame[] = []

  constructor(adapter: Adapter, judge: FrameJudge) {
    this.#judge = judge
    this.#pieces = pieceFinder(adapter.same.pieces)
  }

  read(frames: Iterable<Frame>): Beginning {
    for (const frame of frames) {
      const beginning = this.#readOne(frame)
      if (beginning) return beginning
    }
    return { begun: false }
  }

  /** Undefined where the frame shows nothing. */
  #readOne(frame: Frame): Beginning | undefined {
    // A piece of a text is no failure.
    if (this.#pieces.has(frame.event, frame.data)) return this.#begun()
    const events = this.#eventsIn(frame)
    // Where the frame alone may mean a failure, it means one or is told as one to the reader of all.
    const isClean = events?.every(({ type }) => type !== 'error') ?? false
    // The end mark says nothing by itself.
    const problem = isClean || isDone(frame) ? errorIn(events ?? []) : this.#judge.problemIn(frame)
    if (problem && (mayHop(problem) || !this.#judge.passes(frame, problem)))
      return { begun: true, failure: problem }
    // What cannot be read shows something: the caller is to see it.
    if (problem || !events) return { begun: true }
    this.#frames.push({ frame, events })
    return events.some(isShown) ? this.#begun() : undefined
  }

  #eventsIn(frame: Frame): Event[] | undefined {
    if (this.#reader) return attemptedRead(this.#reader, frame)
    const { reader, events } = this.#judge.opened(frame)
    this.#reader = reader
    return events
  }

  #begun(): Beginning {
    const reader = this.#reader
    return { begun: true, ...(reader && { first: { reader, frames: this.#frames } }) }
  }
}

/** `hidden`: an event of a failure without its secrets. `masked`: a comment, or an event that the dialect does not know, likewise. */
function secretMasks(veil: Veil) {
  return {
    hidden: (text: string): string =>
      text.length > LARGEST_ERROR
        ? ''
        : text.replace(LINE, (_, name: string, value: string) => name + veil.hideJson(value)),
    masked: (text: string, mask: (text: string) => string): string =>
      text.length > LARGEST_ERROR ? (veil.sought?.hide(text) ?? text) : mask(text),
  }
}

/** JSON without a framing, or the first element of a stream that is a list. */
const unframed = (text: string): Frame => {
  const data = firstIn(text)
  return /^\s*\[/.test(text) ? { data } : { data, bare: true }
}

/** The first element of a whole list. */
function firstIn(text: string): string {
  try {
    const json = parse(text)
    return Array.isArray(json) ? stringify(json[0] ?? null) : text
  } catch {
    return text
  }
}

/** The index behind the next blank line, or the end of the text. */
function behindBlankLine(text: string, from: number): number {
  const blank = /\n\r?\n|\r\r/g
  blank.lastIndex = from
  return blank.test(text) ? blank.lastIndex : text.length
}
/** A line without the name of a field is a value, too. */
const LINE = /^((?:(?:data|event|id|retry)?: ?)?)([^\r\n]+)/gm

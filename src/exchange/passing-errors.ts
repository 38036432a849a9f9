import type { Adapter, Frame } from '../../adapters/contract.ts'
import { ENDED_EARLY } from '../model/cursor.ts'
import { parse, stringify } from '../json/json.ts'
import type { Problem } from '../model/problem.ts'
import type { FrameReader } from '../stream/codec.ts'
import { sseParser } from '../stream/sse.ts'
import { isStumble, guessKind } from '../stream/reply-events.ts'
import type { Veil } from '../upstream/secrets.ts'
import { isShown } from '../model/events.ts'
import { isPassingOver } from '../upstream/verdict.ts'

/**
 * Handles failures in a stream that passes unchanged. An event that clients of the dialect take for a failure
 * passes with its secrets hidden. Behind any other failure an error of the dialect is written.
 */
export interface PassingErrors {
  /**
   * Reads the first events, in a text that may be cut off. `isDecisive`: reads all up to the first event that shows
   * something of the reply, because until then another upstream may be asked.
   */
  opening(text: string, isDecisive?: boolean): Opening
  /**
   * Handles whole events. `told`: the failure that the reader has found in them; undefined behind the end of the
   * reply.
   */
  inspected(text: string, told: Problem | undefined): Inspected
  /** Handles an element of a stream that is an array. */
  element(text: string): string
  /** A failure that clients understand has passed. */
  readonly said: boolean
}

/** `begun`: the reply has begun. `failure`: it failed, in words that clients do not take for a failure. */
export interface Opening {
  begun: boolean
  failure?: Problem
}

/** `failure`: the error to be written behind `text`, where the stream ends. */
export interface Inspected {
  text: string
  failure?: Problem
  /** The failure in `told` has been found. */
  found: boolean
}

interface Options {
  adapter: Adapter
  veil: Veil
  reader(): FrameReader
  maxEventCharacters: number
}

/** No service says so much in an error, and searching a larger one for secrets takes too long. */
const LARGEST_ERROR = 262_144

export function passingErrors({
  adapter,
  veil,
  reader,
  maxEventCharacters,
}: Options): PassingErrors {
  const { tellsFailure = () => true, isPiece, knows = () => true } = adapter.same
  const problemIn = (frame: Frame): Problem | undefined => {
    try {
      const events = reader().read(frame)
      const error = events.find(({ type }) => type === 'error')
      return error?.type === 'error' && !isStumble(error, frame) ? error.problem : undefined
    } catch {
      return undefined
    }
  }
  const saysSomething = (frame: Frame): boolean => {
    try {
      return reader().read(frame).length > 0
    } catch {
      return true
    }
  }
  const decided = (frames: readonly Frame[]): Opening => {
    const beginning = reader()
    for (const frame of frames) {
      const problem = problemIn(frame)
      if (problem && (isPassingOver(problem) || !isOwn(frame)))
        return { begun: true, failure: problem }
      if (problem || isPiece?.(frame) || showsSomething(beginning, frame)) return { begun: true }
    }
    return { begun: false }
  }
  const framesIn = (text: string): Frame[] => {
    const parser = sseParser(maxEventCharacters)
    // An error that came without a framing is read at the end too.
    return [...parser.push(text), ...parser.end()]
  }
  const isOwn = (frame: Frame) => tellsFailure(frame) && frame.data.length <= LARGEST_ERROR
  const hidden = (text: string): string =>
    text.length > LARGEST_ERROR
      ? ''
      : text.replace(LINE, (_, name: string, value: string) => name + veil.hideJson(value))
  /** Whether the frame is more than a comment. */
  const isContent = (frame: Frame | undefined): boolean =>
    frame !== undefined && (isDone(frame) || (isReadable(frame) && knows(frame)))
  const isReadable = (frame: Frame): boolean => {
    try {
      return !reader()
        .read(frame)
        .some((event) => isStumble(event, frame))
    } catch {
      return false
    }
  }
  const masked = (text: string, mask = hidden): string =>
    text.length > LARGEST_ERROR ? (veil.sought?.hide(text) ?? text) : mask(text)
  const errors = {
    said: false,
    opening(text: string, isDecisive = false): Opening {
      const frames = guessKind(text) === 'json' ? [unframed(text)] : framesIn(text)
      if (isDecisive) return decided(frames)
      for (const frame of frames) {
        const problem = problemIn(frame)
        if (problem) return isOwn(frame) ? { begun: true } : { begun: true, failure: problem }
        if (isPiece?.(frame) || saysSomething(frame)) return { begun: true }
      }
      return { begun: false }
    },
    inspected(text: string, told: Problem | undefined): Inspected {
      let out = ''
      for (const event of text.split(BEHIND_BLANK_LINE)) {
        const frame = framesIn(event).at(0)
        if (frame && isDone(frame) && told === ENDED_EARLY)
          return { text: out, failure: told, found: true }
        const problem = frame && problemIn(frame)
        if (!problem) {
          out += isContent(frame) ? event : masked(event)
          continue
        }
        out += hidden(event)
        const isNew = told !== undefined && !errors.said
        if (!isOwn(frame) && isNew) return { text: out, failure: problem, found: true }
        errors.said ||= isOwn(frame)
      }
      return { text: out, found: errors.said }
    },
    element(text: string) {
      const frame = { data: text }
      if (!text.includes('"error"') || !problemIn(frame))
        return knows(frame) ? text : masked(text, veil.hideJson)
      errors.said ||= isOwn(frame)
      return veil.hideJson(text)
    },
  }
  return errors
}

/** Whether a frame shows something of the reply. One that the reader cannot read does: the caller is to see it. */
function showsSomething(reader: FrameReader, frame: Frame): boolean {
  try {
    return reader.read(frame).some(isShown)
  } catch {
    return true
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

const BEHIND_BLANK_LINE = /(?<=\n\r?\n|\r\r)/
const LINE = /^([^:\r\n]*:? ?)([^\r\n]+)/gm

/** `[DONE]` or the like: the end mark of this family of dialects. Clients read no further. */
export const isDone = ({ data }: Frame): boolean => data.length < 16 && data.trim() === '[DONE]'

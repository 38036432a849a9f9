import type { Frame, WireEvent } from '../../contract.ts'
import { writeErrorBeside } from '../problems.ts'
import { endOfString } from '../../../src/json/tokens.ts'
import {
  isObject,
  parse,
  stringify,
  toText,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../../src/json/json.ts'
import { verbatimPaths } from '../../../src/json/verbatim-paths.ts'
import { eventText, pieceBeyond } from '../../../src/stream/event-text.ts'

const OPENING: ReadonlySet<Json | undefined> = new Set(['response.created', 'response.in_progress'])

/** A frame, and the pieces of the frames behind it that match it. */
interface Kept {
  data: string
  pieces: string[]
}

/**
 * Keeps all events of a reply, from the first. Of an event that matches the one before only its piece is kept. The
 * response in the first and last frames, with all its tools, is kept once for all frames. Nothing is serialised
 * only for this.
 */
export class FramePacker {
  /** The response in the last frame, as text. */
  final: string | undefined
  size = 0
  readonly #kept: Kept[] = []
  #before: WireEvent | undefined

  add(event: WireEvent): void {
    const piece = pieceBeyond(this.#before, event)
    this.#before = event
    if (piece !== undefined) {
      this.#kept.at(-1)?.pieces.push(piece)
      this.size += piece.length
      return
    }
    const data = this.#hollow(event) ?? eventText(event)
    this.#kept.push({ data, pieces: [] })
    this.size += data.length
  }

  /** The data of the frames that are kept whole, and the types of those without their response. */
  whole(): string[] {
    return this.#kept.map(({ data }) => data)
  }

  packed(): string {
    const rows = this.#kept.map(({ data, pieces }) =>
      pieces.length === 0 ? data : `${data},${stringify(pieces)}`,
    )
    return `[${rows.join()}]`
  }

  /** An event without its response; undefined for an event that has none. */
  #hollow({ name = '', data }: WireEvent): string | undefined {
    if (!bringsResponse(data)) return undefined
    if (!OPENING.has(name)) {
      this.final = toText(data.response)
      this.size += this.final.length
    }
    return stringify({ type: name })
  }
}

/** Whether an event holds the whole response. */
export const bringsResponse = (data: Json): data is JsonObject & { response: Json } =>
  isObject(data) && 'response' in data

const EACH = verbatimPaths('*')

/** Inverse of `FramePacker`; undefined for text that it did not write. */
export function unpackFrames(packed: string, response: JsonObject): Frame[] | undefined {
  try {
    const kept = parse(packed, EACH)
    return Array.isArray(kept) ? replayFrames(kept.map(opened), response) : undefined
  } catch {
    return undefined
  }
}

const HOLLOW = /^\{"type":"[\w.]+"\}$/

/** Parses only lists of pieces, and types. A frame that is kept whole stays the same text. */
function opened(kept: Json): Json {
  if (!(kept instanceof Verbatim)) return kept
  const { text } = kept
  return text.startsWith('[') || HOLLOW.test(text) ? JSON.parse(text) : text
}

/**
 * A string is the data of a frame that is kept whole; a list holds the pieces of frames that match it, an object the
 * type.
 */
export function replayFrames(kept: readonly Json[], response: JsonObject): Frame[] {
  const frames: Frame[] = []
  let model: Model | undefined
  const add = (data: string) => {
    const type = /^\{"type":"([\w.]{1,64})"/.exec(data)?.[1]
    frames.push({ event: type ?? 'message', data })
  }
  for (const each of kept) {
    if (typeof each === 'string') {
      model = readModel(each)
      add(each)
    } else if (Array.isArray(each)) {
      const { head = '', tail = '' } = model ?? {}
      for (const piece of each) add(`${head}${JSON.stringify(piece)}${tail}${frames.length}}`)
    } else if (isObject(each)) add(filledFrame(each, response, frames.length))
  }
  return frames
}

/** The constant text of a frame: before the piece, and between piece and number. */
interface Model {
  head: string
  tail: string
}

const DELTA = '"delta":'
const NUMBER = '"sequence_number":'

function readModel(data: string): Model | undefined {
  const start = data.indexOf(`${DELTA}"`) + DELTA.length
  const number = data.lastIndexOf(NUMBER) + NUMBER.length
  if (start < DELTA.length || number < NUMBER.length) return undefined
  try {
    const end = endOfString(data, start)
    return { head: data.slice(0, start), tail: data.slice(end, number) }
  } catch {
    return undefined
  }
}

/** A frame of this type, with the response as it was at that time. */
export function filledFrame(
  { type = '' }: JsonObject,
  response: JsonObject,
  number: number,
): string {
  const shown = OPENING.has(type) ? asOpened(response) : response
  const { error } = response
  const beside =
    type === 'response.failed' && isObject(error) ? { error: writeErrorBeside(error) } : {}
  return stringify({ type, response: shown, ...beside, sequence_number: number })
}

const asOpened = (response: JsonObject): JsonObject => ({
  ...response,
  status: 'in_progress',
  completed_at: null,
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
})

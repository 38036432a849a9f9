import type { Frame } from '../adapter.ts'
import { endOfString } from '../../src/canonical/json-scan.ts'
import {
  isObject,
  parseObject,
  stringify,
  type Json,
  type JsonObject,
} from '../../src/canonical/json.ts'

/** The last event of a reply, whatever became of it. */
export const TERMINAL: ReadonlySet<Json | undefined> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
])
const OPENING: ReadonlySet<Json | undefined> = new Set(['response.created', 'response.in_progress'])

/**
 * The frames of a reply as they are kept. Of a delta like the one before only its text is kept, as `['…']`;
 * the response in the first and last frames, tools and all, is kept once for all of them and each is `{type}`.
 * A frame that would not come back to the byte is kept as it is.
 */
export class FramePacker {
  readonly #packed: (string | [string])[] = []
  #model: Pieces | undefined

  add({ data }: Frame): void {
    const pieces = piecesOf(data)
    if (pieces && isLike(pieces, this.#model, this.#packed.length)) {
      this.#packed.push([pieces.delta])
      return
    }
    this.#packed.push(data)
    this.#model = pieces
  }

  /** The events that are kept whole, which are all but deltas. */
  *events(): Generator<JsonObject> {
    for (const kept of this.#packed) if (typeof kept === 'string') yield parseObject(kept) ?? {}
  }

  last(): JsonObject {
    const kept = this.#packed.at(-1)
    return (typeof kept === 'string' ? parseObject(kept) : undefined) ?? {}
  }

  packed(response: JsonObject): Json[] {
    return this.#packed.map((kept, index) => {
      const type = typeof kept === 'string' ? LIFECYCLE.exec(kept)?.[1] : undefined
      if (type === undefined) return kept
      const hollow = { type }
      return filled(hollow, response, index) === kept ? hollow : kept
    })
  }
}

/** Inverse of `FramePacker`. */
export function unpackFrames(packed: readonly Json[], response: JsonObject): Frame[] {
  let model: Pieces | undefined
  return packed.map((kept, index) => {
    if (typeof kept === 'string') model = piecesOf(kept)
    const data = unpacked(kept, response, index, model)
    const type = /^\{"type":"([\w.]{1,64})"/.exec(data)?.[1]
    return { event: type ?? 'message', data }
  })
}

function unpacked(
  kept: Json,
  response: JsonObject,
  index: number,
  model: Pieces | undefined,
): string {
  if (typeof kept === 'string') return kept
  if (isObject(kept)) return filled(kept, response, index)
  const delta = Array.isArray(kept) ? kept[0] : ''
  return `${model?.head ?? ''}${JSON.stringify(delta)}${model?.tail ?? ''}${index}}`
}

/** The text of a delta, what stands before it, and what stands between it and its number. */
interface Pieces {
  head: string
  delta: string
  tail: string
  end: string
}

const DELTA = '"delta":'
const NUMBER = '"sequence_number":'

/** Without parsing: there is one for every few letters that a model says. */
function piecesOf(data: string): Pieces | undefined {
  const start = data.indexOf(`${DELTA}"`) + DELTA.length
  const number = data.lastIndexOf(NUMBER) + NUMBER.length
  if (start < DELTA.length || number < NUMBER.length) return undefined
  try {
    const end = endOfString(data, start)
    const literal = data.slice(start, end)
    const delta = String(JSON.parse(literal))
    if (end > number || JSON.stringify(delta) !== literal) return undefined
    return {
      head: data.slice(0, start),
      delta,
      tail: data.slice(end, number),
      end: data.slice(number),
    }
  } catch {
    return undefined
  }
}

const isLike = (pieces: Pieces, model: Pieces | undefined, index: number): boolean =>
  pieces.head === model?.head && pieces.tail === model.tail && pieces.end === `${index}}`

const LIFECYCLE = /^\{"type":"(response\.(?:created|in_progress|completed|incomplete|failed))"/

function filled({ type = '' }: JsonObject, response: JsonObject, index: number): string {
  const told = OPENING.has(type) ? asOpened(response) : response
  return stringify({ type, response: told, sequence_number: index })
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

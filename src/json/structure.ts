import {
  isEscaped,
  SIGN,
  readString,
  UNLIMITED,
  visitTokens,
  type Slice,
  type StructureLimits,
  type Visitor,
} from './tokens.ts'
import type { VerbatimPaths } from './verbatim-paths.ts'

export { StructureError, type StructureLimits } from './tokens.ts'

/** What one look over JSON text finds. */
export interface Structure {
  /** The members of the top level: where their values stand, of a repeated one the last. */
  members: ReadonlyMap<string, Slice>
  kept?: KeptText
}

/** What of a value stays text: all of it, or something at some of its members or elements. */
export type KeptText = Slice | KeptWithin
export type KeptWithin = Map<string | number, KeptText>

/**
 * One look over a body: whether it has the structure of JSON, within the limits, what its members are, and
 * where that stands which is to stay text. Nothing is built from it, and its strings are not looked into.
 * Throws StructureError for a body beyond the limits; undefined for one that is no JSON object.
 */
export function scanStructure(
  text: string,
  limits: StructureLimits,
  paths?: VerbatimPaths,
): Structure | undefined {
  const places = new Places(paths)
  try {
    visitTokens(text, places, limits)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const { members, kept } = places
  return text.charCodeAt(places.whole.start) === SIGN.openBrace
    ? { members, ...(kept && { kept }) }
    : undefined
}

/** Where that stands in JSON text which is to stay text. Throws SyntaxError for what is no JSON. */
export function keptIn(text: string, paths: VerbatimPaths): KeptText | undefined {
  const places = new Places(paths)
  visitTokens(text, places, UNLIMITED)
  return places.kept
}

/** An open container whose members matter: the whole text, the top level, and all on the way to what stays text. */
interface Place {
  /** How many containers are open directly inside of it. */
  readonly depth: number
  readonly paths: VerbatimPaths | undefined
  readonly outer?: Place
  /** What is looked at: its name or number, what stays text of it, and where it begins. */
  key: string | number
  inner: VerbatimPaths | undefined
  start: number
  found?: Map<string | number, KeptText>
}

/** Where in a text one is, as far as it matters. */
class Places implements Visitor {
  readonly members = new Map<string, Slice>()
  readonly whole: Place
  /** So many containers are open directly inside of the place. */
  depth = 0
  /** The value that is looked at matters. */
  wants = true
  #place: Place
  #kept: KeptText | undefined

  constructor(paths: VerbatimPaths | undefined) {
    this.whole = { depth: 0, paths: undefined, key: 0, inner: paths, start: 0 }
    this.#place = this.whole
  }

  get kept(): KeptText | undefined {
    return this.whole.found?.get(0)
  }

  /** Of the names only the top level's are all wanted. */
  name(text: string, start: number, end: number): void {
    const place = this.#place
    const { paths } = place
    const isLikely = ((paths?.lengths ?? 0) >>> ((end - start) & 31)) & 1
    if (this.depth > 1 && !isLikely && !isEscaped(text, start, end)) {
      this.wants = false
      return
    }
    place.key = readString(text, start - 1, end + 1)
    place.inner = paths?.members.get(place.key)
    this.wants = this.depth === 1 || place.inner !== undefined
  }

  begin(at: number, code: number): void {
    const outer = this.#place
    outer.start = at
    const { inner } = outer
    const isObject = code === SIGN.openBrace
    const depth = outer.depth + 1
    if (
      isObject ? inner?.leaf === false || depth === 1 : code === SIGN.openBracket && inner?.element
    ) {
      this.#place = { depth, paths: inner, outer, key: 0, inner: inner?.element, start: 0 }
      this.depth = depth
    }
  }

  leave(): void {
    const { found, outer } = this.#place
    if (!outer) return
    this.#kept = found
    this.#place = outer
    this.depth = outer.depth
    this.wants = true
  }

  /** Of a repeated member the last one counts, as always, also when nothing of it stays text. */
  end(end: number): void {
    const place = this.#place
    const { depth, key, inner, start } = place
    const kept = inner?.leaf ? { start, end } : this.#kept
    this.#kept = undefined
    if (kept) (place.found ??= new Map()).set(key, kept)
    else place.found?.delete(key)
    if (typeof key === 'number') place.key = key + 1
    else if (depth === 1) this.members.set(key, { start, end })
  }
}

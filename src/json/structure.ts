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
import { verbatimPaths, type VerbatimPaths } from './verbatim-paths.ts'

export { StructureError, type StructureLimits } from './tokens.ts'

/** What one pass over JSON text finds. */
export interface Structure {
  /** Where the values of the top level's members stand; of a repeated member the last one. */
  members: ReadonlyMap<string, Slice>
  kept?: KeptText
  /** How many values the body holds. */
  nodes: number
  /** A member of the top level comes twice, perhaps in other letters: see `folded`. */
  repeats: boolean
  /** Where the elements of the list end that was asked about. */
  ends: readonly number[]
}

/** The part of a value that stays text: the whole value, or parts of its members or elements. */
export type KeptText = Slice | KeptWithin
export type KeptWithin = Map<string | number, KeptText>

/**
 * One pass over a body: whether it is JSON within the limits, where its members are, and where the parts stand that
 * stay text. It builds nothing and does not look into strings. `list`: a member whose elements are asked about.
 * Throws StructureError for a body beyond the limits; undefined for one that is no JSON object.
 */
export function scanStructure(
  text: string,
  limits: StructureLimits,
  paths?: VerbatimPaths,
  list?: string,
): Structure | undefined {
  const places = new Places(paths, list)
  let nodes: number
  try {
    nodes = visitTokens(text, places, limits)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const { ends, kept, members } = places
  const repeats = places.repeats || repeatsFolded(members.keys())
  return text.charCodeAt(places.whole.start) === SIGN.openBrace
    ? { members, nodes, repeats, ends, ...(kept && { kept }) }
    : undefined
}

/**
 * A name as servers written in Go compare it: they take a member by any case of its letters, also by those two signs
 * outside of ASCII that have a small letter in it (Go, encoding/json, `Unmarshal` and `foldName`).
 */
export const folded = (name: string): string => name.toUpperCase().toLowerCase()

const SMALL = /^[a-z0-9_]*$/

/** Whether a name is as `folded` gives it, which nearly all are. */
export const isFolded = (name: string): boolean => SMALL.test(name)

function repeatsFolded(names: Iterable<string>): boolean {
  const all = [...names]
  return !isFolded(all.join('')) && new Set(all.map(folded)).size < all.length
}

/** Where the parts of a text stand that stay text. Throws SyntaxError for text that is no JSON. */
export function keptIn(text: string, paths: VerbatimPaths): KeptText | undefined {
  const places = new Places(paths)
  visitTokens(text, places, UNLIMITED)
  return places.kept
}

/**
 * An open object or list whose members matter: the whole text, the top level, and every one on the way to a part that
 * stays text.
 */
interface Place {
  /** How many objects and lists are open around its members. */
  readonly depth: number
  readonly paths: VerbatimPaths | undefined
  readonly outer?: Place
  /** The current member: its name or index, which of its parts stay text, and where it begins. */
  key: string | number
  inner: VerbatimPaths | undefined
  start: number
  found?: Map<string | number, KeptText>
}

/** Follows the tokens of a text, as far as the paths lead. */
class Places implements Visitor {
  readonly members = new Map<string, Slice>()
  readonly whole: Place
  repeats = false
  /** Where the elements of the list end. */
  ends: number[] = []
  readonly #list: string | undefined
  /** The depth at which the current place's members are visited. */
  depth = 0
  /** Whether the next value matters. */
  wants = true
  #place: Place
  #kept: KeptText | undefined

  constructor(paths: VerbatimPaths | undefined, list?: string) {
    this.#list = list
    this.whole = { depth: 0, paths: undefined, key: 0, inner: paths, start: 0 }
    this.#place = this.whole
  }

  get kept(): KeptText | undefined {
    return this.whole.found?.get(0)
  }

  /** Every name matters at the top level, and below it only names on a path. */
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
    if (this.depth === 1 && place.key === this.#list) {
      place.inner ??= ANY_LIST
      this.ends = []
    }
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

  /** The last one of repeated members counts, as in JSON.parse, even when no part of it stays text. */
  end(end: number): void {
    const place = this.#place
    const { depth, key, inner, start } = place
    const kept = inner?.leaf ? { start, end } : this.#kept
    this.#kept = undefined
    if (kept) (place.found ??= new Map()).set(key, kept)
    else place.found?.delete(key)
    if (typeof key === 'number') {
      place.key = key + 1
      if (depth === 2 && place.outer?.key === this.#list) this.ends.push(end)
    } else if (depth === 1) {
      this.repeats ||= this.members.has(key)
      this.members.set(key, { start, end })
    }
  }
}

/** A list of which nothing stays text. */
const ANY_LIST: VerbatimPaths = { ...verbatimPaths(), element: verbatimPaths() }

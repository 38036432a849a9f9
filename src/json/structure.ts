import { endOfString, type Slice } from './scan.ts'
import type { VerbatimPaths } from './verbatim-paths.ts'

/** What one look over JSON text finds. */
export interface Structure {
  /** The members of the top level: where their values stand, of a repeated one the last. */
  members: ReadonlyMap<string, Slice>
  kept?: Kept
}

/** What of a value stays text: all of it, or something at some of its members or elements. */
export type Kept = Slice | KeptWithin
export type KeptWithin = Map<string | number, Kept>

export interface StructureLimits {
  depth: number
  nodes: number
}

/** JSON text that goes beyond a limit: how deep it may be nested, how many values it may hold. */
export class StructureError extends Error {
  readonly limit: keyof StructureLimits
  readonly most: number

  constructor(limit: keyof StructureLimits, most: number) {
    super(`more than ${most} ${limit === 'depth' ? 'levels' : 'values'}`)
    this.limit = limit
    this.most = most
  }
}

/**
 * One look over a body: whether it has the structure of JSON, within the limits, what its members are, and
 * where that stands which is to stay text. Nothing is built from it, and nobody looks into its strings.
 * Throws StructureError for a body beyond the limits; undefined for one that is no JSON object.
 */
export function scanStructure(
  text: string,
  limits: StructureLimits,
  paths?: VerbatimPaths,
): Structure | undefined {
  const places = new Places(paths)
  try {
    look(text, limits, places)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const { members, kept } = places
  return text.charCodeAt(places.whole.start) === 123
    ? { members, ...(kept && { kept }) }
    : undefined
}

const UNLIMITED: StructureLimits = { depth: Infinity, nodes: Infinity }

/** Where that stands in JSON text which is to stay text. Throws SyntaxError for what is no JSON. */
export function keptIn(text: string, paths: VerbatimPaths): Kept | undefined {
  const places = new Places(paths)
  look(text, UNLIMITED, places)
  return places.kept
}

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

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
  found?: Map<string | number, Kept>
}

/** What may stand next; `first` also allows the end of an empty container. */
const VALUE = 0
const FIRST_VALUE = 1
const KEY = 2
const FIRST_KEY = 3
const END_OF_VALUE = 4
const NOTHING = 5

/**
 * A loop and no recursion: how deep a body is, its author chooses. All in one function, because every body goes
 * through it. Throws SyntaxError.
 */
function look(text: string, limits: StructureLimits, places: Places): void {
  /** What closes the containers that are open. */
  const closers: number[] = []
  let expected = VALUE
  let nodes = 0
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code <= SPACE) at = endOfSpace(text, at)
    else if (expected === END_OF_VALUE && code === COMMA) {
      at += 1
      expected = closers[closers.length - 1] === CLOSE_BRACE ? KEY : VALUE
    } else if (expected === KEY || (expected === FIRST_KEY && code !== CLOSE_BRACE)) {
      const end = endOfString(text, at)
      if (closers.length === places.depth) places.name(text, at + 1, end - 1)
      at = afterColon(text, end)
      expected = VALUE
    } else {
      // Nothing in a container is counted as if there was something in it, as commas are.
      if (expected !== END_OF_VALUE && ++nodes > limits.nodes)
        throw new StructureError('nodes', limits.nodes)
      const isEnd = expected > VALUE && (expected !== FIRST_VALUE || code === CLOSE_BRACKET)
      if (isEnd) {
        if (closers.pop() !== code) throw new SyntaxError('expected the end')
        at += 1
        if (closers.length < places.depth) places.leave()
      } else {
        if (closers.length === places.depth && places.wants) places.begin(at, code)
        if (code === OPEN_BRACE || code === OPEN_BRACKET) {
          const isObject = code === OPEN_BRACE
          const depth = closers.push(isObject ? CLOSE_BRACE : CLOSE_BRACKET)
          if (depth > limits.depth) throw new StructureError('depth', limits.depth)
          expected = isObject ? FIRST_KEY : FIRST_VALUE
          at += 1
          continue
        }
        at = code === QUOTE ? endOfString(text, at) : endOfScalar(text, at)
      }
      if (closers.length === places.depth && places.wants) places.end(at)
      expected = closers.length === 0 ? NOTHING : END_OF_VALUE
    }
  }
  if (expected !== NOTHING) throw new SyntaxError('expected more')
}

function afterColon(text: string, start: number): number {
  const at = text.charCodeAt(start) <= SPACE ? endOfSpace(text, start) : start
  if (text.charCodeAt(at) !== COLON) throw new SyntaxError('expected a colon')
  return at + 1
}

const SPACE = 32

/** Where the white space ends that begins here. */
function endOfSpace(text: string, start: number): number {
  let at = start
  while (' \n\r\t'.includes(text.charAt(at)) && at < text.length) at += 1
  if (at === start) throw new SyntaxError('expected white space')
  return at
}

function endOfScalar(text: string, start: number): number {
  SCALAR.lastIndex = start
  if (!SCALAR.test(text)) throw new SyntaxError('expected a value')
  return SCALAR.lastIndex
}

/** Where in a text one is, as far as it matters. */
class Places {
  readonly members = new Map<string, Slice>()
  readonly whole: Place
  /** So many containers are open directly inside of the place. */
  depth = 0
  /** The value that is looked at matters. */
  wants = true
  #place: Place
  #kept: Kept | undefined

  constructor(paths: VerbatimPaths | undefined) {
    this.whole = { depth: 0, paths: undefined, key: 0, inner: paths, start: 0 }
    this.#place = this.whole
  }

  get kept(): Kept | undefined {
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
    const name = text.slice(start, end)
    place.key = name.includes('\\') ? String(JSON.parse(`"${name}"`)) : name
    place.inner = paths?.members.get(place.key)
    this.wants = this.depth === 1 || place.inner !== undefined
  }

  begin(at: number, code: number): void {
    const outer = this.#place
    outer.start = at
    const { inner } = outer
    const isObject = code === OPEN_BRACE
    const depth = outer.depth + 1
    if (isObject ? inner?.leaf === false || depth === 1 : code === OPEN_BRACKET && inner?.element) {
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

function isEscaped(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (text.charCodeAt(at) === BACKSLASH) return true
  return false
}

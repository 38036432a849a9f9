import { isObject, parse, type Json, type VerbatimPaths } from './json.ts'
import { endOfScalar, outline, scalarOf, type Outline, type Scalar } from './outline.ts'

/**
 * The events of a stream are mostly alike: one text, perhaps a count, is another, and everything around it is
 * the same as before. A parser for such a row remembers what was around, and reads only what differs. What it
 * gives is exactly what `parse` gives, but events may share subtrees: nobody may change them.
 */
export interface AlikeParser {
  /** Throws SyntaxError. */
  parse(text: string): Json
}

/** Larger texts are rarely alike. */
const MOST_CHARACTERS = 2048
/** A row in which every text is another kind is not worth learning from. */
const MOST_LESSONS = 32
const MOST_PATTERNS = 8
/** Texts of one kind begin alike. Most kinds come once, and of one text there is nothing to learn. */
const KIND_CHARACTERS = 30
const MOST_KINDS = 32

export function alikeParser(paths?: VerbatimPaths): AlikeParser {
  const patterns = new Map<string, Pattern>()
  const firsts = new Map<string, Example>()
  let lessons = 0
  let latest: Pattern | undefined

  const learn = (text: string, value: Json): void => {
    const kind = text.slice(0, KIND_CHARACTERS)
    const first = firsts.get(kind)
    if (!first) {
      if (firsts.size < MOST_KINDS) firsts.set(kind, { text, value })
      return
    }
    lessons += 1
    const found = outline(text, paths)
    if (!found) return
    const known = patterns.get(found.skeleton) ?? patternOf(first, paths, found.skeleton)
    if (!known && patterns.size >= MOST_PATTERNS) return
    latest = known?.widen(found, value) ?? new Pattern(found, value)
    patterns.set(found.skeleton, latest)
  }
  const recall = (text: string): Json | undefined => {
    const again = latest?.read(text)
    if (again !== undefined) return again
    for (const pattern of patterns.values()) {
      const value = pattern === latest ? undefined : pattern.read(text)
      if (value === undefined) continue
      latest = pattern
      return value
    }
    return undefined
  }
  return {
    parse(text) {
      const known = text.length <= MOST_CHARACTERS ? recall(text) : undefined
      if (known !== undefined) return known
      const value = parse(text, paths)
      if (text.length <= MOST_CHARACTERS && lessons < MOST_LESSONS) learn(text, value)
      return value
    },
  }
}

interface Example {
  text: string
  value: Json
}

function patternOf(
  { text, value }: Example,
  paths: VerbatimPaths | undefined,
  skeleton: string,
): Pattern | undefined {
  const found = outline(text, paths)
  return found?.skeleton === skeleton ? new Pattern(found, value) : undefined
}

/** What is put together anew of a value: the containers on the way to what differs. */
interface Graft {
  key: string | number
  /** The place of the value among those that differ, for the end of a way. */
  slot?: number
  grafts: Graft[]
}

/** Texts of one outline, in which some scalars differ. */
class Pattern {
  readonly #outline: Outline
  readonly #value: Json
  /** The numbers of the scalars that differ. */
  readonly #open: ReadonlySet<number>
  /** What stands around them: one piece more than there are of them. */
  readonly #pieces: readonly string[]
  readonly #grafts: readonly Graft[]

  constructor(outline: Outline, value: Json, open: ReadonlySet<number> = new Set()) {
    this.#outline = outline
    this.#value = value
    this.#open = open
    const scalars = outline.scalars.filter((_, index) => open.has(index))
    const cuts = [{ start: 0, end: 0 }, ...scalars, { start: outline.text.length, end: 0 }]
    this.#pieces = cuts
      .slice(1)
      .map(({ start }, index) => outline.text.slice(cuts[index]?.end, start))
    this.#grafts = graftsOf(scalars.map(({ path }) => path))
  }

  /** The same, with whatever differs in another text of the same outline. */
  widen(other: Outline, value: Json): Pattern {
    const mine = this.#outline
    const differing = mine.scalars.flatMap((scalar, index) =>
      literalOf(mine, scalar) === literalOf(other, other.scalars[index]) ? [] : [index],
    )
    return new Pattern(other, value, new Set([...this.#open, ...differing]))
  }

  /** The value of a text that differs where others did; undefined for any other. */
  read(text: string): Json | undefined {
    const pieces = this.#pieces
    const values: Json[] = []
    let at = 0
    for (let index = 0; index < pieces.length; index += 1) {
      const piece = pieces[index] ?? ''
      // Cheaper than `startsWith`, which goes from character to character.
      if (text.slice(at, at + piece.length) !== piece) return undefined
      at += piece.length
      if (index === pieces.length - 1) break
      const end = endOfScalar(text, at)
      const value = end === undefined ? undefined : scalarOf(text, at, end)
      if (end === undefined || value === undefined) return undefined
      values.push(value)
      at = end
    }
    return at === text.length ? grafted(this.#value, this.#grafts, values) : undefined
  }
}

const literalOf = ({ text }: Outline, scalar: Scalar | undefined): string | undefined =>
  scalar && text.slice(scalar.start, scalar.end)

function graftsOf(paths: readonly Scalar['path'][]): Graft[] {
  const root: Graft = { key: '', grafts: [] }
  for (const [slot, path] of paths.entries()) {
    let graft = root
    for (const key of path) {
      let next = graft.grafts.find((each) => each.key === key)
      if (!next) graft.grafts.push((next = { key, grafts: [] }))
      graft = next
    }
    graft.slot = slot
  }
  return root.grafts
}

/** A copy of `value` as far as something in it is another. */
function grafted(value: Json, grafts: readonly Graft[], values: readonly Json[]): Json {
  const copy = Array.isArray(value) ? value.slice() : isObject(value) ? { ...value } : value
  const members = copy as Record<string | number, Json>
  for (let index = 0; index < grafts.length; index += 1) {
    const graft = grafts[index] as Graft
    members[graft.key] =
      graft.slot === undefined
        ? grafted(members[graft.key] ?? null, graft.grafts, values)
        : (values[graft.slot] ?? null)
  }
  return copy
}

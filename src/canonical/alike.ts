import { endOfString, isObject, parse, type Json, type VerbatimPaths } from './json.ts'

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

export function alikeParser(paths?: VerbatimPaths): AlikeParser {
  const patterns = new Map<string, Pattern>()
  let lessons = 0
  let latest: Pattern | undefined

  const learn = (text: string, value: Json): void => {
    lessons += 1
    const found = outline(text, paths)
    if (!found) return
    const known = patterns.get(found.skeleton)
    if (known) latest = known.widen(found, value)
    else if (patterns.size < MOST_PATTERNS) latest = new Pattern(found, value)
    if (latest) patterns.set(found.skeleton, latest)
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

/** A string or a number in a text, and where its value belongs. */
interface Scalar {
  start: number
  end: number
  path: readonly (string | number)[]
}

interface Outline {
  text: string
  /** The text without its strings and numbers. */
  skeleton: string
  scalars: readonly Scalar[]
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
      if (!text.startsWith(piece, at)) return undefined
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

const QUOTE = 34
/** What JSON.parse would have to unfold, or refuse. */
// eslint-disable-next-line no-control-regex
const NOT_PLAIN = /[\\\u0000-\u001f]/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function endOfScalar(text: string, start: number): number | undefined {
  if (text.charCodeAt(start) === QUOTE) {
    const end = text.indexOf('"', start + 1)
    if (end < 0) return undefined
    return text[end - 1] === '\\' ? endOfEscaped(text, start) : end + 1
  }
  let end = start
  while (isNumeric(text.charCodeAt(end))) end += 1
  return end
}

function endOfEscaped(text: string, start: number): number | undefined {
  try {
    return endOfString(text, start)
  } catch {
    return undefined
  }
}

/** A digit, a sign, a point or an exponent. */
const isNumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  code === 43 ||
  code === 45 ||
  code === 46 ||
  code === 69 ||
  code === 101

/** Counts are short. */
const SHORT_DIGITS = 9

function scalarOf(text: string, start: number, end: number): string | number | undefined {
  if (text.charCodeAt(start) !== QUOTE) return numberOf(text, start, end)
  const body = text.slice(start + 1, end - 1)
  if (!NOT_PLAIN.test(body)) return body
  const literal = text.slice(start, end)
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}

function numberOf(text: string, start: number, end: number): number | undefined {
  let count = 0
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - 48
    const isPlain = digit >= 0 && digit <= 9 && (digit > 0 || count > 0 || end - start === 1)
    if (!isPlain || end - start > SHORT_DIGITS) {
      const literal = text.slice(start, end)
      return NUMBER.test(literal) ? Number(literal) : undefined
    }
    count = count * 10 + digit
  }
  return end > start ? count : undefined
}

const CONTAINERS: ReadonlyMap<string | undefined, '}' | ']'> = new Map([
  ['{', '}'],
  ['[', ']'],
])

/** Undefined where exactness would need more care: verbatim subtrees, members that come twice, `__proto__`. */
function outline(text: string, paths: VerbatimPaths | undefined): Outline | undefined {
  const scalars: Scalar[] = []
  const skeleton: string[] = []
  let at = 0
  const scalar = (path: Scalar['path']): boolean => {
    const start = at
    at = endOfScalar(text, at) ?? text.length
    if (at === start) return literal()
    scalars.push({ start, end: at, path })
    skeleton.push('0')
    return true
  }
  /** true, false and null are part of what is around. */
  const literal = (): boolean => {
    const word = /^(?:true|false|null)/.exec(text.slice(at, at + 5))?.[0]
    if (word === undefined) return false
    at += word.length
    skeleton.push(word)
    return true
  }
  const sign = (expected: string): boolean => {
    if (text[at] !== expected) return false
    at += 1
    skeleton.push(expected)
    return true
  }
  const key = (known: Set<string>): string | undefined => {
    const end = text[at] === '"' ? endOfScalar(text, at) : undefined
    const name = end === undefined ? undefined : text.slice(at + 1, end - 1)
    if (end === undefined || name === undefined || name.includes('\\')) return undefined
    if (name === '__proto__' || known.has(name)) return undefined
    known.add(name)
    at = end
    skeleton.push(name)
    return sign(':') ? name : undefined
  }
  const value = (path: Scalar['path'], node: VerbatimPaths | undefined): boolean => {
    if (node?.leaf) return false
    const close = CONTAINERS.get(text[at])
    if (!close) return scalar(path)
    const opener = text[at] ?? ''
    if (!sign(opener)) return false
    if (sign(close)) return true
    const names = new Set<string>()
    for (let index = 0; ; index += 1) {
      const name = close === '}' ? key(names) : index
      if (name === undefined) return false
      const next = typeof name === 'string' ? node?.members.get(name) : node?.element
      if (!value([...path, name], next)) return false
      if (!sign(',')) return sign(close)
    }
  }
  return value([], paths) && at === text.length
    ? { text, skeleton: skeleton.join(' '), scalars }
    : undefined
}

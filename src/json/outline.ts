import { endOfString } from './scan.ts'
import type { VerbatimPaths } from './verbatim-paths.ts'

/** The names and numbers that lead to a value. */
export type Path = readonly (string | number)[]

/** A string or a number in a text, and where its value belongs. */
export interface Scalar {
  start: number
  end: number
  path: Path
}

const QUOTE = 34
const BACKSLASH = 92
/** The index behind the string or number at `start`; undefined for a string without an end. */
function endOfScalar(text: string, start: number): number | undefined {
  if (text.charCodeAt(start) === QUOTE) {
    const end = text.indexOf('"', start + 1)
    if (end < 0) return undefined
    return text.charCodeAt(end - 1) === BACKSLASH ? endOfEscaped(text, start) : end + 1
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

/** More digits may be more than a number can tell apart. */
const MOST_DIGITS = 15
const ZERO = 48
const SPACE = 32

/** The index behind a whole number as JSON spells it; undefined for any other, and for a very large one. */
export function endOfCount(text: string, start: number): number | undefined {
  let end = start
  while (isDigit(text.charCodeAt(end))) end += 1
  const isSpelled = text.charCodeAt(start) !== ZERO || end === start + 1
  return end > start && end - start <= MOST_DIGITS && isSpelled ? end : undefined
}

const isDigit = (code: number): boolean => code >= ZERO && code < ZERO + 10

/** The index behind a string; undefined for anything else. */
export function endOfText(text: string, start: number): number | undefined {
  if (text.charCodeAt(start) !== QUOTE) return undefined
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) return endOfEscaped(text, start)
    if (code < SPACE) return undefined
  }
  return undefined
}

/** The string between two places; undefined where JSON.parse would refuse it. */
export function textBetween(text: string, start: number, end: number): string | undefined {
  const body = text.slice(start + 1, end - 1)
  if (!body.includes('\\')) return body
  try {
    return String(JSON.parse(text.slice(start, end)))
  } catch {
    return undefined
  }
}

const CONTAINERS: ReadonlyMap<string | undefined, '}' | ']'> = new Map([
  ['{', '}'],
  ['[', ']'],
])

/**
 * The strings and numbers of a text. Undefined where exactness would need more care: verbatim subtrees, members
 * that come twice, `__proto__`.
 */
export function outline(
  text: string,
  paths: VerbatimPaths | undefined,
): readonly Scalar[] | undefined {
  if (!CONTAINERS.has(text[0])) return undefined
  const walk = new Walk(text)
  return walk.value([], paths) && walk.isAtEnd ? walk.scalars : undefined
}

/** One way through a text. Every step says whether it could be taken. */
class Walk {
  readonly scalars: Scalar[] = []
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  value(path: Path, node: VerbatimPaths | undefined): boolean {
    if (node?.leaf) return false
    const opener = this.#text[this.#at] ?? ''
    const close = CONTAINERS.get(opener)
    if (!close) return this.#scalar(path)
    this.#sign(opener)
    return this.#sign(close) || this.#members(path, node, close)
  }

  #members(path: Path, node: VerbatimPaths | undefined, close: '}' | ']'): boolean {
    const names = new Set<string>()
    for (let index = 0; ; index += 1) {
      const name = close === '}' ? this.#key(names) : index
      if (name === undefined) return false
      const next = typeof name === 'string' ? node?.members.get(name) : node?.element
      if (!this.value([...path, name], next)) return false
      if (!this.#sign(',')) return this.#sign(close)
    }
  }

  #scalar(path: Path): boolean {
    const start = this.#at
    const end = endOfScalar(this.#text, start) ?? start
    if (end === start) return this.#word()
    this.scalars.push({ start, end, path })
    return this.#step(end)
  }

  /** true, false and null are part of what is around. */
  #word(): boolean {
    const start = this.#at
    const word = /^(?:true|false|null)/.exec(this.#text.slice(start, start + 5))?.[0]
    return word !== undefined && this.#step(start + word.length)
  }

  #key(known: Set<string>): string | undefined {
    const start = this.#at
    const end = this.#text[start] === '"' ? endOfScalar(this.#text, start) : undefined
    const name = end === undefined ? undefined : this.#text.slice(start + 1, end - 1)
    if (end === undefined || name === undefined || name.includes('\\')) return undefined
    if (name === '__proto__' || known.has(name)) return undefined
    known.add(name)
    this.#step(end)
    return this.#sign(':') ? name : undefined
  }

  #sign(expected: string): boolean {
    return this.#text[this.#at] === expected && this.#step(this.#at + 1)
  }

  #step(to: number): true {
    this.#at = to
    return true
  }
}

import { SIGN, UNLIMITED, visitTokens, type Slice, type Visitor } from './tokens.ts'
import type { VerbatimPaths } from './verbatim-paths.ts'

/** The names and numbers that lead to a value. */
export type Path = readonly (string | number)[]

/** A string or a number in a text, and the path of its value. */
export interface Scalar extends Slice {
  path: Path
}

/**
 * The strings and numbers of a text. Undefined where a path would not be exact: for verbatim subtrees, repeated
 * members and `__proto__`.
 */
export function outline(
  text: string,
  paths: VerbatimPaths | undefined,
): readonly Scalar[] | undefined {
  const scalars = new Scalars(paths)
  try {
    visitTokens(text, scalars, UNLIMITED)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  return scalars.found
}

/** Up to this number of names a list is faster than a set. */
const MOST_NAMES = 64

/** An object or list that is open. */
interface Container {
  readonly paths: VerbatimPaths | undefined
  readonly outer: Container | undefined
  readonly names: string[]
}

/** Visits every token. */
class Scalars implements Visitor {
  readonly found: Scalar[] = []
  readonly wants = true
  depth = 0
  #container: Container | undefined
  /** The name or index of the current value, for each open object or list. */
  readonly #path: (string | number)[] = []
  /** Where the current string or number begins; -1 for any other value. */
  #start = -1
  readonly #root: VerbatimPaths | undefined

  constructor(root: VerbatimPaths | undefined) {
    this.#root = root
  }

  name(text: string, start: number, end: number): void {
    const names = this.#container?.names
    const name = text.slice(start, end)
    if (
      !names ||
      names.length > MOST_NAMES ||
      names.includes(name) ||
      name === '__proto__' ||
      name.includes('\\')
    )
      throw new SyntaxError('too unusual')
    names.push(name)
    this.#path[this.depth - 1] = name
  }

  begin(at: number, code: number): void {
    const outer = this.#container
    const paths = outer ? this.#pathsBelow(outer) : this.#root
    const isObject = code === SIGN.openBrace
    const isContainer = isObject || code === SIGN.openBracket
    if (paths?.leaf || (!outer && !isContainer)) throw new SyntaxError('too unusual')
    this.#start = isContainer || isWord(code) ? -1 : at
    if (!isContainer) return
    this.#container = { paths, outer, names: [] }
    this.#path.push(isObject ? '' : 0)
    this.depth += 1
  }

  leave(): void {
    this.#container = this.#container?.outer
    this.#path.pop()
    this.#start = -1
    this.depth -= 1
  }

  end(end: number): void {
    if (this.#start >= 0) this.found.push({ start: this.#start, end, path: this.#path.slice() })
    const key = this.#path[this.depth - 1]
    if (typeof key === 'number') this.#path[this.depth - 1] = key + 1
  }

  #pathsBelow({ paths }: Container): VerbatimPaths | undefined {
    if (!paths) return undefined
    const key = this.#path[this.depth - 1]
    return typeof key === 'string' ? paths.members.get(key) : paths.element
  }
}

/**
 * Whether the character begins true, false or null, which are no values of their own here but part of the text around
 * them.
 */
const isWord = (code: number): boolean => code > SIGN.closeBracket && code < SIGN.openBrace

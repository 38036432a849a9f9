import { CHAR, endOfString, type Slice } from '../canonical/json-scan.ts'
import { tooDeep, tooManyValues, type StructureLimits } from './scan.ts'

/** The members of a body's top level: where their values stand, of a repeated one the last. */
export type Survey = ReadonlyMap<string, Slice>

/**
 * One look over a body that is passed on and not understood: whether it has the structure of JSON, within
 * the limits, and what its members are. Nothing is built from it, and nobody looks into its strings. Throws
 * ProblemError for a body beyond the limits; undefined for one that is no JSON object.
 */
export function survey(text: string, limits: StructureLimits): Survey | undefined {
  const surveyor = new Surveyor(text, limits)
  try {
    return surveyor.isObject() ? surveyor.members : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What may stand next; `first` also allows the end of an empty container. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'end of value' | 'nothing'

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** A loop and no recursion: how deep a body is, its author chooses. */
class Surveyor {
  readonly members = new Map<string, Slice>()
  readonly #text: string
  readonly #limits: StructureLimits
  /** What closes the containers that are open. */
  readonly #closers: number[] = []
  #expected: Expected = 'value'
  #at = 0
  #nodes = 0
  #member = ''
  #start = 0

  constructor(text: string, limits: StructureLimits) {
    this.#text = text
    this.#limits = limits
  }

  isObject(): boolean {
    if (this.#space() !== CHAR.openBrace) return false
    while (this.#at < this.#text.length) this.#step(this.#space())
    return this.#expected === 'nothing'
  }

  #step(code: number): void {
    if (Number.isNaN(code)) return
    switch (this.#expected) {
      case 'first value':
        return code === CHAR.closeBracket ? this.#closeEmpty() : this.#value(code)
      case 'value':
        return this.#value(code)
      case 'first key':
        return code === CHAR.closeBrace ? this.#closeEmpty() : this.#key()
      case 'key':
        return this.#key()
      case 'end of value':
        return code === CHAR.comma ? this.#comma() : this.#close(code)
      case 'nothing':
        throw new SyntaxError('expected the end')
      default:
        this.#expected satisfies never
    }
  }

  #value(code: number): void {
    this.#count()
    if (code === CHAR.openBrace) return this.#open(CHAR.closeBrace, 'first key')
    if (code === CHAR.openBracket) return this.#open(CHAR.closeBracket, 'first value')
    this.#at = code === CHAR.quote ? endOfString(this.#text, this.#at) : this.#endOfScalar()
    this.#end()
  }

  #endOfScalar(): number {
    SCALAR.lastIndex = this.#at
    if (!SCALAR.test(this.#text)) throw new SyntaxError('expected a value')
    return SCALAR.lastIndex
  }

  #open(closer: number, expected: Expected): void {
    if (this.#closers.push(closer) > this.#limits.depth) throw tooDeep(this.#limits.depth)
    this.#at += 1
    this.#expected = expected
  }

  /** Counted as if there was something in it, as commas are. */
  #closeEmpty(): void {
    this.#count()
    this.#close(this.#text.charCodeAt(this.#at))
  }

  #close(code: number): void {
    if (this.#closers.pop() !== code) throw new SyntaxError('expected the end of a container')
    this.#at += 1
    this.#end()
  }

  /** Behind a value. */
  #end(): void {
    const depth = this.#closers.length
    this.#expected = depth === 0 ? 'nothing' : 'end of value'
    if (depth === 1) this.members.set(this.#member, { start: this.#start, end: this.#at })
  }

  #comma(): void {
    this.#at += 1
    this.#expected = this.#closers.at(-1) === CHAR.closeBrace ? 'key' : 'value'
  }

  #key(): void {
    const start = this.#at
    this.#at = endOfString(this.#text, start)
    const end = this.#at
    if (this.#space() !== CHAR.colon) throw new SyntaxError('expected a colon')
    this.#at += 1
    this.#expected = 'value'
    if (this.#closers.length > 1) return
    const literal = this.#text.slice(start, end)
    this.#member = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
    this.#space()
    this.#start = this.#at
  }

  #count(): void {
    this.#nodes += 1
    if (this.#nodes > this.#limits.nodes) throw tooManyValues(this.#limits.nodes)
  }

  /** The next character that is no white space. */
  #space(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code
      this.#at += 1
    }
  }
}

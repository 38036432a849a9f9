import { type DocumentPath, spellPlace } from './lint/place.ts'

/** Lines and columns count from 1. */
export interface Position {
  line: number
  column: number
}

export interface JsoncFault extends Position {
  expected: string
}

export interface JsoncDocument {
  /** Undefined where the text is no JSON. */
  value: unknown
  /** Members that are repeated, and where the text stops being JSON. */
  faults: readonly JsoncFault[]
  /** Where a value, or the name of a member, begins. For a missing member: where its object begins. */
  positionOf(path: DocumentPath, part?: 'name' | 'value'): Position
}

const BLANK = /(?:[\s\ufeff]+|\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y
const STRING = /"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/uy
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y
const MAX_DEPTH = 64

interface Span {
  name: number
  value: number
}

class BrokenText extends Error {
  readonly at: number
  constructor(expected: string, at: number) {
    super(`expected ${expected}`)
    this.at = at
  }
}

/**
 * Parses JSON with comments and trailing commas. JSON.parse behind a comment stripper would not do: its messages
 * quote the text around the fault, which may hold a key.
 */
export function parseJsonc(text: string): JsoncDocument {
  const spans = new Map<string, Span>()
  const faults: JsoncFault[] = []
  const note = (expected: string, at: number) => faults.push({ expected, ...positionIn(text, at) })
  let value: unknown
  try {
    value = readText(text, spans, (expected, at) => note(`expected ${expected}`, at))
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error
    note(error.message, error.at)
  }
  return {
    value,
    faults,
    positionOf(path, part = 'value') {
      for (let length = path.length; length >= 0; length -= 1) {
        const span = spans.get(spellPlace(path.slice(0, length)))
        if (span) return positionIn(text, length < path.length ? span.value : span[part])
      }
      return { line: 1, column: 1 }
    },
  }
}

function positionIn(text: string, at: number): Position {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

/** Takes tokens from the text, from `at` on. */
class Tokens {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  fail(expected: string): never {
    const end = this.at < this.text.length ? '' : ', but the text ends here'
    throw new BrokenText(expected + end, this.at)
  }

  skipBlank(): void {
    this.#token(BLANK)
  }

  /** Takes `mark` if it comes next; returns whether it did. */
  takes(mark: string): boolean {
    this.skipBlank()
    if (this.text[this.at] !== mark) return false
    this.at += 1
    return true
  }

  string(what: string): string {
    this.skipBlank()
    return JSON.parse(this.#token(STRING) ?? this.fail(what))
  }

  scalar(): unknown {
    return JSON.parse(this.#token(SCALAR) ?? this.fail('a JSON value'))
  }

  /** Takes `item, item, …` up to `close`; a trailing comma is allowed. */
  list(close: string, item: () => void): void {
    while (!this.takes(close)) {
      item()
      if (!this.takes(',') && this.text[this.at] !== close) this.fail(`a comma or "${close}"`)
    }
  }

  #token(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }
}

/** Reads a whole text and notes where everything begins; throws `BrokenText`. */
function readText(
  text: string,
  spans: Map<string, Span>,
  complain: (expected: string, at: number) => void,
): unknown {
  const tokens = new Tokens(text)
  const path: PropertyKey[] = []
  const member = (key: PropertyKey, start: number | undefined): unknown => {
    path.push(key)
    const found = value(start)
    path.pop()
    return found
  }
  const members = (): Record<string, unknown> => {
    const found = new Map<string, unknown>()
    tokens.list('}', () => {
      tokens.skipBlank()
      const start = tokens.at
      const key = tokens.string('a field name in double quotes or "}"')
      if (found.has(key)) complain(`"${key}" only once`, start)
      if (!tokens.takes(':')) tokens.fail('a colon')
      found.set(key, member(key, start))
    })
    return Object.fromEntries(found)
  }
  const elements = (): unknown[] => {
    const found: unknown[] = []
    tokens.list(']', () => found.push(member(found.length, undefined)))
    return found
  }
  const value = (start: number | undefined): unknown => {
    if (path.length > MAX_DEPTH) tokens.fail(`at most ${MAX_DEPTH} levels`)
    tokens.skipBlank()
    spans.set(spellPlace(path), { name: start ?? tokens.at, value: tokens.at })
    if (tokens.takes('{')) return members()
    if (tokens.takes('[')) return elements()
    return text[tokens.at] === '"'
      ? tokens.string('a string that ends on its line, with "\\\\" for a backslash')
      : tokens.scalar()
  }
  const parsed = value(undefined)
  tokens.skipBlank()
  if (tokens.at < text.length) tokens.fail('nothing more')
  return parsed
}

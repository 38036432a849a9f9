import { type Path, spellPlace } from './place.ts'

/** Lines and columns count from 1. */
export interface Position {
  line: number
  column: number
}

export interface JsoncFault extends Position {
  expected: string
}

export interface JsoncDocument {
  /** Undefined where the text stops being JSON. */
  value: unknown
  /** What is said twice, and where the text stops being JSON. */
  faults: readonly JsoncFault[]
  /** Where a value begins, or the name of a member; of what is not there, where it should have been. */
  positionOf(path: Path, part?: 'name' | 'value'): Position
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
 * Parses JSON as people write it, with comments and trailing commas. JSON.parse would be of no help behind
 * a comment stripper: its messages quote the text around the fault, which may hold a key.
 */
export function parseJsonc(text: string): JsoncDocument {
  const spans = new Map<string, Span>()
  const faults: JsoncFault[] = []
  const note = (expected: string, at: number) => faults.push({ expected, ...positionIn(text, at) })
  const read = reader(text, spans, (expected, at) => note(`expected ${expected}`, at))
  let value: unknown
  try {
    value = read()
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

/** Notes where everything begins; throws `BrokenText`. */
function reader(
  text: string,
  spans: Map<string, Span>,
  complain: (expected: string, at: number) => void,
): () => unknown {
  let at = 0
  const path: PropertyKey[] = []

  const fail = (expected: string, where = at): never => {
    throw new BrokenText(expected, where)
  }
  const token = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const takes = (mark: string): boolean => {
    token(BLANK)
    if (text[at] !== mark) return false
    at += 1
    return true
  }
  const string = (what: string): string => {
    token(BLANK)
    return JSON.parse(token(STRING) ?? fail(what))
  }
  /** `item, item, …` up to `close`; the last comma may be too much. */
  const list = (close: string, item: () => void): void => {
    while (!takes(close)) {
      item()
      if (!takes(',') && text[at] !== close) fail(`a comma or "${close}"`)
    }
  }
  const member = (key: PropertyKey, start: number | undefined): unknown => {
    path.push(key)
    const found = value(start)
    path.pop()
    return found
  }
  const members = (): Record<string, unknown> => {
    const found = new Map<string, unknown>()
    list('}', () => {
      token(BLANK)
      const start = at
      const key = string('a member name in double quotes or "}"')
      if (found.has(key)) complain(`"${key}" only once`, start)
      if (!takes(':')) fail('a colon')
      found.set(key, member(key, start))
    })
    return Object.fromEntries(found)
  }
  const elements = (): unknown[] => {
    const found: unknown[] = []
    list(']', () => found.push(member(found.length, undefined)))
    return found
  }
  const value = (start: number | undefined): unknown => {
    if (path.length > MAX_DEPTH) fail(`at most ${MAX_DEPTH} levels`)
    token(BLANK)
    spans.set(spellPlace(path), { name: start ?? at, value: at })
    if (takes('{')) return members()
    if (takes('[')) return elements()
    if (text[at] === '"') return string('a string that ends on its line')
    return JSON.parse(token(SCALAR) ?? fail('a value'))
  }
  return () => {
    const parsed = value(undefined)
    token(BLANK)
    if (at < text.length) fail('the end')
    return parsed
  }
}

/** A place where the text stops being JSON; lines and columns count from 1. */
export class JsoncError extends Error {
  readonly line: number
  readonly column: number
  constructor(expected: string, text: string, at: number) {
    super(`expected ${expected}`)
    const before = text.slice(0, at).split('\n')
    this.line = before.length
    this.column = (before.at(-1) ?? '').length + 1
  }
}

const BLANK = /(?:[\s\ufeff]+|\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y
const STRING = /"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/uy
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y
const MAX_DEPTH = 64

/**
 * Parses JSON as people write it, with comments and trailing commas. JSON.parse would be of no help behind
 * a comment stripper: its messages quote the text around the fault, which may hold a key.
 */
export function parseJsonc(text: string): unknown {
  let at = 0

  const fail = (expected: string, where = at): never => {
    throw new JsoncError(expected, text, where)
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
  const members = (depth: number): Record<string, unknown> => {
    const found = new Map<string, unknown>()
    list('}', () => {
      token(BLANK)
      const start = at
      const key = string('a member name in double quotes or "}"')
      if (found.has(key)) fail(`"${key}" only once`, start)
      if (!takes(':')) fail('a colon')
      found.set(key, value(depth + 1))
    })
    return Object.fromEntries(found)
  }
  const elements = (depth: number): unknown[] => {
    const found: unknown[] = []
    list(']', () => found.push(value(depth + 1)))
    return found
  }
  const value = (depth: number): unknown => {
    if (depth > MAX_DEPTH) fail(`at most ${MAX_DEPTH} levels`)
    if (takes('{')) return members(depth)
    if (takes('[')) return elements(depth)
    if (text[at] === '"') return string('a string that ends on its line')
    return JSON.parse(token(SCALAR) ?? fail('a value'))
  }

  const parsed = value(0)
  token(BLANK)
  if (at < text.length) fail('the end')
  return parsed
}

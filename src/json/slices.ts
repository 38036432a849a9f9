import { endOfString, endOfValue, type Slice } from './scan.ts'

/** Looks at JSON text without building anything from it. */

const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const QUOTE = 34
const COMMA = 44
const COLON = 58

/** Where the values at `path` of an object stand; of a repeated member all of them. */
export function slicesAt(text: string, path: readonly string[]): Slice[] {
  try {
    let slices: Slice[] = [{ start: 0, end: text.length }]
    for (const key of path) slices = slices.flatMap((slice) => membersAt(text, slice.start, key))
    return slices
  } catch {
    return []
  }
}

function membersAt(text: string, start: number, key: string): Slice[] {
  const slices: Slice[] = []
  let at = skipSpace(text, start)
  if (text.charCodeAt(at) !== OPEN_BRACE) return slices
  at = skipSpace(text, at + 1)
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACE) {
    const nameEnd = endOfString(text, at)
    const name = text.slice(at, nameEnd)
    at = skipSpace(text, nameEnd)
    if (text.charCodeAt(at) !== COLON) throw new SyntaxError('expected a colon')
    at = skipSpace(text, at + 1)
    const end = endOfValue(text, at)
    if (parseName(name) === key) slices.push({ start: at, end })
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return slices
}

const parseName = (literal: string): unknown =>
  literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1)

/** A byte order mark may stand in front. */
function skipSpace(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) <= 32 || text.charCodeAt(at) === 0xfeff) at += 1
  return at
}

/** Replaces the strings at `slices`, which are in order; whatever is no string stays. */
export function spliceStrings(text: string, slices: readonly Slice[], value: string): string {
  let spliced = ''
  let from = 0
  for (const { start, end } of slices) {
    if (text.charCodeAt(start) !== QUOTE) continue
    spliced += text.slice(from, start) + JSON.stringify(value)
    from = end
  }
  return spliced + text.slice(from)
}

/** A string or a boolean; undefined for anything else. */
export function scalarIn(text: string, slice: Slice): string | boolean | undefined {
  const literal = text.slice(slice.start, slice.end)
  if (literal === 'true' || literal === 'false') return literal === 'true'
  if (!literal.startsWith('"')) return undefined
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}

import {
  endOfColon,
  endOfSpace,
  endOfValue,
  readString,
  SIGN,
  visitParts,
  type Slice,
} from './tokens.ts'

/** Finds members in JSON text, and skips everything else. */

/** Where the values at `path` stand. Of a repeated member all of them are returned. */
export function slicesAt(text: string, path: readonly string[]): Slice[] {
  try {
    let slices: Slice[] = [{ start: text.startsWith(BYTE_ORDER_MARK) ? 1 : 0, end: text.length }]
    for (const key of path) slices = slices.flatMap((slice) => membersAt(text, slice.start, key))
    return slices
  } catch {
    return []
  }
}

/** Where the value stands of the first text that looks like a member of this name. May throw SyntaxError. */
export function likelyValue(text: string, name: string): number | undefined {
  const literal = `"${name}"`
  const at = text.indexOf(literal)
  return at < 0 ? undefined : endOfSpace(text, endOfColon(text, at + literal.length))
}

const BYTE_ORDER_MARK = '\ufeff'

function membersAt(text: string, start: number, key: string): Slice[] {
  const slices: Slice[] = []
  const at = endOfSpace(text, start)
  if (text.charCodeAt(at) !== SIGN.openBrace) return slices
  visitParts(text, at, (name, endOfName, value) => {
    const end = endOfValue(text, value)
    if (readString(text, name, endOfName) === key) slices.push({ start: value, end })
    return end
  })
  return slices
}

/** Replaces the strings at `slices`, which are in order; other values stay. */
export function spliceStrings(text: string, slices: readonly Slice[], value: string): string {
  let spliced = ''
  let from = 0
  for (const { start, end } of slices) {
    if (text.charCodeAt(start) !== SIGN.quote) continue
    spliced += text.slice(from, start) + JSON.stringify(value)
    from = end
  }
  return spliced + text.slice(from)
}

/** A string or a boolean; undefined for anything else. */
export function scalarIn(literal: string): string | boolean | undefined {
  if (literal === 'true' || literal === 'false') return literal === 'true'
  if (!literal.startsWith('"')) return undefined
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}

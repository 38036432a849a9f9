/** Finds its way in JSON text without building anything from it. */

/** A part of a text. */
export interface Slice {
  start: number
  end: number
}

export const CHAR = {
  quote: 34,
  comma: 44,
  colon: 58,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
} as const

/** The index behind the string literal that begins at `start`; throws SyntaxError. */
export function endOfString(text: string, start: number): number {
  if (text.charCodeAt(start) !== CHAR.quote) throw new SyntaxError('expected a string')
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) throw new SyntaxError('unterminated string')
    let before = end - 1
    while (text.charCodeAt(before) === CHAR.backslash) before -= 1
    if ((end - before) % 2 === 1) return end + 1
  }
}

/** The index behind the value that begins at `start`, without recursion: depth is the caller's business. */
export function endOfValue(text: string, start: number): number {
  let at = start
  let depth = 0
  do {
    const code = text.charCodeAt(at)
    if (code === CHAR.quote) at = endOfString(text, at)
    else if (code === CHAR.openBrace || code === CHAR.openBracket) {
      depth += 1
      at += 1
    } else if (code === CHAR.closeBrace || code === CHAR.closeBracket) {
      if (depth === 0) break
      depth -= 1
      at += 1
    } else if (depth === 0 && (code === CHAR.comma || code <= 32)) break
    else at += 1
  } while (at < text.length && (depth > 0 || !endsHere(text, at)))
  return at
}

function endsHere(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const container = text.charCodeAt(at - 1)
  if (container === CHAR.closeBrace || container === CHAR.closeBracket || container === CHAR.quote)
    return true
  return code === CHAR.comma || code === CHAR.closeBrace || code === CHAR.closeBracket || code <= 32
}

/**
 * What some reader takes for the end of a line. Server-sent events have LF and CR only, but httpx (0.28, under
 * google-genai and httpx-sse for Python) cuts lines as Python's `splitlines` does; of the others that it cuts
 * at, these are all that JSON lets stand in a string.
 */
const BREAKS = ['\n', '\r', '\u0085', '\u2028', '\u2029']

const LINE_ENDS = /[\n\r]+/g
const IN_STRINGS = /[\u0085\u2028\u2029]/g

/**
 * The same JSON without anything that ends a line. LF and CR stand between tokens only, where subtrees that
 * stay text came with them; the others in strings only.
 */
export function oneLine(json: string): string {
  // A search for one character is many times faster than a pattern, and most texts hold none of them.
  if (!BREAKS.some((sign) => json.includes(sign))) return json
  return escapedBreaks(json.replace(LINE_ENDS, ' '))
}

/** The same JSON with those escaped that may stand in strings. */
export const escapedBreaks = (json: string): string =>
  json.replace(IN_STRINGS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

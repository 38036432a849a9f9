/**
 * The characters that end a line for at least one reader. Server-sent events know only LF and CR, but httpx (0.28,
 * under google-genai and httpx-sse for Python) splits lines as Python's `splitlines` does. Of its further line ends
 * these are the ones that JSON allows in a string.
 */
const BREAKS = ['\n', '\r', '\u0085', '\u2028', '\u2029']

const LINE_ENDS = /[\n\r]+/g
const IN_STRINGS = /[\u0085\u2028\u2029]/g

/**
 * The same JSON without line ends. LF and CR occur only between tokens, in subtrees that stayed text; the others
 * occur only in strings.
 */
export function oneLine(json: string): string {
  // Searching for single characters is many times faster than a pattern, and most texts hold none.
  if (!BREAKS.some((sign) => json.includes(sign))) return json
  return escapedBreaks(json.replace(LINE_ENDS, ' '))
}

/** The same JSON with the line ends in its strings escaped. */
export const escapedBreaks = (json: string): string =>
  json.replace(IN_STRINGS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

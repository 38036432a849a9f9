import { decodeBase64 } from './base64.ts'
import { joinBytes } from './bytes.ts'
import { ChunkedBytes } from './chunked-bytes.ts'
import { SIGN, type Slice } from './tokens.ts'

/**
 * Base64 of pictures, pages and sounds is most of a large body, and is not looked into: it stays the bytes that came.
 * The rest of the body becomes text. In it a short mark stands for all but the beginning of each literal that was
 * left out, and where the text is written the bytes come back.
 */
export interface LiftedText {
  text: string
  /** The literals that were left out, in their order. */
  literals: readonly LargeLiteral[]
  /** Whether there are characters outside of ASCII. */
  isWide: boolean
}

/** The bytes of one literal, in pieces that follow each other. */
export type LargeLiteral = readonly Uint8Array[]

/** Decodes pieces that follow each other. */
export type Decode = (bytes: readonly Uint8Array[]) => string

/** Shorter literals are not worth the work. */
const LEAST_BYTES = 16_384
/**
 * The beginning of a literal that stays in the text: it holds the media type of a data URL, and the bytes by which
 * kinds of data are told apart.
 */
const HEAD_BYTES = 256

/** A control character that real text does not hold, so that marks cannot be taken for words. */
const EDGE = '\u0080'
const ESCAPED_EDGE = '\\u0080'
const writeMark = (index: number, length: number): string => `${EDGE}${index}.${length}${EDGE}`

const totalLength = (parts: readonly (Uint8Array | string)[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0)

const MINUS = 45
const UNDERSCORE = 95

/** The text of JSON bytes, without long literals. The text is JSON as well. */
export function liftLiterals(pieces: readonly Uint8Array[], decode: Decode): LiftedText {
  const bytes = new ChunkedBytes(pieces)
  const whole = (): LiftedText => {
    const text = decode(pieces)
    return { text, literals: [], isWide: text.length < bytes.length }
  }
  const spans = findSpans(bytes)
  if (spans.length === 0) return whole()
  const parts: string[] = []
  let from = 0
  for (const { start, end } of spans) {
    parts.push(decode(bytes.between(from, start)))
    from = end
  }
  parts.push(decode(bytes.between(from, bytes.length)))
  if (parts.some((part) => part.includes(EDGE) || part.includes(ESCAPED_EDGE))) return whole()
  const marks = spans.map(({ start, end }, index) => writeMark(index, end - start))
  const literals = spans.map(({ start, end }) => bytes.between(start, end))
  return {
    text: parts.map((part, index) => part + (marks[index] ?? '')).join(''),
    literals,
    isWide: totalLength(parts) + totalLength(literals.flat()) < bytes.length,
  }
}

/** Whether the text of JSON bytes may be without long literals. */
export const holdsLiterals = (bytes: Uint8Array): boolean =>
  findSpans(new ChunkedBytes([bytes])).length > 0

/** Inverse of `liftLiterals`, for any text that holds marks; the pieces follow each other. */
export function fillLiterals(
  text: string,
  literals: readonly LargeLiteral[],
): (string | Uint8Array)[] {
  const pieces: (string | Uint8Array)[] = []
  let from = 0
  let at = text.indexOf(EDGE)
  while (at >= 0) {
    const literal = literalAt(text, at, literals)
    if (literal) {
      pieces.push(text.slice(from, at), ...literal.bytes)
      from = literal.end
    }
    at = text.indexOf(EDGE, literal?.end ?? at + 1)
  }
  pieces.push(text.slice(from))
  return pieces
}

function literalAt(
  text: string,
  start: number,
  literals: readonly LargeLiteral[],
): { bytes: LargeLiteral; end: number } | undefined {
  const index = Number.parseInt(text.slice(start + 1, start + 12), 10)
  const bytes = literals[index]
  const mark = bytes && writeMark(index, totalLength(bytes))
  return bytes && mark && text.startsWith(mark, start)
    ? { bytes, end: start + mark.length }
    : undefined
}

/**
 * Looks at every byte at a distance of half the least length: one of them lies in each literal that is long enough,
 * and from there its quotes are found.
 */
function findSpans(bytes: ChunkedBytes): Slice[] {
  const step = LEAST_BYTES / 2
  const spans: Slice[] = []
  for (let at = step; at + step <= bytes.length;) {
    const end = bytes.indexOf(SIGN.quote, at)
    if (end < 0) break
    if (end - at >= step) {
      const span = spanIn(bytes, bytes.lastIndexOf(SIGN.quote, at) + 1, end)
      if (span) spans.push(span)
    }
    at = (Math.floor(end / step) + 1) * step
  }
  return spans
}

/**
 * The part of a literal that can be left out: no character of it is escaped in JSON, and it is not in the base64
 * alphabet for URLs (RFC 4648, section 5), which may have to be translated into the other one.
 */
function spanIn(bytes: ChunkedBytes, start: number, end: number): Slice | undefined {
  if (end - start < LEAST_BYTES) return undefined
  const beginning = bytes.between(start, start + HEAD_BYTES)
  if (beginning.some((piece) => piece.some((byte) => byte > 126))) return undefined
  const text = DECODER.decode(joinBytes(beginning))
  const data = text.slice(HEAD.exec(text)?.[0].length ?? 0)
  if (!BASE64.test(data) || isText(data)) return undefined
  const from = start + HEAD_BYTES
  const foreign = OWN.test(data) ? [SIGN.backslash] : [SIGN.backslash, MINUS, UNDERSCORE]
  return foreign.every((byte) => bytes.indexOf(byte, from, end) < 0)
    ? { start: from, end }
    : undefined
}

const DECODER = new TextDecoder()
const HEAD = /^data:[^,"]{0,120},/
/** Characters that the base64 alphabet for URLs does not have. */
const OWN = /[+/]/
const BASE64 = /^[A-Za-z\d+/]{100,}$/

/** Lengths of the beginning in base64: one of the four decodes to bytes that do not end inside a character. */
const BEGINNINGS = [96, 95, 94, 92]

/** Whether base64 holds plain text, which an adapter may have to read after all. */
function isText(data: string): boolean {
  const texts = BEGINNINGS.map((length) => decodeBase64(data.slice(0, length)))
  // eslint-disable-next-line no-control-regex
  return texts.some((text) => text !== undefined && !/[\u0000-\u0008\u000e-\u001f]/.test(text))
}

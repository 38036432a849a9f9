import { decodeBase64 } from './base64.ts'

/**
 * Pictures, pages and sounds are most of a large body, and nobody here looks into them: their base64 is taken
 * out before the body is parsed, and put back into whatever is written of it. In between, a short mark stands
 * for all but its beginning.
 */
export interface Punched {
  text: string
  /** What was taken out, in order. */
  holes: readonly string[]
}

/** Below it the work of taking out is not worth it. */
const LEAST_CHARACTERS = 16_384
/** What stays of a literal: the media type of a data URL is in it, and what tells kinds of data apart. */
const HEAD_CHARACTERS = 256

/** A control character that no real text has, so that a mark is told from words. */
const EDGE = '\u0080'
const ESCAPED_EDGE = '\\u0080'
const markOf = (index: number, length: number): string => `${EDGE}${index}.${length}${EDGE}`

interface Span {
  start: number
  end: number
}

/** Takes the long data out of JSON text. The text that is left is JSON as well. */
export function punched(text: string): Punched {
  const spans = spansOf(text)
  if (spans.length === 0 || text.includes(EDGE) || text.includes(ESCAPED_EDGE))
    return { text, holes: [] }
  const holes = spans.map(({ start, end }) => text.slice(start, end))
  const parts: string[] = []
  let from = 0
  for (const [index, { start, end }] of spans.entries()) {
    parts.push(text.slice(from, start), markOf(index, end - start))
    from = end
  }
  parts.push(text.slice(from))
  return { text: parts.join(''), holes }
}

/** Inverse of `punched`, for every text in which marks stand. */
export const filled = (text: string, holes: readonly string[]): string =>
  holes.length === 0 ? text : piecesOf(text, holes).join('')

/** The same in pieces that have to be put together: a copy less. */
export function piecesOf(text: string, holes: readonly string[]): string[] {
  if (holes.length === 0) return [text]
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf(EDGE); at >= 0; at = text.indexOf(EDGE, from)) {
    const hole = holeAt(text, at, holes)
    parts.push(text.slice(from, at), hole?.what ?? EDGE)
    from = hole?.end ?? at + 1
  }
  parts.push(text.slice(from))
  return parts
}

function holeAt(
  text: string,
  start: number,
  holes: readonly string[],
): { what: string; end: number } | undefined {
  const index = Number.parseInt(text.slice(start + 1, start + 12), 10)
  const what = holes[index]
  const mark = what === undefined ? '' : markOf(index, what.length)
  return what !== undefined && text.startsWith(mark, start)
    ? { what, end: start + mark.length }
    : undefined
}

/**
 * Whoever jumps in steps of half the least length lands in every literal that is long enough, and from there
 * finds its quotes.
 */
function spansOf(text: string): Span[] {
  const step = LEAST_CHARACTERS / 2
  const spans: Span[] = []
  for (let at = step; at + step <= text.length;) {
    const end = text.indexOf('"', at)
    if (end < 0) break
    if (end - at >= step) {
      const span = spanIn(text, text.lastIndexOf('"', at) + 1, end)
      if (span) spans.push(span)
    }
    at = (Math.floor(end / step) + 1) * step
  }
  return spans
}

/** The part of a literal that can be taken out: without a character that JSON spells in some other way. */
function spanIn(text: string, start: number, end: number): Span | undefined {
  if (end - start < LEAST_CHARACTERS || text.slice(start, end).includes('\\')) return undefined
  const [head = ''] = HEAD.exec(text.slice(start, start + HEAD_CHARACTERS)) ?? []
  const data = text.slice(start + head.length, start + HEAD_CHARACTERS)
  return BASE64.test(data) && !isText(data) ? { start: start + HEAD_CHARACTERS, end } : undefined
}

const HEAD = /^data:[^,"]{0,120},/
const BASE64 = /^[\w+/-]{100,}$/

/** The numbers of characters behind which one of four bytes in a row ends: a character may be cut. */
const BEGINNINGS = [96, 95, 94, 92]

/** The base64 of a plain text may have to be read after all. */
function isText(data: string): boolean {
  const texts = BEGINNINGS.map((length) => decodeBase64(data.slice(0, length)))
  // eslint-disable-next-line no-control-regex
  return texts.some((text) => text !== undefined && !/[\u0000-\u0008\u000e-\u001f]/.test(text))
}

import type { PieceRule } from '../codec.ts'

/** Tells of the frames of one stream whether they surely bring only a piece. */
export class PieceFinder {
  readonly #rule: PieceRule | undefined
  /** The last name, and what was said of it: a row of pieces has one. */
  #name: string | undefined
  #isPiece = false

  constructor(rule: PieceRule | undefined) {
    this.#rule = rule
  }

  /** An event, and where its data stands in a text. */
  has(event: string | undefined, text: string, start: number, end: number): boolean {
    if (event === undefined || !this.#rule) return false
    if (event !== this.#name) {
      this.#name = event
      this.#isPiece = this.#rule(event)
    }
    return this.#isPiece && looksWhole(text, start, end)
  }
}

/** Whether data begins and ends as an object does. More is not looked at, since most of a stream is pieces. */
function looksWhole(text: string, start: number, end: number): boolean {
  let first = start
  while (first < end && isSpace(text.charCodeAt(first))) first += 1
  let last = end - 1
  while (last > first && isSpace(text.charCodeAt(last))) last -= 1
  return last > first && text[first] === '{' && text[last] === '}'
}

const isSpace = (code: number): boolean => code <= 32

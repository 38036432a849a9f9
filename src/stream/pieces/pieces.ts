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

  has(event: string | undefined, data: string): boolean {
    if (event === undefined || !this.#rule) return false
    if (event !== this.#name) {
      this.#name = event
      this.#isPiece = this.#rule(event)
    }
    return this.#isPiece && looksWhole(data)
  }
}

/** Whether data begins and ends as an object does. More is not looked at, since most of a stream is pieces. */
function looksWhole(text: string): boolean {
  if (text[0] === '{' && text[text.length - 1] === '}') return true
  let first = 0
  while (first < text.length && isSpace(text.charCodeAt(first))) first += 1
  let last = text.length - 1
  while (last > first && isSpace(text.charCodeAt(last))) last -= 1
  return text[first] === '{' && text[last] === '}'
}

const isSpace = (code: number): boolean => code <= 32

import { isDigit } from '../json/tokens.ts'
import type { PieceRule } from './codec.ts'

/** Tells of the frames of one stream whether they surely bring only a piece. */
export interface PieceFinder {
  /** The event's name, and where its data stands in a text. */
  has(event: string | undefined, text: string, from?: number, end?: number): boolean
}

export const pieceFinder = (rule: PieceRule | undefined): PieceFinder =>
  rule && 'brings' in rule ? new AlikePieces(rule) : new NamedPieces(rule)

type NameRule = Extract<PieceRule, { isName: unknown }>
type PatternRule = Exclude<PieceRule, NameRule>

class NamedPieces implements PieceFinder {
  readonly #rule: NameRule | undefined
  /** The last name, and what was said of it: a row of pieces has one. */
  #name: string | undefined
  #isPiece = false

  constructor(rule: NameRule | undefined) {
    this.#rule = rule
  }

  has(event: string | undefined): boolean {
    if (event !== this.#name) {
      this.#name = event
      this.#isPiece = event !== undefined && this.#rule?.isName(event) === true
    }
    return this.#isPiece
  }
}

/**
 * Most pieces begin and end as the one before, but for counts of tokens. What they begin with is not searched again, the
 * string in which they differ is never, and how they end only where it is new.
 */
class AlikePieces implements PieceFinder {
  readonly #rule: PatternRule
  #head = ''
  /** What stands between the numbers of how the last one ended. */
  #tail: readonly string[] = []

  constructor(rule: PatternRule) {
    this.#rule = rule
  }

  has(event: string | undefined, text: string, from = 0, end = text.length): boolean {
    if (event !== undefined) return false
    return this.#isAlike(text, from, end) || this.#isNew(text.slice(from, end))
  }

  #isAlike(text: string, from: number, end: number): boolean {
    const piece = from + this.#head.length
    if (piece === from || text.slice(from, piece) !== this.#head) return false
    let quote = text.indexOf('"', piece)
    while (quote < end && text[quote - 1] === '\\') quote = text.indexOf('"', quote + 1)
    if (quote <= piece || quote >= end) return false
    if (this.#endsAlike(text, quote, end)) return true
    const tail = text.slice(quote, end)
    if (this.#rule.telling.test(tail)) return false
    this.#tail = tail.split(NUMBER)
    return true
  }

  #endsAlike(text: string, start: number, end: number): boolean {
    let at = start
    for (const part of this.#tail) {
      if (at > start) while (isDigit(text.charCodeAt(at))) at += 1
      const next = at + part.length
      if (text.slice(at, next) !== part) return false
      at = next
    }
    return at === end
  }

  #isNew(data: string): boolean {
    const found = this.#rule.brings.exec(data)
    if (!found || this.#rule.telling.test(data)) return false
    // Pieces without a string, such as pictures, differ in more than one.
    if (found[0].endsWith('"')) this.#head = data.slice(0, found.index + found[0].length)
    return true
  }
}

const NUMBER = /\d+/

import { isDigit } from '../../json/tokens.ts'
import type { Frame, PieceRule } from '../codec.ts'
import { endOfMatch, PiecePatterns } from './piece-patterns.ts'

/** Tells of the frames of one stream whether they surely bring only a piece. */
export interface PieceFinder {
  /** The event's name, and where its data stands in a text. */
  has(event: string | undefined, text: string, from?: number, end?: number): boolean
  /**
   * The index behind an event that begins at `from` and surely brings only a piece; `from` itself where that is not
   * known so quickly. `head`: what stands before its data, and `end` what stands behind it.
   */
  behind(text: string, from: number, head: string, end: string): number
}

/** The pieces of a stream that are not read, without those that only repeat what others have said. */
export class PieceTally {
  count = 0
  /** How long their data is: of all, and of the shortest. */
  size = 0
  least = Infinity
  last: Frame | undefined
  /** The last name, and whether such a piece says anything new: a row of pieces has one. */
  #name: string | undefined
  #isNew = true

  add(name: string | undefined, length: number): void {
    if (!this.#says(name)) return
    this.count += 1
    this.size += length
    if (length < this.least) this.least = length
  }

  /** The last of a row of pieces, which have been added. */
  ended(piece: Frame): void {
    if (this.#says(piece.event)) this.last = piece
  }

  #says(name: string | undefined): boolean {
    if (name !== this.#name) {
      this.#name = name
      this.#isNew = name === undefined || name.endsWith('delta')
    }
    return this.#isNew
  }
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

  has(event: string | undefined, text: string, from = 0, end = text.length): boolean {
    if (event !== this.#name) {
      this.#name = event
      this.#isPiece = event !== undefined && this.#rule?.isName(event) === true
    }
    return this.#isPiece && looksWhole(text, from, end)
  }

  behind(_text: string, from: number): number {
    return from
  }
}

const patterns = new WeakMap<PatternRule, PiecePatterns>()

/** One for each dialect. */
function patternsOf(rule: PatternRule): PiecePatterns {
  const made = patterns.get(rule) ?? new PiecePatterns()
  patterns.set(rule, made)
  return made
}

/** So many pieces are alike before a pattern is made for them. */
const WORTH_A_PATTERN = 24

/**
 * Most pieces begin and end as the one before, but for counts of tokens. What they begin with is not searched again, the
 * string in which they differ is never, and how they end only where it is new.
 */
class AlikePieces implements PieceFinder {
  readonly #rule: PatternRule
  #head = ''
  /** The last one said more. The first piece behind it counts: it may take an end back. */
  #isBehind = false
  /** What stands between the numbers of how the last one ended. */
  #tail: readonly string[] = []
  readonly #patterns: PiecePatterns
  #pattern: RegExp | undefined
  /** How many pieces were alike and did not match the pattern, and how many there were when one was sought. */
  #alike = 0
  #tried = 0

  constructor(rule: PatternRule) {
    this.#rule = rule
    this.#patterns = patternsOf(rule)
  }

  has(event: string | undefined, text: string, from = 0, end = text.length): boolean {
    if (event !== undefined) return false
    const isPiece = this.#isAlike(text, from, end) || this.#isNew(text.slice(from, end))
    const isUnread = isPiece && !this.#isBehind
    this.#isBehind = !isPiece
    return isUnread
  }

  behind(text: string, from: number, head: string, end: string): number {
    if (this.#isBehind) return from
    const behind = this.#pattern ? endOfMatch(this.#pattern, text, from) : from
    if (behind === from && this.#alike !== this.#tried) this.#seek(text, from, head, end)
    return behind
  }

  /** Looks for a pattern for the events that follow. */
  #seek(text: string, from: number, head: string, end: string): void {
    this.#tried = this.#alike
    if (this.#alike === 1) this.#pattern = this.#patterns.find(text, from) ?? this.#pattern
    if (this.#alike === WORTH_A_PATTERN) {
      const tail = this.#tail.join('0')
      this.#pattern = this.#patterns.make(head + this.#head, tail.slice(1) + end)
    }
  }

  #isAlike(text: string, from: number, end: number): boolean {
    const piece = from + this.#head.length
    if (piece === from || text.slice(from, piece) !== this.#head) return false
    let quote = text.indexOf('"', piece)
    while (quote < end && isEscapedAt(text, quote)) quote = text.indexOf('"', quote + 1)
    if (quote <= piece || quote >= end) return false
    if (this.#endsAlike(text, quote, end)) {
      this.#alike += 1
      return true
    }
    const tail = text.slice(quote, end)
    if (this.#rule.telling.test(tail) || !looksWhole(text, from, end)) return false
    this.#tail = tail.split(NUMBER)
    this.#alike = 0
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
    if (!found || this.#rule.telling.test(data) || !looksWhole(data, 0, data.length)) return false
    // Pieces without a string, such as pictures, differ in more than one.
    if (found[0].endsWith('"')) this.#head = data.slice(0, found.index + found[0].length)
    return true
  }
}

const NUMBER = /\d+/

/** Whether data begins and ends as an object does. More is not looked at, since most of a stream is pieces. */
function looksWhole(text: string, from: number, end: number): boolean {
  let first = from
  while (first < end && isSpace(text.charCodeAt(first))) first += 1
  let last = end - 1
  while (last > first && isSpace(text.charCodeAt(last))) last -= 1
  return text[first] === '{' && last < end && text[last] === '}'
}

const isSpace = (code: number): boolean => code <= 32

/** Whether an odd number of backslashes stands before a character. */
function isEscapedAt(text: string, at: number): boolean {
  let before = at - 1
  while (text[before] === '\\') before -= 1
  return (at - before) % 2 === 0
}

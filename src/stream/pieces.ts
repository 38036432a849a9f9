import type { Frame, PieceRule } from './codec.ts'

/** Tells of the frames of one stream whether they surely bring only a piece. */
export interface PieceFinder {
  has(frame: Frame): boolean
  /** The same for data that stands in a longer text, without cutting it out. */
  hasAt(event: string | undefined, text: string, from: number, end: number): boolean
}

export const pieceFinder = (rule: PieceRule | undefined): PieceFinder =>
  rule && 'brings' in rule
    ? new AlikePieces(rule.brings, rule.telling)
    : new NamedPieces(rule?.isName)

class NamedPieces implements PieceFinder {
  readonly #isName: (name: string) => boolean
  /** The last name, and what was said of it: a row of pieces has one. */
  #name = ''
  #isPiece = false

  constructor(isName: (name: string) => boolean = () => false) {
    this.#isName = isName
  }

  has({ event }: Frame): boolean {
    return this.hasAt(event)
  }

  hasAt(event: string | undefined): boolean {
    if (event === undefined) return false
    if (event === this.#name) return this.#isPiece
    this.#name = event
    this.#isPiece = this.#isName(event)
    return this.#isPiece
  }
}

/**
 * Most pieces begin and end as the one before. What they begin with is not searched again, the string in which they
 * differ is never, and how they end only where it is new.
 */
class AlikePieces implements PieceFinder {
  readonly #brings: RegExp
  readonly #telling: RegExp
  #head = ''
  #tail = ''

  constructor(brings: RegExp, telling: RegExp) {
    this.#brings = brings
    this.#telling = telling
  }

  has({ event, data }: Frame): boolean {
    return this.hasAt(event, data, 0, data.length)
  }

  hasAt(event: string | undefined, text: string, from: number, end: number): boolean {
    if (event !== undefined) return false
    return this.#isAlike(text, from, end) || this.#isNew(text.slice(from, end))
  }

  #isAlike(text: string, from: number, end: number): boolean {
    const piece = from + this.#head.length
    if (piece === from || text.slice(from, piece) !== this.#head) return false
    let quote = text.indexOf('"', piece)
    while (quote < end && text[quote - 1] === '\\') quote = text.indexOf('"', quote + 1)
    if (quote <= piece || quote >= end) return false
    const tail = text.slice(quote, end)
    if (tail === this.#tail) return true
    if (this.#telling.test(tail)) return false
    this.#tail = tail
    return true
  }

  #isNew(data: string): boolean {
    const found = this.#brings.exec(data)
    if (!found || this.#telling.test(data)) return false
    this.#head = data.slice(0, found.index + found[0].length)
    return true
  }
}

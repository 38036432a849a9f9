import type { Frame, PieceRule } from './codec.ts'

/** Tells of the frames of one stream whether they surely bring only a piece. */
export function pieceFinder(rule: PieceRule | undefined): (frame: Frame) => boolean {
  if (!rule) return () => false
  if ('brings' in rule) return new PieceFinder(rule.brings, rule.telling).find
  return ({ event }) => event !== undefined && rule.isName(event)
}

/**
 * Most pieces begin and end as the one before. What they begin with is not searched again, the string in which they
 * differ is never, and how they end only where it is new.
 */
class PieceFinder {
  readonly #brings: RegExp
  readonly #telling: RegExp
  #head = ''
  #tail = ''

  constructor(brings: RegExp, telling: RegExp) {
    this.#brings = brings
    this.#telling = telling
  }

  readonly find = ({ event, data }: Frame): boolean =>
    event === undefined && (this.#isAlike(data) || this.#isNew(data))

  #isAlike(data: string): boolean {
    const from = this.#head.length
    if (from === 0 || data.slice(0, from) !== this.#head) return false
    const end = data.indexOf('"', from)
    if (end <= from) return false
    const tail = data.slice(end)
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

import type { CutFrame, Cuts, FrameCutter } from './sse.ts'

/** Cuts a JSON array that grows into its elements, each with what stands before it. */
export const arrayCutter = (maxEventCharacters: number): FrameCutter =>
  new ArrayParser(maxEventCharacters)

class ArrayParser implements FrameCutter {
  overflowed = false
  readonly #most: number
  readonly #ends = elementScanner()
  foreign = ''
  #held = ''
  #isOpen = false

  constructor(most: number) {
    this.#most = most
  }

  /** Between two elements nothing but an element may stand. */
  get isWithin(): boolean {
    return true
  }

  cut(text: string, cuts: Cuts): void {
    let from = 0
    for (const end of this.#ends(text)) {
      const part = this.#held + text.slice(from, end)
      const before = part.match(AROUND)?.[0] ?? ''
      const frame = { data: part.slice(before.length) }
      // Behind an element one without a comma is no part of the list.
      const isBare = this.#isOpen && !before.includes(',')
      cuts.take({ text: part, frame: isBare ? { ...frame, bare: true } : frame })
      this.#held = ''
      this.#isOpen = true
      from = end
    }
    this.#held += text.slice(from)
    this.overflowed ||= this.#held.length > this.#most
  }

  rest(): CutFrame[] {
    const rest = this.#held
    this.#held = ''
    if (rest.trimStart().startsWith('{')) return [{ text: '', frame: { data: rest, bare: true } }]
    const own = rest.match(AROUND)?.[0] ?? ''
    if (!rest.startsWith('{', own.length)) this.foreign = rest.slice(own.length)
    // An upstream may stop behind an error; a list without its end could not be read.
    return [{ text: this.#isOpen && !own.includes(']') ? ']' : own, frame: undefined }]
  }
}

/** What may stand before an element, and behind the last one. */
const AROUND = /^[\s,[\]]*/

/** The indices behind the elements that end in a text; the text continues those before. */
function elementScanner(): (text: string) => number[] {
  let depth = 0
  let quoted = false
  let escaped = false
  return (text) => {
    const ends: number[] = []
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at]
      if (escaped) escaped = false
      else if (quoted) {
        if (sign === '\\') escaped = true
        else if (sign === '"') quoted = false
      } else if (sign === '"') quoted = true
      else if (sign === '{' || sign === '[') depth += 1
      else if (sign === '}' || sign === ']') {
        depth -= 1
        if (depth === 1) ends.push(at + 1)
      }
    }
    return ends
  }
}

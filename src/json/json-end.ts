import { SIGN } from './tokens.ts'

const OPEN: ReadonlySet<number> = new Set([SIGN.openBracket, SIGN.openBrace])
const CLOSE: ReadonlySet<number> = new Set([SIGN.closeBracket, SIGN.closeBrace])
/** White space, and the bytes of a mark. */
const BEFORE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/**
 * Sees in bytes as they pass whether the object or list that they began with has come to its end. Nothing is
 * kept, and strings, where most bytes are, are leapt over.
 */
export class JsonEnd {
  #depth = 0
  #begun = false
  /** It has ended, or is no object and no list, so that its end is unknown. */
  #over = false
  #quoted = false
  #escaped = false

  /** What came so far is the beginning of something. */
  get isMissing(): boolean {
    return this.#depth > 0
  }

  push(bytes: Uint8Array): void {
    if (this.#over) return
    let at = this.#begun ? 0 : bytes.findIndex((byte) => !BEFORE.has(byte))
    if (at < 0) return
    if (!this.#begun) this.#over = !OPEN.has(bytes[at] ?? 0)
    this.#begun = true
    while (at < bytes.length && !this.#over)
      at = this.#quoted ? this.#leap(bytes, at) : this.#step(bytes, at)
  }

  #step(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0
    if (byte === SIGN.quote) this.#quoted = true
    else if (OPEN.has(byte)) this.#depth += 1
    else if (CLOSE.has(byte)) {
      this.#depth -= 1
      this.#over = this.#depth === 0
    }
    return at + 1
  }

  /** To where the string ends, or the bytes do. */
  #leap(bytes: Uint8Array, start: number): number {
    const found = bytes.indexOf(SIGN.quote, start)
    const end = found < 0 ? bytes.length : found
    let before = end
    while (before > start && bytes[before - 1] === SIGN.backslash) before -= 1
    const backslashes = end - before + Number(this.#escaped && before === start)
    const isEscaped = backslashes % 2 === 1
    this.#escaped = found < 0 && isEscaped
    this.#quoted = found < 0 || isEscaped
    return found < 0 ? end : end + 1
  }
}

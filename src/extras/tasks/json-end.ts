import { SIGN } from '../../json/tokens.ts'

const OPEN: ReadonlySet<number> = new Set([SIGN.openBracket, SIGN.openBrace])
const CLOSE: ReadonlySet<number> = new Set([SIGN.closeBracket, SIGN.closeBrace])
/** White space, and the three bytes of a byte order mark. */
const BEFORE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** How long `true`, `false` and `null` are, by their beginnings. */
const WORDS: ReadonlyMap<number, number> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word.length]),
)

/**
 * Watches bytes as they pass, and knows whether the value that they began with has ended. It keeps no bytes, and
 * searches strings for their end alone.
 */
export class JsonEnd {
  #depth = 0
  #begun = false
  /** The value has ended; or it is a number or none at all, whose end cannot be seen. */
  #over = false
  #quoted = false
  #escaped = false
  /** How much of a word is yet to come. */
  #letters = 0

  /** Whether the value has not ended, or none has begun. */
  get isMissing(): boolean {
    return !this.#over
  }

  push(bytes: Uint8Array): void {
    if (this.#over) return
    let at = this.#begun ? 0 : bytes.findIndex((byte) => !BEFORE.has(byte))
    if (at < 0) return
    if (!this.#begun) this.#begin(bytes[at] ?? 0)
    while (at < bytes.length && !this.#over)
      at = this.#quoted ? this.#leap(bytes, at) : this.#step(bytes, at)
  }

  #begin(byte: number): void {
    this.#begun = true
    this.#letters = WORDS.get(byte) ?? 0
    this.#over = this.#letters === 0 && byte !== SIGN.quote && !OPEN.has(byte)
  }

  #step(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0
    if (this.#letters > 0) {
      this.#letters -= 1
      this.#over = this.#letters === 0
    } else if (byte === SIGN.quote) this.#quoted = true
    else if (OPEN.has(byte)) this.#depth += 1
    else if (CLOSE.has(byte)) {
      this.#depth -= 1
      this.#over = this.#depth === 0
    }
    return at + 1
  }

  /** The index behind the string, or the end of the bytes. */
  #leap(bytes: Uint8Array, start: number): number {
    const found = bytes.indexOf(SIGN.quote, start)
    const end = found < 0 ? bytes.length : found
    let before = end
    while (before > start && bytes[before - 1] === SIGN.backslash) before -= 1
    const backslashes = end - before + Number(this.#escaped && before === start)
    const isEscaped = backslashes % 2 === 1
    this.#escaped = found < 0 && isEscaped
    this.#quoted = found < 0 || isEscaped
    this.#over = !this.#quoted && this.#depth === 0
    return found < 0 ? end : end + 1
  }
}

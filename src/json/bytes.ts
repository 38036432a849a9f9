export const NOTHING: Uint8Array = new Uint8Array(0)

/** Bytes in one piece, or in several that follow each other. */
export type Bytes = Uint8Array | readonly Uint8Array[]

export const isWhole = (bytes: Bytes): bytes is Uint8Array => bytes instanceof Uint8Array

export const sizeOf = (bytes: Bytes): number =>
  isWhole(bytes) ? bytes.length : bytes.reduce((sum, { length }) => sum + length, 0)

export const piecesIn = (bytes: Bytes): readonly Uint8Array[] => (isWhole(bytes) ? [bytes] : bytes)

export const wholeBytes = (bytes: Bytes): Uint8Array => (isWhole(bytes) ? bytes : joinBytes(bytes))

/** One array of several; a single part that holds everything is not copied. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const full = parts.filter((part) => part.length > 0)
  const [first = NOTHING] = full
  if (full.length < 2) return first
  const whole = new Uint8Array(full.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of full) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** From here on a body stays in the pieces in which it came: fresh memory for all of it is slow. */
export const LONG_BYTES = 1_048_576
/** Smaller pieces are put together: a sender of single bytes shall not cost much memory for each. */
export const PIECE_BYTES = 16_384
export const LARGEST_BLOCK_BYTES = 65_536
const SMALLEST_BLOCK_BYTES = 4096

/** Bytes of unknown number. */
export class Pile {
  #pieces: Uint8Array[] = []
  #size = 0
  /** Where small pieces go, and how much of it is used. */
  #block = NOTHING
  #used = 0

  get size(): number {
    return this.#size
  }

  add(piece: Uint8Array): void {
    const isFirst = this.#size === 0
    this.#size += piece.length
    if (isFirst || piece.length >= PIECE_BYTES) {
      this.#flush()
      this.#pieces.push(piece)
      return
    }
    if (this.#block.length - this.#used < piece.length) {
      this.#flush()
      const room = Math.max(SMALLEST_BLOCK_BYTES, piece.length, this.#size)
      this.#block = new Uint8Array(Math.min(room, LARGEST_BLOCK_BYTES))
    }
    this.#block.set(piece, this.#used)
    this.#used += piece.length
  }

  /** All of it; nothing stays here. */
  take(): Bytes {
    this.#flush()
    const pieces = this.#pieces
    const isLong = this.#size >= LONG_BYTES
    this.#pieces = []
    this.#size = 0
    return isLong && pieces.length > 1 ? pieces : joinBytes(pieces)
  }

  #flush(): void {
    if (this.#used > 0) this.#pieces.push(this.#block.subarray(0, this.#used))
    this.#block = NOTHING
    this.#used = 0
  }
}

const ENCODER = new TextEncoder()

const BLOCK_BYTES = 8192
const MOST_BYTES_PER_UNIT = 3

/**
 * UTF-8 of the texts of one stream. Those of a few events share a block of memory, because to make one for each
 * costs several times what it costs to fill it; in a block there is no other text.
 */
export function streamEncoder(): (text: string) => Uint8Array {
  let block = NOTHING
  let used = 0
  return (text) => {
    const most = text.length * MOST_BYTES_PER_UNIT
    if (most > BLOCK_BYTES) return encoded(text)
    if (block.length - used < most) {
      block = new Uint8Array(BLOCK_BYTES)
      used = 0
    }
    const start = used
    used += ENCODER.encodeInto(text, block.subarray(start)).written
    return block.subarray(start, used)
  }
}

/** UTF-8 of a text. Nearly every one is ASCII, and then its length is known before, which is cheaper. */
export function encoded(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  const { read, written } = ENCODER.encodeInto(text, bytes)
  return read === text.length && written === text.length ? bytes : ENCODER.encode(text)
}

/** Bytes are written here only to be counted. */
const SCRATCH = new Uint8Array(16_384)

/** Bytes of a text in UTF-8. */
export function bytesIn(text: string): number {
  let bytes = 0
  let rest = text
  while (rest.length > 0) {
    const { read, written } = ENCODER.encodeInto(rest, SCRATCH)
    bytes += written
    rest = rest.slice(read)
  }
  return bytes
}

/** Nearly always the length tells. */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most || (text.length * MOST_BYTES_PER_UNIT > most && bytesIn(text) > most)

/** The mark of UTF-8 is one only where nothing stands before it. */
export const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

export const NOTHING: Uint8Array = new Uint8Array(0)

/** Bytes in one array, or in several that follow each other. */
export type Bytes = Uint8Array | readonly Uint8Array[]

export const isWhole = (bytes: Bytes): bytes is Uint8Array => bytes instanceof Uint8Array

export const sizeOf = (bytes: Bytes): number =>
  bytes instanceof Uint8Array ? bytes.length : bytes.reduce((sum, { length }) => sum + length, 0)

export const piecesIn = (bytes: Bytes): readonly Uint8Array[] =>
  bytes instanceof Uint8Array ? [bytes] : bytes

export const wholeBytes = (bytes: Bytes): Uint8Array =>
  bytes instanceof Uint8Array ? bytes : joinBytes(bytes)

/** Joins several arrays into one. A single part that holds everything is returned as it is. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only && only.length > 0) return only
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

/**
 * Bodies from this size on stay in the pieces in which they came, because allocating that much fresh memory is slow.
 */
export const LONG_BYTES = 1_048_576
/**
 * What each value of a request takes while it is translated: as it was read, in the model, and as it is written. Short
 * values take many times their bytes.
 */
export const VALUE_BYTES = 160

/** Smaller pieces are joined, so that a sender of single bytes does not cost much memory per byte. */
export const PIECE_BYTES = 16_384
export const LARGEST_BLOCK_BYTES = 65_536
const SMALLEST_BLOCK_BYTES = 4096

/** Collects the bytes of a body whose length is not known. */
export class ByteList {
  #pieces: Uint8Array[] = []
  /** How many bytes were added. */
  size = 0
  /** Where small pieces are copied to, and how many bytes of it are used. */
  #block = NOTHING
  #used = 0

  add(piece: Uint8Array): void {
    // An empty one would keep the bytes that it was cut out of.
    if (piece.length === 0) return
    const isFirst = this.size === 0
    this.size += piece.length
    if (isFirst || piece.length >= PIECE_BYTES) {
      if (this.#used > 0) this.#flush()
      this.#pieces.push(piece)
      return
    }
    if (this.#block.length - this.#used < piece.length) {
      if (this.#used > 0) this.#flush()
      const room = Math.max(SMALLEST_BLOCK_BYTES, piece.length, this.size)
      this.#block = new Uint8Array(Math.min(room, LARGEST_BLOCK_BYTES))
    }
    this.#block.set(piece, this.#used)
    this.#used += piece.length
  }

  /** Hands over everything that was added, and forgets it. */
  take(): Bytes {
    if (this.#used > 0) this.#flush()
    const pieces = this.#pieces
    const isLong = this.size >= LONG_BYTES
    this.#pieces = []
    this.size = 0
    return isLong && pieces.length > 1 ? pieces : joinBytes(pieces)
  }

  #flush(): void {
    this.#pieces.push(this.#block.subarray(0, this.#used))
    this.#block = NOTHING
    this.#used = 0
  }
}

const ENCODER = new TextEncoder()

const FIRST_BLOCK_BYTES = 1024
const BLOCK_BYTES = 8192
const MOST_BYTES_PER_UNIT = 3

/**
 * Encodes the texts of one stream as UTF-8. Consecutive events share a block of memory, because allocating a block
 * for each costs several times what it costs to fill it. A block belongs to one stream alone.
 */
export function streamEncoder(): (text: string) => Uint8Array {
  let block = NOTHING
  let used = 0
  // Many streams are short, or wait long behind their beginning, which is encoded without a block.
  let size = 0
  // Nearly every text is ASCII, so that room for one byte a character is taken until one was not.
  let bytesPerUnit = 1
  const encode = (text: string): Uint8Array => {
    const most = text.length * bytesPerUnit
    if (size === 0 || most > BLOCK_BYTES) {
      size ||= FIRST_BLOCK_BYTES
      return encoded(text)
    }
    if (block.length - used < most) {
      block = new Uint8Array(Math.max(size, most))
      size = Math.min(2 * size, BLOCK_BYTES)
      used = 0
    }
    const { read, written } = ENCODER.encodeInto(text, block.subarray(used))
    if (read < text.length) {
      bytesPerUnit = MOST_BYTES_PER_UNIT
      return encode(text)
    }
    const start = used
    used += written
    return block.subarray(start, used)
  }
  return encode
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

/** The text of some bytes, with its byte order mark if it has one. A decoder of its own would cost as much again. */
export const utf8Text = (bytes: Uint8Array): string => DECODER.decode(bytes)

/** Smaller bytes are characters of their own. */
const FIRST_OF_SEVERAL = 0x80

/** The byte order mark as it is decoded. */
const MARK = '\u{feff}'

/**
 * Decodes bytes that come in pieces; without a piece, the rest. A piece that begins and ends between characters is
 * decoded by itself, because that costs half as much. A mark at the beginning is removed here: the decoders of workerd
 * and of Node 24 remove one also where a later piece begins with it or with the rest of a character.
 */
export function streamDecoder(): (bytes?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let isBetween = true
  let hasBegun = false
  return (bytes) => {
    const last = bytes?.[bytes.length - 1]
    if (bytes && last === undefined) return ''
    const wasBetween = isBetween
    isBetween = last !== undefined && last < FIRST_OF_SEVERAL
    const text =
      bytes && wasBetween && isBetween
        ? DECODER.decode(bytes)
        : decoder.decode(bytes, { stream: bytes !== undefined })
    if (hasBegun || text === '') return text
    hasBegun = true
    return text.startsWith(MARK) ? text.slice(MARK.length) : text
  }
}

/** UTF-8 of a text. Nearly every text is ASCII, so its length in bytes is tried first, which is cheaper. */
export function encoded(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  const { read, written } = ENCODER.encodeInto(text, bytes)
  return read === text.length && written === text.length ? bytes : ENCODER.encode(text)
}

/** Written to only in order to count bytes. */
const SCRATCH = new Uint8Array(16_384)

/** The number of bytes of a text in UTF-8. */
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

/** Whether a text is longer than `most` bytes. Its length in characters decides nearly always. */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most || (text.length * MOST_BYTES_PER_UNIT > most && bytesIn(text) > most)

/** Removes a byte order mark at the beginning, which JSON.parse would refuse (RFC 8259, section 8.1). */
export const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

/** Tells of places in a text, which have to follow each other, where they are in its bytes. */
export function byteOffsets(text: string, isPlain: boolean, start = 0): (at: number) => number {
  let [known, bytes] = [0, start]
  return (at) => {
    if (isPlain) return start + at
    bytes += bytesIn(text.slice(known, at))
    known = at
    return bytes
  }
}

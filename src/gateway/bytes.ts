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

const ENCODER = new TextEncoder()

const BLOCK_BYTES = 8192
const MOST_BYTES_PER_UNIT = 3

/**
 * UTF-8 of the texts of one stream. Those of a few events share a block of memory, because to make one for each
 * costs several times what it costs to fill it; in a block there is nobody else's text.
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

/** The mark of UTF-8 is one only where nothing stands before it. */
export const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

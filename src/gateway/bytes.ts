export const NOTHING: Uint8Array = new Uint8Array(0)

/** Bytes in one piece, or in several that follow each other. */
export type Bytes = Uint8Array | readonly Uint8Array[]

export const isWhole = (bytes: Bytes): bytes is Uint8Array => bytes instanceof Uint8Array

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
const POOL_BYTES = 65_536
const LARGE_BYTES = 16_384
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3

let pool = new Uint8Array(POOL_BYTES)
let used = 0

/** UTF-8 of a text. Small texts share an array: making one for each costs more than filling it. */
export function encoded(text: string): Uint8Array {
  const most = text.length * BYTES_PER_UNIT
  if (most > LARGE_BYTES) return encodedAlone(text)
  if (most > pool.length - used) {
    pool = new Uint8Array(POOL_BYTES)
    used = 0
  }
  const { written } = ENCODER.encodeInto(text, pool.subarray(used))
  const bytes = pool.subarray(used, used + written)
  used += written
  return bytes
}

/** Nearly every text is ASCII, and then its length is known before. */
function encodedAlone(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  return ENCODER.encodeInto(text, bytes).read === text.length ? bytes : ENCODER.encode(text)
}

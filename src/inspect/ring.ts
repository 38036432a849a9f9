/** How many bytes are kept of all bodies together. */
export const RING_BYTES = 33_554_432

/** A place in the ring: its number among all bytes that were ever written. */
type Segment = number

/**
 * Memory that is allocated once and written in circles: keeping a body costs one copy, and the garbage collector
 * nothing. What was overwritten is gone.
 */
export class Ring {
  readonly #bytes: Uint8Array
  /** How many bytes were ever written. */
  #written: Segment = 0

  constructor(size = RING_BYTES) {
    this.#bytes = new Uint8Array(size)
  }

  get size(): number {
    return this.#bytes.length
  }

  /** The place of the next byte that is written. */
  get next(): Segment {
    return this.#written
  }

  /** Whether nothing from this place on has been overwritten. */
  holds(from: Segment): boolean {
    return from >= this.#written - this.#bytes.length
  }

  write(piece: Uint8Array): void {
    const { length } = this.#bytes
    const at = this.#written % length
    const room = length - at
    if (piece.length <= room) this.#bytes.set(piece, at)
    else {
      this.#bytes.set(piece.subarray(0, room), at)
      this.#bytes.set(piece.subarray(room), 0)
    }
    this.#written += piece.length
  }

  /** The same of a text; returns how many bytes it is. */
  writeText(text: string): number {
    const at = this.#written % this.#bytes.length
    const room = this.#bytes.length - at
    // A character of a string is at most three bytes.
    if (text.length * 3 > room) {
      const bytes = ENCODER.encode(text)
      this.write(bytes)
      return bytes.length
    }
    const { written } = ENCODER.encodeInto(text, this.#bytes.subarray(at, at + text.length * 3))
    this.#written += written
    return written
  }

  read(from: Segment, count: number): Uint8Array {
    const { length } = this.#bytes
    const at = from % length
    const first = this.#bytes.slice(at, Math.min(at + count, length))
    if (first.length === count) return first
    const whole = new Uint8Array(count)
    whole.set(first)
    whole.set(this.#bytes.subarray(0, count - first.length), first.length)
    return whole
  }

  /** Forgets everything. */
  clear(): void {
    this.#bytes.fill(0)
    this.#written += this.#bytes.length
  }
}

const ENCODER = new TextEncoder()

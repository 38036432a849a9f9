/** How many bytes are kept of all bodies together. */
export const RING_BYTES = 33_554_432

/** A place in the ring: its number among all bytes that were ever written. */
type Segment = number

/** What stands before a piece of a stream: when it came, its length, and how far back the piece before it begins. */
const MARK_BYTES = 16

/** A piece of a stream as it is read. */
export interface RingPiece {
  at: number
  bytes: Uint8Array
}

/**
 * Memory that is allocated once and written in circles: keeping a body costs one copy, and the garbage collector
 * nothing. What was overwritten is gone.
 */
export class Ring {
  readonly #bytes: Uint8Array
  readonly #marks: DataView
  /** How many bytes were ever written. */
  #written: Segment = 0
  /** Where the next byte goes. A division of what was ever written would cost as much as to copy a piece. */
  #at = 0

  constructor(size = RING_BYTES) {
    this.#bytes = new Uint8Array(size)
    this.#marks = new DataView(this.#bytes.buffer)
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
    const room = this.#bytes.length - this.#at
    if (piece.length <= room) this.#bytes.set(piece, this.#at)
    else {
      this.#bytes.set(piece.subarray(0, room), this.#at)
      this.#bytes.set(piece.subarray(room), 0)
    }
    this.#advance(piece.length)
  }

  #advance(count: number): void {
    this.#written += count
    this.#at = (this.#at + count) % this.#bytes.length
  }

  /** A piece of a stream; `before`: the place of the piece before it. Returns its own place. */
  writePiece(piece: Uint8Array, at: number, before: Segment): Segment {
    const room = this.#bytes.length - this.#at
    // A mark lies in one part.
    if (room < MARK_BYTES) this.#advance(room)
    const from = this.#written
    const place = this.#at
    const marks = this.#marks
    marks.setFloat64(place, at)
    marks.setUint32(place + 8, piece.length)
    marks.setUint32(place + 12, from - before)
    const count = MARK_BYTES + piece.length
    if (count < room) {
      this.#bytes.set(piece, place + MARK_BYTES)
      this.#written = from + count
      this.#at = place + count
    } else {
      this.#advance(MARK_BYTES)
      this.write(piece)
    }
    return from
  }

  /** The pieces of a stream, the first of them first, of which the last is at this place. */
  pieces(last: Segment, count: number): RingPiece[] {
    const found: RingPiece[] = []
    for (let from = last; found.length < count && this.holds(from);) {
      const place = from % this.#bytes.length
      const bytes = this.read(from + MARK_BYTES, this.#marks.getUint32(place + 8))
      found.push({ at: this.#marks.getFloat64(place), bytes })
      from -= this.#marks.getUint32(place + 12)
    }
    return found.reverse()
  }

  /** The same of a text; returns how many bytes it is. */
  writeText(text: string): number {
    const at = this.#at
    const room = this.#bytes.length - at
    // A character of a string is at most three bytes.
    if (text.length * 3 > room) {
      const bytes = ENCODER.encode(text)
      this.write(bytes)
      return bytes.length
    }
    const { written } = ENCODER.encodeInto(text, this.#bytes.subarray(at, at + text.length * 3))
    this.#advance(written)
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

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

  /** A piece of a stream; `before`: the place of the piece before it. Returns its own place. */
  writePiece(piece: Uint8Array, at: number, before: Segment | undefined): Segment {
    const { length } = this.#bytes
    let place = this.#written % length
    // A mark lies in one part.
    if (place > length - MARK_BYTES) {
      this.#written += length - place
      place = 0
    }
    const from = this.#written
    const marks = this.#marks
    marks.setFloat64(place, at)
    marks.setUint32(place + 8, piece.length)
    marks.setUint32(place + 12, before === undefined ? 0 : from - before)
    this.#written = from + MARK_BYTES
    this.write(piece)
    return from
  }

  /** The pieces of a stream, the first of them first, of which the last is at this place. */
  pieces(last: Segment | undefined): RingPiece[] {
    const found: RingPiece[] = []
    let from = last
    while (from !== undefined && this.holds(from)) {
      const place = from % this.#bytes.length
      const count = this.#marks.getUint32(place + 8)
      const back = this.#marks.getUint32(place + 12)
      const bytes = this.read(from + MARK_BYTES, count)
      found.push({ at: this.#marks.getFloat64(place), bytes })
      from = back === 0 ? undefined : from - back
    }
    return found.reverse()
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

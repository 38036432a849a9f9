/** How many bytes are kept of all bodies together. */
const RING_BYTES = 33_554_432

/** A place in the ring: its number among all bytes that were ever written. */
type Segment = number

/**
 * What stands before a piece of a stream: when it came (8 bytes), its length (4), and where the piece before it stands
 * (4). It begins at a multiple of eight.
 */
export const MARK_BYTES = 16

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
  readonly #times: Float64Array
  readonly #words: Int32Array
  /** Where the next byte goes, and how often the end has been reached: small numbers, for what each piece costs. */
  #at = 0
  #rounds = 0

  constructor(size = RING_BYTES) {
    const memory = new ArrayBuffer(Math.ceil(size / 8) * 8)
    this.#bytes = new Uint8Array(memory, 0, size)
    this.#times = new Float64Array(memory)
    this.#words = new Int32Array(memory)
  }

  get size(): number {
    return this.#bytes.length
  }

  /** The place of the next byte that is written. */
  get next(): Segment {
    return this.#rounds * this.#bytes.length + this.#at
  }

  /** Whether nothing from this place on has been overwritten. */
  holds(from: Segment): boolean {
    return from >= this.next - this.#bytes.length
  }

  write(piece: Uint8Array): void {
    const room = this.#bytes.length - this.#at
    if (piece.length < room) {
      this.#bytes.set(piece, this.#at)
      this.#at += piece.length
      return
    }
    this.#bytes.set(piece.subarray(0, room), this.#at)
    this.#bytes.set(piece.subarray(room), 0)
    this.#at = piece.length - room
    this.#rounds += 1
  }

  /**
   * A piece of a stream. `before`: what was returned for the piece before it. Returns where it stands in this round,
   * from which `pieces` finds it as long as the ring holds the first piece.
   */
  writePiece(piece: Uint8Array, at: number, before: number): number {
    const place = this.#markPlace()
    this.#times[place >> 3] = at
    this.#words[(place >> 2) + 2] = piece.length
    this.#words[(place >> 2) + 3] = before
    this.#at = place + MARK_BYTES
    this.write(piece)
    return place
  }

  /** A mark lies in one part, and something follows it. */
  #markPlace(): number {
    const place = (this.#at + 7) & ~7
    if (place + MARK_BYTES < this.#bytes.length) return place
    this.#rounds += 1
    return 0
  }

  /** So many pieces of a stream, the first of them first, of which the last stands here. */
  pieces(last: number, count: number): RingPiece[] {
    const found: RingPiece[] = []
    for (let place = last; found.length < count; place = this.#words[(place >> 2) + 3] ?? 0) {
      const size = this.#words[(place >> 2) + 2] ?? 0
      found.push({ at: this.#times[place >> 3] ?? 0, bytes: this.read(place + MARK_BYTES, size) })
    }
    return found.toReversed()
  }

  /** The same of a text; returns how many bytes it is. */
  writeText(text: string): number {
    const at = this.#at
    // A character of a string is at most three bytes.
    if (text.length * 3 >= this.#bytes.length - at) {
      const bytes = ENCODER.encode(text)
      this.write(bytes)
      return bytes.length
    }
    const { written } = ENCODER.encodeInto(text, this.#bytes.subarray(at, at + text.length * 3))
    this.#at += written
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
    this.#rounds += 1
  }
}

const ENCODER = new TextEncoder()

/** Several arrays of bytes, searched as if they were one: joining a long body takes fresh memory. */
export class ChunkedBytes {
  readonly length: number
  readonly #pieces: readonly Placed[]

  constructor(pieces: readonly Uint8Array[]) {
    let length = 0
    this.#pieces = pieces.map((bytes) => {
      const start = length
      length += bytes.length
      return { bytes, start }
    })
    this.length = length
  }

  /** The place of the next such byte; -1 where there is none before `to`. */
  indexOf(byte: number, from: number, to = this.length): number {
    for (let at = this.#at(from); ; at += 1) {
      const piece = this.#pieces[at]
      if (!piece || piece.start >= to) return -1
      // The search stops at `to`: otherwise the same bytes would be searched again by each call.
      const found = piece.bytes
        .subarray(0, to - piece.start)
        .indexOf(byte, Math.max(0, from - piece.start))
      if (found >= 0) return piece.start + found
    }
  }

  /** The place of the last such byte at `from` or before; -1 where there is none. */
  lastIndexOf(byte: number, from: number): number {
    for (let at = this.#at(from); ; at -= 1) {
      const piece = this.#pieces[at]
      if (!piece) return -1
      const found = piece.bytes.lastIndexOf(byte, from - piece.start)
      if (found >= 0) return piece.start + found
    }
  }

  /** Views of the bytes between two places; nothing is copied. */
  between(start: number, end: number): Uint8Array[] {
    const parts: Uint8Array[] = []
    for (let at = this.#at(start); ; at += 1) {
      const piece = this.#pieces[at]
      if (!piece || piece.start >= end) return parts
      parts.push(piece.bytes.subarray(Math.max(0, start - piece.start), end - piece.start))
    }
  }

  /** The index of the piece that holds a byte. */
  #at(place: number): number {
    let low = 0
    let high = this.#pieces.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.#pieces[middle]?.start ?? 0) <= place) low = middle
      else high = middle
    }
    return low
  }
}

interface Placed {
  readonly bytes: Uint8Array
  readonly start: number
}

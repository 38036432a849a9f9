import type { IncomingMessage } from 'node:http'
import type { Bytes } from '../gateway/bytes.ts'

/** From here on a body stays in the pieces in which it came: fresh memory for all of it is slow. */
const LONG_BYTES = 1_048_576
/** Smaller pieces are put together: a sender of single bytes shall not cost much memory for each. */
const PIECE_BYTES = 16_384
const BLOCK_BYTES = 65_536

/** The body of a request whose length was declared. Rejects when it breaks off. */
export function collect(incoming: IncomingMessage): Promise<Bytes> {
  const length = Number(incoming.headers['content-length'])
  return new Promise((resolve, reject) => {
    const gathering = new Gathering(length)
    const take = (piece: Buffer) => gathering.take(piece)
    const settle = (how: () => void) => {
      // An error that comes late still has to be heard by somebody, or it ends the process.
      incoming.off('data', take).off('end', end).off('close', fail)
      how()
    }
    const end = () => settle(() => resolve(gathering.bytes()))
    const fail = () => settle(() => reject(incoming.errored ?? new Error('the caller has left')))
    incoming.on('data', take).on('end', end).on('error', fail).on('close', fail)
    if (incoming.destroyed) fail()
  })
}

class Gathering {
  readonly #pieces: Buffer[] = []
  readonly #isLong: boolean
  /** Of the length that was declared so much is to come. */
  #left: number
  /** Where small pieces go, and how much of it is used. */
  #block: Buffer | undefined
  #used = 0

  constructor(length: number) {
    this.#isLong = length >= LONG_BYTES
    this.#left = length
  }

  take(piece: Buffer): void {
    const isRest = piece.length === this.#left && !this.#block
    if (isRest || (this.#isLong && piece.length >= PIECE_BYTES)) {
      this.#left -= piece.length
      this.#flush()
      this.#pieces.push(piece)
      return
    }
    if (this.#block && this.#used + piece.length > this.#block.length) this.#flush()
    const most = this.#isLong ? BLOCK_BYTES : LONG_BYTES
    this.#block ??= Buffer.allocUnsafe(Math.min(most, this.#left))
    this.#used += piece.copy(this.#block, this.#used)
    this.#left -= piece.length
  }

  bytes(): Bytes {
    this.#flush()
    return this.#pieces.length > 1 ? this.#pieces : (this.#pieces[0] ?? new Uint8Array(0))
  }

  #flush(): void {
    if (this.#block) this.#pieces.push(this.#block.subarray(0, this.#used))
    this.#block = undefined
    this.#used = 0
  }
}

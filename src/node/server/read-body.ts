import { Duplex } from 'node:stream'
import zlib from 'node:zlib'
import type { BodyDecoder } from '../../ports.ts'
import type { IncomingMessage } from 'node:http'
import {
  LARGEST_BLOCK_BYTES,
  LONG_BYTES,
  ByteList,
  PIECE_BYTES,
  type Bytes,
} from '../../json/bytes.ts'

/**
 * Reads the body of a request. For a body without a declared length, `heed` is called with each piece's size. Rejects
 * when the body breaks off, and with what `heed` throws; the rest is then discarded.
 */
export function readIncoming(
  incoming: IncomingMessage,
  heed?: (bytes: number) => void,
): Promise<Bytes> {
  const length = Number(incoming.headers['content-length'])
  return new Promise((resolve, reject) => {
    const gathering = heed ? new ByteList() : new Gathering(length)
    const take = (piece: Buffer) => {
      try {
        heed?.(piece.length)
        gathering.add(piece)
      } catch (error) {
        settle(() => reject(error))
      }
    }
    const settle = (how: () => void) => {
      // The connection keeps its listeners, and they the body, for as long as the answer takes.
      incoming.off('data', take).off('end', end).off('error', fail).off('close', fail)
      incoming.on('error', ignoreLate)
      how()
    }
    const end = () => settle(() => resolve(gathering.take()))
    const fail = () => settle(() => reject(incoming.errored ?? new Error('the caller has left')))
    incoming.on('data', take).on('end', end).on('error', fail).on('close', fail)
    if (incoming.destroyed) fail()
  })
}

/** A late error without a listener would end the process. */
const ignoreLate = (): void => undefined

class Gathering {
  #pieces: Buffer[] = []
  readonly #isLong: boolean
  /** How many bytes of the declared length are still to come. */
  #left: number
  /** Where small pieces are copied to, and how many bytes of it are used. */
  #block: Buffer | undefined
  #used = 0

  constructor(length: number) {
    this.#isLong = length >= LONG_BYTES
    this.#left = length
  }

  add(piece: Buffer): void {
    const isRest = piece.length === this.#left && !this.#block
    if (isRest || (this.#isLong && piece.length >= PIECE_BYTES)) {
      this.#left -= piece.length
      this.#flush()
      this.#pieces.push(piece)
      return
    }
    if (this.#block && this.#used + piece.length > this.#block.length) this.#flush()
    const most = this.#isLong ? LARGEST_BLOCK_BYTES : LONG_BYTES
    this.#block ??= Buffer.allocUnsafe(Math.min(most, this.#left))
    this.#used += piece.copy(this.#block, this.#used)
    this.#left -= piece.length
  }

  /** Hands over the bytes. The connection still refers to this object, so nothing may stay in it. */
  take(): Bytes {
    this.#flush()
    const pieces = this.#pieces
    this.#pieces = []
    return pieces.length > 1 ? pieces : (pieces[0] ?? new Uint8Array(0))
  }

  #flush(): void {
    if (this.#block) this.#pieces.push(this.#block.subarray(0, this.#used))
    this.#block = undefined
    this.#used = 0
  }
}

/** The largest window that a body over HTTP may need (RFC 9659): 8 MiB. */
const WINDOW_LOG = 23
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]

/** zstd, in which Codex sends its requests where that is switched on; Node decodes it from 22.15 on. */
export function bodyDecoders(): ReadonlyMap<string, BodyDecoder> {
  // Imported by its name, a function that an older Node does not have would be an error.
  const { createZstdDecompress, constants } = zlib as Partial<typeof zlib>
  if (!createZstdDecompress || !constants) return new Map()
  const params = { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG }
  const open = (body: Uint8Array) =>
    MAGIC.every((byte, index) => body[index] === byte)
      ? Duplex.toWeb(createZstdDecompress({ params }))
      : undefined
  return new Map([['zstd', { bytes: 2 ** WINDOW_LOG, open }]])
}

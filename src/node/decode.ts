import { pipeline, Readable, type Duplex } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { ByteSource } from '../stream/source.ts'

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** What one decoder may hold decoded before it waits for its reader. */
const BUFFERED_BYTES = 64 * 1024

/** Whether a `content-encoding` says that the body is as it is. */
export const isPlain = (coding: string | null): boolean =>
  coding === null || coding.trim() === '' || coding.trim().toLowerCase() === 'identity'

/**
 * The body behind one content coding, decoded as its reader asks for it, so that a small bomb stays small;
 * undefined for a coding, or a chain of them, that was not asked for.
 */
export function decoded(body: ByteSource, coding: string): ReadableStream<Uint8Array> | undefined {
  const decoder = DECODERS.get(coding.trim().toLowerCase())?.()
  if (!decoder) return undefined
  // The error of a broken body reaches the reader through the decoder, which the pipeline destroys with it.
  pipeline(Readable.from(pieces(body), { objectMode: false }), decoder, () => undefined)
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES })
  return Readable.toWeb(decoder, { strategy })
}

async function* pieces(body: ByteSource): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = await body.read(); piece; piece = await body.read()) yield piece
  } finally {
    body.cancel()
  }
}

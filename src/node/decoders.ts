import { Duplex } from 'node:stream'
import zlib from 'node:zlib'
import type { BodyDecoder } from '../ports.ts'

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

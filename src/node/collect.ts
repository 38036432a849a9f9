import type { IncomingMessage } from 'node:http'

/** The body of a request whose length was declared. Rejects when it breaks off. */
export function collect(incoming: IncomingMessage): Promise<Uint8Array> {
  const length = Number(incoming.headers['content-length'])
  return new Promise((resolve, reject) => {
    let whole: Uint8Array | undefined
    let size = 0
    const take = (piece: Buffer) => {
      // Most bodies come in one piece, which need not be copied.
      if (!whole && piece.length === length) whole = piece
      else {
        whole ??= Buffer.allocUnsafe(length)
        whole.set(piece, size)
      }
      size += piece.length
    }
    const settle = (how: () => void) => {
      // An error that comes late still has to be heard by somebody, or it ends the process.
      incoming.off('data', take).off('end', end).off('close', fail)
      how()
    }
    const end = () => settle(() => resolve(whole?.subarray(0, size) ?? new Uint8Array(0)))
    const fail = () => settle(() => reject(incoming.errored ?? new Error('the caller has left')))
    incoming.on('data', take).on('end', end).on('error', fail).on('close', fail)
    if (incoming.destroyed) fail()
  })
}

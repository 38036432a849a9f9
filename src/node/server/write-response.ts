import type { ServerResponse } from 'node:http'
import type { Answer } from '../../exchange/exchange.ts'
import type { ByteSource } from '../../stream/source.ts'
import { atOnce, type WriteSoon } from '../store/shared-writes.ts'

/**
 * Writes an answer. Resolves when it has been handed over, or when the caller has left. `rest`: the part of the
 * caller's body that is still coming; closing the connection before its end would lose the answer. `write`: when a
 * whole body is written.
 */
export async function writeResponse(
  outgoing: ServerResponse,
  { status, headers, body, gone }: Answer,
  rest?: { over: Promise<void> },
  write: WriteSoon = atOnce,
): Promise<void> {
  if (gone && !outgoing.destroyed) outgoing.on('close', gone)
  else gone?.()
  if (outgoing.destroyed) return leave(body)
  // An error also closes the connection, which is handled.
  outgoing.on('error', () => {})
  if (rest) outgoing.shouldKeepAlive = false
  if (body === null) outgoing.writeHead(status, headers).end()
  else if (typeof body === 'string' || body instanceof Uint8Array) {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    outgoing.writeHead(status, { ...headers, 'content-length': bytes.length })
    if (!rest) return write(() => end(outgoing, bytes))
    outgoing.write(bytes)
    await rest.over
    outgoing.end()
  } else await pump(outgoing.writeHead(status, headers), body)
}

/** Longer texts are copied once more by Node on their way. */
const MOST_JOINED_BYTES = 12_288

/**
 * Headers and a short body leave in one piece where both are text, which costs a tenth less of what a bare server takes
 * for an answer. Each byte is a character of Latin-1, as headers are sent: as UTF-8 the bytes of both would change.
 */
function end(outgoing: ServerResponse, bytes: Uint8Array): void {
  if (bytes.length > MOST_JOINED_BYTES) return void outgoing.end(bytes)
  const { buffer, byteOffset, length } = bytes
  outgoing.end(Buffer.from(buffer, byteOffset, length).toString('latin1'), 'latin1')
}

/** Tells an answer that would be streamed that its caller has left. */
function leave(body: Answer['body']): void {
  if (body !== null && typeof body === 'object' && 'cancel' in body) body.cancel()
}

/** Reads on when the caller has taken what was written, so a slow caller slows the upstream down. */
async function pump(outgoing: ServerResponse, source: ByteSource): Promise<void> {
  outgoing.on('close', () => source.cancel())
  let begun = false
  // The headers go out with the first bytes, unless those take time.
  setImmediate(() => {
    if (!begun && !outgoing.destroyed) outgoing.flushHeaders()
  })
  try {
    let bytes = await source.read()
    source.taken?.(bytes)
    while (bytes) {
      begun = true
      if (outgoing.destroyed) return
      const hasRoom = outgoing.write(bytes)
      // What was written would be held until the next piece comes, which may take an hour.
      bytes = undefined
      if (!hasRoom) await room(outgoing)
      bytes = await source.read()
      source.taken?.(bytes)
    }
    outgoing.end()
  } catch {
    cutOff(outgoing)
  }
}

/**
 * Breaks off an answer, so that it does not look complete. Without chunks, before HTTP/1.1 (nginx asks so until its
 * version 1.29.7), the end of the connection ends a body, and only a reset tells.
 */
export function cutOff(outgoing: ServerResponse): void {
  if (!outgoing.chunkedEncoding) outgoing.socket?.resetAndDestroy()
  outgoing.destroy()
}

/** Resolves when the caller has taken what was written, or has left. */
const room = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      outgoing.off('drain', go).off('close', go)
      resolve()
    }
    outgoing.on('drain', go).on('close', go)
  })

import type { ServerResponse } from 'node:http'
import type { Answer } from '../exchange/exchange.ts'
import type { ByteSource } from '../stream/source.ts'

/**
 * An answer on its way out. Resolves when it has been handed over, or the caller has left. `rest`: what the
 * caller is still sending, and is not read; a connection that is closed before would lose the answer.
 */
export async function writeResponse(
  outgoing: ServerResponse,
  { status, headers, body, gone }: Answer,
  rest?: { over: Promise<void> },
): Promise<void> {
  if (gone && !outgoing.destroyed) outgoing.on('close', gone)
  else gone?.()
  if (outgoing.destroyed) return leave(body)
  // What goes wrong with a connection closes it, and that is heard.
  outgoing.on('error', () => {})
  if (rest) outgoing.shouldKeepAlive = false
  if (body === null) outgoing.writeHead(status, headers).end()
  else if (typeof body === 'string' || body instanceof Uint8Array) {
    // With a text behind it the head would be made bytes of as text too, and no longer be the bytes it is.
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    outgoing.writeHead(status, { ...headers, 'content-length': bytes.length })
    if (!rest) return void outgoing.end(bytes)
    outgoing.write(bytes)
    await rest.over
    outgoing.end()
  } else await pump(outgoing.writeHead(status, headers), body)
}

/** An answer that would be streamed is told that its caller has gone. */
function leave(body: Answer['body']): void {
  if (body !== null && typeof body === 'object' && 'cancel' in body) body.cancel()
}

/** Reads on when the caller has taken what came: a slow caller slows the upstream down. */
async function pump(outgoing: ServerResponse, source: ByteSource): Promise<void> {
  outgoing.on('close', () => source.cancel())
  let begun = false
  // The head goes out with the first bytes, but waits for none that take their time.
  setImmediate(() => {
    if (!begun && !outgoing.destroyed) outgoing.flushHeaders()
  })
  try {
    for (let bytes = await source.read(); bytes; bytes = await source.read()) {
      begun = true
      if (outgoing.destroyed) return
      if (!outgoing.write(bytes)) await room(outgoing)
    }
    outgoing.end()
  } catch {
    // Cut off, it does not look like the end of an answer.
    outgoing.destroy()
  }
}

/** Resolves when the caller has taken what waits for it, or takes nothing any more. */
const room = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      outgoing.off('drain', go).off('close', go)
      resolve()
    }
    outgoing.on('drain', go).on('close', go)
  })

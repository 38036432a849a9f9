import type { Accept } from '../ports.ts'

/** The part of a socket of workerd that is used. */
interface ServerSocket {
  accept(): void
  send(text: string): void
  close(code: number, reason: string): void
  addEventListener(type: 'message', heard: (event: { data: string | ArrayBuffer }) => void): void
  addEventListener(type: 'close', heard: (event: { code: number }) => void): void
  addEventListener(type: 'error', heard: () => void): void
}

declare const WebSocketPair: new () => { 0: object; 1: ServerSocket }

/** What a socket without a close frame is closed with (RFC 6455, section 7.1.5). */
const LOST = 1006

/**
 * Opens a socket. workerd does not tell how much of what was sent has left, so that nothing waits for a slow reader: what
 * is ahead of it is bounded by the reply.
 */
export function openSocket(take: Accept): Response {
  const { 0: client, 1: server } = new WebSocketPair()
  server.accept()
  const listener = take({
    send(text) {
      unlessClosed(() => server.send(text))
      return undefined
    },
    close: (code, reason) => unlessClosed(() => server.close(code, reason)),
  })
  server.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') listener.heard(data)
    else listener.unreadable()
  })
  server.addEventListener('close', ({ code }) => {
    // The other half of the closing is left to the program (compatibility dates before 2026).
    unlessClosed(() => server.close(code === LOST ? 1000 : code, ''))
    listener.left(code)
  })
  server.addEventListener('error', () => listener.left(LOST))
  const init: ResponseInit & { webSocket: object } = { status: 101, webSocket: client }
  return new Response(null, init)
}

/** A socket that is closed already throws. */
function unlessClosed(run: () => void): void {
  try {
    run()
  } catch {
    // Its `close` event tells the rest.
  }
}

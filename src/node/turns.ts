import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** Beyond so many requests that wait, no more of them are read; how many come in one piece of the connection is not bounded. */
const MOST_WAITING = 16

/**
 * One exchange at a time on each connection. HTTP/1.1 (RFC 9112, section 9.3.2) lets a caller send requests
 * before it has the answers to former ones, and Node begins with all of them at once: one connection would
 * count for as many as it likes. Answers go out in order anyway.
 */
export function inTurn(serve: Serve): Serve {
  const lines = new WeakMap<Socket, Line>()
  return (incoming, outgoing) => {
    const { socket } = incoming
    let line = lines.get(socket)
    if (!line) lines.set(socket, (line = new Line(socket, serve)))
    line.add(incoming, outgoing)
  }
}

/** The requests of one connection. */
class Line {
  readonly #socket: Socket
  readonly #serve: Serve
  #waiting: Parameters<Serve>[] = []
  #busy = false

  constructor(socket: Socket, serve: Serve) {
    this.#socket = socket
    this.#serve = serve
  }

  add(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (!this.#busy) return this.#begin(incoming, outgoing)
    this.#waiting.push([incoming, outgoing])
    // Meanwhile it is not noticed that the caller has left; the next byte of an answer will tell.
    if (this.#waiting.length >= MOST_WAITING) this.#socket.pause()
  }

  #begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#busy = true
    outgoing.on('close', this.#next)
    this.#serve(incoming, outgoing)
  }

  readonly #next = (): void => {
    this.#busy = false
    if (this.#socket.destroyed) this.#waiting = []
    const next = this.#waiting.shift()
    if (!next) return
    if (this.#waiting.length < MOST_WAITING) this.#socket.resume()
    this.#begin(...next)
  }
}

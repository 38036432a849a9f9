import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/**
 * Beyond this number of waiting requests the connection is not read. How many requests one piece of data holds is not
 * limited.
 */
const MOST_WAITING = 16

/**
 * Serves one exchange at a time on each connection. By HTTP/1.1 (RFC 9112, section 9.3.2) a caller may send requests
 * before it has the answers to earlier ones, and Node begins with all of them at once, so one connection would count
 * as many. Answers go out in order anyway.
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
    // While the connection is paused, a caller that leaves is noticed only by the next byte of an answer.
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

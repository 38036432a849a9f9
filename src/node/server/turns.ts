import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** What all requests that wait for the answers to former ones may hold together. */
const MOST_WAITING_BYTES = 32 * 1024 * 1024
/** What Node (24.21) makes of the shortest request. */
const REQUEST_BYTES = 2048

/**
 * Serves one exchange at a time on each connection. By HTTP/1.1 (RFC 9112, section 9.3.2) a caller may send requests
 * before it has the answers to earlier ones, and Node begins with all of them at once, so one connection would count
 * as many. Answers go out in order anyway.
 */
export function inTurn(serve: Serve): Turns {
  const lines = new WeakMap<Socket, Line>()
  const crowd = { bytes: 0 }
  return {
    take(incoming, outgoing) {
      const { socket } = incoming
      let line = lines.get(socket)
      if (!line) lines.set(socket, (line = new Line(socket, serve, crowd)))
      line.add(incoming, outgoing)
    },
    isBusy: (socket) => lines.get(socket)?.isBusy === true,
  }
}

/** All exchanges, those of one connection one after the other. */
export interface Turns {
  take: Serve
  /** Whether an answer is still being written there, or is waited for. */
  isBusy(socket: Socket): boolean
}

interface Waiting {
  exchange: Parameters<Serve>
  bytes: number
}

/** The requests of one connection. */
class Line {
  readonly #socket: Socket
  readonly #serve: Serve
  /** What waits in all lines. */
  readonly #crowd: { bytes: number }
  #waiting: Waiting[] = []
  isBusy = false
  /** How much of the connection had been read when a request came last. */
  #read = 0

  constructor(socket: Socket, serve: Serve, crowd: { bytes: number }) {
    this.#socket = socket
    this.#serve = serve
    this.#crowd = crowd
  }

  /**
   * A connection whose request does not fit is closed. To read no further from it does not help: Node reads on with
   * the end of every message, and makes as many requests of one piece of data as there are in it.
   */
  add(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { bytesRead } = this.#socket
    // Bytes read since the last request are mostly its body. That of the request being served counts in its exchange.
    const bytes = REQUEST_BYTES + (this.#waiting.length > 0 ? bytesRead - this.#read : 0)
    this.#read = bytesRead
    if (!this.isBusy) return this.#begin([incoming, outgoing])
    // Node still hands over the rest of the data that held the request for which the connection was closed.
    if (this.#socket.destroyed) return
    if (this.#crowd.bytes + bytes > MOST_WAITING_BYTES) return void this.#socket.destroy()
    this.#crowd.bytes += bytes
    this.#waiting.push({ exchange: [incoming, outgoing], bytes })
  }

  #begin(exchange: Waiting['exchange']): void {
    this.isBusy = true
    exchange[1].on('close', this.#next)
    this.#serve(...exchange)
  }

  /** In a turn of its own: thousands of requests may be answered at once, and others would wait for all of them. */
  readonly #next = (): void => {
    if (this.#waiting.length > 0) setImmediate(this.#advance)
    else this.isBusy = false
  }

  readonly #advance = (): void => {
    if (this.#socket.destroyed) return this.#drop()
    const next = this.#waiting.shift()
    if (!next) return
    this.#crowd.bytes -= next.bytes
    this.#begin(next.exchange)
  }

  #drop(): void {
    for (const { bytes } of this.#waiting) this.#crowd.bytes -= bytes
    this.#waiting = []
  }
}

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Answer } from '../../exchange/exchange.ts'
import type { Accept, HttpRequest, Listener, Peer } from '../../ports.ts'
import { asksForSocket } from '../../http/sockets.ts'
import { handBack, isHandshake, refuse } from './handshake.ts'
import { isPlainTarget, ORIGIN } from './listener.ts'
import { Head, NodeRequest } from './request.ts'

/** The part of the app that opens sockets. */
export interface SocketApp {
  /** Never rejects. */
  upgrade(request: HttpRequest): Promise<Answer>
  readonly sockets: { drain(): void; readonly mostBytes: number; readonly underway: number }
}

/** The sockets of a server. */
export interface Sockets {
  underway(): number
  drain(): void
  /** Cuts off what is still open. */
  terminate(): void
}

/** Routers on the way forget a connection over which nothing goes, and a caller that has vanished is found. */
const PING_MS = 30_000
const MISSED_PINGS = 2
/** From so many bytes on that the caller has not read, nothing more is sent. */
const MOST_AHEAD_BYTES = 65_536
const CLOSE = { away: 1001, tryLater: 1013 } as const

/**
 * Opens sockets: requests with `Upgrade` pass by the usual listener of Node's server, so that they come to the app from
 * here. `isBusy`: whether an answer is still being written. Those that ask for another protocol (h2c, which Java's client asks for in passing) are served as if they had not.
 */
export function openSockets(
  server: Server,
  app: SocketApp,
  isBusy: (socket: Socket) => boolean,
): Sockets {
  const open = new Set<OpenSocket>()
  const framed = framings()
  const pings = setInterval(() => {
    for (const socket of open) socket.ping()
  }, PING_MS).unref()
  const answer = async (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const known = new Head(incoming)
    const request = new NodeRequest(incoming, known, ORIGIN + (incoming.url ?? '/'))
    if (!asksForSocket(request)) return handBack(server, incoming, socket, head)
    // What is still to be written would stand among the frames.
    if (isBusy(socket)) return void socket.destroy()
    socket.on('error', () => socket.destroy())
    if (known.hosts > 1 || !isPlainTarget(incoming.url ?? '')) return refuse(socket, 400)
    if (!isHandshake(incoming)) return refuse(socket, 426, { 'sec-websocket-version': '13' })
    const said = await app.upgrade(request)
    if (!said.accept) return tell(socket, said)
    accept(await framed(app.sockets.mostBytes), said.accept, { incoming, socket, head }, open)
  }
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    void answer(incoming, socket, head).catch(() => socket.destroy())
  })
  server.on('close', () => clearInterval(pings))
  return {
    underway: () => app.sockets.underway,
    drain: () => app.sockets.drain(),
    terminate() {
      for (const socket of open) socket.terminate()
    },
  }
}

/** Tells what was answered in place of a socket. Nothing that takes long is told there. */
function tell(socket: Socket, { status, headers, body, gone }: Answer): void {
  gone?.()
  if (typeof body === 'object' && body !== null && 'read' in body) {
    body.cancel()
    return refuse(socket, 426)
  }
  refuse(socket, status, headers, body)
}

/** Loaded with the first socket: a server without any starts sooner. */
function framings(): (mostBytes: number) => Promise<WebSocketServer> {
  let made: { mostBytes: number; frames: WebSocketServer } | undefined
  return async (mostBytes) => {
    const { WebSocketServer } = await import('ws')
    if (made?.mostBytes === mostBytes) return made.frames
    const frames = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: mostBytes,
      handleProtocols: () => false,
    })
    made = { mostBytes, frames }
    return frames
  }
}

interface Upgrading {
  incoming: IncomingMessage
  socket: Socket
  head: Buffer
}

function accept(
  frames: WebSocketServer,
  take: Accept,
  { incoming, socket, head }: Upgrading,
  open: Set<OpenSocket>,
): void {
  // The app counts the connection from `take` on, which must not fail in between.
  if (socket.destroyed || !socket.writable) return void socket.destroy()
  frames.handleUpgrade(incoming, socket, head, (framed) => {
    const opened = new OpenSocket(framed, socket, take)
    open.add(opened)
    framed.on('close', () => open.delete(opened))
  })
}

/** A socket of ws, as the app sees it. */
class OpenSocket implements Peer {
  readonly #framed: WebSocket
  readonly #listener: Listener
  #missed = 0
  /** How much was unread at the last ping. */
  #ahead = 0

  constructor(framed: WebSocket, socket: Socket, take: Accept) {
    this.#framed = framed
    this.#listener = take(this)
    // Before the listener of ws, which makes messages of the same bytes.
    socket.prependListener('data', (bytes: Buffer) => this.#come(bytes.length))
    framed.on('message', (data: Buffer, isBinary: boolean) => {
      this.#missed = 0
      if (isBinary) this.#listener.unreadable()
      else this.#listener.heard(data.toString('utf8'))
    })
    framed.on('pong', () => (this.#missed = 0))
    framed.on('close', (code: number) => this.#listener.left(code))
    // It closes by itself, with a code that says why.
    framed.on('error', () => undefined)
  }

  send(text: string): Promise<void> | undefined {
    const framed = this.#framed
    if (framed.bufferedAmount + text.length <= MOST_AHEAD_BYTES) {
      framed.send(text, ignored)
      return undefined
    }
    return new Promise((resolve) => framed.send(text, () => resolve()))
  }

  close(code: number, reason: string): void {
    this.#framed.close(code, reason)
  }

  terminate(): void {
    this.#framed.terminate()
  }

  /** A caller that takes what is sent is there, even where it reads slowly. */
  ping(): void {
    const { bufferedAmount } = this.#framed
    if (bufferedAmount < this.#ahead) this.#missed = 0
    this.#ahead = bufferedAmount
    if (this.#missed >= MISSED_PINGS) {
      this.close(CLOSE.away, 'no answer to pings')
      return this.terminate()
    }
    this.#missed += 1
    this.#framed.ping()
  }

  #come(bytes: number): void {
    if (this.#listener.coming(bytes)) return
    this.close(CLOSE.tryLater, 'no room')
    // What is still coming would be kept until the other end has closed too.
    this.#framed.pause()
    this.#listener.left(CLOSE.tryLater)
  }
}

const ignored = (): void => undefined

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../../exchange/exchange.ts'
import type { LimitSettings } from '../../config/settings.ts'
import { STALL_MS } from '../../stream/time.ts'
import type { HttpRequest } from '../../ports.ts'
import { createServer } from './http.ts'
import { createListener } from './listener.ts'
import { cutOff, writeResponse } from './write-response.ts'
import { SharedWrites } from '../store/shared-writes.ts'
import { inTurn } from './turns.ts'
import { openSockets, type SocketApp, type Sockets } from './sockets.ts'

const CHECK_INTERVAL_MS = 5000
const MAX_HEADER_BYTES = 16 * 1024
/**
 * Longer than balancers keep idle connections (nginx and AWS 60 s, Traefik 90 s, Caddy 120 s): who closes first may
 * meet a request that is on its way, which then fails. Node's own is 5 s (24.21).
 */
const KEEP_ALIVE_MS = 125_000
/** From this share of `limits.connections` on, idle ones are closed early, to leave room for new callers. */
const CROWD = 0.75
const CROWDED_KEEP_ALIVE_MS = 5000
/** A connection over which nothing goes is forgotten by routers on the way; a long answer that is no stream needs it. */
const PROBE_MS = 60_000
const DRAIN_POLL_MS = 50
/** The time in which exchanges that were broken off may tell their callers. */
const FAREWELL_MS = 500

export interface RunningServer {
  port: number
  /** How many exchanges are open. */
  open(): number
  /**
   * Serves on for `lingerMs`, so that a load balancer notices first. Then takes no new connections, lets open
   * exchanges end for at most `drainMs`, and breaks off the others. Resolves when the last connection is closed.
   */
  stop(drainMs: number, lingerMs?: number): Promise<void>
}

export interface ServerOptions {
  /** Never rejects. */
  answer(request: HttpRequest): Promise<Answer>
  host: string
  port: number
  limits: Pick<LimitSettings, 'connections' | 'headersMs' | 'bodyMs'>
  /** The time after which a caller that reads nothing of its answer is cut off. */
  stallMs?: number
  /** Ends the exchanges that are still open after the drain. */
  breakOff(): void
  /** Shared with what writes to upstreams. */
  writes?: SharedWrites
  /** What opens sockets; without it they are refused as any request with `Upgrade` is. */
  sockets?: SocketApp
}

/** Listens; rejects with the system's error when it cannot. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  let draining = false
  const { writes = new SharedWrites() } = options
  const { server, sockets } = httpServer({ ...options, writes }, () => draining)
  await listening(server, options)
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    open: () => writes.open + (sockets?.underway() ?? 0),
    async stop(drainMs, lingerMs = 0) {
      draining = true
      if (lingerMs > 0) await sleep(lingerMs)
      await drained(server, sockets, drainMs, options.breakOff)
    },
  }
}

function httpServer(
  options: ServerOptions & { writes: SharedWrites },
  isDraining: () => boolean,
): { server: Server; sockets: Sockets | undefined } {
  const { headersMs, bodyMs, connections } = options.limits
  const { stallMs = STALL_MS } = options
  const listener = createListener(async (request, incoming, outgoing) => {
    // Written to the connection itself, because a `Response` of the web, and above all its stream, would cost more.
    const answer = await options.answer(request)
    await writeResponse(outgoing, answer, await stillComing(incoming), options.writes.write)
  })
  const turns = inTurn((incoming, outgoing) => {
    options.writes.begin()
    outgoing.on('close', () => options.writes.over())
    if (isDraining()) outgoing.shouldKeepAlive = false
    closeStalled(outgoing, stallMs)
    void listener(incoming, outgoing)
  })
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: Math.max(headersMs, bodyMs),
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    turns.take,
  )
  server.maxConnections = connections
  keepIdle(server)
  const { sockets: app } = options
  const sockets = app && openSockets(server, app, turns.isBusy)
  return { server, sockets }
}

/** How long idle connections are kept is told, and counted, from the end of each answer. */
function keepIdle(server: Server): void {
  let open = 0
  const count = (more: number) => {
    open += more
    const isCrowded = open > server.maxConnections * CROWD
    server.keepAliveTimeout = isCrowded ? CROWDED_KEEP_ALIVE_MS : KEEP_ALIVE_MS
  }
  server.on('connection', (socket) => {
    count(1)
    socket.on('close', () => count(-1))
  })
}

/**
 * The timeout of a connection begins again with each byte that the caller takes. Silence with nothing to send does
 * not count.
 */
const closeStalled = (outgoing: ServerResponse, stallMs: number) =>
  outgoing.setTimeout(stallMs, () => {
    if (outgoing.socket?.writableLength) cutOff(outgoing)
  })

/** The time for which the rest of a body is read that the caller goes on sending. */
const LINGER_MS = 1000

/** A body this short has come with the headers, or is about to. */
const SHORT_BYTES = 65_536

/** The rest of a body that was not read, if any. A short rest is awaited, and its connection is kept. */
async function stillComing(
  incoming: IncomingMessage,
): Promise<{ over: Promise<void> } | undefined> {
  if (incoming.complete) return undefined
  const over = unread(incoming)
  if (Number(incoming.headers['content-length'] ?? Infinity) <= SHORT_BYTES)
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, SHORT_WAIT_MS))])
  return incoming.complete ? undefined : { over }
}

const SHORT_WAIT_MS = 50

/** Reads and discards the rest of a body. Resolves at its end, or when it takes too long. */
function unread(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const clock = setTimeout(resolve, LINGER_MS)
    const over = () => {
      clearTimeout(clock)
      resolve()
    }
    incoming.on('end', over).on('close', over).resume()
  })
}

function listening(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Closes connections as soon as their last answer has been sent; by themselves they would stay open for seconds. */
function drained(
  server: Server,
  sockets: Sockets | undefined,
  drainMs: number,
  breakOff: () => void,
): Promise<void> {
  sockets?.drain()
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), DRAIN_POLL_MS)
    const deadline = setTimeout(breakOff, drainMs)
    const end = setTimeout(() => {
      server.closeAllConnections()
      sockets?.terminate()
    }, drainMs + FAREWELL_MS)
    server.close(() => {
      clearInterval(sweep)
      clearTimeout(deadline)
      clearTimeout(end)
      resolve()
    })
    server.closeIdleConnections()
  })
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Head, NodeRequest } from './request.ts'
import { cutOff } from './write-response.ts'

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** Answers a request by its connection. */
export type Serve = (
  request: NodeRequest,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) => Promise<void>

/** A host that all parsers of addresses read in the same way. */
const PLAIN_HOST = /^[a-z0-9._-]+(?::[1-9]\d{0,3}|:[1-5]\d{4})?$/i
const PLAIN_TARGET = /^\/[!$&-;=?-[\]_a-z~]*$/
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/

/** The host of a request means nothing to the app, because a caller can write any. */
export const ORIGIN = 'http://localhost'

/**
 * Listens to connections. `Request` and `Response` of the web cost too much for every request, and loading their
 * classes takes half of the time in which a bare server starts. So a plain request is read from its connection;
 * Hono's server handles all others (escapes, dots, unusual hosts), and is loaded with the first of them.
 */
export function createListener(serve: Serve): Listener {
  let hono: Promise<Listener> | undefined
  const unusual: Listener = async (incoming, outgoing) => {
    try {
      await (
        await (hono ??= honoListener(serve))
      )(incoming, outgoing)
    } catch {
      // It is loaded again for the next one: with too many open files, nothing can be.
      hono = undefined
      fail(outgoing)
    }
  }
  return async (incoming, outgoing) => {
    const head = new Head(incoming)
    const target = incoming.url ?? ''
    if (head.hosts > 1) outgoing.writeHead(400).end()
    else if (isPlain(head.get('host'), target))
      await serveRequest(
        serve,
        new NodeRequest(incoming, head, ORIGIN + target),
        incoming,
        outgoing,
      )
    else await unusual(incoming, outgoing)
  }
}

/**
 * Before HTTP/1.1, which some load balancers speak in health checks (HAProxy's default), a request may name no host.
 */
const isPlain = (host: string | null, target: string): boolean =>
  (!host || PLAIN_HOST.test(host)) && isPlainTarget(target)

/** Whether all readers of addresses read it in the same way. */
export const isPlainTarget = (target: string): boolean =>
  PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target)

async function honoListener(serve: Serve): Promise<Listener> {
  const [{ getRequestListener }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ])
  const listener = getRequestListener(
    async ({ url }, bindings) => {
      const incoming = bindings.incoming as IncomingMessage
      const outgoing = bindings.outgoing as ServerResponse
      const request = new NodeRequest(incoming, new Head(incoming), knownHost(url))
      await serveRequest(serve, request, incoming, outgoing)
      return RESPONSE_ALREADY_SENT
    },
    { hostname: 'localhost', overrideGlobalObjects: false },
  )
  return async (incoming, outgoing) => void (await listener(incoming, outgoing))
}

/** The address without an invalid host such as 127.256.0.1; the guard judges the `Host` header itself. */
const knownHost = (url: string): string =>
  URL.canParse(url) ? url : ORIGIN + url.replace(/^\w+:\/\/[^/?#]*/, '')

async function serveRequest(
  serve: Serve,
  request: NodeRequest,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  if (outgoing.destroyed) request.leave()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) request.leave()
  })
  try {
    await serve(request, incoming, outgoing)
  } catch {
    // For example when a header of an upstream's answer cannot be written.
    fail(outgoing)
  }
}

function fail(outgoing: ServerResponse): void {
  if (outgoing.headersSent) cutOff(outgoing)
  else outgoing.writeHead(500).end()
}

import { subscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { Readable, pipeline, type Duplex } from 'node:stream'
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici'
import {
  ConnectError,
  StaleConnectionError,
  type Send,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../ports.ts'
import { isObject } from '../../json/json.ts'
import { isWhole, piecesIn, sizeOf } from '../../json/bytes.ts'
import { messageOf } from '../../upstream/fetch-send.ts'
import type { Egress } from './egress.ts'
import { atOnce, type WriteSoon } from '../store/shared-writes.ts'
import { SharedReads } from '../store/shared-reads.ts'
import { UpstreamBody } from './upstream-body.ts'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import type { ByteSource } from '../../stream/source.ts'

/** Shorter than common servers keep idle connections, so that a reused connection is rarely dead. */
const KEEP_ALIVE_MS = 4000

const WITHOUT_CLOCKS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: KEEP_ALIVE_MS,
}

export interface NodeSend {
  send: Send
  /** Breaks every open exchange with an upstream; each ends with an error. */
  destroy(): void
}

/**
 * Calls upstreams on Node by undici's own dispatcher: the global `fetch` costs several times as much, and gives up
 * after five minutes without a byte. Timeouts are decided by the callers of this function, but for that of the
 * connection. `write`: when a request is written.
 */
export function createSend(egress: Egress = () => undefined, write = atOnce): NodeSend {
  const agents = new Map<string, Dispatcher>()
  const reads = new SharedReads()
  const agentFor = ({ connectMs, fresh = false }: UpstreamRequest, proxy: string | undefined) => {
    const name = `${connectMs} ${proxy} ${fresh}`
    const known = agents.get(name)
    if (known) return known
    const connect = {
      timeout: connectMs,
      autoSelectFamilyAttemptTimeout: patience(connectMs, fresh),
    }
    const agent = proxy === undefined ? directAgent(connect) : proxyAgent(connect, proxy)
    agents.set(name, agent)
    return agent
  }
  return {
    send(request) {
      const { url, proxy = egress(url) } = request
      return exchange(agentFor(request, proxy), request, { write, reads, proxy })
    },
    destroy() {
      for (const agent of agents.values()) void agent.destroy().catch(() => undefined)
      agents.clear()
    },
  }
}

/** Node's own 250 ms (24.21) are too short for the way to a server on another continent. */
const ADDRESS_MS = 500

/**
 * How long each address of a host has before Node gives it up for the next; only the last one has all the time there
 * is. A second attempt is patient: the only one that answers may be slow.
 */
const patience = (connectMs: number, fresh: boolean): number =>
  fresh ? Math.max(ADDRESS_MS, Math.ceil(connectMs / 3)) : ADDRESS_MS

/** How connections are made. */
interface Connecting {
  timeout: number
  autoSelectFamilyAttemptTimeout: number
}

const directAgent = (connect: Connecting): Dispatcher => new Agent({ ...WITHOUT_CLOCKS, connect })

/**
 * Each connection is a tunnel (CONNECT), so that the proxy sees no request. A proxy that does not answer in time
 * counts as no connection.
 */
const proxyAgent = (connect: Connecting, uri: string): Dispatcher =>
  new ProxyAgent({
    ...WITHOUT_CLOCKS,
    uri,
    ...credentialIn(new URL(uri)),
    proxyTls: connect,
    requestTls: connect,
    clientFactory: (origin, options) =>
      new Pool(origin, {
        ...options,
        headersTimeout: connect.timeout,
        keepAliveTimeout: KEEP_ALIVE_MS,
      }),
  })

/** undici leaves out a name without a password, in which some proxies are given their key. */
const credentialIn = ({ username, password }: URL): { token?: string } =>
  username === ''
    ? {}
    : {
        token: `Basic ${Buffer.from([username, password].map(decodeURIComponent).join(':')).toString('base64')}`,
      }

function exchange(
  agent: Dispatcher,
  request: UpstreamRequest,
  { write, reads, proxy }: { write: WriteSoon; reads: SharedReads; proxy: string | undefined },
): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    const dispatch = () => {
      if (request.signal.aborted) return reject(toError(request.signal.reason))
      const options = dispatchOptions(request)
      request.connection?.('sought')
      agent.dispatch(options, responseHandler(request, reads, { resolve, reject, proxy }))
    }
    write(() => {
      try {
        dispatch()
      } catch (error) {
        reject(toError(error))
      }
    })
  })
}

const dispatchOptions = (request: UpstreamRequest): Dispatcher.DispatchOptions => ({
  ...readPlace(request.url),
  method: request.method,
  headers: { 'accept-encoding': 'gzip', ...request.headers, ...contentLength(request.body) },
  body: toNodeBody(request.body),
  // A connection that is closed after its answer is always a new one.
  ...(request.fresh && { reset: true }),
})

interface Place {
  origin: string
  path: string
}

const places = new Map<string, Place>()
/** More than the upstreams of most configurations have models, but callers can name any. */
const MOST_PLACES = 256

/** An address in its parts; those without a query, which may hold a key, are remembered. */
function readPlace(address: string): Place {
  const known = places.get(address)
  if (known) return known
  const { origin, pathname, search } = new URL(address)
  const place = { origin, path: pathname + search }
  if (search !== '') return place
  if (places.size >= MOST_PLACES) places.clear()
  places.set(address, place)
  return place
}

/** undici takes any iterable as a body; its types allow fewer. */
function toNodeBody(body: UpstreamRequest['body']): Uint8Array | Readable | null {
  if (body instanceof ReadableStream) return Readable.fromWeb(body)
  if (body === undefined || (isWhole(body) && body.length < LARGE_BYTES)) return body ?? null
  return passing(piecesIn(body).toReversed()) as Iterable<Uint8Array> as Uint8Array
}

/** undici keeps a body in memory until its answer is over, which may take an hour. */
const LARGE_BYTES = 65_536

/** Yields pieces from the end of the list, and releases each as it is taken. */
function* passing(left: Uint8Array[]): Generator<Uint8Array> {
  for (let piece = left.pop(); piece; piece = left.pop()) yield piece
}

/** undici cannot know the length of a body in pieces, and would send it with chunked encoding. */
const contentLength = (body: UpstreamRequest['body']): Record<string, string> =>
  body === undefined || body instanceof ReadableStream || (isWhole(body) && body.length === 0)
    ? {}
    : { 'content-length': String(sizeOf(body)) }

interface Settling {
  /** The proxy on the way, if any. */
  proxy: string | undefined
  resolve(response: UpstreamResponse): void
  reject(error: Error): void
}

/** The connection to which a request was written. */
interface Sending {
  /** Undefined before, and at the end of the answer: then others may be sent over it. */
  socket: Socket | undefined
  isReused: boolean
  /** How many bytes it had received before. */
  bytesBefore: number
  /** When it was written. */
  at: number
}

const served = new WeakSet<Socket>()
/** The request that is about to be written; its headers follow in the same turn of the event loop. */
let beginning: Sending | undefined

/** Only this channel of undici (7.30) tells to which connection it writes. */
subscribe('undici:client:sendHeaders', (message) => {
  const socket: unknown = isObject(message) ? message['socket'] : undefined
  if (!(socket instanceof Socket)) return
  const sending = beginning
  beginning = undefined
  if (!sending) return
  Object.assign(sending, {
    socket,
    isReused: served.has(socket),
    bytesBefore: socket.bytesRead,
    at: performance.now(),
  })
  served.add(socket)
})

/** The longest end of a TLS connection without data: one alert record. */
const FAREWELL_BYTES = 31
const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** The other end tells within one round trip that it had closed the connection before the request came. */
const STALE_MS = 1000

/**
 * A reused connection that ended soon and without a byte of an answer had been closed for being idle. One that ends
 * later may end with a server that had begun to carry out the request.
 */
function lost(error: Error, { socket, isReused, bytesBefore, at }: Sending): Error {
  const code = 'code' in error ? error.code : undefined
  if (!socket || !isReused || !BROKEN.has(code) || performance.now() - at > STALE_MS) return error
  const most = 'encrypted' in socket ? FAREWELL_BYTES : 0
  return socket.bytesRead - bytesBefore > most ? error : new StaleConnectionError(error.message)
}

/** Receives one response. */
function responseHandler(
  { signal, connection }: UpstreamRequest,
  reads: SharedReads,
  { resolve, reject, proxy }: Settling,
): Dispatcher.DispatchHandler {
  let request: Dispatcher.DispatchController | undefined
  const sending: Sending = { socket: undefined, isReused: false, bytesBefore: 0, at: 0 }
  const abort = (reason?: unknown) => {
    leave()
    giveUp(sending.socket, request, toError(reason))
  }
  const flow = { pause: () => request?.pause(), resume: () => request?.resume(), abort }
  const body = new UpstreamBody(flow, reads)
  const leave = () => signal.removeEventListener('abort', onAbort)
  const onAbort = () => {
    fail(toError(signal.reason), { at: 'once' })
    abort(signal.reason)
  }
  const fail = (error: Error, when?: { at: 'once' }) => {
    leave()
    body.fail(error, when)
    reject(error)
  }
  signal.addEventListener('abort', onAbort)
  return {
    onRequestStart(controller) {
      request = controller
      beginning = sending
      connection?.('found')
      if (signal.aborted) controller.abort(toError(signal.reason))
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) return
      dropRawHeaders(controller)
      const response = toUpstreamResponse(status, headers, body)
      if (response) return resolve(response)
      fail(new Error('the answer has a content coding that was not asked for'))
      abort()
    },
    onResponseData: (_, chunk) => body.push(chunk),
    onResponseEnd() {
      leave()
      sending.socket = undefined
      body.end()
    },
    // Without a connection the request was not begun, so nothing was sent.
    onResponseError: (_, error) =>
      fail(request ? lost(error, sending) : new ConnectError(connectReason(error, proxy))),
  }
}

/** For a running request that it aborts itself, undici (7.30) makes another connection and then leaves it unused. */
function giveUp(
  socket: Socket | undefined,
  request: Dispatcher.DispatchController | undefined,
  reason: Error,
): void {
  if (socket) socket.destroy(reason)
  else request?.abort(reason)
}

/** undici would keep the bytes of all headers for as long as the body goes on. */
function dropRawHeaders(controller: Dispatcher.DispatchController): void {
  controller.rawHeaders = null
}

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

function toUpstreamResponse(
  status: number,
  headers: ResponseHeaders,
  raw: UpstreamBody,
): UpstreamResponse | undefined {
  const coding = findHeader(headers, 'content-encoding')
  const keys = () => Object.keys(headers)
  if (coding === null || isPlain(coding))
    return { status, headers: { get: (name) => findHeader(headers, name), keys }, body: raw }
  const body = decoded(raw, coding)
  return body && { status, headers: { get: (name) => decodedHeader(headers, name), keys }, body }
}

function findHeader(headers: ResponseHeaders, name: string): string | null {
  const key = name.toLowerCase()
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

/** Neither the coding nor the length describes the decoded body. */
const decodedHeader = (headers: ResponseHeaders, name: string): string | null =>
  /^content-(?:encoding|length)$/i.test(name) ? null : findHeader(headers, name)

/** Why no connection came about; a proxy from the environment may have been forgotten. */
function connectReason(error: Error, proxy: string | undefined): string {
  const reason = systemReason(error)
  return proxy === undefined ? reason : `through the proxy ${new URL(proxy).host}: ${reason}`
}

/** The message of OpenSSL is a line of places in its sources; what it means stands beside it. */
function systemReason(error: Error): string {
  const reason: unknown = 'reason' in error ? error.reason : undefined
  if (typeof reason !== 'string') return messageOf(error)
  const speaksPlain = 'code' in error && error.code === 'ERR_SSL_WRONG_VERSION_NUMBER'
  return speaksPlain ? `${reason}: no TLS is spoken there, perhaps http:// is meant` : reason
}

const toError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error('the exchange was given up')

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
])

/** How many decoded bytes wait for the reader before decoding pauses. */
const BUFFERED_BYTES = 64 * 1024

/** Whether a `content-encoding` leaves the body as it is. */
export const isPlain = (coding: string | null): boolean =>
  coding === null || coding.trim() === '' || coding.trim().toLowerCase() === 'identity'

/**
 * The decoded body. It is decoded as its reader asks for it, so that a compressed bomb stays small. Undefined for
 * codings that were not asked for, and for several at once.
 */
export function decoded(body: ByteSource, coding: string): ReadableStream<Uint8Array> | undefined {
  const name = coding.trim().toLowerCase()
  if (name === 'deflate') return inflated(body)
  const decoder = DECODERS.get(name)?.()
  return decoder && through(decoder, body)
}

/** `first`: what has been read already. */
function through(
  decoder: Duplex,
  body: ByteSource,
  first?: Uint8Array,
): ReadableStream<Uint8Array> {
  // The reader gets the error of a broken body from the decoder, which the pipeline destroys.
  pipeline(Readable.from(pieces(body, first), { objectMode: false }), decoder, () => undefined)
  // A read that waits for the next bytes would end the connection only behind them.
  decoder.once('close', () => body.cancel())
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES })
  return Readable.toWeb(decoder, { strategy })
}

/** Servers that leave out the header of zlib are told by the first byte, as undici's `fetch` and Chromium do. */
function inflated(body: ByteSource): ReadableStream<Uint8Array> {
  const open = async () => {
    const first = await body.read()
    const isRaw = first !== undefined && ((first[0] ?? 0) & 0x0f) !== 8
    return through(isRaw ? createInflateRaw() : createInflate(), body, first).getReader()
  }
  let reader: Awaited<ReturnType<typeof open>> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        reader ??= await open()
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => (reader ? reader.cancel(reason) : body.cancel()),
    },
    { highWaterMark: 0 },
  )
}

async function* pieces(body: ByteSource, first?: Uint8Array): AsyncGenerator<Uint8Array> {
  try {
    if (first) yield first
    for (let piece = await body.read(); piece; piece = await body.read()) yield piece
  } finally {
    body.cancel()
  }
}

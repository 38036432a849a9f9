import { Agent, createServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect, createServer as createRawServer, type Socket } from 'node:net'
import { serve } from '@hono/node-server'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { type Context, Hono } from 'hono'
import { MessageReader } from './reader.ts'

/**
 * The proxies that dragoman is compared with, one per process: `bare.ts KIND UPSTREAM-PORT`. They are what one
 * writes in a quarter of an hour, without keys, limits, a log or a memory.
 */

const [, , kind = '', upstreamPort = ''] = process.argv
const UPSTREAM = `http://127.0.0.1:${upstreamPort}`
const HOST = '127.0.0.1'
const HOP_BY_HOP = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']

const say = (port: number): void => console.log(`listens on http://${HOST}:${port}`)

function nodePassThrough(): void {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const upstream = httpRequest({ port: upstreamPort, host: HOST, method, path, headers, agent })
    upstream.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    upstream.on('error', () => outgoing.destroy())
    outgoing.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  })
  server.listen(0, HOST, () => say((server.address() as AddressInfo).port))
}

/** Hands on bytes, and knows of HTTP only where an answer ends. */
function rawPassThrough(): void {
  const free: Socket[] = []
  const callers = new WeakMap<Socket, Socket>()
  const open = (): Socket => {
    const upstream = connect({ port: Number(upstreamPort), host: HOST, noDelay: true })
    const reader = new MessageReader()
    upstream.on('error', () => undefined)
    upstream.on('close', () => callers.get(upstream)?.destroy())
    return upstream.on('data', (bytes) => {
      callers.get(upstream)?.write(bytes)
      if (reader.push(bytes) && callers.delete(upstream)) free.push(upstream)
    })
  }
  const server = createRawServer({ noDelay: true }, (caller) => {
    let upstream: Socket | undefined
    const own = () => (upstream && callers.get(upstream) === caller ? upstream : undefined)
    caller.on('error', () => undefined)
    caller.on('close', () => own()?.destroy())
    caller.on('data', (bytes) => {
      upstream = own() ?? free.pop() ?? open()
      callers.set(upstream, caller)
      upstream.write(bytes)
    })
  })
  server.listen(0, HOST, 4096, () => say((server.address() as AddressInfo).port))
}

/** Answers by itself: what a process costs that does nothing. */
function nothing(): void {
  const server = createServer((_, outgoing) => outgoing.end('{}'))
  server.listen(0, HOST, () => say((server.address() as AddressInfo).port))
}

function kept(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of HOP_BY_HOP) copy.delete(name)
  return copy
}

type Body = string | ReadableStream<Uint8Array> | null

/** What is sent is not decoded again, so that nothing of the request asks for a compressed answer. */
function forward({ req }: Context, body: Body): Promise<Response> {
  const { pathname, search } = new URL(req.url)
  return fetch(UPSTREAM + pathname + search, {
    method: req.method,
    headers: kept(req.raw.headers),
    body,
    duplex: 'half',
    signal: req.raw.signal,
  } as RequestInit)
}

async function passThrough(context: Context): Promise<Response> {
  const { body, status, headers } = await forward(context, context.req.raw.body)
  return new Response(body, { status, headers: kept(headers) })
}

const rewriteEvents = () =>
  new TransformStream<{ event?: string | undefined; data: string }, string>({
    transform({ event, data }, controller) {
      const name = event === undefined ? '' : `event: ${event}\n`
      controller.enqueue(`${name}data: ${JSON.stringify(JSON.parse(data))}\n\n`)
    },
  })

async function parseAndSerialise(context: Context): Promise<Response> {
  const response = await forward(context, JSON.stringify(await context.req.json()))
  const type = response.headers.get('content-type') ?? ''
  if (!response.body || !type.startsWith('text/event-stream'))
    return Response.json(await response.json())
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .pipeThrough(rewriteEvents())
    .pipeThrough(new TextEncoderStream())
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

function hono(handler: (context: Context) => Promise<Response>): void {
  const app = new Hono()
  app.all('*', handler)
  serve({ fetch: app.fetch, port: 0, hostname: HOST }, ({ port }) => say(port))
}

const KINDS: ReadonlyMap<string, () => void> = new Map([
  ['node:net', rawPassThrough],
  ['node:http', nodePassThrough],
  ['nothing', nothing],
  ['pass-through', () => hono(passThrough)],
  ['parse+serialise', () => hono(parseAndSerialise)],
])

// The server says so when a caller leaves, as many do here.
console.error = () => undefined
process.on('SIGTERM', () => process.exit())
process.on('unhandledRejection', () => undefined)
KINDS.get(kind)?.()

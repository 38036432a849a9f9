import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import {
  brotliCompressSync,
  constants,
  createDeflateRaw,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { toSource } from '../../src/stream/source.ts'
import { ConnectError, type UpstreamRequest, type UpstreamResponse } from '../../src/ports.ts'
import { createSend } from '../../src/node/upstream/send.ts'

const upstream = createSend()
const cleanups: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean()
})

/** A loopback upstream; gives its origin. */
function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  cleanups.push(() => server.close().closeAllConnections())
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(originOf(server.address() as AddressInfo)))
  })
}

/** How many have connected to what `saying` opened last. */
let connections = 0

/** An upstream that says exactly these bytes to whoever connects. */
function saying(answer: (socket: Socket) => void): Promise<string> {
  connections = 0
  const server = createSocketServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  cleanups.push(() => server.close())
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(originOf(server.address() as AddressInfo)))
  })
}

const originOf = ({ port }: AddressInfo) => `http://127.0.0.1:${port}`

const post = (url: string, options: Partial<UpstreamRequest> = {}) =>
  upstream.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode('{}'),
    signal: new AbortController().signal,
    connectMs: 1000,
    ...options,
  })

const sourceIn = ({ body }: UpstreamResponse) => body && toSource(body)

async function readText(response: UpstreamResponse): Promise<string> {
  const source = sourceIn(response)
  const parts: Uint8Array[] = []
  for (let part = await source?.read(); part; part = await source?.read()) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('the upstream client', () => {
  it('sends what it is given and reads the answer', async () => {
    const origin = await serving((request, response) => {
      const { url, method, headers } = request
      request.on('data', (chunk) => response.write(chunk))
      request.on('end', () => response.end())
      response.writeHead(201, {
        'X-Seen': JSON.stringify([url, method, headers['content-length']]),
      })
    })
    const response = await post(`${origin}/v1/x?alt=sse`)
    expect([response.status, response.headers.get('x-seen')]).toEqual([
      201,
      '["/v1/x?alt=sse","POST","2"]',
    ])
    expect(response.headers.get('__proto__')).toBeNull()
    expect(await readText(response)).toBe('{}')
  })

  it('sends a body as it comes', async () => {
    const origin = await serving((request, response) => void request.pipe(response))
    const body = new Response('streamed').body ?? undefined
    expect(await readText(await post(origin, body ? { body } : {}))).toBe('streamed')
  })

  it('follows no redirect', async () => {
    let requests = 0
    const origin = await serving((_, response) => {
      requests += 1
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect((await post(origin)).status).toBe(307)
    expect(requests).toBe(1)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', Buffer.from],
  ])('decodes %s', async (coding, encode) => {
    const bytes = encode(Buffer.from('{"text":"plain"}'))
    const origin = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': coding, 'content-length': bytes.length })
      response.end(bytes)
    })
    const response = await post(origin)
    expect(await readText(response)).toBe('{"text":"plain"}')
    if (coding !== 'identity') expect(response.headers.get('content-encoding')).toBeNull()
  })

  it.each([
    ['gzip', createGzip],
    ['deflate', createDeflateRaw],
  ] as const)('gives a stream in %s piece by piece', async (coding, create) => {
    const origin = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': coding })
      const encoder = create()
      encoder.pipe(response)
      encoder.write('first')
      encoder.flush(constants.Z_SYNC_FLUSH)
    })
    const reader = sourceIn(await post(origin))
    expect(new TextDecoder().decode(await reader?.read())).toBe('first')
    reader?.cancel()
  })

  it.each([
    ['gzip', undefined],
    ['deflate', undefined],
    ['gzip', gzipSync('first').subarray(0, 4)],
    ['deflate', deflateRawSync('first').subarray(0, 1)],
  ])('closes the connection of a reader that leaves in %s behind %o', async (coding, some) => {
    const left = Promise.withResolvers<void>()
    const origin = await serving((incoming, response) => {
      response.writeHead(200, { 'content-encoding': coding }).flushHeaders()
      if (some) response.write(some)
      incoming.socket.once('close', () => left.resolve())
    })
    const reader = sourceIn(await post(origin))
    const reading = reader?.read().catch(() => undefined)
    if (some) await new Promise((wake) => setTimeout(wake, 50))
    reader?.cancel()
    await left.promise
    await reading
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateRawSync],
  ])('holds no more of a bomb in %s than was read', async (coding, encode) => {
    const bomb = encode(Buffer.alloc(64 * 1024 * 1024))
    const origin = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(bomb)
    })
    const before = process.memoryUsage().rss
    const reader = sourceIn(await post(origin))
    for (let read = 0; read < 1024 * 1024;) read += (await reader?.read())?.length ?? 0
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024)
    reader?.cancel()
  })

  it.each(['zstd', 'gzip, gzip', 'nonsense'])('refuses the coding %s', async (coding) => {
    const origin = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end('x')
    })
    await expect(post(origin)).rejects.toThrow('content coding')
  })

  it('breaks the body of a broken connection, a cut one and a false one', async () => {
    const head = 'HTTP/1.1 200 OK\r\n'
    const broken = [
      `${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`,
      `${head}content-length: 50\r\n\r\nhello`,
      `${head}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`,
    ]
    for (const bytes of broken) {
      const origin = await saying((socket) => void socket.end(bytes))
      await expect(post(origin).then(readText)).rejects.toThrow()
    }
  })

  it('says that nothing was sent when no connection came about, and only then', async () => {
    const origin = await serving(() => undefined)
    for (const clean of cleanups.splice(0)) clean()
    await expect(post(origin)).rejects.toThrow(ConnectError)
    await expect(post('http://no-such-host.invalid/')).rejects.toThrow(ConnectError)
    const resetting = await saying((socket) => void socket.resetAndDestroy())
    const failure = await post(resetting).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(ConnectError)
  })

  it('says in words what OpenSSL means', async () => {
    const origin = await serving((_, response) => response.end('plain'))
    const failure = await post(origin.replace('http:', 'https:')).catch((error: unknown) => error)
    expect(failure).toEqual(
      new ConnectError('wrong version number: no TLS is spoken there, perhaps http:// is meant'),
    )
  })

  it('tells when a connection is sought and found', async () => {
    const told: string[] = []
    const connection = (state: string) => void told.push(state)
    await readText(await post(await serving((_, response) => response.end()), { connection }))
    expect(told).toEqual(['sought', 'found'])
    // Somebody is there, but never agrees on a key.
    const mute = (await saying(() => undefined)).replace('http:', 'https:')
    const failure = post(mute, { connection, connectMs: 100 })
    await expect(failure).rejects.toThrow(ConnectError)
    expect(told).toEqual(['sought', 'found', 'sought'])
  })

  it('stops the upstream when the caller leaves, in every phase', async () => {
    const closed: string[] = []
    const origin = await serving((request, response) => {
      response.on('close', () => closed.push(request.url ?? ''))
      if (request.url === '/silent') return
      response.writeHead(200)
      response.write('piece')
    })
    const before = new AbortController()
    before.abort(new Error('gone'))
    await expect(post(`${origin}/never`, { signal: before.signal })).rejects.toThrow('gone')

    const waiting = new AbortController()
    const pending = post(`${origin}/silent`, { signal: waiting.signal })
    setTimeout(() => waiting.abort(), 50)
    await expect(pending).rejects.toThrow()

    const midway = new AbortController()
    const answer = await post(`${origin}/midway`, { signal: midway.signal })
    midway.abort('left')
    await expect(readText(answer)).rejects.toThrow()

    sourceIn(await post(`${origin}/cancelled`))?.cancel()
    await expect.poll(() => closed).toEqual(['/silent', '/midway', '/cancelled'])
  })

  it.each([
    ['before its head', '/silent', '{}'],
    ['in its midst', '/midway', '{}'],
    ['while it is sent', '/silent', 'x'.repeat(8_000_000)],
  ])('makes no connection anew for an exchange that was given up %s', async (_, path, body) => {
    const ends: boolean[] = []
    const origin = await saying((socket) => {
      const place = ends.push(false) - 1
      socket.on('close', () => (ends[place] = true))
      if (path !== '/silent') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npiece')
      else socket.pause()
    })
    const left = new AbortController()
    const bytes = new TextEncoder().encode(body)
    const failed = post(origin + path, { signal: left.signal, body: bytes }).then(readText)
    await expect.poll(() => ends).toEqual([false])
    left.abort(new Error('left'))
    await expect(failed).rejects.toThrow()
    // Who has stopped reading is told of the end by the next byte alone.
    if (path !== '/silent') await expect.poll(() => ends).toEqual([true])
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(connections).toBe(1)
  })

  it('reads no further than its reader asks', async () => {
    let sent = 0
    const origin = await serving((_, response) => {
      const more = () => {
        while (sent < 64 * 1024 * 1024 && response.write(Buffer.alloc(65_536))) sent += 65_536
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    const reader = sourceIn(await post(origin))
    await reader?.read()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(sent).toBeLessThan(16 * 1024 * 1024)
    reader?.cancel()
  })

  it('keeps answers apart on reused connections, while others are given up', async () => {
    const connections = new Set<unknown>()
    const origin = await serving((request, response) => {
      connections.add(request.socket)
      setTimeout(() => response.end(request.url), Math.random() * 5)
    })
    const ask = async (index: number) => {
      const controller = new AbortController()
      if (index % 3 === 0) setTimeout(() => controller.abort(), Math.random() * 5)
      const answer = post(`${origin}/${index}`, { signal: controller.signal }).then(readText)
      const text = await answer.catch(() => `/${index}`)
      expect(text).toBe(`/${index}`)
    }
    for (let round = 0; round < 20; round += 1)
      await Promise.all(Array.from({ length: 20 }, (_, index) => ask(round * 20 + index)))
    expect(connections.size).toBeLessThan(400)
  })
})

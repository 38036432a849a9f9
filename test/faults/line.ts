import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** What an upstream does with one request, byte by byte: nothing stands between a script and the socket. */
export type Script = (line: Line) => void | Promise<void>

/** One request at the upstream, and the connection that it came on. */
export class Line {
  readonly socket: Socket
  readonly request: string
  /** The answer is whole, so that the connection may stay open. */
  whole = false
  constructor(socket: Socket, request: string) {
    this.socket = socket
    this.request = request
  }

  /** A raw head. */
  head(status: number | string, headers: Readonly<Record<string, string | number>> = {}): this {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return this.raw(`HTTP/1.1 ${status}${status === '' ? '' : ' X'}\r\n${lines.join('')}\r\n`)
  }

  raw(bytes: string | Uint8Array): this {
    if (this.socket.writable) this.socket.write(bytes)
    return this
  }

  /** The head of a chunked stream. */
  open(headers: Readonly<Record<string, string>> = {}): this {
    return this.head(200, { ...EVENTS, 'transfer-encoding': 'chunked', ...headers })
  }

  chunk(bytes: string | Uint8Array): this {
    const data = Buffer.from(bytes as string)
    return data.length === 0
      ? this
      : this.raw(Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, CRLF]))
  }

  /** The regular end of a chunked body. */
  close(): this {
    this.whole = true
    return this.raw('0\r\n\r\n')
  }

  /** A whole answer with a length. */
  answer(
    body: string | Uint8Array,
    { status = 200, ...headers }: { status?: number } & Record<string, string | number> = {},
  ): this {
    this.whole = true
    const data = Buffer.from(body as string)
    const length = { 'content-length': data.length }
    return this.head(status, { 'content-type': 'application/json', ...length, ...headers }).raw(
      data,
    )
  }

  fin(): void {
    this.socket.end()
  }

  reset(): void {
    this.socket.resetAndDestroy()
  }
}

const CRLF = Buffer.from('\r\n')
export const EVENTS = { 'content-type': 'text/event-stream' }

export interface LineServer {
  port: number
  /** What happened to each request, by the key that is found in it. */
  lines: Map<string, Line[]>
  close(): void
}

/** An upstream on bare TCP. `keyOf` finds the script that a request means. */
export async function lineServer(
  keyOf: (request: string) => string,
  scriptOf: (key: string) => Script | undefined,
): Promise<LineServer> {
  const lines = new Map<string, Line[]>()
  const sockets = new Set<Socket>()
  // A body behind its head would wait 40 ms for the other side to confirm the head.
  const server: Server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    requestsOn(socket, (request) => {
      const key = keyOf(request)
      const line = new Line(socket, request)
      lines.set(key, [...(lines.get(key) ?? []), line])
      void (scriptOf(key) ?? ((nobody) => nobody.reset()))(line)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Requests with a length, one after the other. */
function requestsOn(socket: Socket, take: (request: string) => void): void {
  let held = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    held = Buffer.concat([held, bytes])
    for (;;) {
      const body = held.indexOf('\r\n\r\n') + 4
      if (body < 4) return
      const length = /\r\ncontent-length: *(\d+)/i.exec(held.toString('latin1', 0, body))?.[1]
      const end = body + Number(length ?? 0)
      if (held.length < end) return
      const request = held.toString('utf8', 0, end)
      held = held.subarray(end)
      take(request)
    }
  })
}

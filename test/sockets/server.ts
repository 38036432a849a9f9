import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import { startServer, type RunningServer } from '../../src/node/server/server.ts'
import { defined } from '../../src/json/json.ts'
import { SocketCaller, type Line } from './caller.ts'
import { CALLER_KEY, openingHeaders, stageOf, type Stage, type StageOptions } from './proxy.ts'

/** The same proxy behind a port of this machine. */
export interface Served extends Omit<Stage, 'connect'> {
  server: RunningServer
  port: number
  key: string
  connect(headers?: Record<string, string>): Promise<SocketCaller>
  raw(): Promise<RawCaller>
}

export async function serve(options: StageOptions = {}): Promise<Served> {
  const stage = stageOf({ door: { kind: 'listener', host: '127.0.0.1' }, ...options })
  const deadline = new AbortController()
  const server = await startServer({
    answer: stage.handler.answer,
    sockets: stage.handler,
    host: '127.0.0.1',
    port: 0,
    limits: { ...PROCESS_LIMITS, ...defined(options.config?.limits ?? {}) },
    breakOff: () => deadline.abort(),
  })
  const { port } = server
  return {
    ...stage,
    server,
    port,
    key: CALLER_KEY,
    connect: async (headers = {}) => new SocketCaller(await lineOf(port, headers)),
    raw: () => RawCaller.at(port),
  }
}

const ignored = (): void => undefined

async function lineOf(port: number, headers: Record<string, string>): Promise<Line> {
  const { authorization = '' } = openingHeaders(headers)
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/responses`, {
    headers: { ...headers, authorization },
  })
  const early: string[] = []
  let heard = (text: string): void => void early.push(text)
  let closed: (code: number) => void = ignored
  socket.on('message', (data: Buffer) => heard(data.toString('utf8')))
  socket.on('close', (code: number) => closed(code))
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  return {
    send: (text) => socket.send(text),
    close: (code) => socket.close(code),
    listen(hear, close) {
      heard = hear
      closed = close
      for (const text of early) hear(text)
    },
  }
}

/** Bytes as they are, both ways. */
class RawCaller {
  readonly socket: Socket
  bytes: Buffer = Buffer.alloc(0)
  isClosed = false

  static async at(port: number): Promise<RawCaller> {
    const socket = connect(port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    return new RawCaller(socket)
  }

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (more) => (this.bytes = Buffer.concat([this.bytes, more])))
    socket.on('error', () => undefined)
    socket.on('close', () => (this.isClosed = true))
  }

  get text(): string {
    return this.bytes.toString('latin1')
  }

  write(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  async closed(): Promise<string> {
    await this.until(() => this.isClosed)
    return this.text
  }

  /** Opens a socket, and forgets the answer. */
  async upgrade(headers: Record<string, string> = {}): Promise<string> {
    this.write(handshake(headers))
    await this.until(() => this.text.includes('\r\n\r\n'))
    const head = this.text
    this.bytes = Buffer.alloc(0)
    return head
  }

  /** The code of the frame that closes it. */
  async closingCode(): Promise<number> {
    await this.until(() => this.isClosed || this.bytes.includes(0x88))
    const at = this.bytes.indexOf(0x88)
    return at < 0 ? 0 : this.bytes.readUInt16BE(at + 2)
  }
}

export const handshake = (
  headers: Record<string, string> = {},
  first = 'GET /v1/responses HTTP/1.1',
): string =>
  [
    first,
    'host: 127.0.0.1',
    ...Object.entries(openingHeaders(headers)).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

interface Framed {
  /** The first byte; a whole text when absent. */
  head?: number
  masked?: boolean
  /** What the frame says of its length. */
  length?: Buffer
}

/** One frame of a client (RFC 6455, section 5.2). */
export function frame(
  payload: string | Buffer,
  { head = 0x81, masked = true, length }: Framed = {},
): Buffer {
  const bytes = Buffer.from(payload)
  const said = length ?? lengthOf(bytes.length)
  const marked = Buffer.from(said)
  if (masked) marked[0] = (marked[0] ?? 0) | 0x80
  const mask = masked ? Buffer.from([1, 2, 3, 4]) : Buffer.alloc(0)
  const body = masked ? bytes.map((byte, at) => byte ^ ((at % 4) + 1)) : bytes
  return Buffer.concat([Buffer.from([head]), marked, mask, body])
}

function lengthOf(length: number): Buffer {
  if (length < 126) return Buffer.from([length])
  const long = Buffer.alloc(length < 65_536 ? 3 : 9)
  long[0] = length < 65_536 ? 126 : 127
  if (length < 65_536) long.writeUInt16BE(length, 1)
  else long.writeBigUInt64BE(BigInt(length), 1)
  return long
}

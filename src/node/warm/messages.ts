import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * Both ends of the wire in the proxy's own exchanges. They are as little as can be, and none of the
 * program's own, which the engine should know by what really uses it.
 */

export const HOST = '127.0.0.1'

/** Hands on each whole message of a connection, as text with a character for each byte. */
function readMessages(socket: Socket, take: (message: string) => void): void {
  let text = ''
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
    if (!isWhole(text)) return
    const message = text
    text = ''
    take(message)
  })
}

const LAST_CHUNK = '\r\n0\r\n\r\n'

function isWhole(text: string): boolean {
  const at = text.indexOf('\r\n\r\n')
  if (at < 0) return false
  const [, length] = /^content-length: *(\d+)/im.exec(text.slice(0, at)) ?? []
  return length === undefined ? text.endsWith(LAST_CHUNK) : text.length >= at + 4 + Number(length)
}

/** How many messages go over a connection: few, since making and ending one is to be warmed too. */
const MESSAGES_EACH = 8

/** Answers each message by another one, and closes every connection after some of them. */
export async function listenWith(
  answer: (message: string, isLast: boolean) => Promise<Uint8Array>,
): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    let count = 0
    readMessages(socket, (message) => {
      count += 1
      const isLast = count === MESSAGES_EACH
      void answer(message, isLast).then((reply) =>
        isLast ? socket.end(reply) : socket.write(reply),
      )
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, HOST, resolve)
  })
  const address = server.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, server }
}

/** A caller, who asks one thing at a time. */
export class WarmCaller {
  readonly #port: number
  #socket: Socket | undefined
  #count = 0
  #wake: { resolve(reply: string): void; reject(error: Error): void } | undefined

  constructor(port: number) {
    this.#port = port
  }

  ask(message: Uint8Array): Promise<string> {
    const socket = this.#connected()
    return new Promise((resolve, reject) => {
      this.#wake = { resolve, reject }
      socket.write(message)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #connected(): Socket {
    this.#count += 1
    if (this.#socket && this.#count % MESSAGES_EACH !== 0) return this.#socket
    this.close()
    const socket = connect(this.#port, HOST)
    const fail = (error: Error) => {
      if (this.#socket === socket) this.#wake?.reject(error)
    }
    socket.on('error', fail).on('close', () => fail(new Error('it was closed')))
    readMessages(socket, (reply) => this.#wake?.resolve(reply))
    this.#socket = socket
    return socket
  }
}

/** Each piece as a chunk of its own. */
export const chunked = (pieces: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([
    ...pieces.flatMap((piece) => [
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('0\r\n\r\n'),
  ])

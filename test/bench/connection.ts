import { connect, type Socket } from 'node:net'
import { type BodyTap, MessageReader } from './reader.ts'

/** One answer, as a caller meets it. */
export interface Heard {
  /** When the request went out, when the first byte of the body and when the last one came. */
  askedAt: number
  firstAt: number
  endedAt: number
  startLine: string
  bytes: number
}

export interface Connection {
  /** Sends a request; one at a time. */
  ask(request: Buffer): void
  close(): void
}

export interface Listener {
  ended(heard: Heard): void
  /** The first byte of a body has come. */
  begun?(): void
  /** Parts of bodies, valid during the call only. */
  body?: BodyTap | undefined
  failed(reason: string): void
}

/** A kept connection over which answers come one after another. */
export function openConnection(port: number, listener: Listener): Promise<Connection> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () =>
      resolve(conversation(socket, listener)),
    )
    socket.on('error', ({ message }) => listener.failed(message))
  })
}

function conversation(socket: Socket, listener: Listener): Connection {
  const reader = new MessageReader(listener.body)
  let askedAt = 0
  let firstAt = 0
  let isAsked = false
  let isClosed = false
  const ended = () => {
    isAsked = false
    const { startLine, bytes } = reader
    listener.ended({ askedAt, firstAt, endedAt: performance.now(), startLine, bytes })
  }
  socket.on('data', (chunk) => {
    const isComplete = reader.push(chunk)
    if (firstAt === 0 && reader.bytes > 0) {
      firstAt = performance.now()
      listener.begun?.()
    }
    if (isComplete) ended()
  })
  socket.on('close', () => {
    if (!isClosed && isAsked)
      listener.failed('the connection was closed before the end of an answer')
  })
  return {
    ask(request) {
      askedAt = performance.now()
      firstAt = 0
      isAsked = true
      socket.write(request)
    },
    close() {
      isClosed = true
      socket.destroy()
    },
  }
}

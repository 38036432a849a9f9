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

/** Where all connections read to, one after another: nobody keeps what is in it. */
const ROOM = Buffer.alloc(64 * 1024)

/** A kept connection over which answers come one after another. */
export function openConnection(port: number, listener: Listener): Promise<Connection> {
  const talk = conversation(listener)
  const onread = {
    buffer: ROOM,
    callback(length: number) {
      talk.take(ROOM.subarray(0, length))
      return true
    },
  }
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, () =>
      resolve(talk.over(socket)),
    )
    socket.on('error', ({ message }) => {
      listener.failed(message)
      resolve(talk.over(socket))
    })
    socket.on('end', () => listener.failed('the proxy closed the connection'))
  })
}

interface Conversation {
  take(chunk: Buffer): void
  over(socket: Socket): Connection
}

function conversation(listener: Listener): Conversation {
  const reader = new MessageReader(listener.body)
  let askedAt = 0
  let firstAt = 0
  const ended = () => {
    const { startLine, bytes } = reader
    listener.ended({ askedAt, firstAt, endedAt: performance.now(), startLine, bytes })
  }
  return {
    take(chunk) {
      const isComplete = reader.push(chunk)
      if (firstAt === 0 && reader.bytes > 0) {
        firstAt = performance.now()
        listener.begun?.()
      }
      if (isComplete) ended()
    },
    over: (socket) => ({
      ask(request) {
        askedAt = performance.now()
        firstAt = 0
        socket.write(request)
      },
      close: () => void socket.destroy(),
    }),
  }
}

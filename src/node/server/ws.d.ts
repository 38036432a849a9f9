/** What is used of ws 8.23, which brings no types. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events'
  import type { IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  interface ServerOptions {
    noServer: true
    clientTracking: false
    perMessageDeflate: false
    maxPayload: number
    handleProtocols(): false
  }

  interface ClientOptions {
    headers?: Readonly<Record<string, string>>
    perMessageDeflate?: boolean
  }

  export class WebSocket extends EventEmitter {
    constructor(address: string, options?: ClientOptions)
    readonly bufferedAmount: number
    readonly readyState: number
    send(text: string | Uint8Array, done?: (error?: Error) => void): void
    close(code?: number, reason?: string): void
    pause(): void
    resume(): void
    ping(): void
    terminate(): void
  }

  export class WebSocketServer {
    constructor(options: ServerOptions)
    handleUpgrade(
      incoming: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      opened: (socket: WebSocket) => void,
    ): void
  }
}

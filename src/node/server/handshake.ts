import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer } from '../../exchange/exchange.ts'
import { STATUS_CODES } from './http.ts'

const KEY = /^[+/0-9A-Za-z]{22}==$/

/** Whether a request with `Upgrade: websocket` is a handshake (RFC 6455, section 4.2.1), and has no body. */
export function isHandshake({ headers, httpVersion }: IncomingMessage): boolean {
  return (
    httpVersion === '1.1' &&
    KEY.test(headers['sec-websocket-key'] ?? '') &&
    headers['sec-websocket-version'] === '13' &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length'] ?? 0) === 0
  )
}

/** Answers on the connection itself and closes it, so that nothing of what follows is taken for a request. */
export function refuse(
  socket: Socket,
  status: number,
  headers: Answer['headers'] = {},
  body: string | Uint8Array | null = null,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.alloc(0))
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-length': String(bytes.length),
  }).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n')
  socket.end(Buffer.concat([Buffer.from(head, 'latin1'), bytes]))
  // A caller that goes on sending, or never closes its side, is not waited for.
  socket.setTimeout(LINGER_MS, () => socket.destroy())
  socket.resume()
}

const LINGER_MS = 1000

/** They ask for another protocol, or tell of that. */
const UPGRADING = /^(?:upgrade|http2-settings)$/i

/**
 * Lets the server read a request again, without what asks for another protocol: where upgrades are listened to, Node
 * (24.21) hands over every connection on which one is asked for, and with it the body.
 */
export function handBack(
  server: Server,
  { method = '', url = '', rawHeaders, httpVersion }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    if (UPGRADING.test(name)) continue
    if (name.toLowerCase() !== 'connection') lines.push(`${name}: ${value}`)
    else if (/\bclose\b/i.test(value)) lines.push('connection: close')
  }
  const bytes = Buffer.from([...lines, '', ''].join('\r\n'), 'latin1')
  socket.unshift(Buffer.concat([bytes, head]))
  server.emit('connection', socket)
}

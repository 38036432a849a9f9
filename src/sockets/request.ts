import type { Lookup } from '../model/lookup.ts'
import { LONG_BYTES, sizeOf, wholeBytes, type Bytes } from '../json/bytes.ts'
import type { Connected, HttpRequest } from '../ports.ts'
import type { SocketMode } from './mode.ts'

/** Headers that are about the opening of the socket, or would name all its requests alike. */
const OF_OPENING =
  /^(?:upgrade|connection|sec-websocket-.*|content-.*|transfer-encoding|expect|x-request-id|idempotency-key)$/

/** What goes into it. */
export interface Sent {
  mode: SocketMode
  body: Bytes
  signal: AbortSignal
  /** Only what would become of it is asked. */
  isExplained?: boolean
}

/** A request over HTTP, in this process, for one that came on a socket. */
export function requestOn(
  opening: HttpRequest,
  connection: Connected,
  { mode, body, signal, isExplained = false }: Sent,
): HttpRequest {
  const headers = new OpeningHeaders(opening.headers, mode, sizeOf(body))
  const { pathname, search, origin } = new URL(opening.url)
  return {
    method: 'POST',
    url: `${origin}${isExplained ? '/explain' : ''}${pathname}${search}`,
    headers,
    body: null,
    signal,
    connection,
    whole: async () => (sizeOf(body) < LONG_BYTES ? wholeBytes(body) : body),
    arrayBuffer: async () => new Uint8Array(wholeBytes(body)).buffer,
  }
}

/** The headers of the opening, and those of a body. */
class OpeningHeaders implements Lookup {
  readonly #opening: HttpRequest['headers']
  readonly #mode: SocketMode
  readonly #length: number

  constructor(opening: HttpRequest['headers'], mode: SocketMode, length: number) {
    this.#opening = opening
    this.#mode = mode
    this.#length = length
  }

  get(name: string): string | null {
    const known = name.toLowerCase()
    if (known === 'content-type') return 'application/json'
    if (known === 'content-length') return String(this.#length)
    if (OF_OPENING.test(known)) return null
    const value = this.#opening.get(known)
    return value === null ? null : this.#mode.header(known, value)
  }

  *keys(): Iterable<string> {
    yield 'content-type'
    yield 'content-length'
    for (const name of this.#opening.keys?.() ?? []) if (!OF_OPENING.test(name)) yield name
  }
}

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Lookup } from '../../model/lookup.ts'
import { type Bytes, wholeBytes } from '../../json/bytes.ts'
import type { HttpRequest } from '../../ports.ts'
import { readIncoming } from './read-body.ts'

const ABSOLUTE = /^\w+:\/\/([^/?#]*)/

/** The headers of a request: names in small letters, repeated ones joined by commas. */
export class Head implements Lookup {
  readonly #values = new Map<string, string>()
  /** How many `Host` headers there were: with two of them, a proxy in front may have gone by the other one. */
  readonly hosts: number

  constructor({ rawHeaders, url = '/' }: Pick<IncomingMessage, 'rawHeaders' | 'url'>) {
    let hosts = 0
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = (rawHeaders[at] ?? '').toLowerCase()
      const value = rawHeaders[at + 1] ?? ''
      const known = this.#values.get(name)
      this.#values.set(name, known === undefined ? value : `${known}, ${value}`)
      if (name === 'host') hosts += 1
    }
    this.hosts = hosts
    // A whole address as the target names the host, whatever the header says (RFC 9112, section 3.2.2).
    const [, named] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? [])
    if (named !== undefined) this.#values.set('host', named)
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }

  keys(): Iterable<string> {
    return this.#values.keys()
  }
}

/**
 * A request as it came. Headers and a whole body are read from the connection itself, because `Request` of the web
 * would copy them twice. A body that passes as a stream is a stream of the web.
 */
export class NodeRequest implements HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: HttpRequest['headers']
  readonly #incoming: IncomingMessage
  #leaving: AbortController | undefined
  #hasLeft = false
  #body: HttpRequest['body'] | undefined

  constructor(incoming: IncomingMessage, headers: HttpRequest['headers'], url: string) {
    this.method = incoming.method ?? 'GET'
    this.url = url
    this.headers = headers
    this.#incoming = incoming
  }

  get address(): string | undefined {
    return this.#incoming.socket.remoteAddress
  }

  get signal(): AbortSignal {
    if (!this.#leaving) {
      this.#leaving = new AbortController()
      if (this.#hasLeft) this.#leaving.abort(left())
    }
    return this.#leaving.signal
  }

  /** The caller has closed the connection. */
  leave(): void {
    this.#hasLeft = true
    this.#leaving?.abort(left())
  }

  get body(): HttpRequest['body'] {
    const isBodiless = this.method === 'GET' || this.method === 'HEAD'
    return (this.#body ??= isBodiless ? null : Readable.toWeb(this.#incoming))
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(wholeBytes(await this.whole())).buffer
  }

  whole(heed?: (bytes: number) => void): Promise<Bytes> {
    return readIncoming(this.#incoming, heed)
  }
}

const left = (): Error => new Error('the caller has left')

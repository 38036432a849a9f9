import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Lookup } from '../model/lookup.ts'
import { type Bytes, wholeBytes } from '../json/bytes.ts'
import type { HttpRequest } from '../ports.ts'
import { readIncoming } from './read-body.ts'

/** The head of a request: names in small letters, and what came more than once joined by commas. */
export class Head implements Lookup {
  readonly #values = new Map<string, string>()
  /** Of two hosts a proxy before this one may have believed the other. */
  readonly hosts: number

  constructor({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>) {
    let hosts = 0
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = (rawHeaders[at] ?? '').toLowerCase()
      const value = rawHeaders[at + 1] ?? ''
      const known = this.#values.get(name)
      this.#values.set(name, known === undefined ? value : `${known}, ${value}`)
      if (name === 'host') hosts += 1
    }
    this.hosts = hosts
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }

  keys(): Iterable<string> {
    return this.#values.keys()
  }
}

/**
 * A request as it came. The head and a whole body are taken from the connection itself: as objects of the
 * web they would be copied, and copied again. A body that is passed on as it comes is a stream of the web.
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

  get signal(): AbortSignal {
    if (!this.#leaving) {
      this.#leaving = new AbortController()
      if (this.#hasLeft) this.#leaving.abort(left())
    }
    return this.#leaving.signal
  }

  /** Its caller has closed the connection. */
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

import type { IncomingMessage } from 'node:http'
import type { Lookup } from '../model/lookup.ts'
import type { Bytes } from '../json/bytes.ts'
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

/** Of a host that is none, such as 127.256.0.1, which only looks like one; what it says is judged by its header. */
const withoutHost = (url: string): string =>
  `http://localhost${url.replace(/^\w+:\/\/[^/?#]*/, '')}`

type WebRequest = Pick<Request, 'method' | 'url' | 'body' | 'signal' | 'arrayBuffer'>

/**
 * A request as it came. The head and a whole body are taken from the connection itself: as objects of the
 * web they would be copied, and copied again. A body that is passed on as it comes is a stream of the web.
 */
export class NodeRequest implements HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: HttpRequest['headers']
  readonly signal: AbortSignal
  readonly #incoming: IncomingMessage
  readonly #request: WebRequest

  constructor(incoming: IncomingMessage, headers: HttpRequest['headers'], request: WebRequest) {
    this.method = request.method
    this.url = URL.canParse(request.url) ? request.url : withoutHost(request.url)
    this.headers = headers
    this.signal = request.signal
    this.#incoming = incoming
    this.#request = request
  }

  get body(): WebRequest['body'] {
    return this.#request.body
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#request.arrayBuffer()
  }

  whole(heed?: (bytes: number) => void): Promise<Bytes> {
    return readIncoming(this.#incoming, heed)
  }
}

import type { Bytes } from '../json/bytes.ts'
import type { HttpRequest } from '../ports.ts'

/** The same request, which reports its whole body. A body that passes as a stream is not looked at. */
export class WatchedRequest implements HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: HttpRequest['headers']
  readonly whole?: NonNullable<HttpRequest['whole']>
  readonly #request: HttpRequest
  readonly #came: (bytes: Bytes) => void

  constructor(request: HttpRequest, came: (bytes: Bytes) => void) {
    this.method = request.method
    this.url = request.url
    this.headers = request.headers
    this.#request = request
    this.#came = came
    const whole = request.whole?.bind(request)
    if (whole) this.whole = (heed) => this.#heard(whole(heed))
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  get body(): HttpRequest['body'] {
    return this.#request.body
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const buffer = await this.#request.arrayBuffer()
    this.#came(new Uint8Array(buffer))
    return buffer
  }

  /** Its reader waits for the body, and for nothing of this. */
  #heard(whole: Promise<Bytes>): Promise<Bytes> {
    whole.then(this.#came, () => undefined)
    return whole
  }
}

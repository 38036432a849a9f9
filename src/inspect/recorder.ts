import type { Lookup } from '../model/lookup.ts'
import type { LogEntry } from '../observe/entry.ts'
import type {
  HttpRequest,
  Inspector,
  PassingAnswer,
  Ports,
  Send,
  UpstreamRequest,
  UpstreamResponse,
} from '../ports.ts'
import { type ByteSource, toSource } from '../stream/source.ts'
import { KeptBody } from './kept-body.ts'
import { type KeptAnswer, type KeptCall, KeptExchange } from './kept.ts'
import { presentedSecrets, shownHeaders, shownUrl } from './secrets.ts'
import { WatchedRequest } from './watched-request.ts'

/** What all exchanges together may take, and how many there may be. */
export const RING_BYTES = 33_554_432
export const RING_EXCHANGES = 500

export interface RecorderOptions {
  /** Milliseconds since 1970. */
  now(): number
  /** Of the settings in use. */
  secrets(): readonly string[]
  cost(entry: LogEntry): number | undefined
  /** Text without secrets. */
  hide(text: string, secrets: readonly string[]): string
}

/** The last exchanges, in memory; the oldest go first. */
export interface Recorder {
  readonly inspector: Inspector
  /** The oldest first. */
  list(): readonly KeptExchange[]
  find(number: number): KeptExchange | undefined
  clear(): void
  /** Told after something has changed. The result ends that. */
  listen(heard: () => void): () => void
  readonly bytes: () => number
}

export function createRecorder(options: RecorderOptions): Recorder {
  const ring = new Ring()
  return {
    inspector: {
      async watch(request, ports, answer) {
        const { pathname, searchParams } = new URL(request.url)
        if (!isShown(request.method, pathname)) return answer(request, ports)
        const kept = new KeptExchange(ring.next(), {
          startedAt: options.now(),
          method: request.method,
          url: shownUrl(request.url.replace(/^\w+:\/\/[^/]*/, '')),
          headers: shownHeaders(entriesOf(request.headers)),
          type: request.headers.get('content-type'),
          presented: presentedSecrets(request.headers, searchParams),
        })
        ring.add(kept)
        const watching = new Watching(kept, ring, options)
        const said = await answer(watching.request(request), watching.ports(ports))
        return { ...said, body: watching.told(said) }
      },
    },
    list: () => ring.exchanges,
    find: (number) => ring.exchanges.find((each) => each.number === number),
    clear: () => ring.clear(),
    listen: (heard) => ring.listen(heard),
    bytes: () => ring.bytes,
  }
}

/** Checks of health and what browsers and clients ask beforehand would fill the list. */
const isShown = (method: string, path: string): boolean =>
  method !== 'HEAD' && method !== 'OPTIONS' && !UNSHOWN.has(path)

const UNSHOWN: ReadonlySet<string> = new Set([
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/usage',
  '/favicon.ico',
])

function entriesOf(headers: Lookup & { keys?(): Iterable<string> }): [string, string][] {
  return [...(headers.keys?.() ?? [])].map((name) => [name, headers.get(name) ?? ''])
}

class Ring {
  readonly exchanges: KeptExchange[] = []
  bytes = 0
  #count = 0
  #changes = 0
  readonly #listeners = new Set<() => void>()

  next(): number {
    return (this.#count += 1)
  }

  add(kept: KeptExchange): void {
    this.exchanges.push(kept)
    this.bytes += kept.bytes
    this.changed(kept)
    this.#fit()
  }

  /** More of an exchange is kept, while it is kept itself. */
  grow(kept: KeptExchange, bytes: number): void {
    if (bytes === 0) return
    kept.bytes += bytes
    if (!this.has(kept)) return
    this.bytes += bytes
    this.#fit()
  }

  has({ number }: KeptExchange): boolean {
    const first = this.exchanges[0]
    return first !== undefined && number >= first.number
  }

  changed(kept: KeptExchange): void {
    kept.changed = this.#changes += 1
    for (const heard of this.#listeners) heard()
  }

  clear(): void {
    this.exchanges.length = 0
    this.bytes = 0
    for (const heard of this.#listeners) heard()
  }

  listen(heard: () => void): () => void {
    this.#listeners.add(heard)
    return () => void this.#listeners.delete(heard)
  }

  #fit(): void {
    while (this.bytes > RING_BYTES || this.exchanges.length > RING_EXCHANGES) {
      const oldest = this.exchanges.shift()
      if (!oldest) return
      this.bytes -= oldest.bytes
    }
  }
}

/** What is looked at of one exchange, and written down while it passes. */
class Watching {
  readonly #kept: KeptExchange
  readonly #ring: Ring
  readonly #options: RecorderOptions

  constructor(kept: KeptExchange, ring: Ring, options: RecorderOptions) {
    this.#kept = kept
    this.#ring = ring
    this.#options = options
  }

  request(request: HttpRequest): HttpRequest {
    return new WatchedRequest(request, (bytes) =>
      this.#ring.grow(this.#kept, this.#kept.came(bytes)),
    )
  }

  ports(ports: Ports): Ports {
    return {
      ...ports,
      send: (request) => this.#sent(ports.send, request),
      log: (entry) => {
        this.#kept.entry = entry
        this.#kept.cost = this.#options.cost(entry)
        this.#settle()
        ports.log(entry)
      },
    }
  }

  /** The body of an answer, which is taken as it was. */
  told({ status, headers, body }: PassingAnswer): PassingAnswer['body'] {
    const kept = this.#kept
    const type = headers['content-type'] ?? null
    const shown = shownHeaders(Object.entries(headers))
    const answer: KeptAnswer = {
      at: kept.now(),
      status,
      headers: shown,
      type,
      body: new KeptBody(),
    }
    kept.answer = answer
    if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
      if (bytes) this.#ring.grow(kept, answer.body.hold(bytes))
      answer.endAt = kept.now()
      this.#settle()
      return body
    }
    return this.#watched(body, answer.body, answer)
  }

  async #sent(send: Send, request: UpstreamRequest): Promise<UpstreamResponse> {
    const kept = this.#kept
    const call: KeptCall = {
      at: kept.now(),
      method: request.method,
      url: shownUrl(request.url),
      headers: shownHeaders(Object.entries(request.headers)),
      body: new KeptBody(),
      reply: new KeptBody(),
    }
    const { body } = request
    if (body && !(body instanceof ReadableStream)) this.#ring.grow(kept, call.body.hold(body))
    kept.calls.push(call)
    this.#ring.changed(kept)
    try {
      return this.#answered(
        call,
        await send({ ...request, connection: connected(request, call, kept) }),
      )
    } catch (error) {
      call.failure = error instanceof Error ? error.message : String(error)
      call.endAt = kept.now()
      throw error
    }
  }

  #answered(call: KeptCall, response: UpstreamResponse): UpstreamResponse {
    const { status, headers, body } = response
    call.headAt = this.#kept.now()
    call.status = status
    call.repliedHeaders = shownHeaders(entriesOf(headers))
    call.repliedType = headers.get('content-type')
    if (!body) {
      call.endAt = call.headAt
      return response
    }
    return { status, headers, body: this.#watched(toSource(body), call.reply, call) }
  }

  #watched(source: ByteSource, body: KeptBody, times: Times): ByteSource {
    const kept = this.#kept
    const ring = this.#ring
    const ended = () => {
      times.endAt ??= kept.now()
      this.#settle()
    }
    const take = (bytes: Uint8Array | undefined) => {
      if (!bytes) ended()
      else {
        const at = kept.now()
        times.firstAt ??= at
        ring.grow(kept, body.add(bytes, at))
      }
      return bytes
    }
    const broken = (error: unknown): never => {
      ended()
      throw error
    }
    return {
      read: () => source.read().then(take, broken),
      cancel() {
        source.cancel()
        ended()
      },
    }
  }

  /** When it is over nothing more is added, and what its caller presented is known no longer. */
  #settle(): void {
    const kept = this.#kept
    if (kept.isOver && kept.presented !== SETTLED) {
      const secrets = [...this.#options.secrets(), ...kept.presented]
      const words = secrets
        .filter((secret) => secret.length > 0)
        .map((secret) => Buffer.from(secret))
      const mayHide = (bytes: Uint8Array) => {
        const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        return words.some((word) => buffer.includes(word))
      }
      for (const body of kept.bodies)
        body.seal((text) => this.#options.hide(text, secrets), mayHide)
      kept.presented = SETTLED
    }
    this.#ring.changed(kept)
  }
}

const SETTLED: readonly string[] = []

interface Times {
  firstAt?: number
  endAt?: number
}

const connected =
  (request: UpstreamRequest, call: KeptCall, kept: KeptExchange) =>
  (state: 'sought' | 'found'): void => {
    if (state === 'found') call.connectedAt = kept.now()
    request.connection?.(state)
  }

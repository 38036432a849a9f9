import type {
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
import { Ring } from './ring.ts'
import { WatchedRequest } from './watched-request.ts'

/** How many exchanges are kept. */
export const RING_EXCHANGES = 500

export interface RecorderOptions {
  /** Milliseconds since 1970. */
  now(): number
  /** Secrets of the settings in use. */
  secrets(): readonly string[]
  ring?: Ring
}

/** The last exchanges, in memory; the oldest are removed first. */
export interface LastExchanges {
  readonly inspector: Inspector
  /** The oldest first. */
  list(): readonly KeptExchange[]
  find(number: number): KeptExchange | undefined
  clear(): void
  /** Calls `heard` after each change, until the returned function is called. */
  listen(heard: () => void): () => void
}

export function createRecorder({
  now,
  secrets,
  ring = new Ring(),
}: RecorderOptions): LastExchanges {
  const exchanges = new Exchanges(ring)
  return {
    inspector: {
      async watch(request, ports, answer) {
        const url = withoutOrigin(request.url)
        if (!isShown(request.method, url)) return answer(request, ports)
        const kept = new KeptExchange(ring, {
          number: exchanges.next(),
          startedAt: now(),
          method: request.method,
          url,
          headers: request.headers,
          secrets: secrets(),
        })
        exchanges.add(kept)
        const watching = new Watching(kept, ring, exchanges)
        const said = await answer(
          new WatchedRequest(request, (bytes) => kept.came(bytes)),
          watching.ports(ports),
        )
        return { ...said, body: watching.told(said) }
      },
    },
    list: () => exchanges.list(),
    find: (number) => exchanges.list().find((each) => each.number === number),
    clear: () => exchanges.clear(),
    listen: (heard) => exchanges.listen(heard),
  }
}

const withoutOrigin = (url: string): string => {
  const at = url.indexOf('/', url.indexOf('//') + 2)
  return at < 0 ? '/' : url.slice(at)
}

/** Health checks, and the requests that browsers and clients send beforehand, would fill the list. */
const isShown = (method: string, url: string): boolean =>
  method !== 'HEAD' && method !== 'OPTIONS' && !UNSHOWN.test(url)

const UNSHOWN = /^\/(?:healthz|livez|readyz|metrics|usage|favicon\.ico)(?:\?|$)/

const NONE: readonly undefined[] = Array.from({ length: RING_EXCHANGES }, () => undefined)

class Exchanges {
  readonly #ring: Ring
  /** Each at the place of its number: to move all up for each new one would cost more than to keep it. */
  readonly #kept: (KeptExchange | undefined)[] = NONE.slice()
  #count = 0
  #changes = 0
  readonly #listeners = new Set<() => void>()

  constructor(ring: Ring) {
    this.#ring = ring
  }

  next(): number {
    return (this.#count += 1)
  }

  add(kept: KeptExchange): void {
    this.#kept[kept.number % RING_EXCHANGES] = kept
    this.changed(kept)
  }

  /** The exchanges of which nothing has been overwritten. */
  list(): readonly KeptExchange[] {
    const oldest = (this.#count + 1) % RING_EXCHANGES
    return [...this.#kept.slice(oldest), ...this.#kept.slice(0, oldest)].filter(
      (kept): kept is KeptExchange => kept !== undefined && this.#isWhole(kept),
    )
  }

  #isWhole({ first }: KeptExchange): boolean {
    return first === undefined || this.#ring.holds(first)
  }

  changed(kept: KeptExchange): void {
    kept.changed = this.#changes += 1
    if (this.#listeners.size > 0) for (const heard of this.#listeners) heard()
  }

  clear(): void {
    this.#kept.fill(undefined)
    this.#ring.clear()
    for (const heard of this.#listeners) heard()
  }

  listen(heard: () => void): () => void {
    this.#listeners.add(heard)
    return () => void this.#listeners.delete(heard)
  }
}

/** Writes down one exchange while it passes. */
class Watching {
  readonly #kept: KeptExchange
  readonly #ring: Ring
  readonly #exchanges: Exchanges
  /** When the piece of an upstream came that the caller waits for: what is told of it is told at that time, too. */
  #cameAt: number | undefined

  constructor(kept: KeptExchange, ring: Ring, exchanges: Exchanges) {
    this.#kept = kept
    this.#ring = ring
    this.#exchanges = exchanges
  }

  ports(ports: Ports): Ports {
    return {
      ...ports,
      send: (request) => this.#sent(ports.send, request),
      log: (entry) => {
        this.#kept.entry = entry
        this.#exchanges.changed(this.#kept)
        ports.log(entry)
      },
    }
  }

  /** Watches the body of an answer as it is taken. */
  told({ status, headers, body }: PassingAnswer): PassingAnswer['body'] {
    const kept = this.#kept
    const at = kept.now()
    const answer: KeptAnswer = { at, status, headers, body: new KeptBody(this.#ring) }
    kept.answer = answer
    if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array))
      return this.#watched(body, answer.body, answer, () => this.#cameAt ?? kept.now())
    if (typeof body === 'string') answer.body.holdText(body)
    else if (body) answer.body.hold(body)
    answer.endAt = at
    this.#exchanges.changed(kept)
    return body
  }

  async #sent(send: Send, request: UpstreamRequest): Promise<UpstreamResponse> {
    const kept = this.#kept
    const { method, url, headers, body } = request
    const call: KeptCall = {
      at: kept.now(),
      method,
      url,
      headers,
      body: new KeptBody(this.#ring),
      reply: new KeptBody(this.#ring),
    }
    if (body && !(body instanceof ReadableStream)) call.body.hold(body)
    kept.calls.push(call)
    this.#exchanges.changed(kept)
    const connection = connected(request, call, kept)
    try {
      return this.#answered(call, await send({ ...request, connection }))
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
    call.replied = headers
    if (body) {
      const clock = () => (this.#cameAt = this.#kept.now())
      return { status, headers, body: this.#watched(toSource(body), call.reply, call, clock) }
    }
    call.endAt = call.headAt
    return response
  }

  /** `clock`: when a piece has come. */
  #watched(source: ByteSource, body: KeptBody, times: Times, clock: () => number): ByteSource {
    const kept = this.#kept
    const ended = () => {
      if (times.endAt !== undefined) return
      times.endAt = kept.now()
      this.#exchanges.changed(kept)
    }
    const take = (bytes: Uint8Array | undefined) => {
      if (!bytes) return ended()
      const at = clock()
      times.firstAt ??= at
      body.add(bytes, at)
    }
    return {
      // The reader waits for the source and for nothing of this.
      read: () => {
        this.#cameAt = undefined
        const next = source.read()
        next.then(take, ended)
        return next
      },
      cancel() {
        source.cancel()
        ended()
      },
    }
  }
}

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

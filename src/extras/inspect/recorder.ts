import type { Bytes } from '../../json/bytes.ts'
import type {
  Inspector,
  PassingAnswer,
  Ports,
  Send,
  UpstreamRequest,
  UpstreamResponse,
} from '../../ports.ts'
import { type ByteSource, toSource } from '../../stream/source.ts'
import { KeptBody } from './kept-body.ts'
import { KeptAnswer, KeptCall, KeptExchange } from './kept.ts'
import { Ring } from './ring.ts'

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
      watch(request, ports, answer) {
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
        return answer(request, watching.ports(ports)).then((said) => watching.answered(said))
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
  /** Indexed by number modulo the count: shifting all for each new exchange would cost more than keeping it. */
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
  /**
   * When the upstream's last piece came, for what the caller is told of it: the page shows both at one time. NaN while
   * the next piece is awaited.
   */
  cameAt = Number.NaN
  /** The caller's body until an upstream has answered: where both speak one dialect, the same bytes may go on. */
  #came: Bytes | undefined
  readonly #kept: KeptExchange
  readonly #ring: Ring
  readonly #exchanges: Exchanges

  constructor(kept: KeptExchange, ring: Ring, exchanges: Exchanges) {
    this.#kept = kept
    this.#ring = ring
    this.#exchanges = exchanges
  }

  ports(ports: Ports): Ports {
    const kept = this.#kept
    return {
      ...ports,
      came: (bytes) => {
        this.#came = bytes
        kept.came(bytes)
      },
      send: (request) => this.#sent(ports.send, request),
      log: (entry) => {
        kept.entry = entry
        this.changed()
        ports.log(entry)
      },
    }
  }

  now(): number {
    return this.#kept.now()
  }

  changed(): void {
    this.#exchanges.changed(this.#kept)
  }

  /** Watches the body of an answer as it is taken. */
  answered<Answer extends PassingAnswer>(said: Answer): Answer {
    const { status, headers, body } = said
    this.#came = undefined
    const at = this.now()
    const answer = new KeptAnswer({ at, status, headers, body: new KeptBody(this.#ring) })
    this.#kept.answer = answer
    if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
      this.changed()
      return { ...said, body: new AnswerSource(body, answer.body, answer, this) }
    }
    if (typeof body === 'string') answer.body.holdText(body)
    else if (body) answer.body.hold(body)
    answer.endAt = at
    this.changed()
    return said
  }

  #sent(send: Send, request: UpstreamRequest): Promise<UpstreamResponse> {
    const { method, url, headers, body } = request
    const call = new KeptCall(this.#ring, { at: this.now(), method, url, headers })
    if (body && body === this.#came) call.body.share(this.#kept.body)
    else if (body && !(body instanceof ReadableStream)) call.body.hold(body)
    this.#kept.calls.push(call)
    this.changed()
    const connection = (state: 'sought' | 'found') => {
      if (state === 'found') call.connectedAt = this.now()
      request.connection?.(state)
    }
    return send({ ...request, connection }).then(
      (response) => this.#answered(call, response),
      (error: unknown) => {
        call.failure = error instanceof Error ? error.message : String(error)
        call.endAt = this.now()
        throw error
      },
    )
  }

  #answered(call: KeptCall, response: UpstreamResponse): UpstreamResponse {
    const { status, headers, body } = response
    this.#came = undefined
    call.headAt = this.now()
    call.status = status
    call.replied = headers
    if (body)
      return { status, headers, body: new RepliedSource(toSource(body), call.reply, call, this) }
    call.endAt = call.headAt
    return response
  }
}

interface Times {
  firstAt?: number | undefined
  endAt?: number | undefined
}

/** A body whose pieces are kept when its reader has taken them. */
abstract class WatchedSource implements ByteSource {
  protected readonly source: ByteSource
  protected readonly body: KeptBody
  protected readonly times: Times
  protected readonly watching: Watching

  constructor(source: ByteSource, body: KeptBody, times: Times, watching: Watching) {
    this.source = source
    this.body = body
    this.times = times
    this.watching = watching
  }

  abstract read(): Promise<Uint8Array | undefined>
  abstract taken(bytes: Uint8Array | undefined): void

  cancel(): void {
    this.source.cancel()
    this.ended()
  }

  protected ended(): void {
    if (this.times.endAt !== undefined) return
    this.times.endAt = this.watching.now()
    this.watching.changed()
  }
}

/** The reply of an upstream. */
class RepliedSource extends WatchedSource {
  read(): Promise<Uint8Array | undefined> {
    this.watching.cameAt = Number.NaN
    return this.source.read()
  }

  taken(bytes: Uint8Array | undefined): void {
    if (!bytes) return this.ended()
    const at = this.watching.now()
    this.watching.cameAt = at
    this.times.firstAt ??= at
    this.body.add(bytes, at)
  }
}

/** What the caller is told. */
class AnswerSource extends WatchedSource {
  read(): Promise<Uint8Array | undefined> {
    return this.source.read()
  }

  taken(bytes: Uint8Array | undefined): void {
    if (!bytes) return this.ended()
    const { cameAt } = this.watching
    const at = Number.isNaN(cameAt) ? this.watching.now() : cameAt
    this.times.firstAt ??= at
    this.body.add(bytes, at)
  }
}

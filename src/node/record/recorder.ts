import { shownHeaders, presentedSecrets, shownUrl } from '../../extras/inspect/view.ts'
import { type Bytes, piecesIn, sizeOf, utf8Text, joinBytes } from '../../json/bytes.ts'
import type { Lookup } from '../../model/lookup.ts'
import type { LogEntry } from '../../observe/entry.ts'
import {
  ConnectError,
  type HttpRequest,
  type Inspector,
  type PassingAnswer,
  type Ports,
  type Send,
  StaleConnectionError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../ports.ts'
import { type ByteSource, toSource } from '../../stream/source.ts'
import { type Secrets, secretsOf } from '../../upstream/secrets.ts'
import { VERSION } from '../../version.ts'
import {
  bodyOf,
  type RecordedBody,
  type RecordedCall,
  type RecordedExchange,
  type RecordedRequest,
} from './record.ts'

/** All that is held of exchanges underway; one for which there is no room is not recorded. */
const HELD_BYTES = 128 * 1024 * 1024
/** Each exchange asks for the time a few times; the clock of a very long one stands still from there on. */
const MOST_TIMES = 2000

export interface RecordOptions {
  /** Whether bodies are kept too. */
  bodies: boolean
  secrets(): readonly string[]
  /** Takes a line, at once. */
  write(line: string): void
  /** An exchange was not recorded. */
  dropped(): void
}

/** Writes down each exchange that was sent to an upstream, when it is over. */
export function recordExchanges(options: RecordOptions): Inspector {
  const held = { bytes: 0 }
  return {
    async watch(request, ports, answer) {
      const watching = new Watching(options, held, request)
      const said = await answer(request, watching.ports(ports))
      return watching.answered(said)
    },
  }
}

type Headers = Lookup & { keys?(): Iterable<string> }

/** A body while it passes. */
class Passing {
  readonly #pieces: Uint8Array[] = []
  #isOver = false

  add(bytes: Uint8Array): void {
    this.#pieces.push(bytes.slice())
  }

  get text(): string {
    return utf8Text(joinBytes(this.#pieces))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
  }
}

interface Call {
  request: UpstreamRequest
  sent: Passing
  answered?: Pick<UpstreamResponse, 'status' | 'headers'>
  reply: Passing
  failure?: 'connect' | 'stale' | 'lost'
}

class Watching {
  readonly #options: RecordOptions
  readonly #held: { bytes: number }
  readonly #request: HttpRequest
  readonly #came = new Passing()
  readonly #said = new Passing()
  readonly #calls: Call[] = []
  readonly #ids: string[] = []
  readonly #times: number[] = []
  #own = 0
  #isFull = false
  #entry: LogEntry | undefined
  #answer: PassingAnswer | undefined

  constructor(options: RecordOptions, held: { bytes: number }, request: HttpRequest) {
    this.#options = options
    this.#held = held
    this.#request = request
  }

  ports(ports: Ports): Ports {
    return {
      ...ports,
      now: () => {
        const now = ports.now()
        if (this.#times.length < MOST_TIMES) this.#times.push(now)
        return now
      },
      randomId: () => {
        const id = ports.randomId()
        this.#ids.push(id)
        return id
      },
      came: (bytes) => {
        this.#hold(this.#came, bytes)
        ports.came?.(bytes)
      },
      send: (request) => this.#sent(ports.send, request),
      log: (entry) => {
        // The log takes it over.
        this.#entry = { ...entry }
        ports.log(entry)
        this.#finish()
      },
    }
  }

  answered<Answer extends PassingAnswer>(said: Answer): Answer {
    const { body } = said
    this.#answer = said
    if (body !== null && typeof body === 'object' && 'read' in body)
      return { ...said, body: this.#watched(body, this.#said) }
    if (typeof body === 'string') this.#hold(this.#said, new TextEncoder().encode(body))
    else if (body) this.#hold(this.#said, body)
    this.#said.end()
    this.#finish()
    return said
  }

  #hold(into: Passing, bytes: Bytes): void {
    const size = sizeOf(bytes)
    if (!this.#options.bodies || this.#isFull) return
    if (this.#held.bytes + size > HELD_BYTES) this.#isFull = true
    else {
      this.#held.bytes += size
      this.#own += size
      for (const piece of piecesIn(bytes)) into.add(piece)
    }
  }

  #watched(source: ByteSource, into: Passing, broken = () => {}): ByteSource {
    return {
      read: async () => {
        const bytes = await source.read().catch((error: unknown) => {
          broken()
          throw error
        })
        if (bytes) this.#hold(into, bytes)
        else {
          into.end()
          this.#finish()
        }
        return bytes
      },
      cancel: () => {
        source.cancel()
        if (into === this.#said) this.#finish(true)
      },
      ...(source.taken && { taken: (bytes) => source.taken?.(bytes) }),
    }
  }

  async #sent(send: Send, request: UpstreamRequest): Promise<UpstreamResponse> {
    const call: Call = { request, sent: new Passing(), reply: new Passing() }
    this.#calls.push(call)
    const { body } = request
    if (body && !(body instanceof ReadableStream)) this.#hold(call.sent, body)
    try {
      const { status, headers, body: replied } = await send(request)
      call.answered = { status, headers }
      if (!replied) return { status, headers, body: null }
      const broken = () => void (call.failure = 'lost')
      return { status, headers, body: this.#watched(toSource(replied), call.reply, broken) }
    } catch (error) {
      const isStale = error instanceof StaleConnectionError
      call.failure = error instanceof ConnectError ? 'connect' : isStale ? 'stale' : 'lost'
      throw error
    }
  }

  /** Writes the line once both sides are over, a little later: no exchange waits for that. */
  #finish(isCut = false): void {
    const entry = this.#entry
    if (!entry || !this.#answer || !(this.#said.isOver || isCut) || this.#own < 0) return
    const bytes = this.#own
    this.#own = -1
    const isSpoken = entry.dialect !== undefined && entry.upstreamDialect !== undefined
    const free = () => (this.#held.bytes -= bytes)
    if (!isSpoken || this.#calls.length === 0) return void free()
    if (this.#isFull) {
      free()
      return this.#options.dropped()
    }
    setImmediate(() => {
      this.#options.write(`${JSON.stringify(this.#line(entry, isCut))}\n`)
      free()
    })
  }

  #line(entry: LogEntry, isCut: boolean): RecordedExchange {
    const { headers, url } = this.#request
    const presented = presentedSecrets(headers, new URL(url).searchParams)
    const secrets = secretsOf([...this.#options.secrets(), ...presented])
    const calls = this.#calls.map((call) => this.#callOf(call, secrets))
    const last = calls.pop()
    const [at = 0] = this.#times
    return {
      id: entry.id,
      dialect: entry.upstreamDialect ?? '',
      op: entry.operation === 'count' ? 'count-tokens' : (entry.operation ?? ''),
      model: entry.sentModel ?? '',
      at,
      version: VERSION,
      upstream: entry.upstream ?? '',
      members: entry.attempts?.map(({ member }) => member) ?? [entry.member ?? ''],
      ...(last ?? { request: head('', '', [], secrets.hide) }),
      caller: this.#callerOf(entry, secrets),
      ...(calls.length > 0 && { earlier: calls }),
      ...((isCut || entry.outcome === 'left') && { cut: true as const }),
      ids: this.#ids,
      clock: this.#times.map((time, index) => time - (this.#times[index - 1] ?? 0)),
    }
  }

  #callerOf({ caller = '', dialect = '' }: LogEntry, secrets: Secrets): RecordedExchange['caller'] {
    const { method, url, headers } = this.#request
    const answer = this.#answer
    const said = Object.entries(answer?.headers ?? {})
    return {
      name: caller,
      dialect,
      request: {
        ...head(method, url, entriesOf(headers), secrets.hide),
        ...this.#bodyOf(this.#came, secrets),
      },
      response: {
        status: answer?.status ?? 0,
        headers: hiddenHeaders(said, secrets.hide),
        ...this.#bodyOf(this.#said, secrets, said),
      },
    }
  }

  #callOf({ request, sent, answered, reply, failure }: Call, secrets: Secrets): RecordedCall {
    const replied = answered && entriesOf(answered.headers)
    return {
      request: {
        ...head(request.method, request.url, Object.entries(request.headers), secrets.hide),
        ...this.#bodyOf(sent, secrets),
      },
      ...(answered && {
        response: {
          status: answered.status,
          headers: hiddenHeaders(replied ?? [], secrets.hide),
          ...this.#bodyOf(reply, secrets, replied),
        },
      }),
      ...(failure !== undefined && { failure }),
    }
  }

  #bodyOf(passing: Passing, secrets: Secrets, headers: Entries = []): RecordedBody {
    if (!this.#options.bodies) return {}
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null
    return bodyOf(secrets.hideJson(passing.text), type)
  }
}

type Hide = (text: string) => string
type Entries = readonly (readonly [string, string])[]

const entriesOf = (headers: Headers): [string, string][] =>
  [...(headers.keys?.() ?? [])].map((name) => [name, headers.get(name) ?? ''])

const hiddenHeaders = (entries: Entries, hide: Hide): Record<string, string> =>
  Object.fromEntries(shownHeaders(entries).map(([name, value]) => [name, hide(value)]))

function head(method: string, url: string, headers: Entries, hide: Hide): RecordedRequest {
  const address = new URL(hide(shownUrl(url)), 'http://127.0.0.1')
  return {
    method,
    path: address.pathname,
    query: Object.fromEntries(address.searchParams),
    headers: hiddenHeaders(headers, hide),
  }
}

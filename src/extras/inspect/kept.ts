import type { Lookup } from '../../model/lookup.ts'
import type { Bytes } from '../../json/bytes.ts'
import type { LogEntry } from '../../observe/entry.ts'
import { KeptBody } from './kept-body.ts'
import type { Ring } from './ring.ts'

export type Headers = Lookup & { keys?(): Iterable<string> }

/**
 * One request to an upstream. Times are milliseconds of the exchange. A class with all its members from the beginning:
 * an object that gets one after the other is moved about each time, and hundreds are kept.
 */
export class KeptCall {
  readonly at: number
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: KeptBody
  readonly reply: KeptBody
  connectedAt: number | undefined = undefined
  headAt: number | undefined = undefined
  status: number | undefined = undefined
  replied: Headers | undefined = undefined
  firstAt: number | undefined = undefined
  endAt: number | undefined = undefined
  /** Why there was no answer, or why it did not end. */
  failure: string | undefined = undefined

  constructor(ring: Ring, head: Pick<KeptCall, 'at' | 'method' | 'url' | 'headers'>) {
    this.at = head.at
    this.method = head.method
    this.url = head.url
    this.headers = head.headers
    this.body = new KeptBody(ring)
    this.reply = new KeptBody(ring)
  }
}

/** What the caller was answered. */
export class KeptAnswer {
  readonly at: number
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: KeptBody
  firstAt: number | undefined = undefined
  endAt: number | undefined = undefined

  constructor(head: Pick<KeptAnswer, 'at' | 'status' | 'headers' | 'body'>) {
    this.at = head.at
    this.status = head.status
    this.headers = head.headers
    this.body = head.body
  }
}

/**
 * One exchange as it passed. Until it is looked at it costs no more than keeping it: headers stay the objects that
 * they are, and secrets are hidden when it is shown.
 */
export class KeptExchange {
  readonly number: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly method: string
  /** Path and query, without the origin. */
  readonly url: string
  readonly headers: Headers
  readonly body: KeptBody
  /** When the body had been read. */
  readAt: number | undefined = undefined
  readonly calls: KeptCall[] = []
  answer: KeptAnswer | undefined = undefined
  entry: LogEntry | undefined = undefined
  /** The number of its last change, counted over all exchanges. */
  changed = 0
  /** Secrets of the settings that the exchange used. */
  readonly secrets: readonly string[]
  readonly #began = performance.now()

  constructor(
    ring: Ring,
    head: Pick<KeptExchange, 'number' | 'startedAt' | 'method' | 'url' | 'headers' | 'secrets'>,
  ) {
    this.number = head.number
    this.startedAt = head.startedAt
    this.method = head.method
    this.url = head.url
    this.headers = head.headers
    this.secrets = head.secrets
    this.body = new KeptBody(ring)
  }

  /** Milliseconds since the exchange began. */
  now(): number {
    return performance.now() - this.#began
  }

  came(bytes: Bytes): void {
    this.readAt = this.now()
    this.body.hold(bytes)
  }

  get isOver(): boolean {
    return this.entry !== undefined && this.answer?.endAt !== undefined
  }

  /** The place of the first byte of all its bodies. The caller's body came before all others. */
  get first(): number | undefined {
    return this.body.first ?? this.calls[0]?.body.first ?? this.answer?.body.first
  }
}

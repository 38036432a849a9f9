import type { Bytes } from '../json/bytes.ts'
import type { LogEntry } from '../observe/entry.ts'
import { KeptBody } from './kept-body.ts'
import type { ShownHeaders } from './secrets.ts'

/** One request to an upstream. Times are milliseconds of the exchange. */
export interface KeptCall {
  at: number
  method: string
  url: string
  headers: ShownHeaders
  body: KeptBody
  connectedAt?: number
  headAt?: number
  status?: number
  repliedHeaders?: ShownHeaders
  repliedType?: string | null
  reply: KeptBody
  firstAt?: number
  endAt?: number
  /** Why there was no answer, or no end of it. */
  failure?: string
}

/** What the caller was told. */
export interface KeptAnswer {
  at: number
  status: number
  headers: ShownHeaders
  type: string | null
  body: KeptBody
  firstAt?: number
  endAt?: number
}

/** What one exchange without any body takes of the memory there is. */
const HEAD_BYTES = 4096

/** One exchange, as long as there is room for it. */
export class KeptExchange {
  readonly number: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly method: string
  readonly url: string
  readonly headers: ShownHeaders
  readonly type: string | null
  readonly body = new KeptBody()
  /** The body was there. */
  readAt?: number
  readonly calls: KeptCall[] = []
  answer?: KeptAnswer
  entry?: LogEntry
  cost?: number | undefined
  /** Which change of all was its last. */
  changed = 0
  bytes = HEAD_BYTES
  /** What its caller presented, until it is over. */
  presented: readonly string[]
  readonly #began = performance.now()

  constructor(
    number: number,
    head: Pick<KeptExchange, 'startedAt' | 'method' | 'url' | 'headers' | 'type' | 'presented'>,
  ) {
    this.number = number
    this.startedAt = head.startedAt
    this.method = head.method
    this.url = head.url
    this.headers = head.headers
    this.type = head.type
    this.presented = head.presented
  }

  /** Milliseconds since it began, to a hundredth. */
  now(): number {
    return Math.round((performance.now() - this.#began) * 100) / 100
  }

  came(bytes: Bytes): number {
    this.readAt = this.now()
    return this.body.hold(bytes)
  }

  get isOver(): boolean {
    return this.entry !== undefined && this.answer?.endAt !== undefined
  }

  get bodies(): KeptBody[] {
    const calls = this.calls.flatMap(({ body, reply }) => [body, reply])
    return [this.body, ...calls, ...(this.answer ? [this.answer.body] : [])]
  }
}

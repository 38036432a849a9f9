import { type LogEntry, settledTokens, tokensIn } from '../observe/entry.ts'
import { outcomeOf } from '../observe/outcome.ts'
import type { Problem } from '../model/problem.ts'
import type { Usage } from '../model/request.ts'
import { CALLER_LEFT } from '../problems/failures.ts'
import { CHARACTERS_PER_TOKEN } from '../rules/estimate.ts'
import type { Ports } from '../ports.ts'
import type { HeardSoFar } from './reply/heard.ts'

/** Gathers the facts about an exchange for the log; they are written once, when the exchange is over. */
export interface Journal {
  readonly id: string
  note(fields: Partial<LogEntry>): void
  /** Notes the tokens counted so far. */
  count(usage: Usage): void
  /** The whole request has arrived. */
  received(): void
  /** A reply is asked for. Until the upstream has counted it, it has taken so many tokens. */
  asks(inputTokens: number): void
  /** What is heard of the reply. */
  hears(heard: HeardSoFar): void
  /** The upstream has refused, or was not reached: where it has said nothing of a reply, it has taken nothing. */
  spared(): void
  /** A request goes to an upstream; returns the headers of its trace. */
  sending(): Readonly<Record<string, string>> | undefined
  /** Another upstream is asked: discards what the last one reported about a reply. */
  restart(): void
  /** The first byte of a reply is on its way. */
  began(): void
  /** Runs `run` when the exchange is over; at once if it is over already. */
  onEnd(run: (problem?: Problem) => void): void
  /**
   * Ends the exchange; only the first call counts. `problem`: why it did not end well. A caller that left gets no
   * status.
   */
  finish(end: End): void
}

/** How an exchange has ended. `problem`: why it did not end well. */
interface End extends Pick<LogEntry, 'status' | 'losses' | 'bytesOut'> {
  problem?: Problem | undefined
}

/** What one upstream reported about a reply. */
const REPLY_FIELDS = ['usage', 'finish', 'firstByteMs', 'reason', 'error'] as const

type Head = Pick<LogEntry, 'id' | 'method' | 'path'>

/**
 * An entry in which everything has its place from the beginning. A member that is added later costs V8 a new shape of
 * the object, and twenty of them cost more than to translate a short reply.
 */
const emptyEntry = ({ id, method, path }: Head): LogEntry => ({
  id,
  method,
  path,
  connection: undefined,
  caller: undefined,
  address: undefined,
  userAgent: undefined,
  labels: undefined,
  before: undefined,
  operation: undefined,
  dialect: undefined,
  bytesIn: undefined,
  model: undefined,
  session: undefined,
  upstream: undefined,
  member: undefined,
  upstreamDialect: undefined,
  route: undefined,
  sentModel: undefined,
  attempts: undefined,
  stream: undefined,
  losses: undefined,
  upstreamRequestId: undefined,
  overheadMs: undefined,
  firstByteMs: undefined,
  usage: undefined,
  estimated: undefined,
  cost: undefined,
  finish: undefined,
  trace: undefined,
  traceId: undefined,
  bytesOut: undefined,
  status: 0,
  error: undefined,
  reason: undefined,
  outcome: undefined,
  totalMs: 0,
})

export const journal = (ports: Pick<Ports, 'now' | 'log'>, head: Head): Journal =>
  new ExchangeJournal(ports, head)

class ExchangeJournal implements Journal {
  readonly id: string
  readonly #ports: Pick<Ports, 'now' | 'log'>
  readonly #startedAt: number
  /** Belongs to the log once the exchange is over. */
  readonly #entry: LogEntry
  #receivedAt: number | undefined
  #called = false
  /** Tokens of the request to which an upstream may be replying. */
  #asked: number | undefined
  #heard: HeardSoFar | undefined
  /** How much had been heard when the upstream counted the last time. */
  #counted = -1
  #over = false
  #end: Problem | undefined
  readonly #runs: ((problem?: Problem) => void)[] = []

  constructor(ports: Pick<Ports, 'now' | 'log'>, head: Head) {
    this.id = head.id
    this.#ports = ports
    this.#startedAt = ports.now()
    this.#entry = emptyEntry(head)
  }

  note(fields: Partial<LogEntry>): void {
    if (!this.#over) Object.assign(this.#entry, fields)
  }

  count(usage: Usage): void {
    // A count that is not said again, or cannot be true, is not known any more.
    const { input: _, output: __, ...beside } = this.#entry.usage ?? {}
    this.note({ usage: { ...beside, ...tokensIn(usage) } })
    this.#counted = this.#heard?.progress ?? 0
  }

  asks(inputTokens: number): void {
    this.#asked = inputTokens
  }

  hears(heard: HeardSoFar): void {
    this.#heard = heard
  }

  spared(): void {
    if ((this.#heard?.progress ?? 0) === 0) this.#asked = undefined
  }

  received(): void {
    this.#receivedAt ??= performance.now()
  }

  sending(): Readonly<Record<string, string>> | undefined {
    this.#called = true
    if (!this.#over) this.#entry.overheadMs ??= millisecondsSince(this.#receivedAt)
    return this.#entry.trace?.beginCall()
  }

  restart(): void {
    for (const name of REPLY_FIELDS) this.#entry[name] = undefined
    this.#asked = undefined
    this.#heard = undefined
    this.#counted = -1
  }

  began(): void {
    if (!this.#over) this.#entry.firstByteMs ??= this.#elapsed()
  }

  onEnd(run: (problem?: Problem) => void): void {
    if (this.#over) run(this.#end)
    else this.#runs.push(run)
  }

  finish({ status, losses, bytesOut, problem }: End): void {
    if (this.#over) return
    this.#over = true
    this.#end = problem
    for (const run of this.#runs) run(problem)
    const entry = this.#entry
    if (bytesOut !== undefined) entry.bytesOut = bytesOut
    if (losses) entry.losses = losses
    if (problem) entry.error = problem.message
    if (problem?.said !== undefined) entry.reason ??= problem.said
    entry.status = problem === CALLER_LEFT ? CALLER_LEFT_STATUS : status
    entry.outcome = outcomeOf(status, problem ?? entry.error, this.#called)
    entry.totalMs = this.#elapsed()
    this.#settle(entry)
    this.#ports.log(entry)
  }

  /** What was sent is always counted, also when the caller has left or the upstream has not counted. */
  #settle(entry: LogEntry): void {
    const { usage, finish } = entry
    if (this.#asked === undefined) return
    const { progress = 0, characters = 0 } = this.#heard ?? {}
    const estimate = {
      input: Math.ceil(this.#asked),
      output: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    }
    const isWhole = finish !== undefined && this.#counted >= progress
    Object.assign(entry, settledTokens(usage, estimate, isWhole))
    this.#heard = undefined
  }

  #elapsed(): number {
    return Math.max(0, Math.round(this.#ports.now() - this.#startedAt))
  }
}

/** What the log says of a caller that left. */
const CALLER_LEFT_STATUS = 499

/** In hundredths of a millisecond; 0 where it has not begun. */
const millisecondsSince = (start: number | undefined): number =>
  start === undefined ? 0 : Math.round((performance.now() - start) * 100) / 100

import { addUsage, type LogEntry, settledTokens } from '../observe/entry.ts'
import { outcomeOf } from '../observe/outcome.ts'
import type { Problem } from '../model/problem.ts'
import { CALLER_LEFT } from '../problems/failures.ts'
import { CHARACTERS_PER_TOKEN } from '../rules/estimate.ts'
import type { Ports } from '../ports.ts'
import type { HeardSoFar } from './reply/heard.ts'

/** Gathers the facts about an exchange for the log; they are written once, when the exchange is over. */
export interface Journal {
  readonly id: string
  note(fields: Partial<LogEntry>): void
  /** The whole request has arrived. */
  received(): void
  /**
   * A reply is asked for. Until the upstream has counted it, it has taken so many tokens, beside what replies have that
   * were heard before it.
   */
  asks(inputTokens: number): void
  /** What is heard of the reply. */
  hears(heard: HeardSoFar): void
  /** The upstream has refused, or was not reached: where it has said nothing of a reply, it has taken nothing. */
  spared(): void
  /** A request goes to an upstream; returns the headers of its trace. */
  sending(): Readonly<Record<string, string>> | undefined
  /** Another upstream is asked: discards what the last one reported about a reply, but for what it has taken. */
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
const REPLY_FIELDS = ['finish', 'firstByteMs', 'reason', 'error'] as const

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

  asks(inputTokens: number): void {
    if (this.#heard) this.#leave()
    this.#asked = inputTokens
  }

  hears(heard: HeardSoFar): void {
    this.#heard = heard
  }

  spared(): void {
    if (!this.#heard?.isOver && !this.#heard?.progress) this.#asked = undefined
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
    this.#leave()
    for (const name of REPLY_FIELDS) this.#entry[name] = undefined
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
    this.#settle()
    this.#ports.log(entry)
  }

  /** Counts the last request before another one; the entry belongs to the log once the exchange is over. */
  #leave(): void {
    if (this.#heard && this.#asked !== undefined && !this.#over) this.#settle()
    this.#heard = undefined
    this.#asked = undefined
  }

  /** What was sent is always counted, also when the caller has left or the upstream has not counted. */
  #settle(): void {
    const entry = this.#entry
    const heard = this.#heard
    const asked = this.#asked
    this.#heard = undefined
    this.#asked = undefined
    if (heard?.isOver === false) heard.breakOff()
    const { characters = 0, counted = -1, isOver = false, progress = 0, usage } = heard ?? {}
    const estimate = {
      input: Math.ceil(asked ?? 0),
      output: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    }
    const taken =
      asked === undefined
        ? { usage }
        : settledTokens(usage, estimate, isOver && counted >= progress)
    if (!taken.usage) return
    entry.usage = entry.usage ? addUsage(entry.usage, taken.usage) : taken.usage
    if (taken.estimated) entry.estimated = true
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

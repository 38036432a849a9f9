import { type LogEntry, tokensIn } from '../observe/entry.ts'
import { outcomeOf } from '../observe/outcome.ts'
import type { Problem } from '../model/problem.ts'
import type { Usage } from '../model/request.ts'
import { CALLER_LEFT } from '../model/failures.ts'
import type { Ports } from '../ports.ts'

/** Gathers the facts about an exchange for the log; they are written once, when the exchange is over. */
export interface Journal {
  readonly id: string
  note(fields: Partial<LogEntry>): void
  /** Notes the tokens counted so far. */
  count(usage: Usage): void
  /** The whole request has arrived. */
  arrived(): void
  /** A request goes to an upstream; returns the `traceparent` for it. */
  sending(): string | undefined
  /** Another upstream is asked: discards what the last one reported about a reply. */
  anew(): void
  /** The first byte of a reply is on its way. */
  began(): void
  /** Bytes of a reply were handed over. */
  sent(bytes: number): void
  /** Runs `run` when the exchange is over; at once if it is over already. */
  whenOver(run: (problem?: Problem) => void): void
  /**
   * Ends the exchange; only the first call counts. `problem`: why it did not end well. A caller that left gets no
   * status.
   */
  finish(
    fields: Pick<LogEntry, 'status'> & Partial<LogEntry> & { problem?: Problem | undefined },
  ): void
}

/** What one upstream reported about a reply. */
const REPLY_FIELDS = ['usage', 'finish', 'firstByteMs', 'reason', 'error'] as const

type Head = Pick<LogEntry, 'id' | 'method' | 'path'>

/**
 * The beginning of an entry. It is an instance of a class, because V8 makes a hash table of a plain object that gets so
 * many members one after the other, and to copy and to spell a hash table takes several times as long.
 */
class Beginning implements Head {
  readonly id: string
  readonly method: string
  readonly path: string

  constructor({ id, method, path }: Head) {
    this.id = id
    this.method = method
    this.path = path
  }
}

export const journal = (ports: Pick<Ports, 'now' | 'log'>, head: Head): Journal =>
  new ExchangeJournal(ports, head)

class ExchangeJournal implements Journal {
  readonly id: string
  readonly #ports: Pick<Ports, 'now' | 'log'>
  readonly #startedAt: number
  readonly #entry: Partial<LogEntry> & Head
  #arrivedAt: number | undefined
  #called = false
  #bytesOut = 0
  #over = false
  #end: Problem | undefined
  readonly #runs: ((problem?: Problem) => void)[] = []

  constructor(ports: Pick<Ports, 'now' | 'log'>, head: Head) {
    this.id = head.id
    this.#ports = ports
    this.#startedAt = ports.now()
    this.#entry = new Beginning(head)
  }

  note(fields: Partial<LogEntry>): void {
    Object.assign(this.#entry, fields)
  }

  count(usage: Usage): void {
    this.note({ usage: { ...this.#entry.usage, ...tokensIn(usage) } })
  }

  arrived(): void {
    this.#arrivedAt ??= performance.now()
  }

  sending(): string | undefined {
    this.#called = true
    this.#entry.overheadMs ??= millisecondsSince(this.#arrivedAt)
    return this.#entry.trace?.beginCall()
  }

  anew(): void {
    for (const name of REPLY_FIELDS) delete this.#entry[name]
  }

  began(): void {
    this.#entry.firstByteMs ??= this.#elapsed()
  }

  sent(bytes: number): void {
    this.#bytesOut += bytes
  }

  whenOver(run: (problem?: Problem) => void): void {
    if (this.#over) run(this.#end)
    else this.#runs.push(run)
  }

  finish({ problem, ...fields }: Parameters<Journal['finish']>[0]): void {
    if (this.#over) return
    this.#over = true
    this.#end = problem
    for (const run of this.#runs) run(problem)
    const entry = this.#entry
    this.#ports.log({
      ...entry,
      ...(this.#bytesOut > 0 && { bytesOut: this.#bytesOut }),
      ...fields,
      ...endFields(problem),
      outcome: outcomeOf(fields.status, problem ?? entry.error, this.#called),
      totalMs: this.#elapsed(),
    })
  }

  #elapsed(): number {
    return Math.max(0, Math.round(this.#ports.now() - this.#startedAt))
  }
}

/** Why an exchange did not end well, and the status where that was its caller. */
const endFields = (problem: Problem | undefined): Partial<LogEntry> => ({
  ...(problem && { error: problem.message }),
  ...(problem === CALLER_LEFT && { status: 499 }),
})

/** In hundredths of a millisecond; 0 where it has not begun. */
const millisecondsSince = (start: number | undefined): number =>
  start === undefined ? 0 : Math.round((performance.now() - start) * 100) / 100

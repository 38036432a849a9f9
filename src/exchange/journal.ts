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

export function journal(
  ports: Pick<Ports, 'now' | 'log'>,
  head: Pick<LogEntry, 'id' | 'method' | 'path'>,
): Journal {
  const startedAt = ports.now()
  const elapsed = () => Math.max(0, Math.round(ports.now() - startedAt))
  const entry: Partial<LogEntry> = {}
  let arrivedAt: number | undefined
  let called = false
  let bytesOut = 0
  let over = false
  let end: Problem | undefined
  const runs: ((problem?: Problem) => void)[] = []
  return {
    id: head.id,
    note(fields) {
      Object.assign(entry, fields)
    },
    count(usage) {
      entry.usage = { ...entry.usage, ...tokensIn(usage) }
    },
    arrived() {
      arrivedAt ??= performance.now()
    },
    sending() {
      called = true
      entry.overheadMs ??= millisecondsSince(arrivedAt)
      return entry.trace?.beginCall()
    },
    anew() {
      for (const name of REPLY_FIELDS) delete entry[name]
    },
    began() {
      entry.firstByteMs ??= elapsed()
    },
    sent: (bytes) => void (bytesOut += bytes),
    whenOver: (run) => (over ? run(end) : void runs.push(run)),
    finish({ problem, ...fields }) {
      if (over) return
      over = true
      end = problem
      for (const run of runs) run(problem)
      const sent = bytesOut > 0 && { bytesOut }
      const outcome = outcomeOf(fields.status, problem ?? entry.error, called)
      const told = { ...head, ...entry, ...sent, ...fields, ...endFields(problem), outcome }
      ports.log({ ...told, totalMs: elapsed() })
    },
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

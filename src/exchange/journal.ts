import type { LogEntry } from '../observe/entry.ts'
import type { Problem } from '../model/problem.ts'
import { CALLER_LEFT } from '../model/failures.ts'
import type { Ports } from '../ports.ts'

/** Gathers what is known of an exchange; it is written once, when the exchange is over. */
export interface Journal {
  readonly id: string
  note(fields: Partial<LogEntry>): void
  /** The first byte of a reply is on its way. */
  began(): void
  /** Bytes of a reply were handed over. */
  sent(bytes: number): void
  /** At once when it is over already. */
  whenOver(run: () => void): void
  /** The first call counts. `problem`: why it ended otherwise than well; a caller who left has no status. */
  finish(
    fields: Pick<LogEntry, 'status'> & Partial<LogEntry> & { problem?: Problem | undefined },
  ): void
}

export function journal(
  ports: Pick<Ports, 'now' | 'log'>,
  head: Pick<LogEntry, 'id' | 'method' | 'path'>,
): Journal {
  const startedAt = ports.now()
  const elapsed = () => Math.max(0, Math.round(ports.now() - startedAt))
  const entry: Partial<LogEntry> = {}
  let bytesOut = 0
  let over = false
  const runs: (() => void)[] = []
  return {
    id: head.id,
    note(fields) {
      Object.assign(entry, fields)
    },
    began() {
      entry.firstByteMs ??= elapsed()
    },
    sent(bytes) {
      bytesOut += bytes
    },
    whenOver: (run) => (over ? run() : void runs.push(run)),
    finish({ problem, ...fields }) {
      if (over) return
      over = true
      for (const run of runs) run()
      const sent = bytesOut > 0 ? { bytesOut } : {}
      const failed = problem && { error: problem.message }
      const left = problem === CALLER_LEFT ? { status: 499 } : {}
      ports.log({ ...head, ...entry, ...sent, ...fields, ...failed, ...left, totalMs: elapsed() })
    },
  }
}

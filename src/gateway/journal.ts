import type { LogEntry } from '../observe/entry.ts'
import type { Ports } from './ports.ts'

/** Gathers what is known of an exchange; it is written once, when the exchange is over. */
export interface Journal {
  readonly id: string
  note(fields: Partial<LogEntry>): void
  /** The first byte of a reply is on its way. */
  began(): void
  /** The first call counts. */
  finish(fields: Pick<LogEntry, 'status'> & Partial<LogEntry>): void
}

export function journal(
  ports: Pick<Ports, 'now' | 'log'>,
  head: Pick<LogEntry, 'id' | 'method' | 'path'>,
  whenOver: () => void,
): Journal {
  const startedAt = ports.now()
  let entry: Partial<LogEntry> = {}
  let over = false
  const elapsed = () => Math.max(0, Math.round(ports.now() - startedAt))
  return {
    id: head.id,
    note(fields) {
      entry = { ...entry, ...fields }
    },
    began() {
      if (entry.firstByteMs === undefined) entry = { ...entry, firstByteMs: elapsed() }
    },
    finish(fields) {
      if (over) return
      over = true
      whenOver()
      ports.log({ ...head, ...entry, ...fields, totalMs: elapsed() })
    },
  }
}

import type { Worker } from 'node:cluster'
import type { Counted } from './sums.ts'
import type { Process } from '../process/process.ts'
import type { ReadConfig } from '../command/found.ts'

/** What the first process says to one that serves. */
export type ToWorker =
  | { kind: 'begin'; read: ReadConfig; logStyle: Process['logStyle'] }
  | { kind: 'reload'; read: ReadConfig }
  /** A configuration was refused: it is counted. */
  | { kind: 'refused' }
  | { kind: 'stop' }
  /** Asks what it has counted, for another one. */
  | { kind: 'count'; id: number }
  /** What the others have counted. */
  | { kind: 'counted'; id: number; others: readonly Counted[] }

/** What a process that serves says to the first one. */
export type ToPrimary =
  | { kind: 'ready' }
  | { kind: 'listens'; url: string }
  | { kind: 'count'; id: number }
  | { kind: 'counted'; id: number; own: Counted }

/** To one that may just have ended, which is noticed elsewhere. */
export function sendTo(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined)
}

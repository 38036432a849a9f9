import type { Settings } from '../config/settings.ts'
import type { LogEntry } from './entry.ts'
import { createMetrics, type Readings } from './metrics.ts'
import { createUsage } from './usage.ts'

/** What an operator may ask of this process; it counts since the process began. */
export interface Observer {
  /** An exchange is over. */
  finished(entry: LogEntry, settings: Settings): void
  reloaded(result: 'ok' | 'error'): void
  /** What gauges show from now on when nothing else is said. */
  reads(readings: Readings): void
  metrics(readings?: Readings): string
  usage(): object
}

export function createObserver(
  about: { version: string; runtime: string },
  now: () => number,
): Observer {
  const metrics = createMetrics(about, now() / 1000)
  const usage = createUsage(now)
  let usual: Readings = { open: () => 0, held: () => 0, streams: () => 0 }
  return {
    reads: (readings) => (usual = readings),
    finished(entry, settings) {
      metrics.finished(entry, settings)
      usage.finished(entry)
    },
    reloaded: (result) => metrics.reloaded(result, now() / 1000),
    metrics: (readings = usual) => metrics.text(readings),
    usage: () => usage.table(),
  }
}

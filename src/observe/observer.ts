import type { Settings } from '../config/settings.ts'
import type { LogEntry } from './entry.ts'
import { createMetrics, type Readings } from './metrics.ts'
import { createModelNames } from './model-names.ts'
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

type Finished = readonly [LogEntry, Settings]

/** Counted together, and before metrics are read, so that no caller waits for the counting. */
const COUNTED_TOGETHER = 16

export function createObserver(
  about: { version: string; runtime: string },
  now: () => number,
): Observer {
  const names = createModelNames()
  const metrics = createMetrics(about, now() / 1000, names)
  const usage = createUsage(now, names)
  let usual: Readings = { open: () => 0, held: () => 0, streams: () => 0 }
  let waiting: Finished[] = []
  const count = (): void => {
    const all = waiting
    waiting = []
    for (const [entry, settings] of all) {
      metrics.finished(entry, settings)
      usage.finished(entry, settings)
    }
  }
  return {
    reads: (readings) => (usual = readings),
    finished(entry, settings) {
      if (waiting.push([entry, settings]) >= COUNTED_TOGETHER) count()
    },
    reloaded: (result) => metrics.reloaded(result, now() / 1000),
    metrics(readings = usual) {
      count()
      return metrics.text(readings)
    },
    usage() {
      count()
      return usage.table()
    },
  }
}

import { ProblemError } from '../../model/problem.ts'
import { Budget, type Lease } from '../../stream/budget.ts'
import { CROWDED } from '../../problems/failures.ts'
import type { LimitSettings } from '../../config/settings.ts'

/**
 * What this process carries at the moment. Beyond its limits it refuses requests before it keeps anything of them.
 */
export interface Load {
  /** Counts an exchange until the returned function is called. */
  enter(): () => void
  /** Leases bytes for one exchange. */
  lease(): Lease
  /** How many bytes are in flight. */
  held(): number
  /** How many exchanges are open. */
  open(): number
  /** Counts a stream until the returned function is called. */
  enterStream(): () => void
  /** How many streams are open. */
  streams(): number
  /** Sets other limits. Exchanges that are open stay. */
  bound(limits: LoadLimits): void
}

type LoadLimits = Pick<LimitSettings, 'streams' | 'inFlightBytes'>

export function createLoad({ streams, inFlightBytes }: LoadLimits): Load {
  let most = streams
  let exchanges = 0
  let streamCount = 0
  const budget = new Budget(inFlightBytes)
  return {
    enter() {
      if (exchanges >= most) throw new ProblemError(CROWDED)
      exchanges += 1
      return () => {
        exchanges -= 1
      }
    },
    lease: () => budget.lease(),
    held: () => budget.held,
    open: () => exchanges,
    enterStream() {
      streamCount += 1
      return () => {
        streamCount -= 1
      }
    },
    streams: () => streamCount,
    bound(limits) {
      most = limits.streams
      budget.bound(limits.inFlightBytes)
    },
  }
}

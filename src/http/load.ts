import { ProblemError } from '../model/problem.ts'
import { Budget, type Lease } from '../stream/budget.ts'
import { CROWDED } from '../model/failures.ts'
import type { LimitSettings } from '../config/settings.ts'

/** How much this process carries at the moment. Beyond its bounds it refuses, before anything is kept. */
export interface Load {
  /** Counts an exchange until the returned function is called. */
  enter(): () => void
  /** What an exchange takes of the bytes that may be in flight. */
  lease(): Lease
  /** Bytes in flight. */
  held(): number
  /** Exchanges underway. */
  open(): number
  /** Counts a stream until the returned function is called. */
  enterStream(): () => void
  /** Streams underway. */
  streams(): number
  /** Other bounds from now on; what is there stays. */
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

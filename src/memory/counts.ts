import type { CallerLimits } from '../config/settings.ts'

/** The limit that a caller has reached, and when it may try again. */
export interface Reached {
  /** `underway`: what its other requests may cost is all that is left of `usdPerDay`. */
  limit: keyof CallerLimits | 'underway'
  waitMs: number
}

/** One exchange takes at most what comes in within so many minutes: no count locks a caller out for long. */
export const MOST_MINUTES = 60

/** What one exchange may take, or has used. */
export interface Asked {
  tokens: number
  usd: number
}

/**
 * What callers have used of their limits, counted for several processes together, by the names of their keys. The first
 * two reject where there is no answer, and the others do without.
 */
export interface SharedCounts {
  /** Counts a request, and `id` as open, unless a limit is reached. */
  enter(name: string, id: string, limits: CallerLimits): Promise<Reached | undefined>
  /** Until the exchange is over, it counts as what it may take. */
  reserve(
    name: string,
    id: string,
    limits: CallerLimits,
    asked: Asked,
  ): Promise<Reached | undefined>
  /** The exchange is over: inverse of both. */
  leave(name: string, id: string): void
  /** Counts what an exchange has used. */
  settle(name: string, limits: CallerLimits, used: Asked): void
  close(): Promise<void>
}

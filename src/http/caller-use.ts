import type { Journal } from '../exchange/journal.ts'
import type { Tokens } from '../observe/entry.ts'
import { RATE_LIMITED } from '../observe/outcome.ts'
import { ProblemError } from '../model/problem.ts'
import type { KnownCaller } from '../upstream/credentials.ts'

/**
 * Counts what callers have used of their limits, by the names of their keys. Each process counts by itself and
 * forgets at its end, so with several processes a caller has its limit in each.
 */
export interface CallerUse {
  /** Counts a request until its exchange is over; throws ProblemError. */
  enter(caller: KnownCaller, journal: Journal): void
  /**
   * Called before a reply is asked for. Until its tokens are known, a request counts by the length of its body.
   * Throws ProblemError.
   */
  reserve(caller: KnownCaller, bytes: number, journal: Journal): void
  /** Counts the tokens and the cost of an exchange that is over. */
  settle(name: string, tokens: Tokens | undefined, usd: number | undefined): void
  /** How many exchanges of the caller are open. */
  open(name: string): number
}

interface Used {
  open: number
  requests: Bucket
  tokens: Bucket
  /** The current day, in days since 1970, and what was spent on it. */
  day: number
  usd: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const BYTES_PER_TOKEN = 4

export function createCallerUse(now: () => number): CallerUse {
  const all = new Map<string, Used>()
  const usedBy = (name: string): Used => {
    const known = all.get(name)
    if (known) return known
    const unused = { open: 0, requests: new Bucket(now), tokens: new Bucket(now), day: 0, usd: 0 }
    all.set(name, unused)
    return unused
  }
  const spentToday = (used: Used): number =>
    used.day === Math.floor(now() / DAY_MS) ? used.usd : 0

  return {
    enter({ name, limits = {} }, journal) {
      const used = usedBy(name)
      const { concurrent = Infinity, requestsPerMinute } = limits
      if (used.open >= concurrent)
        throw refused(`It may have ${concurrent} requests underway at a time.`, 1000)
      if (requestsPerMinute !== undefined) takeRequest(used.requests, requestsPerMinute)
      used.open += 1
      journal.whenOver(() => {
        used.open -= 1
      })
    },
    reserve({ name, limits = {} }, bytes, journal) {
      const used = usedBy(name)
      const { tokensPerMinute, usdPerDay } = limits
      if (tokensPerMinute !== undefined) {
        // A caller below zero has used more tokens than it had, and waits until the level is zero again.
        const wait = used.tokens.waitFor(0, tokensPerMinute)
        if (wait > 0) throw refused(`It may use ${tokensPerMinute} tokens per minute.`, wait)
        const estimate = bytes / BYTES_PER_TOKEN
        used.tokens.take(estimate)
        journal.whenOver(() => used.tokens.take(-estimate))
      }
      if (usdPerDay !== undefined && spentToday(used) >= usdPerDay)
        throw refused(`It may spend ${usdPerDay} USD per day.`, DAY_MS - (now() % DAY_MS))
    },
    settle(name, { input = 0, output = 0 } = {}, usd = 0) {
      const used = usedBy(name)
      used.tokens.take(input + output)
      used.usd = spentToday(used) + usd
      used.day = Math.floor(now() / DAY_MS)
    },
    open: (name) => all.get(name)?.open ?? 0,
  }
}

function takeRequest(requests: Bucket, perMinute: number): void {
  const wait = requests.waitFor(1, perMinute)
  if (wait > 0) throw refused(`It may make ${perMinute} requests per minute.`, wait)
  requests.take(1)
}

const refused = (limit: string, retryAfterMs: number): ProblemError =>
  new ProblemError({
    kind: 'rate-limit',
    message: `This caller is at its limit. ${limit}`,
    code: RATE_LIMITED,
    retryAfterMs: Math.max(1000, Math.ceil(retryAfterMs)),
  })

/** A token bucket that holds at most one minute's amount. It may be overdrawn. */
class Bucket {
  readonly #now: () => number
  #level: number | undefined
  #taken = 0
  #at = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds until the bucket holds `amount`. */
  waitFor(amount: number, perMinute: number): number {
    const now = this.#now()
    const gained = (Math.max(0, now - this.#at) * perMinute) / MINUTE_MS
    // What was taken before the caller had a limit does not count.
    const level = this.#level === undefined ? perMinute : this.#level - this.#taken + gained
    this.#level = Math.min(perMinute, level)
    this.#taken = 0
    this.#at = now
    return this.#level >= amount ? 0 : ((amount - this.#level) * MINUTE_MS) / perMinute
  }

  take(amount: number): void {
    this.#taken += amount
  }
}

import type { Journal } from '../exchange/journal.ts'
import type { Tokens } from '../observe/entry.ts'
import { RATE_LIMITED } from '../observe/outcome.ts'
import { ProblemError } from '../model/problem.ts'
import type { KnownCaller } from '../upstream/credentials.ts'

/**
 * What callers have used of their limits, by the names of their keys. It counts for this process alone and is
 * forgotten when it ends: behind several of them a caller has as many times its limit.
 */
export interface CallerUse {
  /** Counts one more request until the exchange is over; throws ProblemError. */
  enter(caller: KnownCaller, journal: Journal): void
  /** Before a reply is asked for. A body counts by its length until its true count is known; throws ProblemError. */
  reserve(caller: KnownCaller, bytes: number, journal: Journal): void
  /** What an exchange has really used. */
  settle(name: string, tokens: Tokens | undefined, usd: number | undefined): void
  /** Exchanges at the moment. */
  open(name: string): number
}

interface Used {
  open: number
  requests: Bucket
  tokens: Bucket
  /** Days since 1970, and what was spent on that one. */
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
        // A caller below zero has used more than it had: it waits until that has come in.
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

/** Fills up to one minute's worth, as steadily as time goes by; may be overdrawn. */
class Bucket {
  readonly #now: () => number
  #level: number | undefined
  #taken = 0
  #at = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds until there is at least so much, where so much comes in a minute. */
  waitFor(amount: number, perMinute: number): number {
    const now = this.#now()
    const gained = (Math.max(0, now - this.#at) * perMinute) / MINUTE_MS
    // What was taken before there was a limit is not counted.
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

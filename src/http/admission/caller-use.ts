import type { CallerLimits } from '../../config/settings.ts'
import type { Reservation } from '../../exchange/stages.ts'
import type { Journal } from '../../exchange/journal.ts'
import type { Tokens } from '../../observe/entry.ts'
import { RATE_LIMITED } from '../../observe/outcome.ts'
import { MOST_MINUTES, type Reached } from '../../memory/counts.ts'
import { ProblemError } from '../../model/problem.ts'
import { WAIT_BOUND_MS } from '../../problems/wait.ts'
import type { KnownCaller } from '../../upstream/credentials.ts'

/** Counts what callers have used of their limits, by the names of their keys. */
export interface CallerUse {
  /** Counts a request until its exchange is over; throws ProblemError, or rejects with one where others are asked. */
  enter(caller: KnownCaller, journal: Journal): void | Promise<void>
  /** Called before a reply is asked for. Until the exchange is over, it counts as what it may take. Fails as `enter`. */
  reserve(caller: KnownCaller, asked: Reservation, journal: Journal): void | Promise<void>
  /** Counts the tokens and the cost of an exchange that is over. */
  settle(name: string, tokens: Tokens | undefined, usd: number | undefined): void
  /** How many exchanges of the caller are open. */
  open(name: string): number
}

/** The use of one process, which forgets at its end. */
export interface OwnUse extends CallerUse {
  enter(caller: KnownCaller, journal: Journal): void
  reserve(caller: KnownCaller, asked: Reservation, journal: Journal): void
  /** The request that was counted last was refused elsewhere. */
  spare(name: string): void
}

interface Used {
  open: number
  requests: Bucket
  tokens: Bucket
  /** The current day, in days since 1970, and what was spent on it. */
  day: number
  usd: number
  /** What the exchanges underway may cost. */
  reservedUsd: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** When something may have been given back that exchanges underway have reserved. */
const SOON_MS = 1000

export function createCallerUse(now: () => number): OwnUse {
  const all = new Map<string, Used>()
  const usedBy = (name: string): Used => {
    const known = all.get(name)
    if (known) return known
    const unused = { open: 0, requests: new Bucket(now), tokens: new Bucket(now), day: 0 }
    const unspent = { ...unused, usd: 0, reservedUsd: 0 }
    all.set(name, unspent)
    return unspent
  }
  const spentToday = (used: Used): number =>
    used.day === Math.floor(now() / DAY_MS) ? used.usd : 0

  return {
    enter({ name, limits }, journal) {
      const used = usedBy(name)
      if (limits) takeRequest(used, limits)
      used.open += 1
      journal.onEnd(() => {
        used.open -= 1
      })
    },
    reserve({ name, limits }, asked, journal) {
      if (!limits) return
      const used = usedBy(name)
      const { usdPerDay } = limits
      reserveTokens(used.tokens, limits, asked.tokens, journal)
      if (usdPerDay !== undefined) {
        const spent = spentToday(used)
        if (spent >= usdPerDay) throw refused('usdPerDay', limits, DAY_MS - (now() % DAY_MS))
        if (used.reservedUsd >= usdPerDay - spent) throw refused('underway', limits, SOON_MS)
        reserveUsd(used, asked, journal)
      }
    },
    settle(name, { input = 0, output = 0 } = {}, usd = 0) {
      const used = usedBy(name)
      used.tokens.take(input + output)
      used.usd = spentToday(used) + usd
      used.day = Math.floor(now() / DAY_MS)
    },
    spare: (name) => usedBy(name).requests.giveBack(1),
    open: (name) => all.get(name)?.open ?? 0,
  }
}

function takeRequest({ open, requests }: Used, limits: CallerLimits): void {
  const { concurrent = Infinity, requestsPerMinute } = limits
  if (open >= concurrent) throw refused('concurrent', limits, SOON_MS)
  if (requestsPerMinute === undefined) return
  const wait = requests.waitFor(1, requestsPerMinute)
  if (wait > 0) throw refused('requestsPerMinute', limits, wait)
  requests.take(1)
}

/** A caller below zero has used more tokens than it had, and waits until the level is zero again. */
function reserveTokens(
  level: Bucket,
  limits: CallerLimits,
  tokens: number,
  journal: Journal,
): void {
  const { tokensPerMinute } = limits
  if (tokensPerMinute === undefined) return
  const wait = level.waitFor(0, tokensPerMinute)
  if (wait > 0) throw refused('tokensPerMinute', limits, wait)
  const taken = level.take(tokens)
  journal.onEnd(() => level.giveBack(taken))
}

/** The last request that is let in may overdraw what is left, as with tokens. */
function reserveUsd(used: Used, { usd }: Reservation, journal: Journal): void {
  const most = usd()
  used.reservedUsd += most
  journal.onEnd(() => {
    used.reservedUsd = Math.max(0, used.reservedUsd - most)
  })
}

const WORDS: Record<Reached['limit'], (limits: CallerLimits) => string> = {
  concurrent: ({ concurrent }) => `It may have ${concurrent} requests underway at a time.`,
  requestsPerMinute: (limits) => `It may make ${limits.requestsPerMinute} requests per minute.`,
  tokensPerMinute: (limits) => `It may use ${limits.tokensPerMinute} tokens per minute.`,
  usdPerDay: ({ usdPerDay }) => `It may spend ${usdPerDay} USD per day.`,
  underway: ({ usdPerDay }) =>
    `It may spend ${usdPerDay} USD per day. Requests underway may cost the rest.`,
}

export const refused = (
  limit: Reached['limit'],
  limits: CallerLimits,
  retryAfterMs: number,
): ProblemError =>
  new ProblemError({
    kind: 'rate-limit',
    message: `This caller is at its limit. ${WORDS[limit](limits)}`,
    code: RATE_LIMITED,
    retryAfterMs: Math.min(WAIT_BOUND_MS, Math.max(SOON_MS, Math.ceil(retryAfterMs))),
  })

/** A token bucket that holds at most one minute's amount. It may be overdrawn. */
class Bucket {
  readonly #now: () => number
  #level: number | undefined
  #taken = 0
  #at = 0
  #most = Infinity

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
    this.#most = MOST_MINUTES * perMinute
    return this.#level >= amount ? 0 : ((amount - this.#level) * MINUTE_MS) / perMinute
  }

  /** How much was taken. */
  take(amount: number): number {
    const taken = Math.min(amount, this.#most)
    this.#taken += taken
    return taken
  }

  /** Inverse of `take`. */
  giveBack(taken: number): void {
    this.#taken -= taken
  }
}

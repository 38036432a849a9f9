import type { CallerLimits } from '../../config/settings.ts'
import type { Reservation } from '../../exchange/stages.ts'
import type { Journal } from '../../exchange/journal.ts'
import type { Reached, SharedCounts } from '../../memory/counts.ts'
import type { Tokens } from '../../observe/entry.ts'
import type { Ports } from '../../ports.ts'
import type { KnownCaller } from '../../upstream/credentials.ts'
import { type CallerUse, type OwnUse, refused } from './caller-use.ts'

/** `warn` hears, once a minute at most, why this process counts for itself. */
type Sharing = Required<Pick<Ports, 'now' | 'randomId'>> & NonNullable<Ports['sharing']>

/** How long a request waits for what others have counted. */
const PATIENCE_MS = 100
/** A store that was late is left alone for so long: requests that wait one after the other would all be slow. */
const SILENCE_MS = 1000
const MINUTE_MS = 60_000

/**
 * Counts with other processes. What this process has counted is part of what all have, so it is asked first, and alone
 * where the others do not answer.
 */
export const shareUse = (own: OwnUse, sharing: Sharing): CallerUse => new SharedUse(own, sharing)

class SharedUse implements CallerUse {
  readonly #own: OwnUse
  readonly #sharing: Sharing
  #silentUntil = -Infinity
  readonly #ids = new WeakMap<Journal, string>()
  /** Tells the exchanges of this process from those of others. */
  readonly #process: string
  #latest = 0
  /** Whose tokens and cost are counted together. */
  readonly #settled = new Map<string, CallerLimits>()
  #reportedAt = -Infinity

  constructor(own: OwnUse, sharing: Sharing) {
    this.#own = own
    this.#sharing = sharing
    this.#process = sharing.randomId()
  }

  enter(caller: KnownCaller, journal: Journal): void | Promise<void> {
    this.#own.enter(caller, journal)
    const { name, limits = {} } = caller
    const { concurrent, requestsPerMinute } = limits
    if ((concurrent ?? requestsPerMinute) === undefined) return undefined
    const id = this.#idFor(name, journal)
    const asked = this.#ask(limits, (counts) => counts.enter(name, id, limits))
    if (requestsPerMinute === undefined) return asked
    return asked.catch((error: unknown) => {
      this.#own.spare(name)
      throw error
    })
  }

  reserve(caller: KnownCaller, asked: Reservation, journal: Journal): void | Promise<void> {
    this.#own.reserve(caller, asked, journal)
    const { name, limits = {} } = caller
    const { tokensPerMinute, usdPerDay } = limits
    if ((tokensPerMinute ?? usdPerDay) === undefined) return undefined
    this.#settled.set(name, limits)
    const id = this.#idFor(name, journal)
    const most = { tokens: asked.tokens, usd: usdPerDay === undefined ? 0 : asked.usd() }
    return this.#ask(limits, (counts) => counts.reserve(name, id, limits, most))
  }

  settle(name: string, tokens: Tokens = {}, usd = 0): void {
    this.#own.settle(name, tokens, usd)
    const limits = this.#settled.get(name)
    const { input = 0, output = 0 } = tokens
    if (limits && input + output + usd > 0)
      this.#sharing.counts.settle(name, limits, { tokens: input + output, usd })
  }

  open(name: string): number {
    return this.#own.open(name)
  }

  #idFor(name: string, journal: Journal): string {
    const known = this.#ids.get(journal)
    if (known !== undefined) return known
    this.#latest += 1
    const id = `${this.#process}-${this.#latest}`
    this.#ids.set(journal, id)
    // Also where nothing was answered: it may have been counted later.
    journal.onEnd(() => this.#sharing.counts.leave(name, id))
    return id
  }

  async #ask(
    limits: CallerLimits,
    work: (counts: SharedCounts) => Promise<Reached | undefined>,
  ): Promise<void> {
    const { counts } = this.#sharing
    let reached: Reached | undefined
    try {
      if (performance.now() < this.#silentUntil) return
      reached = await inTime(work(counts))
    } catch (error) {
      if (error instanceof LateError) this.#silentUntil = performance.now() + SILENCE_MS
      this.#warn(error)
    }
    if (reached) throw refused(reached.limit, limits, reached.waitMs)
  }

  #warn(error: unknown): void {
    const { now, warn } = this.#sharing
    if (now() - this.#reportedAt < MINUTE_MS) return
    this.#reportedAt = now()
    warn(error instanceof Error ? error.message : 'it failed')
  }
}

class LateError extends Error {}

/** What has come while this process was busy is looked at before the others are called late. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let clock: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new LateError(`the store did not answer within ${PATIENCE_MS} ms`))
    clock = setTimeout(() => (clock = setTimeout(giveUp, 0)), PATIENCE_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(clock)
  }
}

/** The state of a member's breaker. Half-open: one request at a time may try the member. */
export type BreakerState = 'closed' | 'half-open' | 'open'

const TRIP_IN_A_ROW = 5
const TRIP_SHARE = 0.5
const TRIP_OUTCOMES = 10
const WINDOW_S = 30
const FIRST_OPEN_MS = 15_000
const LONGEST_OPEN_MS = 120_000
/** The longest time for which an upstream can ask to be left alone. */
export const LONGEST_WAIT_MS = 3_600_000
/** How long a key that is refused or unpaid is not used. */
export const HARD_FAULT_MS = 1_800_000

/** Permission for one attempt. `isProbe`: its outcome decides whether the member is taken back. */
export interface Leave {
  readonly isProbe: boolean
}

export interface FailureFacts {
  /** The wait that the upstream has asked for. */
  waitMs?: number | undefined
  /** The key itself is at fault. */
  hard?: boolean
  /** The request may be at fault as well as the member. */
  isDoubtful?: boolean
}

/** How long a member stays out that is cooled or opened for the `count`th time in a row, before random variation. */
export const backoffMs = (count: number): number =>
  Math.min(FIRST_OPEN_MS * 2 ** Math.min(count, 10), LONGEST_OPEN_MS)

/** When a wait is over that began at `from`: at once, where the clock has been set back behind that. */
export const endOf = (from: number, until: number, now: number): number => (now < from ? 0 : until)

/**
 * Decides whether a member may be asked. The breaker opens after several failures in a row, or when half of many
 * attempts fail. After its time one request may try, and the outcome of that one decides. `chance`: a number from 0
 * to 1.
 */
export class Breaker {
  #isOpen = false
  #isDoubtful = false
  #openedAt = 0
  #until = 0
  #isProbed = false
  #trips = 0
  #failuresInARow = 0
  readonly #window = new OutcomeWindow()
  readonly #chance: () => number

  constructor(chance: () => number) {
    this.#chance = chance
  }

  /** When the member may be asked again; in the past where it may be asked now. */
  until(now: number): number {
    return this.#isOpen ? endOf(this.#openedAt, this.#until, now) : 0
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether it is out, but for nothing that a request might not have caused. */
  get isDoubtful(): boolean {
    return this.#isOpen && this.#isDoubtful
  }

  /** Changes nothing: reading the state does not use up the probe. */
  state(now: number): BreakerState {
    if (!this.#isOpen) return 'closed'
    return now < this.until(now) ? 'open' : 'half-open'
  }

  mayEnter(now: number): boolean {
    return !this.#isOpen || (now >= this.until(now) && !this.#isProbed)
  }

  /** Undefined while the member is out. */
  enter(now: number): Leave | undefined {
    if (!this.mayEnter(now)) return undefined
    if (!this.#isOpen) return { isProbe: false }
    this.#isProbed = true
    return { isProbe: true }
  }

  /** For a member that is out and is asked all the same: this is a probe before its time. */
  force(): Leave {
    this.#isProbed = true
    return { isProbe: true }
  }

  /** The attempt says nothing about the member: the caller left, or was at fault. */
  giveBack({ isProbe }: Leave): void {
    if (isProbe) this.#isProbed = false
  }

  /** The member has begun to answer well. */
  answered({ isProbe }: Leave): void {
    if (!isProbe) return
    this.#isOpen = false
    this.#isProbed = false
    this.#trips = 0
    this.#failuresInARow = 0
    this.#window.clear()
  }

  succeed(now: number): void {
    this.#failuresInARow = 0
    this.#window.count(now, true)
  }

  fail({ isProbe }: Leave, now: number, facts: FailureFacts = {}): void {
    const { hard = false } = facts
    if (isProbe) this.#isProbed = false
    // Failures of attempts that began before the breaker opened are not counted.
    if (this.#isOpen && !isProbe && !hard) return
    this.#failuresInARow += 1
    this.#window.count(now, false)
    const isEnough =
      isProbe || this.#failuresInARow >= TRIP_IN_A_ROW || this.#window.isBad(now) || hard
    if (isEnough) this.#open(now, facts)
  }

  #open(now: number, { waitMs, hard = false, isDoubtful = false }: FailureFacts): void {
    const usual = backoffMs(this.#trips) * (0.9 + 0.2 * this.#chance())
    const least = Math.min(waitMs ?? 0, LONGEST_WAIT_MS)
    this.#trips += 1
    this.#isOpen = true
    // A member that asks to be left alone is left alone.
    this.#isDoubtful = isDoubtful && waitMs === undefined
    this.#openedAt = now
    this.#until = now + (hard ? HARD_FAULT_MS : Math.max(usual, least))
  }
}

/** The outcomes of the last half minute, by seconds. */
class OutcomeWindow {
  readonly #seconds = Array.from({ length: WINDOW_S }, () => ({ at: -1, good: 0, bad: 0 }))

  count(now: number, isGood: boolean): void {
    const second = Math.floor(now / 1000)
    const slot = this.#seconds[second % WINDOW_S]
    if (!slot) return
    if (slot.at !== second) {
      slot.at = second
      slot.good = 0
      slot.bad = 0
    }
    if (isGood) slot.good += 1
    else slot.bad += 1
  }

  isBad(now: number): boolean {
    const from = Math.floor(now / 1000) - WINDOW_S
    let [good, bad] = [0, 0]
    for (const slot of this.#seconds) {
      if (slot.at <= from) continue
      good += slot.good
      bad += slot.bad
    }
    return good + bad >= TRIP_OUTCOMES && bad >= (good + bad) * TRIP_SHARE
  }

  clear(): void {
    for (const slot of this.#seconds) slot.at = -1
  }
}

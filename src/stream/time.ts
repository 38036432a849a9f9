/** The result of `within` when the time runs out first. */
export const SILENT = Symbol('silent')

/** A caller that reads nothing for so long counts as gone. */
export const STALL_MS = 120_000

/** A timer's delay is a signed 32-bit number; a larger one would fire at once. */
export const timer = (run: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(run, Math.min(ms, 2 ** 31 - 1))

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => timer(() => resolve(), ms))

/** Lets everything that is already waiting run first. */
const turn = (): Promise<void> => pause(0)

/** How long one waits for the turn of another. A Worker drops the timers of a request that was cancelled. */
const TURN_MS = 1000

let last: Promise<void> = Promise.resolve()

/** The same for long work: each work that waits gets a turn of its own. */
export const ownTurn = (): Promise<void> => (last = atMost(TURN_MS, last).then(turn))

const atMost = (ms: number, other: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const clock = timer(resolve, ms)
    void other.then(() => {
      clearTimeout(clock)
      return resolve()
    })
  })

/** A timer that is set and stopped for every piece of a stream. */
export interface Alarm {
  /** Rings once, in `ms` from now; replaces an earlier time. */
  set(ms: number): void
  /** The same at a time of `performance.now`. */
  setAt(due: number): void
  stop(): void
  /** Removes the timer. The alarm is not set again. */
  close(): void
}

export type MakeAlarm = (ring: () => void) => Alarm

/** An alarm with a timer of its own. */
export const alarm: MakeAlarm = (ring) => new PatientAlarm(ring)

/**
 * The timer stays armed while a new time is set, and checks the time when it fires: arming a timer for every piece
 * would cost more than the piece.
 */
class PatientAlarm implements Alarm {
  readonly #ring: () => void
  #due = Infinity
  #clock: ReturnType<typeof setTimeout> | undefined
  #firesAt = Infinity

  constructor(ring: () => void) {
    this.#ring = ring
  }

  set(ms: number): void {
    this.#due = performance.now() + ms
    if (this.#firesAt > this.#due) this.#arm(ms)
  }

  setAt(due: number): void {
    this.#due = due
    if (this.#firesAt > due) this.#arm(due - performance.now())
  }

  stop(): void {
    this.#due = Infinity
  }

  close(): void {
    this.#due = Infinity
    this.#disarm()
  }

  #arm(ms: number): void {
    this.#disarm()
    this.#firesAt = this.#due
    this.#clock = timer(() => this.#fire(), ms)
  }

  #disarm(): void {
    clearTimeout(this.#clock)
    this.#clock = undefined
    this.#firesAt = Infinity
  }

  #fire(): void {
    this.#disarm()
    if (this.#due === Infinity) return
    const left = this.#due - performance.now()
    if (left > 0) return this.#arm(left)
    this.stop()
    this.#ring()
  }
}

/** Waits for `work`, but not longer than `ms`, if that ends. The work goes on and can be waited for again. */
export function within<T>(work: Promise<T>, ms: number): Promise<T | typeof SILENT> {
  if (ms === Infinity) return work
  return new Promise((resolve, reject) => {
    const clock = timer(() => resolve(SILENT), ms)
    const settled =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        clearTimeout(clock)
        settle(value)
      }
    work.then(settled(resolve), settled(reject))
  })
}

/** A time in which one waits for several works, one after another; SILENT when it runs out. */
export interface Timespan {
  wait<T>(work: Promise<T>): Promise<T | typeof SILENT>
  end(): void
}

/** With one timer for all of its waits. */
export function timespan(ms: number): Timespan {
  let isOver = false
  let tell: ((silent: typeof SILENT) => void) | undefined
  const clock = timer(() => {
    isOver = true
    tell?.(SILENT)
  }, ms)
  return {
    wait: (work) =>
      new Promise((resolve, reject) => {
        tell = resolve
        if (isOver) resolve(SILENT)
        else work.then(resolve, reject)
      }),
    end: () => clearTimeout(clock),
  }
}

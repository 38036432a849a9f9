/** The result of `within` when the time runs out first. */
export const SILENT = Symbol('silent')

/** A caller that reads nothing for so long counts as gone. */
export const STALL_MS = 120_000

/** A timer's delay is a signed 32-bit number; a larger one would fire at once. */
export const timer = (run: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(run, Math.min(ms, 2 ** 31 - 1))

/** Lets everything that is already waiting run first. */
const turn = (): Promise<void> => new Promise((resolve) => timer(() => resolve(), 0))

let last: Promise<void> = Promise.resolve()

/** The same for long work: each work that waits gets a turn of its own. */
export const ownTurn = (): Promise<void> => (last = last.then(turn))

/** A timer that is set and stopped for every piece of a stream. */
export interface Alarm {
  /** Rings once, in `ms` from now; replaces an earlier time. */
  set(ms: number): void
  stop(): void
  /** Removes the timer. */
  close(): void
}

/**
 * The timer stays armed while a new time is set, and checks the time when it fires: arming a timer for every piece
 * would cost more than the piece.
 */
export function alarm(ring: () => void): Alarm {
  let due = Infinity
  let armed: { clock: ReturnType<typeof setTimeout>; at: number } | undefined
  const arm = (at: number, ms: number) => {
    clearTimeout(armed?.clock)
    armed = { clock: timer(fired, ms), at }
  }
  const fired = () => {
    armed = undefined
    const left = due - performance.now()
    if (due === Infinity) return
    if (left > 0) return arm(due, left)
    due = Infinity
    ring()
  }
  const stop = () => {
    due = Infinity
  }
  return {
    set(ms) {
      due = performance.now() + ms
      if (!armed || armed.at > due) arm(due, ms)
    },
    stop,
    close() {
      stop()
      clearTimeout(armed?.clock)
      armed = undefined
    },
  }
}

/** Waits for `work`, but not longer than `ms`. The work goes on and can be waited for again. */
export function within<T>(work: Promise<T>, ms: number): Promise<T | typeof SILENT> {
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

/** What `within` yields when the time was over first. */
export const SILENT = Symbol('silent')

/** A caller that takes nothing for so long will take nothing any more. */
export const STALL_MS = 120_000

/** Timers take a signed 32-bit number; anything beyond would fire at once. */
export const timer = (run: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(run, Math.min(ms, 2 ** 31 - 1))

/** What waits already comes first. */
const turn = (): Promise<void> => new Promise((resolve) => timer(() => resolve(), 0))

let last: Promise<void> = Promise.resolve()

/** The same for long work: of several that wait for it each has a turn of its own. */
export const ownTurn = (): Promise<void> => (last = last.then(turn))

/** A clock that is set and stopped for every piece of a stream. */
export interface Alarm {
  /** Rings once, in `ms` from now; what was set before is forgotten. */
  set(ms: number): void
  stop(): void
  /** Leaves nothing behind. */
  close(): void
}

/**
 * The timer below stays armed while it is set anew, and looks when it fires whether it is time already:
 * arming one for every piece would cost more than the piece.
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
    work.then(resolve, reject).finally(() => clearTimeout(clock))
  })
}

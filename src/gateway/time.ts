/** What `within` yields when the time was over first. */
export const SILENT = Symbol('silent')

/** Timers take a signed 32-bit number; anything beyond would fire at once. */
export const timer = (run: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(run, Math.min(ms, 2 ** 31 - 1))

/** Waits for `work`, but not longer than `ms`. The work goes on and can be waited for again. */
export function within<T>(work: Promise<T>, ms: number): Promise<T | typeof SILENT> {
  return new Promise((resolve, reject) => {
    const clock = timer(() => resolve(SILENT), ms)
    work.then(resolve, reject).finally(() => clearTimeout(clock))
  })
}

/** Twice the input may cost at most so many times as much. */
export const MOST = 2.6
/** Less than this is nothing to be seen on any machine, however it grows. */
const LEAST_MS = 6
const ATTEMPTS = 8

export type Work = () => unknown

/**
 * Processor time of this process, which a machine that is busy with something else does not change. Workers have
 * none to tell and a clock that stands still while they work: what is bounded by it is bounded on Node.
 */
export function cpuMs(): number {
  if (!navigator.userAgent.startsWith('Node')) return 0
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export async function costOf(work: Work): Promise<number> {
  const began = cpuMs()
  await work()
  return cpuMs() - began
}

/**
 * How many times as much twice the size costs, by the fastest of several runs: a collection of garbage may fall
 * into any of them. What grows faster than its size never passes, what does not passes at once.
 */
export async function growthOf(
  prepare: (size: number) => Work,
  size: number,
  most: number = MOST,
): Promise<number> {
  let [once, twice] = [Infinity, Infinity]
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    twice = Math.min(twice, await costOf(prepare(2 * size)))
    if (twice < LEAST_MS) return 1
    once = Math.min(once, await costOf(prepare(size)))
    if (twice < most * once) break
  }
  return twice / once
}

/** Twice the input may cost at most so many times as much. */
export const MOST = 2.6
/** The sizes are so many doublings apart: what grows faster stands out of the noise of a busy machine. */
const DOUBLINGS = 2
/** Less than this is nothing to be seen on any machine, however it grows. */
const LEAST_MS = 6
const ATTEMPTS = 6

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

async function measureCost(work: Work): Promise<number> {
  const began = cpuMs()
  await work()
  return cpuMs() - began
}

/**
 * How many times as much twice the size costs, by the fastest of several runs around a size: a collection of
 * garbage may fall into any of them. What grows faster than its size never passes, what does not passes at once.
 */
export async function measureGrowth(
  prepare: (size: number) => Work,
  size: number,
  most: number = MOST,
): Promise<number> {
  const spread = 2 ** DOUBLINGS
  const large = 2 * size
  let [little, much] = [Infinity, Infinity]
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    much = Math.min(much, await measureCost(prepare(large)))
    if (much < LEAST_MS) return 1
    little = Math.min(little, await measureCost(prepare(large / spread)))
    if (much < most ** DOUBLINGS * little) break
  }
  return (much / little) ** (1 / DOUBLINGS)
}

const ATTEMPTS = 10
const BEAT_MS = 5
/** Much longer than the loop of a test takes for a turn, and shorter than what any test gives to others. */
const STILL_MS = 40

/**
 * Does what holds only where the machine goes on meanwhile, since processes or sockets have so much time for it. Where
 * it failed and the loop of this process stood still, that is no fault of the proxy: again, from the beginning.
 */
export async function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const beat = beating()
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || beat.longest() < STILL_MS) throw error
    } finally {
      beat.stop()
    }
  }
}

function beating() {
  let last = performance.now()
  let longest = 0
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    return longest
  }
  const timer = setInterval(look, BEAT_MS)
  return { longest: look, stop: () => clearInterval(timer) }
}

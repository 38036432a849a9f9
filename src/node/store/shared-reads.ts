/** What of long pieces is worked on in one turn of the event loop: some 4 ms of translation. */
export const TURN_BYTES = 128 * 1024

/** A piece this short never waits: replies of models that write come in such. */
export const SHORT_BYTES = 8 * 1024

/**
 * Shares the turns of the event loop among replies that come faster than they can be worked on. Of each connection
 * one turn would read all that is there and work on it: with some hundred of them a turn takes seconds, and whatever
 * else there is, a health check or a small request, waits for several turns.
 */
export class SharedReads {
  #used = 0
  #isArmed = false
  #waiting: Waiting[] = []
  readonly #later: (run: () => void) => unknown

  /** `later`: runs in the next turn. */
  constructor(later: (run: () => void) => unknown = setImmediate) {
    this.#later = later
  }

  /** How many readers wait for their turn. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** When a reader may go on: undefined for now. `size`: how many bytes are there for it. */
  turn(size: () => number): Promise<void> | undefined {
    const bytes = size()
    if (bytes <= SHORT_BYTES) return undefined
    if (this.#waiting.length === 0 && this.#used < TURN_BYTES) return void this.#use(bytes)
    return new Promise((go) => this.#waiting.push({ size, go }))
  }

  #use(bytes: number): void {
    this.#used += bytes
    if (this.#isArmed) return
    this.#isArmed = true
    this.#later(this.#next)
  }

  readonly #next = (): void => {
    this.#isArmed = false
    this.#used = 0
    let served = 0
    for (const { size, go } of this.#waiting) {
      if (this.#used >= TURN_BYTES) break
      // More may have come since.
      this.#use(size())
      served += 1
      go()
    }
    if (served > 0) this.#waiting = this.#waiting.slice(served)
  }
}

interface Waiting {
  size(): number
  go(): void
}

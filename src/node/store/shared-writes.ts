/**
 * Writes to connections at the end of a turn of the event loop, one right behind the other.
 *
 * A write wakes the process at the other end, if that sleeps on this machine, and waking takes longer than writing.
 * With work between two writes it has fallen asleep again; of writes that follow each other only the first one wakes
 * it (`npm run bench -- --only small-64`: a quarter more requests).
 */
export class SharedWrites {
  #open = 0
  #waiting: (() => void)[] = []

  /** How many exchanges are open. */
  get open(): number {
    return this.#open
  }

  begin(): void {
    this.#open += 1
  }

  over(): void {
    this.#open -= 1
  }

  /** Runs what writes at the end of the turn, or at once where no other exchange could write in the same turn. */
  readonly write: WriteSoon = (run) => {
    if (this.#open <= 1) run()
    else if (this.#waiting.push(run) === 1) setImmediate(this.#writeAll)
  }

  readonly #writeAll = (): void => {
    const all = this.#waiting
    this.#waiting = []
    for (const run of all) run()
  }
}

/** Runs what writes, now or a little later. It must not throw. */
export type WriteSoon = (run: () => void) => void

export const atOnce: WriteSoon = (run) => run()

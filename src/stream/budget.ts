import { ProblemError } from '../model/problem.ts'
import { LONG_BYTES } from '../json/bytes.ts'
import { CALLER_LEFT, CROWDED } from '../model/failures.ts'

/**
 * The bytes that all exchanges together may have in flight: bodies while they are read, decoded and sent on,
 * what is recalled for them, and replies that are gathered or wait for their reader.
 */
export class Budget {
  #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Zero when no exchange is under way. */
  get held(): number {
    return this.#held
  }

  /** Another bound from now on; what is held stays. */
  bound(most: number): void {
    this.#most = most
  }

  lease(): Lease {
    return new BudgetLease(this)
  }

  /** False where there is no room for that much more. */
  take(bytes: number): boolean {
    if (bytes > 0 && this.#held + bytes > this.#most) return false
    this.#held += bytes
    return true
  }

  put(bytes: number): void {
    this.#held += bytes
  }
}

/**
 * So much of a reply is not counted: nearly every one is shorter, and what is handed over at once waits for no reader.
 * As many exchanges as there may be at once bound it.
 */
export const FREE_BYTES = 65_536

/**
 * What a body of so many bytes counts for: a long one half as much again, for what is made of it on its way and
 * not collected at once.
 */
export const weightOf = (bytes: number): number => bytes + Math.max(0, (bytes - LONG_BYTES) / 2)

/** Told of each piece of a reply that is gathered; false where there is no room for it. */
export function replyCounter(lease: Lease): (bytes: number) => boolean {
  let size = 0
  return (bytes) => {
    size += bytes
    return size <= FREE_BYTES || lease.fits(Math.min(bytes, size - FREE_BYTES))
  }
}

/** What one exchange has of the budget. */
export interface Lease {
  readonly size: number
  /** Before bytes are kept; throws ProblemError when there is no room, and once the exchange is over. */
  grow(bytes: number): void
  /** The same, with false for what is thrown. */
  fits(bytes: number): boolean
  /** So much is left, or is there already: the next exchange is refused for it, and not this one. */
  hold(bytes: number): void
  /** Nothing is left, and nothing more will come. */
  release(): void
}

class BudgetLease implements Lease {
  readonly #budget: Budget
  #over = false
  size = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  grow(bytes: number): void {
    if (!this.fits(bytes)) throw new ProblemError(this.#over ? CALLER_LEFT : CROWDED)
  }

  fits(bytes: number): boolean {
    if (this.#over || !this.#budget.take(bytes)) return false
    this.size += bytes
    return true
  }

  hold(bytes: number): void {
    if (this.#over) return
    this.#budget.put(bytes - this.size)
    this.size = bytes
  }

  release(): void {
    this.hold(0)
    this.#over = true
  }
}

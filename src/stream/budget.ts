import { ProblemError } from '../model/problem.ts'
import { LONG_BYTES } from '../json/bytes.ts'
import { CALLER_LEFT, CROWDED } from '../problems/failures.ts'

/**
 * Bounds the bytes in flight of all exchanges together: bodies while they are read, decoded and sent on, records
 * that are looked up for them, and replies that are gathered or wait for their reader.
 */
export class Budget {
  #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  #values = 0

  /** Zero when no exchange is under way. */
  get held(): number {
    return this.#held + this.#values
  }

  /** Changes the bound; held bytes stay held. */
  bound(most: number): void {
    this.#most = most
  }

  lease(): Lease {
    return new BudgetLease(this)
  }

  /** Takes bytes from the budget; false where there is no room. `own`: what the same exchange works with. */
  take(bytes: number, own = 0): boolean {
    if (bytes > 0 && this.#held - own + bytes > this.#most) return false
    this.#held += bytes
    return true
  }

  put(bytes: number): void {
    this.#held += bytes
  }

  /**
   * Takes room for values; false where others have some and there is none beside them. Bytes are not refused for them:
   * they are there for moments, and at most those of one request are beyond the bound.
   */
  unfold(bytes: number): boolean {
    if (bytes > 0 && this.#values > 0 && this.held + bytes > this.#most) return false
    this.#values += bytes
    return true
  }

  fold(bytes: number): void {
    this.#values -= bytes
  }
}

/**
 * So many bytes of a reply are not counted. Nearly every reply is shorter, and bytes that are handed over at once
 * wait for no reader. The number of concurrent exchanges bounds their sum.
 */
export const FREE_BYTES = 65_536

/**
 * The weight of a body of so many bytes: a long one counts half as much again, for copies that are made of it and
 * not collected at once.
 */
export const weightOf = (bytes: number): number => bytes + Math.max(0, (bytes - LONG_BYTES) / 2)

/**
 * What a long text weighs while it is translated, beside its body: its values, the text that is written and the bytes
 * of that exist at once, and are not collected at once.
 */
export const workOf = (characters: number): number => 2 * Math.max(0, characters - LONG_BYTES)

/** Counts the pieces of a reply that is gathered; false where there is no room. */
export function replyCounter(lease: Lease): (bytes: number) => boolean {
  let size = 0
  return (bytes) => {
    size += bytes
    return size <= FREE_BYTES || lease.fits(Math.min(bytes, size - FREE_BYTES))
  }
}

/** The share of one exchange in the budget. */
export interface Lease {
  readonly size: number
  /** Called before bytes are kept; throws ProblemError when there is no room, and after the exchange is over. */
  grow(bytes: number): void
  /** Like `grow`, but returns false instead of throwing. */
  fits(bytes: number): boolean
  /**
   * Sets the share to a size that already exists, even beyond the bound; then the next exchange is refused, not this
   * one.
   */
  hold(bytes: number): void
  /**
   * Sets what the exchange needs beside its share while it is worked on, even beyond the bound; then others are refused,
   * not this one.
   */
  work(bytes: number): void
  /**
   * Sets the room for what a request becomes while it is translated. False where others are translated and there is no
   * room beside them: a request within its limits is translated, and until then it waits.
   */
  unfold(bytes: number): boolean
  /** Releases everything; nothing more may be taken. */
  release(): void
}

class BudgetLease implements Lease {
  readonly #budget: Budget
  #over = false
  #work = 0
  #values = 0
  size = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  grow(bytes: number): void {
    if (!this.fits(bytes)) throw new ProblemError(this.#over ? CALLER_LEFT : CROWDED)
  }

  fits(bytes: number): boolean {
    if (this.#over || !this.#budget.take(bytes, this.#work)) return false
    this.size += bytes
    return true
  }

  hold(bytes: number): void {
    if (this.#over || bytes === this.size) return
    this.#budget.put(bytes - this.size)
    this.size = bytes
  }

  work(bytes: number): void {
    if (this.#over || bytes === this.#work) return
    this.#budget.put(bytes - this.#work)
    this.#work = bytes
  }

  unfold(bytes: number): boolean {
    if (this.#over || bytes === this.#values) return true
    this.#budget.fold(this.#values)
    this.#values = 0
    if (!this.#budget.unfold(bytes)) return false
    this.#values = bytes
    return true
  }

  release(): void {
    this.unfold(0)
    this.#budget.put(-this.size - this.#work)
    this.size = 0
    this.#work = 0
    this.#over = true
  }
}

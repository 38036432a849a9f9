import type { CreateOrder } from './mode.ts'

/** What the vendor's service takes: so many lanes with names, and so many requests underway on a connection. */
export const MOST_LANES = 32
const MOST_UNDERWAY = 16
/** Requests that wait for those before them. */
const MOST_WAITING = 100

interface Waiting {
  order: CreateOrder
  bytes: number
}

/** The requests of one connection: those of one lane run one after the other, in the order in which they came. */
export class Lanes {
  readonly #mostBytes: number
  readonly #run: (order: CreateOrder) => Promise<void>
  readonly #rest: () => void
  readonly #names = new Set<string>()
  readonly #running = new Set<string | undefined>()
  #waiting: Waiting[] = []
  /** What waits. */
  bytes = 0

  /** `run` must not reject. `rest`: called when nothing is underway any more. */
  constructor(mostBytes: number, run: (order: CreateOrder) => Promise<void>, rest: () => void) {
    this.#mostBytes = mostBytes
    this.#run = run
    this.#rest = rest
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#waiting.length === 0
  }

  get underway(): number {
    return this.#running.size
  }

  /** Whether a lane may be used; a new name takes one of the places. */
  opens(lane: string | undefined): boolean {
    if (lane === undefined || this.#names.has(lane)) return true
    if (this.#names.size >= MOST_LANES) return false
    this.#names.add(lane)
    return true
  }

  /** False where too many wait already. */
  add(order: CreateOrder, bytes: number): boolean {
    const isFull =
      this.#waiting.length >= MOST_WAITING ||
      (this.#waiting.length > 0 && this.bytes + bytes > this.#mostBytes)
    if (isFull) return false
    this.#waiting.push({ order, bytes })
    this.bytes += bytes
    this.#begin()
    return true
  }

  /** Those that have not begun, which are forgotten here. */
  clear(): CreateOrder[] {
    const orders = this.#waiting.map(({ order }) => order)
    this.#waiting = []
    this.bytes = 0
    return orders
  }

  #begin(): void {
    while (this.#running.size < MOST_UNDERWAY) {
      const at = this.#waiting.findIndex(({ order }) => !this.#running.has(order.lane))
      const [next] = at < 0 ? [] : this.#waiting.splice(at, 1)
      if (!next) return
      const { order, bytes } = next
      this.bytes -= bytes
      this.#running.add(order.lane)
      void this.#run(order).finally(() => {
        this.#running.delete(order.lane)
        this.#begin()
        if (this.isIdle) this.#rest()
      })
    }
  }
}

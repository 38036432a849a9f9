import type { Continued } from './mode.ts'

/** What a connection remembers of a reply, so that it can be continued there. */
export interface Remembered extends Continued {
  readonly id: string
  readonly lane: string | undefined
  /** The calls of the conversation so far; undefined where a part of it is known to others alone. */
  readonly calls: ReadonlySet<string> | undefined
}

/** What all connections remember together, the longest unused first. */
export class Shelf {
  #most = 0
  readonly #memories = new Map<Memory, number>()
  #held = 0

  bound(mostBytes: number): void {
    this.#most = mostBytes
  }

  get held(): number {
    return this.#held
  }

  /** Makes room by the conversations of those that have been silent for the longest time. */
  hold(memory: Memory, bytes: number): void {
    this.drop(memory)
    if (bytes === 0) return
    this.#memories.set(memory, bytes)
    this.#held += bytes
    for (const other of this.#memories.keys()) {
      if (this.#held <= this.#most) return
      other.forgetAll()
    }
  }

  drop(memory: Memory): void {
    this.#held -= this.#memories.get(memory) ?? 0
    this.#memories.delete(memory)
  }
}

/** Ids that were forgotten are known to be gone, as far back as a caller may ask. */
const MOST_GONE = 1000

/** The latest reply of each lane of one connection. Nothing of it is written anywhere. */
export class Memory {
  readonly #most: number
  readonly #shelf: Shelf
  /** The one that was used last stands last. */
  readonly #byLane = new Map<string | undefined, Remembered>()
  readonly #gone = new Set<string>()

  constructor(mostBytes: number, shelf: Shelf) {
    this.#most = mostBytes
    this.#shelf = shelf
  }

  find(id: string): Remembered | undefined {
    for (const reply of this.#byLane.values()) if (reply.id === id) return reply
    return undefined
  }

  /** Whether an id was given out here, and is known no more. */
  isGone(id: string): boolean {
    return this.#gone.has(id)
  }

  /** Takes the place of the last reply of its lane. Beyond the bound whole conversations are forgotten, never parts. */
  keep(reply: Remembered): void {
    this.#remove(reply.lane)
    this.#byLane.set(reply.lane, reply)
    let bytes = this.#bytes()
    for (const lane of this.#byLane.keys()) {
      if (bytes <= this.#most) break
      this.#remove(lane)
      bytes = this.#bytes()
    }
    this.#shelf.hold(this, bytes)
  }

  /** A reply that was continued in vain, in its own lane. */
  evict(id: string, lane: string | undefined): void {
    const reply = this.find(id)
    if (!reply || reply.lane !== lane) return
    this.#remove(lane)
    this.#shelf.hold(this, this.#bytes())
  }

  forgetAll(): void {
    for (const lane of this.#byLane.keys()) this.#remove(lane)
    this.#shelf.drop(this)
  }

  #remove(lane: string | undefined): void {
    const reply = this.#byLane.get(lane)
    if (!reply) return
    this.#byLane.delete(lane)
    // Others know the reply that everything stands upon.
    if (reply.base === reply.id) return
    this.#gone.add(reply.id)
    const [oldest] = this.#gone
    if (this.#gone.size > MOST_GONE && oldest !== undefined) this.#gone.delete(oldest)
  }

  /** Lanes share the items that they have in common. */
  #bytes(): number {
    const items = new Set([...this.#byLane.values()].flatMap((reply) => reply.items))
    let bytes = 0
    for (const { length } of items) bytes += length
    return bytes
  }
}

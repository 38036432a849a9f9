/** What all copies of a map share: what is in it, and what stood there before each change. */
interface Shared<Key, Value> {
  readonly entries: Map<Key, Value>
  readonly keys: Key[]
  readonly before: (Value | undefined)[]
  /** Until there is a copy nothing has to be undone. */
  isCopied: boolean
}

/**
 * A map that is copied in no time, because the copy shares its entries. Either goes on from there: as soon as one is
 * used, what the other has changed since the copy is undone, and the other must not be used again.
 */
export class UndoMap<Key, Value extends {}> {
  /** Absent while nothing was ever in it, as in most conversations. */
  #shared: Shared<Key, Value> | undefined
  /** So many changes have led to it. */
  #changes: number

  constructor(shared?: Shared<Key, Value>, changes = 0) {
    this.#shared = shared
    this.#changes = changes
  }

  copy(): UndoMap<Key, Value> {
    if (this.#shared) this.#shared.isCopied = true
    return new UndoMap(this.#shared, this.#changes)
  }

  get size(): number {
    return this.#entries()?.size ?? 0
  }

  has(key: Key): boolean {
    return this.#entries()?.has(key) ?? false
  }

  get(key: Key): Value | undefined {
    return this.#entries()?.get(key)
  }

  set(key: Key, value: Value): void {
    this.#shared ??= { entries: new Map(), keys: [], before: [], isCopied: false }
    const { entries } = this.#undone(this.#shared)
    this.#note(this.#shared, key, entries.get(key))
    entries.set(key, value)
  }

  delete(key: Key): void {
    if (!this.#shared) return
    const { entries } = this.#undone(this.#shared)
    const before = entries.get(key)
    if (before === undefined) return
    this.#note(this.#shared, key, before)
    entries.delete(key)
  }

  #note({ keys, before, isCopied }: Shared<Key, Value>, key: Key, value: Value | undefined): void {
    if (!isCopied) return
    keys.push(key)
    before.push(value)
    this.#changes += 1
  }

  #entries(): Map<Key, Value> | undefined {
    return this.#shared && this.#undone(this.#shared).entries
  }

  #undone(shared: Shared<Key, Value>): Shared<Key, Value> {
    const { entries, keys, before } = shared
    while (keys.length > this.#changes) {
      const key = keys.pop()
      const value = before.pop()
      if (key === undefined) continue
      if (value === undefined) entries.delete(key)
      else entries.set(key, value)
    }
    return shared
  }
}

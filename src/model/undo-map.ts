/** What all copies of a map share: what is in it, and what stood there before each change. */
interface Shared<Key, Value> {
  readonly entries: Map<Key, Value>
  readonly keys: Key[]
  readonly before: (Value | undefined)[]
  /** Until there is a copy nothing has to be undone. */
  isCopied: boolean
}

/**
 * A map that is copied in no time. The copy and the map itself go on from here in turn: what one of them has changed
 * since is undone as soon as the other is asked, and the one is not asked again.
 */
export class UndoMap<Key, Value extends {}> {
  readonly #shared: Shared<Key, Value>
  /** So many changes have led to it. */
  #changes: number

  constructor(
    shared: Shared<Key, Value> = {
      entries: new Map(),
      keys: [],
      before: [],
      isCopied: false,
    },
    changes = 0,
  ) {
    this.#shared = shared
    this.#changes = changes
  }

  copy(): UndoMap<Key, Value> {
    this.#shared.isCopied = true
    return new UndoMap(this.#shared, this.#changes)
  }

  get size(): number {
    return this.#entries().size
  }

  has(key: Key): boolean {
    return this.#entries().has(key)
  }

  get(key: Key): Value | undefined {
    return this.#entries().get(key)
  }

  set(key: Key, value: Value): void {
    const entries = this.#entries()
    this.#note(key, entries.get(key))
    entries.set(key, value)
  }

  delete(key: Key): void {
    const entries = this.#entries()
    const before = entries.get(key)
    if (before === undefined) return
    this.#note(key, before)
    entries.delete(key)
  }

  #note(key: Key, value: Value | undefined): void {
    const { keys, before, isCopied } = this.#shared
    if (!isCopied) return
    keys.push(key)
    before.push(value)
    this.#changes += 1
  }

  #entries(): Map<Key, Value> {
    const { entries, keys, before } = this.#shared
    while (keys.length > this.#changes) {
      const key = keys.pop()
      const value = before.pop()
      if (key === undefined) continue
      if (value === undefined) entries.delete(key)
      else entries.set(key, value)
    }
    return entries
  }
}

import {
  boundedBytes,
  sizeOf,
  type Store,
  type StoreBounds,
  type StoreEntry,
} from '../gateway/store.ts'

interface Kept {
  owner: string
  value: string
  size: number
  endsAt: number
}

/** The keys of one owner in the order in which they were put. */
interface Share {
  keys: Set<string>
  bytes: number
}

/**
 * In the memory of this process (on Workers: of this isolate), and gone with it. As in every other store,
 * the entry put first is the first to go, however often it was read.
 */
export function memoryStore(bounds: StoreBounds, now: () => number = Date.now): Store {
  const shelf = new Shelf()
  const put = (entry: StoreEntry): void => {
    const { key, owner, value } = entry
    const size = sizeOf(entry, boundedBytes(entry, bounds))
    shelf.remove(key)
    shelf.makeRoom(size, bounds, owner)
    shelf.add(key, { owner, value, size, endsAt: now() + Math.max(1, entry.ttlMs) })
  }
  const peek = (key: string): string | undefined => {
    const kept = shelf.entries.get(key)
    if (kept && kept.endsAt > now()) return kept.value
    shelf.remove(key)
    return undefined
  }
  return {
    get: async (key) => peek(key),
    put: async (entry) => put(entry),
    delete: async (key) => peek(key) !== undefined && shelf.remove(key),
    close: async () => shelf.clear(),
  }
}

/** Entries in the order in which they were put, with their bytes counted: all of them, and per owner. */
class Shelf {
  readonly entries = new Map<string, Kept>()
  readonly #shares = new Map<string, Share>()
  #bytes = 0

  add(key: string, kept: Kept): void {
    const share = this.#shares.get(kept.owner) ?? { keys: new Set(), bytes: 0 }
    this.#shares.set(kept.owner, share)
    share.keys.add(key)
    share.bytes += kept.size
    this.#bytes += kept.size
    this.entries.set(key, kept)
  }

  remove(key: string): boolean {
    const kept = this.entries.get(key)
    const share = kept && this.#shares.get(kept.owner)
    if (!kept || !share) return false
    this.entries.delete(key)
    this.#bytes -= kept.size
    share.bytes -= kept.size
    share.keys.delete(key)
    if (share.keys.size === 0) this.#shares.delete(kept.owner)
    return true
  }

  makeRoom(size: number, { ownerBytes, totalBytes }: StoreBounds, owner: string): void {
    const share = this.#shares.get(owner)
    for (const key of share?.keys ?? []) {
      if ((share?.bytes ?? 0) + size <= ownerBytes) break
      this.remove(key)
    }
    for (const key of this.entries.keys()) {
      if (this.#bytes + size <= totalBytes) break
      this.remove(key)
    }
  }

  clear(): void {
    this.entries.clear()
    this.#shares.clear()
    this.#bytes = 0
  }
}

import { LRUCache } from 'lru-cache'
import { boundedSize, type Store, type StoreBounds, type StoreEntry } from '../gateway/store.ts'

interface Kept {
  owner: string
  value: string
  size: number
}

/** The keys of one owner in the order in which they were put. */
interface Share {
  keys: Set<string>
  bytes: number
}

/** In the memory of this process, and gone with it. */
export function memoryStore(bounds: StoreBounds, now: () => number = Date.now): Store {
  const shares = new Map<string, Share>()
  const entries = new LRUCache<string, Kept>({
    maxSize: bounds.totalBytes,
    perf: { now },
    // A resolution above zero is kept up by a timer, and a timer outlives a request.
    ttlResolution: 0,
    dispose: (kept, key) => release(shares, key, kept),
  })

  const put = (entry: StoreEntry): void => {
    const { key, owner, value } = entry
    const size = boundedSize(entry, bounds)
    entries.delete(key)
    for (const oldest of shares.get(owner)?.keys ?? []) {
      if ((shares.get(owner)?.bytes ?? 0) + size <= bounds.ownerBytes) break
      entries.delete(oldest)
    }
    const kept = { owner, value, size }
    entries.set(key, kept, { size, ttl: Math.max(1, entry.ttlMs) })
    claim(shares, key, kept)
  }
  // `peek` leaves the order as it is, so the entry put first is the first to go, as in every other store.
  const peek = (key: string): string | undefined => {
    const kept = entries.peek(key)
    if (!kept) entries.delete(key)
    return kept?.value
  }
  return {
    get: async (key) => peek(key),
    put: async (entry) => put(entry),
    delete: async (key) => peek(key) !== undefined && entries.delete(key),
    close: async () => entries.clear(),
  }
}

function claim(shares: Map<string, Share>, key: string, kept: Kept): void {
  const share = shares.get(kept.owner) ?? { keys: new Set(), bytes: 0 }
  share.keys.add(key)
  share.bytes += kept.size
  shares.set(kept.owner, share)
}

function release(shares: Map<string, Share>, key: string, kept: Kept): void {
  const share = shares.get(kept.owner)
  if (!share?.keys.delete(key)) return
  share.bytes -= kept.size
  if (share.keys.size === 0) shares.delete(kept.owner)
}

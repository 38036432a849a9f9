import { LRUCache } from 'lru-cache'
import { boundedSize, type Store, type StoreEntry } from '../store.ts'
import type { StoreBounds } from '../../config/settings.ts'

interface Kept {
  key: string
  owner: string
  value: string
  size: number
  /** The neighbouring entries of the same owner. */
  older: Kept | undefined
  newer: Kept | undefined
}

/**
 * The entries of one owner, oldest first, as a linked list. A Set keeps that order too, but finding its first
 * member steps over all deleted ones.
 */
interface Share {
  bytes: number
  oldest: Kept | undefined
  newest: Kept | undefined
}

/** In the memory of this process, and gone with it. */
export function memoryStore(bounds: StoreBounds, now: () => number = Date.now): Store {
  const shares = new Map<string, Share>()
  const entries = new LRUCache<string, Kept>({
    maxSize: bounds.totalBytes,
    perf: { now },
    // A resolution above zero needs a timer, and a timer outlives a request.
    ttlResolution: 0,
    dispose: (kept) => release(shares, kept),
  })

  const put = (entry: StoreEntry): void => {
    const { key, owner, value } = entry
    const size = boundedSize(entry, bounds)
    entries.delete(key)
    const { bytes = 0, oldest } = shares.get(owner) ?? {}
    let room = bounds.ownerBytes - bytes
    for (let last = oldest; last && room < size;) {
      const { newer } = last
      room += last.size
      entries.delete(last.key)
      last = newer
    }
    const kept = { key, owner, value, size, older: undefined, newer: undefined }
    entries.set(key, kept, { size, ttl: Math.max(1, entry.ttlMs) })
    claim(shares, kept)
  }
  // `peek` does not change the order, so the oldest entry is evicted first, as in every other store.
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

function claim(shares: Map<string, Share>, kept: Kept): void {
  const share = shares.get(kept.owner) ?? { bytes: 0, oldest: undefined, newest: undefined }
  kept.older = share.newest
  if (share.newest) share.newest.newer = kept
  else share.oldest = kept
  share.newest = kept
  share.bytes += kept.size
  shares.set(kept.owner, share)
}

/** Inverse of `claim`. */
function release(shares: Map<string, Share>, kept: Kept): void {
  const share = shares.get(kept.owner)
  if (!share) return
  const { older, newer } = kept
  if (older) older.newer = newer
  else share.oldest = newer
  if (newer) newer.older = older
  else share.newest = older
  // An entry that is gone but not yet collected would keep its neighbours in memory.
  kept.older = undefined
  kept.newer = undefined
  share.bytes -= kept.size
  if (!share.oldest) shares.delete(kept.owner)
}

import { boundedSize, ownerOf, type Store, type StoreEntry } from '../memory/store.ts'
import type { StoreBounds } from '../config/settings.ts'
import { guardParts } from '../memory/stores/guard.ts'

/** The part of Workers KV that is used. */
export interface KeyValueNamespace {
  getWithMetadata(key: string): Promise<{ value: string | null; metadata: unknown }>
  put(
    key: string,
    value: string,
    options: { expirationTtl: number; metadata: Label },
  ): Promise<void>
  delete(key: string): Promise<void>
  list(options: { prefix: string; cursor?: string }): Promise<Page>
}

interface Page {
  keys: { name: string; metadata?: unknown }[]
  list_complete: boolean
  cursor?: string
}

/** Metadata of a value, which `list` returns without the value. */
interface Label {
  bytes: number
  put: number
  expires: number
}

const SERVICE = 'the key-value namespace STATE_KV'
const TIMEOUT_MS = 5000
/** Workers KV takes no shorter time to live; the label holds the real one. */
const SHORTEST_TTL_SECONDS = 60
const LONGEST_NAME_BYTES = 512

/**
 * A store in a Workers KV namespace: cheap to read everywhere, and only eventually consistent. A turn that reaches
 * another location within about a minute of the one before may not find it, because a miss is cached there too; a
 * Durable Object has no such gap. An owner's share is limited by listing, so that limit is eventual as well; the
 * total is limited by times to live alone.
 */
export function kvStore(
  namespace: KeyValueNamespace,
  bounds: StoreBounds,
  now: () => number = Date.now,
): Store {
  const read = async (key: string): Promise<string | undefined> => {
    if (!isName(key)) return undefined
    const { value, metadata } = await namespace.getWithMetadata(key)
    return value !== null && readLabel(metadata).expires > now() ? value : undefined
  }
  const write = async (entry: StoreEntry): Promise<void> => {
    const bytes = boundedSize(entry, bounds)
    await evict(namespace, entry.key, bounds.ownerBytes - bytes, now())
    await namespace.put(entry.key, entry.value, {
      expirationTtl: Math.max(SHORTEST_TTL_SECONDS, Math.ceil(entry.ttlMs / 1000)),
      metadata: { bytes, put: now(), expires: now() + entry.ttlMs },
    })
  }
  const remove = async (key: string): Promise<boolean> => {
    const there = (await read(key)) !== undefined
    if (there) await namespace.delete(key)
    return there
  }
  const guarded = guardParts(SERVICE, TIMEOUT_MS)
  return {
    get: (key) => guarded('', () => read(key)),
    put: (entry) => guarded('', () => write(entry)),
    delete: (key) => guarded('', () => remove(key)),
    close: async () => undefined,
  }
}

/** The namespace throws for any other key, so there can be no entry. */
const isName = (key: string): boolean =>
  key !== '' && new TextEncoder().encode(key).length <= LONGEST_NAME_BYTES

/** Deletes an owner's oldest entries until the others, without `key`, have at most `limit` bytes. */
async function evict(
  namespace: KeyValueNamespace,
  key: string,
  limit: number,
  now: number,
): Promise<void> {
  const entries: (Label & { name: string })[] = []
  for await (const { name, metadata } of listed(namespace, `${ownerOf(key)}/`)) {
    const label = readLabel(metadata)
    if (name !== key && label.expires > now) entries.push({ name, ...label })
  }
  let used = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  for (const { name, bytes } of entries.toSorted((one, other) => one.put - other.put)) {
    if (used <= limit) return
    await namespace.delete(name)
    used -= bytes
  }
}

async function* listed(
  namespace: KeyValueNamespace,
  prefix: string,
): AsyncGenerator<Page['keys'][0]> {
  let cursor: string | undefined
  do {
    const page = await namespace.list(cursor === undefined ? { prefix } : { prefix, cursor })
    yield* page.keys
    cursor = page.list_complete ? undefined : page.cursor
  } while (cursor !== undefined)
}

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** An entry without a label was not written here. It counts as expired, with no size. */
function readLabel(metadata: unknown): Label {
  const fields: Partial<Record<keyof Label, unknown>> =
    typeof metadata === 'object' && metadata !== null ? metadata : {}
  return {
    bytes: number(fields.bytes),
    put: number(fields.put),
    expires: number(fields.expires),
  }
}

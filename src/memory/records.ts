import type { ExchangeRecord, ConversationMemory } from './conversation.ts'
import type { JsonObject } from '../json/json.ts'
import { sha256Hex } from '../json/sha256.ts'
import { ProblemError, type Problem } from '../model/problem.ts'
import { DEFAULT_RETENTION } from '../config/defaults.ts'
import { readSeed } from '../model/ids.ts'
import type { KeptContext, Memories, MemoryContext } from './context.ts'
import { NO_STATE } from '../problems/failures.ts'
import type { Settings } from '../config/settings.ts'
import { EntryTooLargeError, storeKey, StoreUnavailableError, type Store } from './store.ts'

export function createMemories(settings: Settings, store: Store | undefined): Memories | undefined {
  const retention = { ...DEFAULT_RETENTION, ...settings.retention }
  return store && { store, retention, underway: new Map(), deleted: new Set(), owners: new Map() }
}

/** The same memories with new settings. */
export const renewedMemories = (
  settings: Settings,
  known: Memories | undefined,
): Memories | undefined =>
  known && { ...known, retention: { ...DEFAULT_RETENTION, ...settings.retention } }

/**
 * One exchange in the store. `issuer`: the upstream that gave out its ids and keeps it too, or behind `ANSWERED` the
 * one that answered where only the proxy keeps it. `parents`: the places of the exchanges before it, the first one
 * first.
 */
export interface KeptRecord<Exchange = string> {
  id: string
  issuer?: string | undefined
  parents: readonly string[]
  record: Exchange
}

/** Stands before a name that is no issuer, so that it is taken for none; no name has this sign. */
export const ANSWERED = '~'

/** Writes a line of facts, and the record behind it. */
export const writeKept = ({ id, issuer = '', parents, record }: KeptRecord): string =>
  `${[id, issuer, ...parents].join(' ')}\n${record}`

/** Inverse of `writeKept`; undefined for anything that it did not write. */
export function readKept(text: string): KeptRecord | undefined {
  const end = text.indexOf('\n')
  const [id = '', issuer = '', ...parents] = text.slice(0, Math.max(0, end)).split(' ')
  if (id === '') return undefined
  return { id, ...(issuer !== '' && { issuer }), parents, record: text.slice(end + 1) }
}

/** Parses records only when they are wanted, and each only once: most of a long conversation is not looked at. */
export function recordReader({
  read,
}: Pick<ConversationMemory, 'read'>): (kept: KeptRecord) => JsonObject | undefined {
  const known = new Map<KeptRecord, JsonObject | undefined>()
  const attempt = ({ record }: KeptRecord) => {
    try {
      return read(record)
    } catch {
      return undefined
    }
  }
  return (kept) => {
    if (!known.has(kept)) known.set(kept, attempt(kept))
    return known.get(kept)
  }
}

const REDIRECT_KEY = 'see '

/** The entry for an item whose id does not name its exchange. */
const writeRedirectKey = (place: string): string => REDIRECT_KEY + place

/** Inverse of `writeRedirectKey`. */
export const readRedirectKey = (text: string | undefined): string | undefined =>
  text?.startsWith(REDIRECT_KEY) ? text.slice(REDIRECT_KEY.length) : undefined

/** What an id may be; LiteLLM 1.106 writes base64 of some hundred characters, up to 730 of them where its tools are asked. */
export const ID = /^(?:[\w=+/:~-]|\.(?!\.)){1,1024}$/

/** The place of the exchange that gave out this id; undefined for a value that cannot be an id. */
export const recordPlace = (id: string): string | undefined =>
  ID.test(id) ? (readSeed(id) ?? id) : undefined

const MOST_OWNERS = 1000

/** The owner: a hash of what the caller presented, so that the store holds no keys. */
export function hashedOwner(
  { identity }: Pick<KeptContext, 'identity'>,
  { owners }: Pick<Memories, 'owners'>,
): Promise<string> {
  if (identity === undefined) return Promise.resolve('open')
  const known = owners.get(identity)
  if (known) return known
  if (owners.size >= MOST_OWNERS) owners.clear()
  const owner = Promise.resolve(sha256Hex(identity))
  owners.set(identity, owner)
  return owner
}

/** One caller's part of the store. Rejects with ProblemError when the store is down. */
export interface ScopedStore {
  readonly owner: string
  get(place: string): Promise<string | undefined>
  put(place: string, value: string): Promise<void>
  delete(place: string): Promise<boolean>
}

/** Opens the caller's part of the store. A request without a body only reads and deletes. */
export async function openScopedStore(
  exchange: Pick<KeptContext, 'identity' | 'journal'> & Partial<Pick<MemoryContext, 'received'>>,
  memories: Memories,
): Promise<ScopedStore> {
  const { store, retention } = memories
  const owner = await hashedOwner(exchange, memories)
  // Why the store fails is for the log; the caller of `put` decides what a failure means.
  const withProblem = async <T>(work: Promise<T>, problem?: Problem): Promise<T> => {
    try {
      return await work
    } catch (error) {
      exchange.journal.note({ reason: whyFailed(error) })
      throw problem ? new ProblemError(problem) : error
    }
  }
  return {
    owner,
    get: (place) => withProblem(store.get(storeKey(owner, place)), NO_STATE),
    put(place, text) {
      const value = exchange.received?.filled(text) ?? text
      return withProblem(
        store.put({ key: storeKey(owner, place), owner, value, ttlMs: retention.ttlMs }),
      )
    },
    delete: (place) => withProblem(store.delete(storeKey(owner, place)), NO_STATE),
  }
}

/** The words of another error than a store may throw could quote an address or a value. */
const whyFailed = (error: unknown): string =>
  error instanceof StoreUnavailableError || error instanceof EntryTooLargeError
    ? error.message
    : 'the store has failed'

export const deleteRecord = async (scoped: ScopedStore, id: string): Promise<boolean> => {
  const place = recordPlace(id)
  return place !== undefined && scoped.delete(place)
}

/** Keeps an exchange under the id of its reply; rejects when the store does. */
export async function keep(
  scoped: ScopedStore,
  { record, ...kept }: KeptRecord<ExchangeRecord>,
): Promise<void> {
  const place = recordPlace(kept.id)
  if (place === undefined) return
  const strays = new Set<string>()
  for (const id of record.items) {
    const stray = recordPlace(id)
    if (stray !== undefined && stray !== place) strays.add(stray)
  }
  await scoped.put(place, writeKept({ ...kept, record: record.text }))
  if (strays.size > 0)
    await Promise.all([...strays].map((stray) => scoped.put(stray, writeRedirectKey(place))))
}

import { bytesIn } from '../json/bytes.ts'
import type { StoreBounds } from '../config/settings.ts'

/**
 * What the proxy remembers between two requests: text under a key, for a time. Every driver keeps the
 * same promises, and one contract test holds all of them to it:
 *
 * - `get` gives what was last put under the key, or undefined: never there, deleted, evicted or expired.
 * - An acknowledged `put` is seen by the next `get`, also from another process where the driver is shared
 *   (a Workers KV namespace is the exception: it may take a minute to be seen in another place).
 * - A store is never full: beyond a bound the entries that were put first make room, those of the same
 *   owner for its share, those of all owners for the whole.
 * - Entries of one owner are seen by no other: the owner is part of the key.
 */
export interface Store {
  /** Rejects with `StoreUnavailableError` like every other operation. */
  get(key: string): Promise<string | undefined>
  /** Replaces what is there. Rejects with `EntryTooLargeError` what could never be kept. */
  put(entry: StoreEntry): Promise<void>
  /** True when there was something to delete. */
  delete(key: string): Promise<boolean>
  close(): Promise<void>
}

export interface StoreEntry {
  /** Made by `storeKey` from the owner and an id. */
  key: string
  /** Whose it is: a hash of a credential, not the credential. */
  owner: string
  /** Well-formed Unicode, as JSON text is. */
  value: string
  ttlMs: number
}

export const storeKey = (owner: string, id: string): string => `${owner}/${id}`

/** The inverse of `storeKey`, as far as the owner goes: a driver may keep each owner's entries apart. */
export const ownerOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')))

/** The entry is larger than a bound; the message does not contain its value. */
export class EntryTooLargeError extends Error {
  readonly limit: number
  constructor(limit: number) {
    super(`the entry is larger than the ${limit} bytes that may be stored`)
    this.name = 'EntryTooLargeError'
    this.limit = limit
  }
}

/** The service behind the store does not answer, or refuses. The message contains neither address nor value. */
export class StoreUnavailableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StoreUnavailableError'
  }
}

const ENCODER = new TextEncoder()

/** The bytes of a value; throws `EntryTooLargeError` where they exceed the bound. */
export function boundedBytes(entry: StoreEntry, bounds: StoreBounds): Uint8Array {
  const limit = entryLimit(bounds)
  const bytes = entry.value.length > limit ? undefined : ENCODER.encode(entry.value)
  if (!bytes || bytes.length + entry.key.length > limit) throw new EntryTooLargeError(limit)
  return bytes
}

/** The size of an entry that counts against the bounds; throws `EntryTooLargeError`. */
export function boundedSize({ key, value }: StoreEntry, bounds: StoreBounds): number {
  const limit = entryLimit(bounds)
  const size = key.length + (value.length > limit ? value.length : bytesIn(value))
  if (size > limit) throw new EntryTooLargeError(limit)
  return size
}

const entryLimit = ({ entryBytes, ownerBytes, totalBytes }: StoreBounds): number =>
  Math.min(entryBytes, ownerBytes, totalBytes)

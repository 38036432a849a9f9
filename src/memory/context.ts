import type { Lease } from '../stream/budget.ts'
import type { Adapter, Route } from '../../adapters/contract.ts'
import type { RetentionSettings, Settings } from '../config/settings.ts'
import type { JsonObject } from '../json/json.ts'
import type { Loss } from '../model/loss.ts'
import type { Store } from './store.ts'

/** What is needed to find the stored exchanges of a caller. */
export interface KeptContext {
  readonly settings: Settings
  readonly caller: Adapter
  /** The owner; absent where callers cannot be told apart. */
  readonly identity?: string | undefined
  /** No other caller can be here: what is noted for none is this one's. */
  readonly isAlone?: boolean
  /** Absent where nothing is stored. */
  readonly memories?: Memories | undefined
  /** Its share of the bytes in flight. */
  readonly lease: Lease
  readonly journal: { note(fields: { reason?: string; losses?: readonly Loss[] }): void }
}

/** What is needed to store an exchange. */
export interface MemoryContext extends KeptContext {
  readonly route: Route
  readonly received: {
    /** Puts long data that was left out of the body back into a text made from it. */
    filled(text: string): string
  }
  readonly journal: KeptContext['journal'] & { onEnd(run: () => void): void }
  newId(prefix: string): string
}

/** All that the proxy stores between exchanges, and the replies that are being stored. */
export interface Memories {
  readonly store: Store
  readonly retention: RetentionSettings
  /**
   * Replies that this process is writing or keeping now, by their keys in the store. A place is emptied when it is left.
   */
  readonly underway: Map<string, { reply: Underway | undefined }>
  /**
   * The keys of copies that were deleted last: a reply that still passes must not bring its own back.
   */
  readonly deleted: Set<string>
  /**
   * Hashed owners by what their callers present. Callers come again, and the hash takes longer than a small reply.
   */
  readonly owners: Map<string, Promise<string>>
}

/** A reply that is being written, or put into the store. */
export interface Underway {
  /** Set as soon as it is put there: it can be read there, and no more be stopped, once that is over. */
  kept?: Promise<boolean>
  /** The places of the exchanges before it. */
  readonly parents: readonly string[]
  record(): JsonObject
  /** Stops it and keeps it as far as it came. */
  cancel(): Promise<JsonObject>
  /** Lets it go on, and keeps nothing of it. */
  forget(): void
}

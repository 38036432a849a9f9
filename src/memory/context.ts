import type { Lease } from '../stream/budget.ts'
import type { Adapter, Route } from '../../adapters/contract.ts'
import type { RetentionSettings, Settings } from '../config/settings.ts'
import type { JsonObject } from '../json/json.ts'
import type { Store } from './store.ts'

/** What has to be known of a caller to find what is kept for it. */
export interface KeptContext {
  readonly settings: Settings
  readonly caller: Adapter
  /** Whose memory it is; absent where nothing tells one caller from another. */
  readonly identity?: string | undefined
  /** Absent where nothing is kept. */
  readonly memories?: Memories | undefined
  /** What it has of the bytes that may be in flight. */
  readonly lease: Lease
}

/** What has to be known of an exchange to remember it. */
export interface MemoryContext extends KeptContext {
  readonly route: Route
  readonly body: {
    /** With the data that was left out of the body, in what has been made of its text. */
    filled(text: string): string
  }
  readonly journal: { whenOver(run: () => void): void }
  newId(prefix: string): string
}

/** What the proxy remembers between two exchanges, and what it is busy with. */
export interface Memories {
  readonly store: Store
  readonly retention: RetentionSettings
  /** Replies that this process is writing at the moment, by their keys in the store. */
  readonly underway: Map<string, Underway>
  /** Who owns what, by what they present: callers come again, and a hash takes longer than a small reply. */
  readonly owners: Map<string, Promise<string>>
}

/** A reply that can still be stopped. */
export interface Underway {
  id: string
  record(): JsonObject
  /** Stops it and keeps it as far as it came. */
  cancel(): Promise<JsonObject>
}

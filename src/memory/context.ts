import type { Lease } from '../stream/budget.ts'
import type { Adapter, Route } from '../../adapters/contract.ts'
import type { Settings } from '../config/settings.ts'
import type { Memories } from './records.ts'

/** What has to be known of an exchange to remember it. */
export interface MemoryContext {
  readonly settings: Settings
  readonly caller: Adapter
  readonly route: Route
  /** Whose memory it is; absent where nothing tells one caller from another. */
  readonly identity?: string | undefined
  /** Absent where nothing is kept. */
  readonly memories?: Memories | undefined
  readonly body: {
    /** With the data that was left out of the body, in whatever has been made of its text. */
    filled(text: string): string
  }
  readonly journal: { whenOver(run: () => void): void }
  /** What it has of the bytes that may be in flight. */
  readonly lease: Lease
  newId(prefix: string): string
}

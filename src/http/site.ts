import type { Dialects } from '../../adapters/index.ts'
import type { Doorkeeper } from '../gateway/credentials.ts'
import type { Memories } from '../gateway/memories.ts'
import type { Ports } from '../gateway/ports.ts'
import type { Settings } from '../gateway/settings.ts'
import type { Guard } from './guard.ts'
import type { Load } from './load.ts'

/** What all exchanges of one app share. */
export interface Site {
  settings: Settings
  ports: Ports
  dialects: Dialects
  admit: Doorkeeper
  load: Load
  memories?: Memories | undefined
  /** Absent where requests come from the program itself, and from no network. */
  guard?: Guard | undefined
}

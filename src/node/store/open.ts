import { DEFAULT_RETENTION } from '../../config/defaults.ts'
import { ConfigError, writeFault } from '../../config/lint/finding.ts'
import type { Settings } from '../../config/settings.ts'
import { type ConfigSource, placed } from '../../config/source.ts'
import type { SharedCounts } from '../../memory/counts.ts'
import type { Store } from '../../memory/store.ts'
import type { Process } from '../process/process.ts'
import { mayPass } from './sqlite.ts'
import { openCounts, openStore, storeFault } from './store.ts'

/**
 * A folder that does not exist, or may not be written, is reported as a fault of the configuration: then a supervisor
 * does not start the proxy again, as it shall where a disk is full or another process has locked the file.
 */
export async function createStore(
  { state, retention }: Settings,
  source: () => ConfigSource,
  complain: Process['complain'],
): Promise<Store | undefined> {
  if (state === 'off') return undefined
  const fail = (text: string): never => {
    const fault = placed({ path: STORE, text }, source())
    throw new ConfigError(fault.place, fault.expected, fault.origin, [fault])
  }
  const fault = storeFault(state)
  if (fault !== undefined) return fail(fault)
  try {
    const warn = (why: string) => complain(`${STORE.join('.')}: ${why}; ${UNTIL_THEN}`)
    return await openStore(state, { ...DEFAULT_RETENTION, ...retention }, warn)
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.expected)
    const text = error instanceof Error ? error.message : 'it cannot be opened'
    if (!mayPass(error)) return fail(text)
    throw new Error(writeFault(placed({ path: STORE, text }, source())), { cause: error })
  }
}

export const STORE = ['state', 'store']
const UNTIL_THEN = 'until it answers, nothing is kept, and who asks for what was kept gets 503'

/** What callers use of their limits, where several processes count it. */
export const createSharedCounts = (settings: Settings): Promise<SharedCounts | undefined> =>
  openCounts(settings.state, hasLimits(settings))

const hasLimits = ({ callers }: Settings): boolean =>
  callers.kind === 'keys' &&
  (callers.limits !== undefined ||
    callers.keys.some((key) => typeof key !== 'string' && key.limits !== undefined))

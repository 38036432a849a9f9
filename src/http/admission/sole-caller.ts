import type { Settings } from '../../config/settings.ts'
import { isAccompanied } from '../../upstream/credentials.ts'
import { isLoopbackAddress, type Door } from './guard.ts'

/**
 * Tells whether a caller is the only one that there can be. As long as no second one was seen, what is noted for none
 * belongs to the first: otherwise each restart would end conversations that the upstream still has.
 */
export interface SoleCaller {
  /** Whether all who have come so far, and this one, are the same caller, who may be trusted. */
  isAlone(settings: Settings, identity: string | undefined): boolean
}

export function createSoleCaller(door: Door): SoleCaller {
  let first: string | undefined
  let isOnly = true
  // Another process, or another isolate, may have seen other callers.
  const seesAll = door.kind === 'program' || (door.kind === 'listener' && !door.shared)
  const isLocal = door.kind === 'listener' && isLoopbackAddress(door.host)
  return {
    isAlone(settings, identity = '') {
      first ??= identity
      isOnly &&= first === identity
      return isOnly && seesAll && isForgetful(settings) && isOneCaller(settings, isLocal, identity)
    },
  }
}

/** A store that outlives the process knows the owners of before. */
const isForgetful = ({ state }: Settings): boolean => state === 'memory' || state === 'off'

/**
 * A caller at a loopback address, by a name of this machine, is on it, and most machines have one user. A single key
 * has one holder, unless something beside it tells several apart.
 */
const isOneCaller = ({ callers, web }: Settings, isLocal: boolean, identity: string): boolean =>
  callers.kind === 'open'
    ? isLocal && (web?.hosts ?? []).length === 0
    : callers.keys.length === 1 && !isAccompanied(identity)

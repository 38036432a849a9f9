import type { KnownFacts } from '../../src/models/facts.ts'
import type { Storing } from '../../src/rules/storing.ts'
import { knownOf, type Known, type Target } from '../contract.ts'

/**
 * What every current model of the service takes, for one that nothing is known of. Other servers of this dialect are
 * asked as the caller asks.
 */
const CAREFUL: KnownFacts = {
  thinking: 'adaptive',
  efforts: ['low', 'medium', 'high'],
  sampling: 'without-thinking',
  forcedChoice: 'without-thinking',
  prefill: false,
}
const CAREFUL_ELSEWHERE: KnownFacts = { efforts: ['low', 'medium', 'high'] }

/** The facts about the model: as configured, or else as it is known. */
export const knownBy = (target: Target): Known =>
  knownOf(target, target.facts.server ? CAREFUL_ELSEWHERE : CAREFUL)

/** The dialect has no word for it, and its service keeps nothing. */
export const storing = ({ facts: { server, storesByDefault } }: Target): Storing => ({
  isTold: false,
  stores: storesByDefault ?? server?.storesByDefault === true,
})

/** Other platforms are seen by the wrapping of a name, or by the address: there a tool comes by its name alone. */
const isOwnPlatform = ({ seen, server }: Known): boolean =>
  seen.how !== 'unknown' && seen.service === undefined && server?.hostedTools !== false

/** What the model takes, as configured or as it is known. */
export interface Takes {
  /** Instructions in the middle of a conversation. */
  readonly system: boolean
  /** A change of tools there: with the whole tool, or by its name. */
  readonly changes: 'whole' | 'named' | 'none'
  /** Tools that a search finds later. */
  readonly deferred: boolean
}

const FAST_BETA = 'fast-mode-2026-02-01'

/** The betas that the model's fast mode needs; undefined where it has none, as on other platforms. */
export function fastBetas(target: Target): readonly string[] | undefined {
  const known = knownBy(target)
  if (known.server || !isOwnPlatform(known) || !known.fast) return undefined
  return known.fast === 'beta' ? [FAST_BETA] : []
}

/** Whether what the model says between calls has to be asked for, in words of a beta that no other one need know. */
export const saysUpdates = (target: Target): boolean => {
  const known = knownBy(target)
  const isKnown = known.seen.how === 'model' && isOwnPlatform(known)
  return isKnown && known.display === 'updates' && known.on === true
}

/** The types of tools for a screen that need a beta. */
const SCREEN_BETAS: Readonly<Record<string, string>> = {
  computer_20251124: 'computer-use-2025-11-24',
  computer_20250124: 'computer-use-2025-01-24',
}
/** The one that most models take. */
const USUAL_SCREEN = 'computer_20251124'

/** The type of the model's tool for a screen, and its beta; none where it has no such tool. */
export function screenTypes(target: Target): readonly string[] {
  const known = knownBy(target)
  const { screen, computer = screen !== undefined && isOwnPlatform(known) } = known
  if (!computer) return []
  const type = screen ?? USUAL_SCREEN
  return [type, ...(SCREEN_BETAS[type] ? [SCREEN_BETAS[type]] : [])]
}

/** The service judges itself what a caller of its own dialect sends. */
const EVERYTHING: Takes = { system: true, changes: 'whole', deferred: true }

export function takenBy(target: Target, own: boolean): Takes {
  if (own) return EVERYTHING
  const known = knownBy(target)
  const { facts } = target
  const { server } = facts
  const system =
    facts.systemInPlace ?? (server?.systemFirst !== true && known.systemInPlace === true)
  const isServed = server?.hostedTools !== false
  const deferred = facts.deferredTools ?? (isServed && known.deferredTools === true)
  const whole = facts.lateTools ?? isOwnPlatform(known)
  const named = facts.lateTools !== false && deferred
  return {
    system,
    deferred,
    changes: !system ? 'none' : whole ? 'whole' : named ? 'named' : 'none',
  }
}

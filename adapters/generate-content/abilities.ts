import type { KnownFacts } from '../../src/models/facts.ts'
import type { Storing } from '../../src/rules/storing.ts'
import { see, wantsProvenCalls } from '../../src/models/see.ts'
import { knownOf, type Known, type ModelFacts, type Target } from '../contract.ts'

/** What every current model of the service takes, for one that nothing is known of. */
const CAREFUL: KnownFacts = {
  thinking: 'level',
  thinkingOff: false,
  efforts: ['low', 'medium', 'high'],
  sampling: 'without-thinking',
}

/** The facts about the model: as configured, or else as it is known. */
export const knownBy = (target: Target): Known =>
  knownOf(target, { ...CAREFUL, structuredWithTools: target.facts.thinking === 'level' })

/** The same for a caller of this dialect, who is not corrected by what is known. */
export const heededBy = (target: Target, own: boolean): KnownFacts =>
  own ? target.facts : knownBy(target)

/** What a body is fitted to that another one has written: that a call lacks its proof is no fault of the caller's. */
export const proving = (
  { model, facts }: Pick<Target, 'model' | 'facts'>,
  heeded: ModelFacts = facts,
): ModelFacts => ({
  ...heeded,
  server: { ...facts.server, provenCalls: wantsProvenCalls(model, facts) },
})

/**
 * New paid projects of the Gemini API keep requests since 2026-10-26 (guide: logs and datasets). The cloud keeps what it was
 * set up to keep, and its requests have no word for it.
 */
export function storing(target: Target): Storing {
  const known = knownBy(target)
  const isTold = known.seen.service !== 'vertex'
  const stores = target.facts.storesByDefault ?? (isTold && known.storesByDefault !== false)
  return { isTold, stores }
}

/** Whether the model takes functions beside built-in tools. */
export const mixesTools = (target: Target): boolean => knownBy(target).mixesTools === true

/** Whether a model knows the older functions for a screen, as its callers name them. */
export const hasOlderScreen = (model: string): boolean => see(model).facts.screen === 'older'

import type { KnownFacts } from '../../src/models/facts.ts'
import type { Storing } from '../../src/rules/storing.ts'
import { see, wantsProvenCalls } from '../../src/models/see.ts'
import { knownOf, type Known, type ModelFacts, type Target } from '../contract.ts'

/** What every current model of the service takes. It stands for a model that nothing is known of. */
const CAREFUL: KnownFacts = {
  thinking: 'level',
  thinkingOff: false,
  efforts: ['low', 'medium', 'high'],
  sampling: 'without-thinking',
}

/** The facts about the model: from the configuration, or else from its name. */
export const knownBy = (target: Target): Known =>
  knownOf(target, { ...CAREFUL, structuredWithTools: target.facts.thinking === 'level' })

/** The facts by which a request is written. For a caller of this dialect only the configuration counts. */
export const heededBy = (target: Target, own: boolean): KnownFacts =>
  own ? target.facts : knownBy(target)

/**
 * The facts for fitting a body in which the caller's proofs may be missing through no fault of the caller: a first call
 * without one gets the stand-in.
 */
export const proving = (
  { model, facts }: Pick<Target, 'model' | 'facts'>,
  heeded: ModelFacts = facts,
): ModelFacts => ({
  ...heeded,
  server: { ...facts.server, provenCalls: wantsProvenCalls(model, facts) },
})

/**
 * Whether requests are kept. New paid projects of the Gemini API keep them since 2026-10-26 (guide: logs and datasets).
 * At the cloud that is set up once, and no member of a request says it.
 */
export function storing(target: Target): Storing {
  const known = knownBy(target)
  const isTold = known.seen.service !== 'vertex'
  const stores = target.facts.storesByDefault ?? (isTold && known.storesByDefault !== false)
  return { isTold, stores }
}

/** Whether the model takes functions beside built-in tools. */
export const mixesTools = (target: Target): boolean => knownBy(target).mixesTools === true

/** Whether a model has the older functions for a screen. `model`: the caller's name for it. */
export const hasOlderScreen = (model: string): boolean => see(model).facts.screen === 'older'

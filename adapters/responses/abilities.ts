import type { KnownFacts } from '../../src/models/facts.ts'
import type { Storing } from '../../src/rules/storing.ts'
import { knownOf, type Known, type Target } from '../contract.ts'
import { takesLateTools } from './lowered-history.ts'

/** What every current model of the service takes, for one that nothing is known of. */
const CAREFUL: KnownFacts = {
  thinkingOff: false,
  efforts: ['low', 'medium', 'high'],
  sampling: 'without-thinking',
  verbosity: false,
}

/** The facts about the model: as configured, or else as it is known. */
export const knownBy = (target: Target): Known => knownOf(target, CAREFUL)

/** The same for a caller of this dialect, who is not corrected by what is known. */
export const heededBy = (target: Target, own: boolean): KnownFacts =>
  own ? target.facts : knownBy(target)

/** Whether the model takes `prompt_cache_breakpoint`; for a caller of this dialect the service judges that itself. */
export const takesMarks = (target: Target, own: boolean): boolean =>
  target.facts.cacheBreakpoints ?? (own || knownBy(target).cacheBreakpoints === true)

/** What a conversation with the model may bring besides messages. */
export interface Takes {
  /** Tools that do not stand before it (`additional_tools`). */
  readonly late: boolean
  /** Tools that a search finds later. */
  readonly deferred: boolean
  /** Other efforts (`configuration_update`). */
  readonly efforts: boolean
}

/** Whether the model has a tool for a screen. */
export function hasScreen(target: Target): boolean {
  const { server, computer } = target.facts
  return computer ?? (server?.hostedTools !== false && knownBy(target).screen !== undefined)
}

/** A server without a memory keeps nothing; any other one that is not told so. */
export function storing({ facts: { server } }: Target): Storing {
  const keeps = server?.state !== false
  return { isTold: keeps, stores: keeps }
}

/** The service judges itself what a caller of its own dialect sends. */
const EVERYTHING: Takes = { late: true, deferred: true, efforts: true }

export function takenBy(target: Target, own: boolean): Takes {
  if (own) return EVERYTHING
  const { server, lateTools, deferredTools, effortUpdates } = target.facts
  const known = knownBy(target)
  const isWhole = !server || takesLateTools(server)
  const isServed = isWhole && server?.hostedTools !== false
  return {
    late: lateTools ?? (isWhole && known.lateTools === true),
    deferred: deferredTools ?? (isServed && known.deferredTools === true),
    efforts: effortUpdates ?? (isWhole && known.effortUpdates === true),
  }
}

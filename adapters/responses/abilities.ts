import type { KnownFacts } from '../../src/models/facts.ts'
import type { Storing } from '../../src/rules/storing.ts'
import { knownOf, type Known, type ModelFacts, type ServerFacts, type Target } from '../contract.ts'

/** What every current model of the service takes, for one that nothing is known of. */
const CAREFUL: KnownFacts = {
  thinkingOff: false,
  efforts: ['low', 'medium', 'high'],
  sampling: 'without-thinking',
  verbosity: false,
}

/**
 * Models of the first service, which knows thoughts by their proofs. It holds of the server of a translated body where
 * nothing is said of it.
 */
export const PROVEN: ServerFacts = { unprovenThoughts: false, jsonWord: true }

/** The facts about the model: as configured, or else as it is known. */
export const knownBy = (target: Pick<Target, 'model' | 'facts' | 'service'>): Known =>
  knownOf({ defaultMaxOutputTokens: 0, ...target }, CAREFUL)

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
export const hasScreen = (target: Target): boolean =>
  target.facts.computer ?? knownBy(target).screen !== undefined

/** Whether its server keeps replies; where not, they are kept here for callers of this dialect. */
export const keepsReplies = ({ server }: ModelFacts): boolean => server?.state !== false

/** Whether its server takes thoughts by their words alone. */
export const takesWords = ({ server }: ModelFacts): boolean => server?.unprovenThoughts === true

/** A server without a memory keeps nothing; any other one that is not told so. */
export function storing({ facts }: Target): Storing {
  const keeps = keepsReplies(facts)
  return { isTold: keeps, stores: keeps }
}

/** The service judges itself what a caller of its own dialect sends. */
const EVERYTHING: Takes = { late: true, deferred: true, efforts: true }

export function takenBy(target: Target, own: boolean): Takes {
  if (own) return EVERYTHING
  const { lateTools, deferredTools, effortUpdates } = knownBy(target)
  return {
    late: lateTools === true,
    deferred: deferredTools === true,
    efforts: effortUpdates === true,
  }
}

/** What a conversation with a model may bring where its server serves it. */
export function servedBy({ server, lateTools, deferredTools, effortUpdates }: ModelFacts): Takes {
  const isWhole = !server || takesLateTools(server)
  return {
    late: isWhole && lateTools !== false,
    deferred: isWhole && server?.hostedTools !== false && deferredTools !== false,
    efforts: server?.otherItems !== false && (effortUpdates ?? isWhole),
  }
}

/** A server that lacks one of these kinds of tools is older than the item that declares tools. */
const takesLateTools = ({ otherItems, namespaces, customTools }: ServerFacts): boolean =>
  otherItems !== false && namespaces !== false && customTools !== false

/**
 * The model as its server serves it, for the writer of a body: the tool for a screen cannot be made the caller's own
 * function again once it is written, so where the server runs no tools the model has none.
 */
export function served(target: Target): Target {
  const { server, computer } = target.facts
  return server?.hostedTools === false && computer === undefined
    ? { ...target, facts: { ...target.facts, computer: false } }
    : target
}

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
 * The facts about servers of OpenAI's models, which know thoughts by their proofs, and about an unknown server, for a
 * body that was written here.
 */
export const PROVEN: ServerFacts = { unprovenThoughts: false, jsonWord: true }

/** The facts about the model: as configured, or else as the table of models has them. */
export const knownBy = (target: Pick<Target, 'model' | 'facts' | 'service'>): Known =>
  knownOf(target, CAREFUL)

/** Whether the model takes `prompt_cache_breakpoint`; for a caller of this dialect the service judges that itself. */
export const takesMarks = ({ facts }: Target, known: Known, own: boolean): boolean =>
  facts.cacheBreakpoints ?? (own || known.cacheBreakpoints === true)

/** What a conversation with the model may bring besides messages. */
export interface Takes {
  /** Tools that the conversation declares (`additional_tools`). */
  readonly late: boolean
  /** Tools that the model does not see until a search finds them. */
  readonly deferred: boolean
  /** Changes of the effort (`configuration_update`). */
  readonly efforts: boolean
}

/** Whether the model has a tool for a screen. */
export const hasScreen = ({ computer, screen }: Known): boolean => computer ?? screen !== undefined

/** Whether the server keeps replies; if not, this proxy keeps them for callers of this dialect. */
export const keepsReplies = ({ server }: ModelFacts): boolean => server?.state !== false

/** Whether the server takes back thoughts without a proof, by their words. */
export const takesWords = ({ server }: ModelFacts): boolean => server?.unprovenThoughts === true

/** A server without a memory keeps nothing. Any other one keeps every request unless it is told not to. */
export function storing({ facts }: Target): Storing {
  const keeps = keepsReplies(facts)
  return { isTold: keeps, stores: keeps }
}

/** The service judges itself what a caller of its own dialect sends. */
const EVERYTHING: Takes = { late: true, deferred: true, efforts: true }

export function takenBy(known: Known, own: boolean): Takes {
  if (own) return EVERYTHING
  const { lateTools, deferredTools, effortUpdates } = known
  return {
    late: lateTools === true,
    deferred: deferredTools === true,
    efforts: effortUpdates === true,
  }
}

/** What a conversation may bring by the configured facts about the model and its server. */
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
 * The destination as the writer has to see it. Once the tool for a screen is written, it cannot become the caller's
 * function again. So a model has no such tool where its server runs none.
 */
export function served(target: Target): Target {
  const { server, computer } = target.facts
  return server?.hostedTools === false && computer === undefined
    ? { ...target, facts: { ...target.facts, computer: false } }
    : target
}

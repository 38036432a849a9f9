import { isGptSince } from '../../src/model/openai-model.ts'
import type { Target } from '../contract.ts'
import { takesLateTools } from './lowered-history.ts'

/** The first generation that takes cache breakpoints; older models refuse a request with one. */
const MARKED = 5.06
/** The first that takes tools in the conversation (recorded with gpt-5-nano). */
const LATE = 5
/** The first that searches for tools (guide: tool search). */
const SEARCHING = 5.04
/** The first that acts on a screen (guide: computer use); the smallest models do not. */
const SEEING = 5.04
const BLIND = /nano/i
/** The first that takes updates of the effort in the conversation (guide: prompt caching). */
const UPDATED = 5.06

/** Whether the model takes `prompt_cache_breakpoint`: as configured, or as its name tells. */
export function takesMarks({ model, facts }: Target, own: boolean): boolean {
  if (facts.cacheBreakpoints !== undefined) return facts.cacheBreakpoints
  // For a caller of this dialect the service judges the marks itself.
  return own || isGptSince(model, MARKED)
}

/** What a conversation with the model may bring besides messages. */
export interface Takes {
  /** Tools that do not stand before it (`additional_tools`). */
  readonly late: boolean
  /** Tools that a search finds later. */
  readonly deferred: boolean
  /** Other efforts (`configuration_update`). */
  readonly efforts: boolean
}

/** Whether the model has a tool for a screen, as configured or as its name tells. */
export const hasScreen = ({ model, facts: { server, computer } }: Target): boolean =>
  computer ?? (server?.hostedTools !== false && isGptSince(model, SEEING) && !BLIND.test(model))

/** The service judges itself what a caller of its own dialect sends. */
const EVERYTHING: Takes = { late: true, deferred: true, efforts: true }

export function takenBy({ model, facts }: Target, own: boolean): Takes {
  if (own) return EVERYTHING
  const { server, lateTools, deferredTools } = facts
  const isWhole = !server || takesLateTools(server)
  return {
    late: lateTools ?? (isWhole && isGptSince(model, LATE)),
    deferred:
      deferredTools ?? (isWhole && server?.hostedTools !== false && isGptSince(model, SEARCHING)),
    efforts: isWhole && isGptSince(model, UPDATED),
  }
}

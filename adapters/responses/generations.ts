import type { Target } from '../contract.ts'
import { takesLateTools } from './lowered-history.ts'

const GPT = /^(?:.*\/)?gpt-(\d+)(?:\.(\d+))?(?![\d.])/i

type Generation = readonly [major: number, minor: number]

/** The first generation that takes cache breakpoints; older models refuse a request with one. */
const MARKED: Generation = [5, 6]
/** The first that takes tools in the conversation (recorded with gpt-5-nano). */
const LATE: Generation = [5, 0]
/** The first that searches for tools (guide: tool search). */
const SEARCHING: Generation = [5, 4]
/** The first that acts on a screen (guide: computer use); the smallest models do not. */
const SEEING: Generation = [5, 4]
const BLIND = /nano/i
/** The first that takes updates of the effort in the conversation (guide: prompt caching). */
const UPDATED: Generation = [5, 6]

function isSince(model: string, [major, minor]: Generation): boolean {
  const found = GPT.exec(model)
  if (!found) return false
  const [first, second] = [Number(found[1]), Number(found[2] ?? 0)]
  return first > major || (first === major && second >= minor)
}

/** Whether the model takes `prompt_cache_breakpoint`: as configured, or as its name tells. */
export function takesMarks({ model, facts }: Target, own: boolean): boolean {
  if (facts.cacheBreakpoints !== undefined) return facts.cacheBreakpoints
  // For a caller of this dialect the service judges the marks itself.
  return own || isSince(model, MARKED)
}

/** What the model takes in a conversation beside what is said. */
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
  computer ?? (server?.hostedTools !== false && isSince(model, SEEING) && !BLIND.test(model))

/** What a caller of this dialect sends, the service judges itself. */
const EVERYTHING: Takes = { late: true, deferred: true, efforts: true }

export function takenBy({ model, facts }: Target, own: boolean): Takes {
  if (own) return EVERYTHING
  const { server, lateTools, deferredTools } = facts
  const isWhole = !server || takesLateTools(server)
  return {
    late: lateTools ?? (isWhole && isSince(model, LATE)),
    deferred:
      deferredTools ?? (isWhole && server?.hostedTools !== false && isSince(model, SEARCHING)),
    efforts: isWhole && isSince(model, UPDATED),
  }
}

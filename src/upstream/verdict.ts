import { statusOf, type Problem } from '../model/problem.ts'
import type { FailoverSettings } from '../config/settings.ts'

/** What came of an attempt, as far as it failed. */
export type Cause =
  /** No connection: nothing was sent. */
  | { kind: 'connect' }
  /** The connection broke, or an answer was none: it is not known whether the request was carried out. */
  | { kind: 'lost' }
  /** Nothing came in time. */
  | { kind: 'late' }
  /** A status that is no success. `isOurs`: the key is the proxy's own. `isKey`: the refusal is about it. */
  | { kind: 'status'; status: number; problem: Problem; isOurs: boolean; isKey: boolean }
  /** A stream that began well and failed before it showed anything. */
  | { kind: 'stillborn'; problem: Problem }

/** A service with too much to do, or one that has done enough for this key: the next one may have time. */
export const isPassingOver = ({ kind }: Problem): boolean =>
  kind === 'overloaded' || kind === 'unavailable' || kind === 'rate-limit'

/** What a failure means: for the request, and for the member. */
export interface Verdict {
  /** Another member may be asked: the request was not carried out, or callers repeat it just the same. */
  hop: boolean
  /** The same member is asked once more, after this. */
  againMs?: number
  /** What the member's breaker hears. `limit`: it is this model's limit there. */
  cell: 'none' | 'failure' | 'hard' | 'limit'
  /** Asked only if its window is larger, or not known. */
  needsWindow?: boolean
}

const NONE: Verdict = { hop: false, cell: 'none' }
const LOCKED_MS = 100
const UNSURE: ReadonlySet<number> = new Set([500, 502, 504])

/**
 * What may be repeated without paying twice. The libraries of OpenAI and Anthropic repeat 408, 409, 429 and all from
 * 500 by themselves, so a hop on those takes no risk that callers do not take already; nothing is repeated of which
 * anything was seen.
 */
export function judge(cause: Cause, failover: FailoverSettings): Verdict {
  switch (cause.kind) {
    case 'connect':
      return { hop: true, cell: 'failure' }
    case 'lost':
      return { hop: failover.unknown, cell: 'failure' }
    case 'late':
      return { hop: failover.attemptMs !== undefined, cell: 'failure' }
    case 'stillborn':
      return cause.problem.kind === 'rate-limit'
        ? { hop: true, cell: 'limit' }
        : { hop: true, cell: 'failure' }
    case 'status':
      return judgeStatus(cause, failover)
    default:
      return cause satisfies never
  }
}

function judgeStatus(
  { status, problem, isOurs, isKey }: Extract<Cause, { kind: 'status' }>,
  { on }: FailoverSettings,
): Verdict {
  if (problem.kind === 'context-overflow' && status < 500)
    return { hop: true, cell: 'none', needsWindow: true }
  if (isKey || problem.kind === 'authentication' || problem.kind === 'billing')
    return isOurs ? { hop: true, cell: 'hard' } : NONE
  // A key may lack the right to a model, or to a service, that the next one has.
  if (status === 403) return { hop: isOurs, cell: 'none' }
  if (status === 402) return isOurs ? { hop: true, cell: 'hard' } : NONE
  const hop = on.includes(status)
  if (status === 429) return { hop, cell: 'limit' }
  if (status === 409) return { hop, cell: 'none', againMs: LOCKED_MS }
  // What an upstream says of repetitions counts where it may have carried out the request after all.
  const isRefused = problem.retry === false && UNSURE.has(status)
  if (status === 408 || status >= 500) return { hop: hop && !isRefused, cell: 'failure' }
  return { hop, cell: 'none' }
}

/** Statuses at which an upstream may say for how long it wants to be left alone. */
export const saysHowLong = (cause: Cause): number | undefined => {
  if (cause.kind === 'stillborn') return cause.problem.retryAfterMs
  const isAsked =
    cause.kind === 'status' &&
    (cause.problem.kind === 'rate-limit' || [429, 503, 529].includes(cause.status))
  return isAsked ? cause.problem.retryAfterMs : undefined
}

const NAMES = { connect: 'connect', lost: 'reset', late: 'timeout' } as const

/** How the log and a header call it. */
export function causeName(cause: Cause): string {
  if (cause.kind === 'status') return String(cause.status)
  if (cause.kind === 'stillborn') return String(statusOf(cause.problem))
  return NAMES[cause.kind]
}

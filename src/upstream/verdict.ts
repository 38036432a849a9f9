import { statusOf, type Problem } from '../model/problem.ts'
import type { FailoverSettings } from '../config/settings.ts'

/** Why an attempt failed. */
export type Cause =
  /** No connection, so nothing was sent. */
  | { kind: 'connect' }
  /** The connection broke, or the answer was unusable: the request may have been carried out. */
  | { kind: 'lost' }
  /** Nothing came in time. */
  | { kind: 'late' }
  /** A status of failure. `isOurs`: the key is the proxy's own. `isKey`: the refusal is about the key. */
  | { kind: 'status'; status: number; problem: Problem; isOurs: boolean; isKey: boolean }
  /** A stream that began well and failed before it showed anything. */
  | { kind: 'stillborn'; problem: Problem; isOurs: boolean }

/** An overload or a rate limit: another member may have room. */
export const isPassingOver = ({ kind }: Problem): boolean =>
  kind === 'overloaded' || kind === 'unavailable' || kind === 'rate-limit'

/** A failure of a reply that has shown nothing, after which another member may be asked: it may also have money left. */
export const mayHop = (problem: Problem): boolean =>
  isPassingOver(problem) || problem.kind === 'billing'

/** The consequences of a failure, for the request and for the member. */
export interface Verdict {
  /** Another member may be asked: the request was not carried out, or clients repeat it in any case. */
  hop: boolean
  /** The same member is asked once more after this wait. */
  againMs?: number
  /** What the member's breaker is told. `limit`: this model's limit at the member is reached. */
  cell: 'none' | 'failure' | 'hard' | 'limit'
  /** Only a member with a larger or unknown window is asked. */
  needsWindow?: boolean
}

const NONE: Verdict = { hop: false, cell: 'none' }
const LOCKED_MS = 100
const UNSURE: ReadonlySet<number> = new Set([500, 502, 504])

/**
 * Decides what may be repeated without paying twice. The libraries of OpenAI and Anthropic repeat 408, 409, 429 and
 * every status from 500 themselves, so a hop after those adds no risk. Nothing is repeated once a part of the reply
 * was shown.
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
      return judgeStillborn(cause)
    case 'status':
      return judgeStatus(cause, failover)
    default:
      return cause satisfies never
  }
}

function judgeStillborn({
  problem: { kind },
  isOurs,
}: Extract<Cause, { kind: 'stillborn' }>): Verdict {
  if (kind === 'billing') return isOurs ? { hop: true, cell: 'hard' } : NONE
  return { hop: true, cell: kind === 'rate-limit' ? 'limit' : 'failure' }
}

function judgeStatus(
  { status, problem, isOurs, isKey }: Extract<Cause, { kind: 'status' }>,
  { on }: FailoverSettings,
): Verdict {
  if (problem.kind === 'context-overflow' && status < 500)
    return { hop: true, cell: 'none', needsWindow: true }
  if (isKey || problem.kind === 'authentication' || problem.kind === 'billing')
    return isOurs ? { hop: true, cell: 'hard' } : NONE
  // Another key may have the right to the model or service that this one lacks.
  if (status === 403) return { hop: isOurs, cell: 'none' }
  if (status === 402) return isOurs ? { hop: true, cell: 'hard' } : NONE
  const hop = on.includes(status)
  if (status === 429) return { hop, cell: 'limit' }
  if (status === 409) return { hop, cell: 'none', againMs: LOCKED_MS }
  // Where the request may have been carried out, an upstream's advice not to repeat it counts.
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

/**
 * What a request may itself have caused, since others that are sent elsewhere fail in the same way: such failures of
 * one request at several members have one cause, which is not their number. Undefined for what it cannot cause.
 */
export function kindOfFailure(cause: Cause): FailureKind | undefined {
  switch (cause.kind) {
    case 'connect':
      return undefined
    case 'status':
      return kindOfStatus(cause)
    case 'stillborn':
      return cause.problem.kind === 'billing' ? undefined : 'answer'
    default:
      return cause.kind
  }
}

type FailureKind = 'answer' | 'lost' | 'late' | 'refused'

function kindOfStatus({
  status,
  problem: { kind },
}: Extract<Cause, { kind: 'status' }>): FailureKind | undefined {
  if (kind === 'authentication' || kind === 'billing') return undefined
  // A firewall in front of a service answers what it takes for an attack as if the key were wrong.
  if (status === 403) return 'refused'
  if (status === 408) return 'late'
  return status >= 500 ? 'answer' : undefined
}

const NAMES = { connect: 'connect', lost: 'reset', late: 'timeout' } as const

/** The cause as the log and a header name it. */
export function causeName(cause: Cause): string {
  if (cause.kind === 'status') return String(cause.status)
  if (cause.kind === 'stillborn') return String(statusOf(cause.problem))
  return NAMES[cause.kind]
}

import { CALLER_LEFT, CROWDED, INTERNAL, NO_ROOM, STOPPING } from '../problems/failures.ts'
import type { Problem } from '../model/problem.ts'
import type { Outcome } from './entry.ts'

/** The error code of a caller that is at its own limits. */
export const RATE_LIMITED = 'rate_limited'

/** What this proxy fails at by itself, also when an upstream has begun to answer. */
const OWN: ReadonlySet<Problem> = new Set([INTERNAL, NO_ROOM, STOPPING])

/**
 * How an exchange ended, in one word. `failure`: why it did not end well; `called`: whether anything was sent to an
 * upstream.
 */
export function outcomeOf(
  status: number,
  failure: Problem | string | undefined,
  called: boolean,
): Outcome {
  if (failure === CALLER_LEFT) return 'left'
  if (failure === CROWDED || isLimit(failure)) return 'shed'
  if (typeof failure === 'object' && OWN.has(failure)) return 'proxy_error'
  if (status >= 500) return called ? 'upstream_error' : 'proxy_error'
  // A stream that fails after its first event has already had its status.
  if (status < 400) return failure ? 'upstream_error' : 'ok'
  return status === 429 && called ? 'upstream_error' : 'client_error'
}

const isLimit = (failure: Problem | string | undefined): boolean =>
  typeof failure === 'object' && failure.code === RATE_LIMITED && failure.kind === 'rate-limit'

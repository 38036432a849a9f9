import type { Problem } from '../model/problem.ts'
import { KEY_REFUSED } from '../model/failures.ts'
import type { Plan } from './plan.ts'
import { behind } from '../upstream/secrets.ts'

/** The problem as a caller may see it: no keys, and no complaint about a key that is not the caller's. */
export function toldProblem(
  { destination, sent }: Pick<Plan, 'destination' | 'sent'>,
  problem: Problem,
): Problem {
  const isOurs = destination.upstream.key.kind !== 'caller'
  if (isOurs && problem.kind === 'authentication') return KEY_REFUSED
  return sent ? behind(sent.veil, problem) : problem
}

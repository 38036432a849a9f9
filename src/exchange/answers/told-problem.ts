import type { Problem } from '../../model/problem.ts'
import type { Adapter } from '../../../adapters/contract.ts'
import { foreignReply, KEY_REFUSED } from '../../problems/failures.ts'
import { amendedProblem, curedProblem, namedProblem } from './improved-problem.ts'
import type { Plan } from '../request/plan.ts'
import { behind, NO_VEIL, type Veil } from '../../upstream/secrets.ts'

/** More than is told of an answer, so that no secret is cut before it is found. */
const SOUGHT_CHARACTERS = 16_384

/** What stands in the place of a reply, with its secrets hidden. */
export const veiledReply = (veil: Veil = NO_VEIL, text: string): Problem =>
  foreignReply(veil.hideJson(text.slice(0, SOUGHT_CHARACTERS)))

/**
 * The problem of a reply as a caller may see it: no keys, and no complaint about a key that is not the caller's. The
 * member at fault is named as in the caller's dialect, and a profile that would have spared the refusal is named too.
 */
export function toldProblem(
  { destination, sent }: Pick<Plan, 'destination' | 'sent'>,
  problem: Problem,
  caller: Adapter = destination.adapter,
): Problem {
  if (problem.said !== undefined) return veiledReply(sent?.veil, problem.said)
  const isOurs = destination.upstream.key.kind !== 'caller'
  if (isOurs && problem.kind === 'authentication') return KEY_REFUSED
  const named = namedProblem(problem, destination.adapter, caller)
  const cured = curedProblem(named, destination)
  const told = cured === named ? amendedProblem(named, destination, caller) : cured
  return sent ? behind(sent.veil, told) : told
}

import type { Problem } from '../../model/problem.ts'
import type { Adapter } from '../../../adapters/contract.ts'
import { foreignProblem, KEY_REFUSED, NOT_A_REPLY } from '../../problems/failures.ts'
import { withFactAdvice, withProfileAdvice, namedProblem } from './problem-advice.ts'
import type { Plan } from '../request/plan.ts'
import { withoutSecrets, NO_SECRETS, type Secrets } from '../../upstream/secrets.ts'

/** More than is told of an answer, so that no secret is cut before it is found. */
const SEARCHED_CHARACTERS = 16_384

/** What stands in the place of a reply or of an event, with its secrets hidden. */
export const hiddenReply = (
  secrets: Secrets = NO_SECRETS,
  text: string,
  problem = NOT_A_REPLY,
): Problem => foreignProblem(problem, secrets.hideJson(text.slice(0, SEARCHED_CHARACTERS)))

/**
 * The problem of a reply as a caller may see it: no keys, and no complaint about a key that is not the caller's. The
 * member at fault is named as in the caller's dialect, and a profile that would have spared the refusal is named too.
 */
export function shownProblem(
  { destination, sent }: Pick<Plan, 'destination' | 'sent'>,
  problem: Problem,
  caller: Adapter = destination.adapter,
): Problem {
  if (problem.said !== undefined) return hiddenReply(sent?.secrets, problem.said, problem)
  const isOurs = destination.upstream.key.kind !== 'caller'
  if (isOurs && problem.kind === 'authentication') return KEY_REFUSED
  const named = namedProblem(problem, destination.adapter, caller)
  const cured = withProfileAdvice(named, destination)
  const shown = cured === named ? withFactAdvice(named, destination, caller) : cured
  return sent ? withoutSecrets(sent.secrets, shown) : shown
}

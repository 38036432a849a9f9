import type { Adapter } from '../../../adapters/contract.ts'
import type { Problem } from '../../model/problem.ts'
import { amendmentFor } from '../../models/refusals.ts'
import { see } from '../../models/see.ts'
import type { Plan } from '../request/plan.ts'

type Destination = Pick<Plan['destination'], 'adapter' | 'upstream' | 'target'>

/** Names the member at fault as the caller's dialect does. */
export function namedProblem(problem: Problem, sent: Adapter, caller: Adapter): Problem {
  const { sentParam } = problem
  if (sentParam === undefined) return problem
  if (sent === caller) return { ...problem, param: sentParam }
  const place = sent.members.placeOf(sentParam)
  const param = place === undefined ? undefined : caller.members.nameOf(place)
  return param === undefined ? problem : { ...problem, param }
}

/**
 * Names the profile with which the server would not have refused the request, as a hint behind the server's words.
 * `said`: the refusal as it came.
 */
export function withProfileAdvice(
  problem: Problem,
  { adapter, upstream }: Destination,
  said: string = wordsOf(problem),
): Problem {
  if (upstream.server?.betas && adapter.upstream.betas?.words.test(said)) {
    const place = `upstreams.${upstream.name}.profile`
    const facts = {
      ...(upstream.profile !== undefined && { extends: upstream.profile }),
      betas: ['!NAME'],
    }
    const cure = `(say which beta this server does not take: ${place}: ${JSON.stringify(facts)})`
    return { ...problem, message: `${problem.message} ${cure}` }
  }
  for (const { name, refusals = [] } of adapter.upstream.profiles ?? []) {
    const found = refusals.find(({ words }) => words.test(said))
    if (found && name !== upstream.profile) {
      const cure = `(this server ${found.says}: "profile": "${name}")`
      return { ...problem, message: `${problem.message} ${cure}` }
    }
  }
  return problem
}

/**
 * Names the fact of the model with which a foreign caller's request would have been written otherwise, as a hint behind the
 * service's words. A caller of the service's own dialect is not corrected by facts.
 */
export function withFactAdvice(
  problem: Problem,
  { adapter, upstream, target }: Destination,
  caller: Adapter,
  said: string = wordsOf(problem),
): Problem {
  if (adapter === caller || problem.kind !== 'invalid-request') return problem
  const { model, facts, service } = target
  const known = { ...see(facts.is ?? model, service).facts, ...facts }
  const amendment = amendmentFor(said, { facts: known, droppable: adapter.upstream.droppable() })
  if (!amendment) return problem
  const place = `upstreams.${upstream.name}.models."${model}"`
  const cure = `(this model is known otherwise here; correct it: ${place}: ${JSON.stringify(amendment)})`
  return { ...problem, message: `${problem.message} ${cure}` }
}

/** Whether the proxy has more to say of a failure than the upstream has said. */
export const hasAdvice = ({ destination }: Pick<Plan, 'destination'>, problem: Problem): boolean =>
  withProfileAdvice(problem, destination) !== problem

/** A failure inside a reply has been read already, so its words are put together again. */
const wordsOf = ({ message, code, sentParam: param }: Problem): string =>
  JSON.stringify({ message, code, param })

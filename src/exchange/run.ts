import { ProblemError } from '../model/problem.ts'
import { replyHeaders } from './answer.ts'
import type { Answer, Exchange } from './exchange.ts'
import type { AddressedRequest } from '../upstream/request.ts'
import type { Plan } from './plan.ts'
import { mayBeSoughtIn, planFor, sightRequest, type SightedRequest } from './planner.ts'
import { membersOf } from '../upstream/members.ts'
import { ask, carryOut } from './attempt.ts'
import { runPooled } from './attempts.ts'
import { findOrder, hasClasses, homeRoute } from './home.ts'
import type { UpstreamCall } from '../upstream/call.ts'

/** Runs one exchange from the bytes of a request to its answer; throws ProblemError. */
export async function runExchange(exchange: Exchange): Promise<Answer> {
  const isClassed = hasClasses(exchange)
  const sighted = settledRequest(exchange, isClassed)
  const members = membersOf(exchange.settings, sighted.route)
  const [only] = members
  if (members.length > 1 || !only) return await runPooled(exchange, sighted, members)
  const order = isClassed ? await findOrder(exchange, sighted, members) : undefined
  const answer = await runAlone(exchange, await planFor(exchange, sighted, only))
  order?.bind(only)
  return answer
}

/** A request that has found its route. */
export function settledRequest(exchange: Exchange, isClassed: boolean): SightedRequest {
  const seen = sightRequest(exchange)
  return isClassed ? { ...seen, route: homeRoute(exchange, seen) } : seen
}

/** Asks the only member of a route. */
async function runAlone(exchange: Exchange, plan: Plan): Promise<Answer> {
  exchange.journal.note({ stream: plan.stream, losses: plan.losses })
  if (plan.kind === 'translate' && !mayBeSoughtIn(exchange)) exchange.body.leave()
  let call: UpstreamCall | undefined
  const heard = async (sent: AddressedRequest) => (call = await ask(exchange, plan, sent))
  try {
    return await carryOut(exchange, plan, heard)
  } catch (error) {
    call?.cancel()
    if (!(error instanceof ProblemError)) throw error
    throw new ProblemError(error.problem, replyHeaders(plan, call, plan.losses))
  }
}

import type { AskedRequest, RoutedRequest } from '../stages.ts'
import { ProblemError } from '../../model/problem.ts'
import { replyHeaders } from '../answers/answer.ts'
import type { AdmittedRequest, Answer } from '../exchange.ts'
import type { SentRequest } from '../../upstream/request.ts'
import type { Plan } from '../request/plan.ts'
import { planFor } from '../request/planner.ts'
import { mayBeSearched } from '../request/room.ts'
import { routeRequest } from '../request/route.ts'
import { membersOf, type Member } from '../../upstream/members.ts'
import { costOf } from '../../observe/cost.ts'
import { MOST_TOKENS } from '../../observe/entry.ts'
import { destinationOf } from '../../upstream/route.ts'
import { unscannedBody } from '../request/read-request.ts'
import { ask, carryOut } from './attempt.ts'
import { runPooled } from './attempts.ts'
import { memberOrder, hasClasses, sessionRoute } from './member-order.ts'
import type { UpstreamCall } from '../../upstream/call.ts'

/** Runs one exchange from the bytes of a request to its answer; throws ProblemError. */
export async function runExchange(asked: AskedRequest): Promise<Answer> {
  const isClassed = hasClasses(asked)
  const routed = routedRequest(asked, isClassed)
  const reserving = reserve(routed)
  if (reserving) await reserving
  const members = membersOf(asked.settings, routed.route)
  const [only] = members
  if (members.length > 1 || !only) return await runPooled(routed, members)
  const order = isClassed ? await memberOrder(routed, members) : undefined
  const answer = await runAlone(asked, await planFor(routed, only))
  order?.bind(only)
  return answer
}

/** A request that has found its route. */
export function routedRequest(asked: AskedRequest, isClassed: boolean): RoutedRequest {
  const seen = routeRequest(asked, isClassed)
  return isClassed ? { ...seen, route: sessionRoute(seen) } : seen
}

function reserve(routed: RoutedRequest): void | Promise<void> {
  const { asked, model = '', route } = routed
  const { permit, received } = asked
  if (asked.route.operation !== 'create') return undefined
  return permit.reserve({
    tokens: received.tokens,
    usd: () => mostCost(routed),
    model,
    route: route.model,
    bytes: received.size,
  })
}

/** Asks the only member of a route. */
async function runAlone(admitted: AdmittedRequest, plan: Plan): Promise<Answer> {
  const { journal, ports } = admitted
  const { kind, losses, received, stream } = plan
  journal.note({ stream, losses })
  if (kind === 'translate' && !mayBeSearched(received, ports)) received.leave()
  let call: UpstreamCall | undefined
  const heard = async (sent: SentRequest) => (call = await ask(admitted, plan, sent))
  try {
    return await carryOut(admitted, plan, heard)
  } catch (error) {
    call?.cancel()
    if (!(error instanceof ProblemError)) throw error
    throw new ProblemError(error.problem, replyHeaders(plan, call, plan.losses))
  }
}

/** US dollars that a request may cost at the dearest member of its route; 0 where no price is known. */
function mostCost(routed: RoutedRequest): number {
  const bound = boundAsked(routed)
  const costs = membersOf(routed.asked.settings, routed.route).map(
    (member) => costAt(routed, member, bound) ?? 0,
  )
  return Math.max(0, ...costs)
}

function costAt(
  { asked, route, model = '' }: RoutedRequest,
  member: Member,
  bound: number | undefined,
): number | undefined {
  const { dialects, ports, received } = asked
  const destination = destinationOf(member, dialects, route, model)
  if (!destination) return undefined
  const { facts, defaultMaxOutputTokens, model: sent } = destination.target
  const { maxOutputTokens: most = MOST_TOKENS } = facts
  const output = Math.min(bound ?? defaultMaxOutputTokens, most)
  return costOf(member.upstream, sent, { input: received.tokens, output }, ports.prices)
}

/** How many tokens the caller lets a reply have. */
function boundAsked({ asked, scanned }: RoutedRequest): number | undefined {
  const seen = scanned ?? unscannedBody(asked)
  const bound = seen && Number(asked.caller.same.outputBound?.(seen))
  return bound !== undefined && bound >= 0 ? bound : undefined
}

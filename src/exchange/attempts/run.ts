import { ProblemError } from '../../model/problem.ts'
import { replyHeaders } from '../answers/answer.ts'
import type { Answer, Exchange } from '../exchange.ts'
import type { SentRequest } from '../../upstream/request.ts'
import type { Plan } from '../request/plan.ts'
import { planFor } from '../request/planner.ts'
import { mayBeSearched } from '../request/room.ts'
import { routeRequest, type RoutedRequest } from '../request/route.ts'
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
export async function runExchange(exchange: Exchange): Promise<Answer> {
  const isClassed = hasClasses(exchange)
  const routed = routedRequest(exchange, isClassed)
  const reserving = reserve(exchange, routed)
  if (reserving) await reserving
  const members = membersOf(exchange.settings, routed.route)
  const [only] = members
  if (members.length > 1 || !only) return await runPooled(exchange, routed, members)
  const order = isClassed ? await memberOrder(exchange, routed, members) : undefined
  const answer = await runAlone(exchange, await planFor(exchange, routed, only))
  order?.bind(only)
  return answer
}

/** A request that has found its route. */
export function routedRequest(exchange: Exchange, isClassed: boolean): RoutedRequest {
  const seen = routeRequest(exchange)
  return isClassed ? { ...seen, route: sessionRoute(exchange, seen) } : seen
}

const reserve = (exchange: Exchange, routed: RoutedRequest): void | Promise<void> =>
  exchange.route.operation === 'create'
    ? exchange.permit.reserve({
        tokens: exchange.body.tokens,
        usd: () => mostCost(exchange, routed),
        model: routed.model ?? '',
        route: routed.route.model,
        bytes: exchange.body.size,
      })
    : undefined

/** Asks the only member of a route. */
async function runAlone(exchange: Exchange, plan: Plan): Promise<Answer> {
  exchange.journal.note({ stream: plan.stream, losses: plan.losses })
  if (plan.kind === 'translate' && !mayBeSearched(exchange.body, exchange.ports))
    exchange.body.leave()
  let call: UpstreamCall | undefined
  const heard = async (sent: SentRequest) => (call = await ask(exchange, plan, sent))
  try {
    return await carryOut(exchange, plan, heard)
  } catch (error) {
    call?.cancel()
    if (!(error instanceof ProblemError)) throw error
    throw new ProblemError(error.problem, replyHeaders(plan, call, plan.losses))
  }
}

/** US dollars that a request may cost at the dearest member of its route; 0 where no price is known. */
function mostCost(exchange: Exchange, routed: RoutedRequest): number {
  const asked = boundAsked(exchange, routed)
  const costs = membersOf(exchange.settings, routed.route).map(
    (member) => costAt(exchange, routed, member, asked) ?? 0,
  )
  return Math.max(0, ...costs)
}

function costAt(
  { body, dialects, ports }: Exchange,
  { route, model = '' }: RoutedRequest,
  member: Member,
  asked: number | undefined,
): number | undefined {
  const destination = destinationOf(member, dialects, route, model)
  if (!destination) return undefined
  const { facts, defaultMaxOutputTokens, model: sent } = destination.target
  const { maxOutputTokens: most = MOST_TOKENS } = facts
  const output = Math.min(asked ?? defaultMaxOutputTokens, most)
  return costOf(member.upstream, sent, { input: body.tokens, output }, ports.prices)
}

/** How many tokens the caller lets a reply have. */
function boundAsked(exchange: Exchange, { scanned }: RoutedRequest): number | undefined {
  const seen = scanned ?? unscannedBody(exchange)
  const bound = seen && Number(exchange.caller.same.outputBound?.(seen))
  return bound !== undefined && bound >= 0 ? bound : undefined
}

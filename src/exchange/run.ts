import { ProblemError } from '../model/problem.ts'
import { replyHeaders } from './answer.ts'
import { countTokens } from './count.ts'
import { wholeBytes } from '../json/bytes.ts'
import type { Answer, Exchange } from './exchange.ts'
import { type AddressedRequest, masked } from '../upstream/request.ts'
import type { Plan } from './plan.ts'
import { planFor, sightRequest, type SightedRequest, unrouted } from './planner.ts'
import { memberName, membersOf } from '../upstream/members.ts'
import { ask, carriedOut } from './attempt.ts'
import { runPooled } from './attempts.ts'
import { findHome, hasClasses, homeRoute } from './home.ts'
import type { UpstreamCall } from '../upstream/call.ts'
import { Verbatim, type Json, type JsonObject } from '../json/json.ts'

/** One exchange, from the bytes of a request to its answer; throws ProblemError. */
export async function runExchange(exchange: Exchange): Promise<Answer> {
  const isClassed = hasClasses(exchange)
  const sighted = settledRequest(exchange, isClassed)
  const members = membersOf(exchange.settings, sighted.route)
  const [only] = members
  if (members.length > 1 || !only) return await runPooled(exchange, sighted, members)
  const home = isClassed ? await findHome(exchange, sighted, members) : undefined
  const answer = await runAlone(exchange, await planFor(exchange, sighted, only))
  home?.bind(only)
  return answer
}

function settledRequest(exchange: Exchange, isClassed: boolean): SightedRequest {
  const seen = sightRequest(exchange)
  return isClassed ? { ...seen, route: homeRoute(exchange, seen) } : seen
}

/** With the only member of a route. */
async function runAlone(exchange: Exchange, plan: Plan): Promise<Answer> {
  exchange.journal.note({ stream: plan.stream, losses: plan.losses })
  // It has been read for good.
  if (plan.kind === 'translate') exchange.body.leave()
  let call: UpstreamCall | undefined
  const heard = async (sent: AddressedRequest) => (call = await ask(exchange, plan, sent))
  try {
    return exchange.route.operation === 'count-tokens'
      ? await countTokens(exchange, plan, heard)
      : await carriedOut(exchange, plan, heard)
  } catch (error) {
    call?.cancel()
    if (!(error instanceof ProblemError)) throw error
    throw new ProblemError(error.problem, replyHeaders(plan, call, plan.losses))
  }
}

/** What would be sent for a request, and what would be lost on the way. Nothing is sent. */
export async function explainExchange(exchange: Exchange): Promise<JsonObject> {
  const sighted = settledRequest(exchange, hasClasses(exchange))
  const members = membersOf(exchange.settings, sighted.route)
  const order =
    members.length > 1 ? (await findHome(exchange, sighted, members)).order(false) : members
  const [first, ...others] = order
  if (!first) throw unrouted(exchange, sighted.model)
  const plan = await planFor(exchange, sighted, first)
  return {
    caller: exchange.caller.dialect,
    upstream: describeUpstream(plan),
    ...(others.length > 0 && { others: others.map(({ name }) => name) }),
    losses: plan.losses.map((loss) => ({ ...loss })),
  }
}

function describeUpstream({ destination, sent }: Plan): JsonObject {
  const { dialect } = destination.upstream
  const name = memberName(destination.upstream)
  if (!sent) return { name, dialect, method: null, url: null, headers: {}, body: null }
  const { url, headers } = masked(sent)
  return { name, dialect, method: sent.method, url, headers, body: sentBody(sent) }
}

/** As it would be sent, to the digit; a body that is no JSON is shown as the text that it is. */
function sentBody({ body }: AddressedRequest): Json {
  const text = new TextDecoder().decode(wholeBytes(body))
  try {
    JSON.parse(text)
    return new Verbatim(text)
  } catch {
    return text
  }
}

import { ProblemError } from '../model/problem.ts'
import { isErrorStatus, replyHeaders, waitHeaders } from './answer.ts'
import { countTokens } from './count.ts'
import { NOTHING, wholeBytes } from '../json/bytes.ts'
import type { Answer, Exchange, StoredExchange } from './exchange.ts'
import { INTERNAL } from '../model/failures.ts'
import { type AddressedRequest, masked } from '../upstream/request.ts'
import { passReply } from './pass.ts'
import type { Plan, PassPlan, TranslatePlan } from './plan.ts'
import { makePlan } from './planner.ts'
import { isSuccess, readRefusal, refuseLosses } from './refusal.ts'
import { translateReply } from './translate.ts'
import { callUpstream, type UpstreamCall } from '../upstream/call.ts'
import { Verbatim, type Json, type JsonObject } from '../json/json.ts'
import { readRequest } from './read-request.ts'
import { isStreamType } from '../stream/reply-events.ts'

/** One exchange, from the bytes of a request to its answer; throws ProblemError. */
export async function runExchange(exchange: Exchange): Promise<Answer> {
  const plan = await makePlan(exchange)
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

async function carriedOut(
  exchange: Exchange,
  plan: Plan,
  heard: (sent: AddressedRequest) => Promise<UpstreamCall>,
): Promise<Answer> {
  if (exchange.settings.losses === 'reject') refuseLosses(plan.losses)
  if (!plan.sent) throw new ProblemError(INTERNAL)
  const call = await heard(plan.sent)
  if (!isSuccess(call.status)) return refusal(exchange, plan, call)
  const settled = plan.kind === 'pass' ? (gatherForBody(exchange, plan, call) ?? plan) : plan
  // An upstream that answers has been sent it all, and nothing is sent a second time.
  plan.sent.body = NOTHING
  return settled.kind === 'pass'
    ? passReply(exchange, settled, call)
    : translateReply(exchange, settled, call)
}

/** The head of an upstream's answer. */
function ask(exchange: Exchange, plan: Plan, sent: AddressedRequest): Promise<UpstreamCall> {
  const { timeouts, proxy } = plan.destination.upstream
  const { veil: _, ...request } = sent
  return callUpstream(exchange, request, { timeouts, proxy, stream: plan.stream })
}

/** A refusal in the caller's own dialect passes as it is; any other is told in the caller's words. */
export async function refusal(
  exchange: StoredExchange,
  plan: Plan,
  call: UpstreamCall,
): Promise<Answer> {
  const { problem, text } = await readRefusal(exchange, plan, call)
  if (plan.kind !== 'pass' || text === undefined || !isErrorStatus(call.status))
    throw new ProblemError(problem)
  exchange.journal.finish({ status: call.status, problem })
  const headers = {
    'content-type': 'application/json',
    ...waitHeaders(problem),
    ...replyHeaders(plan, call, plan.losses),
  }
  return { status: call.status, headers, body: text }
}

/** What would be sent for a request, and what would be lost on the way. Nothing is sent. */
export async function explainExchange(exchange: Exchange): Promise<JsonObject> {
  const plan = await makePlan(exchange)
  return {
    caller: exchange.caller.dialect,
    upstream: describeUpstream(plan),
    losses: plan.losses.map((loss) => ({ ...loss })),
  }
}

function describeUpstream({ destination, sent }: Plan): JsonObject {
  const { name, dialect } = destination.upstream
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

/**
 * An upstream of the caller's own dialect may stream what was asked for whole, or the other way round: then
 * its reply is read and written anew in the form that the caller can take. Undefined where the bytes can pass.
 */
export function gatherForBody(
  exchange: Exchange,
  plan: PassPlan,
  call: UpstreamCall,
): TranslatePlan | undefined {
  if (isAsAsked(exchange, plan, call.headers.get('content-type'))) return undefined
  const { destination, requested, stream, losses, sent } = plan
  try {
    const request = readRequest(exchange, exchange.body.text)
    return { kind: 'translate', destination, requested, stream, losses, sent, request }
  } catch {
    // The upstream understood what is not understood here: it is also to be believed about its answer.
    return undefined
  }
}

function isAsAsked({ route }: Exchange, plan: PassPlan, contentType: string | null): boolean {
  if (isStreamType(contentType)) return plan.stream && route.framing !== 'json-array'
  const isJson = /^application\/json\b/i.test(contentType ?? '')
  return !isJson || !plan.stream || route.framing === 'json-array'
}

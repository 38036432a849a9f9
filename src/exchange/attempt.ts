import { ProblemError } from '../model/problem.ts'
import { isErrorStatus, replyHeaders, waitHeaders } from './answer.ts'
import { NOTHING } from '../json/bytes.ts'
import type { Answer, Exchange, StoredExchange } from './exchange.ts'
import { INTERNAL } from '../model/failures.ts'
import type { AddressedRequest } from '../upstream/request.ts'
import { passReply } from './pass.ts'
import { unreadRequest, type Plan, type PassPlan, type TranslatePlan } from './plan.ts'
import { countTokens } from './count.ts'
import {
  isSuccess,
  placeRefusal,
  readRefusal,
  RefusedError,
  refuseLosses,
  type Refused,
} from './refusal.ts'
import { translateReply } from './translate.ts'
import { callUpstream, type UpstreamCall } from '../upstream/call.ts'
import { readCallerRequest } from './read-request.ts'
import type { Request } from '../model/request.ts'
import { isStreamType } from '../stream/reply-events.ts'

/** Carries out a plan. */
export async function carryOut(
  exchange: Exchange,
  plan: Plan,
  heard: (sent: AddressedRequest) => Promise<UpstreamCall>,
): Promise<Answer> {
  if (exchange.route.operation === 'count-tokens') return countTokens(exchange, plan, heard)
  if (exchange.settings.losses === 'reject') refuseLosses(plan.losses)
  if (!plan.sent) throw new ProblemError(INTERNAL)
  const call = await heard(plan.sent)
  if (!isSuccess(call.status))
    return refusal(exchange, plan, call, (refused) => placeRefusal(exchange, plan, refused))
  const settled = plan.kind === 'pass' ? (rewritten(exchange, plan, call) ?? plan) : plan
  // The upstream has the whole request once it answers, and the request is not sent again.
  plan.sent.body = NOTHING
  exchange.lease.work(0)
  return settled.kind === 'pass'
    ? passReply(exchange, settled, call)
    : translateReply(exchange, settled, call)
}

/** The head of an upstream's answer. */
export function ask(
  exchange: Exchange,
  plan: Plan,
  sent: AddressedRequest,
  bounds: AttemptBounds = {},
): Promise<UpstreamCall> {
  const { timeouts, proxy } = plan.destination.upstream
  const { veil, ...request } = sent
  const { totalMs = timeouts.totalMs, attemptMs } = bounds
  const { stream } = plan
  const options = { timeouts: { ...timeouts, totalMs }, veil, proxy, stream, attemptMs }
  return callUpstream(exchange, request, options)
}

/** The time left for an attempt, where several share it. */
export interface AttemptBounds {
  totalMs?: number
  attemptMs?: number | undefined
}

/**
 * A refusal in the caller's own dialect passes unchanged; any other is written in the caller's dialect. `placed`: with
 * places of the caller's request.
 */
export async function refusal(
  exchange: StoredExchange,
  plan: Plan,
  call: UpstreamCall,
  placed = async (refused: Refused): Promise<Refused> => refused,
): Promise<Answer> {
  const refused = await placed(await readRefusal(exchange, plan, call))
  if (exchange.isRepeatable) throw new RefusedError(refused, plan, call)
  return toldRefusal(exchange, plan, call, refused)
}

export function toldRefusal(
  exchange: StoredExchange,
  plan: Plan,
  call: UpstreamCall,
  { problem, text }: Refused,
): Answer {
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

/**
 * An upstream of the caller's own dialect may stream where one body was asked for, or the other way round. Then its
 * reply is read and written again in the form that was asked for. Undefined where the bytes can pass.
 */
function rewritten(
  exchange: Exchange,
  plan: PassPlan,
  call: UpstreamCall,
): TranslatePlan | undefined {
  if (isAsAsked(exchange, plan, call.headers.get('content-type'))) return undefined
  const { destination, requested, stream, losses, sent } = plan
  const request = readAgain(exchange, plan)
  return { kind: 'translate', destination, requested, stream, losses, sent, request }
}

/**
 * The upstream may have understood a request that this proxy does not understand. Its name and its form are known
 * all the same, and suffice to write the answer.
 */
function readAgain(exchange: Exchange, plan: PassPlan): Request {
  try {
    return readCallerRequest(exchange, exchange.body.text)
  } catch {
    return unreadRequest(plan)
  }
}

function isAsAsked({ route }: Exchange, plan: PassPlan, contentType: string | null): boolean {
  if (isStreamType(contentType)) return plan.stream && route.framing !== 'json-array'
  const isJson = /^application\/json\b/i.test(contentType ?? '')
  return !isJson || !plan.stream || route.framing === 'json-array'
}

import { ProblemError } from '../../model/problem.ts'
import { isErrorStatus, replyHeaders, waitHeaders } from '../answers/answer.ts'
import { NOTHING, sizeOf } from '../../json/bytes.ts'
import type { AdmittedRequest, Answer, Context } from '../exchange.ts'
import { CHARACTERS_PER_TOKEN } from '../../rules/estimate.ts'
import { ENDED_EARLY, WORDLESS } from '../../model/cursor.ts'
import {
  CALLER_LEFT,
  CONNECTION_LOST,
  INTERNAL,
  NO_FIRST_BYTE,
  NO_ROOM,
  NOT_JSON,
  REPLY_TOO_LARGE,
  STOPPING,
  TOOK_TOO_LONG,
  WENT_SILENT,
} from '../../problems/failures.ts'
import type { SentRequest } from '../../upstream/request.ts'
import { passReply } from '../reply/pass.ts'
import {
  unreadRequest,
  type Plan,
  type PassPlan,
  type SummaryPlan,
  type TranslatePlan,
} from '../request/plan.ts'
import { callForSummary, withLongData } from '../compaction/call.ts'
import { callAboveThreshold, planWithin } from '../compaction/threshold.ts'
import { askAgain, callContext } from './asking.ts'
import { countTokens } from './count.ts'
import {
  isSuccess,
  placeRefusal,
  readRefusal,
  RefusedError,
  refuseLosses,
  StillbornError,
  type Refused,
} from '../answers/refusal.ts'
import { translateReply } from '../reply/translated.ts'
import { CallError, callUpstream, type UpstreamCall } from '../../upstream/call.ts'
import type { Request } from '../../model/request.ts'
import { framingOf } from '../../stream/framings.ts'
import { isStreamType } from '../../stream/reply-events.ts'

/** Carries out a plan. */
export async function carryOut(
  context: Context,
  plan: Plan,
  heard: (sent: SentRequest) => Promise<UpstreamCall>,
): Promise<Answer> {
  if (plan.route.operation === 'count-tokens') return countTokens(context, plan, heard)
  if (context.settings.losses === 'reject') refuseLosses(plan.losses)
  if (!plan.sent) throw new ProblemError(INTERNAL)
  try {
    if (plan.kind === 'translate' && plan.summary)
      return await answerWithSummary(context, plan, plan.summary, plan.sent, heard)
    const call = await heard(plan.sent)
    if (isSuccess(call.status)) return await reply(context, plan, plan.sent, call)
    context.journal.spared()
    return await refusal(context, plan, call, (refused) => placeRefusal(context, plan, refused))
  } catch (error) {
    return spare(context, error)
  }
}

function spare({ journal }: Context, error: unknown): never {
  if (isSparing(error)) journal.spared()
  throw error
}

/** A reply that is a summary, or begins with one. */
async function answerWithSummary(
  context: Context,
  plan: TranslatePlan,
  summary: SummaryPlan,
  sent: SentRequest,
  heard: (sent: SentRequest) => Promise<UpstreamCall>,
): Promise<Answer> {
  const isLater = summary.above !== undefined
  const within = isLater ? await planWithin(context, plan, summary, heard) : undefined
  if (within) return carryOut(context, within, heard)
  const asked = (next: SentRequest) => heard(next).catch((error) => spare(context, error))
  const call = isLater
    ? await callAboveThreshold(context, plan, summary, asked)
    : await callForSummary(context, plan, summary, sent, asked)
  return withLongData(plan, await translateReply(context, plan, call))
}

/** Whether nothing has to be paid: the upstream was not reached, or says itself that it failed in place of a reply. */
const isSparing = (error: unknown): boolean =>
  error instanceof CallError
    ? error.failure === 'connect' || error.failure === 'lost'
    : error instanceof StillbornError && !BROKEN_OFF.has(error.problem.message)

/** How a reply ends of which the upstream may have made a part; compared as problems of a stream are, by their words. */
const BROKEN_OFF: ReadonlySet<string> = new Set(
  [
    CALLER_LEFT,
    CONNECTION_LOST,
    ENDED_EARLY,
    INTERNAL,
    NO_FIRST_BYTE,
    NO_ROOM,
    NOT_JSON,
    REPLY_TOO_LARGE,
    STOPPING,
    TOOK_TOO_LONG,
    WENT_SILENT,
    WORDLESS,
  ].map(({ message }) => message),
)

function reply(
  context: Context,
  plan: Plan,
  sent: SentRequest,
  call: UpstreamCall,
): Promise<Answer> {
  const settled = plan.kind === 'pass' ? (rewritten(plan, call) ?? plan) : plan
  // The upstream has the whole request once it answers, and the request is not sent again.
  sent.body = NOTHING
  context.lease.work(0)
  return settled.kind === 'pass'
    ? passReply(context, settled, call)
    : translateReply(context, settled, call)
}

/** The head of an upstream's answer. */
export function ask(
  admitted: AdmittedRequest,
  plan: Plan,
  sent: SentRequest,
  bounds: AttemptBounds = {},
): Promise<UpstreamCall> {
  const { timeouts, proxy } = plan.destination.upstream
  if (plan.route.operation === 'create') admitted.journal.asks(tokensSent(plan, sent))
  const { totalMs = timeouts.totalMs, attemptMs } = bounds
  const { stream } = plan
  const options = { timeouts: { ...timeouts, totalMs }, proxy, stream, attemptMs }
  const { upstream, target } = plan.destination
  // Its key may have to be made, its frames be read, or a refusal of it be learnt from.
  const isCloud = upstream.form ?? upstream.made ?? target.facts.server?.betas
  const context = isCloud ? callContext(admitted, plan) : admitted
  const once = () => callUpstream(context, sent, options)
  return isCloud ? askAgain(admitted, plan, sent, once) : once()
}

/** An estimate of the input: the body, and what was added to it of earlier exchanges. */
const tokensSent = ({ received }: Plan, sent: SentRequest): number =>
  received.tokens + Math.max(0, sizeOf(sent.body) - received.size) / CHARACTERS_PER_TOKEN

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
  context: Context,
  plan: Plan,
  call: UpstreamCall,
  placed = async (refused: Refused): Promise<Refused> => refused,
): Promise<Answer> {
  const refused = await placed(await readRefusal(context, plan, call))
  if (plan.isRepeatable) throw new RefusedError(refused, plan, call)
  return refusalAnswer(context, plan, call, refused)
}

export function refusalAnswer(
  context: Context,
  plan: Plan,
  call: UpstreamCall,
  { problem, text }: Refused,
): Answer {
  if (plan.kind !== 'pass' || text === undefined || !isErrorStatus(call.status))
    throw new ProblemError(problem)
  context.journal.finish({ status: call.status, problem })
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
function rewritten(plan: PassPlan, call: UpstreamCall): TranslatePlan | undefined {
  if (isAsAsked(plan, call.headers.get('content-type'))) return undefined
  const { destination, isRepeatable, losses, places, received, requested, route, sent, stream } =
    plan
  const common = {
    destination,
    isRepeatable,
    losses,
    places,
    received,
    requested,
    route,
    sent,
    stream,
  }
  return { ...common, kind: 'translate', isRemembered: false, request: readAgain(plan) }
}

/**
 * The upstream may have understood a request that this proxy does not understand. Its name and its form are known
 * all the same, and suffice to write the answer.
 */
function readAgain(plan: PassPlan): Request {
  try {
    return plan.read()
  } catch {
    return unreadRequest(plan)
  }
}

function isAsAsked({ route, stream }: PassPlan, contentType: string | null): boolean {
  const asksForJson = !stream || framingOf(route.framing).isJson
  if (isStreamType(contentType)) return !asksForJson
  return asksForJson || !/^application\/json\b/i.test(contentType ?? '')
}

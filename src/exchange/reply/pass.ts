import { isShown, type Event } from '../../model/events.ts'
import { isFailure } from '../../problems/error-words.ts'
import { mayHop } from '../../upstream/verdict.ts'
import { isObject, parse, type Json } from '../../json/json.ts'
import { ProblemError, type Problem } from '../../model/problem.ts'
import { problemAnswer, replyHeaders } from '../answers/answer.ts'
import { replyCounter, type Lease } from '../../stream/budget.ts'
import type { Answer, Context } from '../exchange.ts'
import { ByteList, utf8Text, wholeBytes, withoutMark } from '../../json/bytes.ts'
import { createMirror, type Mirror } from '../../memory/mirror.ts'
import {
  KEY_REFUSED,
  NO_ROOM,
  NOT_A_REPLY,
  NOT_JSON,
  REPLY_TOO_LARGE,
} from '../../problems/failures.ts'
import type { PassPlan } from '../request/plan.ts'
import { framingOf } from '../../stream/framings.ts'
import { isStreamType, guessKind } from '../../stream/reply-events.ts'
import { slicesAt, spliceStrings } from '../../json/slices.ts'
import { hasReadableError, StillbornError } from '../answers/refusal.ts'
import { HeardReply } from './heard.ts'
import { hasAdvice } from '../answers/problem-advice.ts'
import { shownProblem, hiddenReply } from '../answers/shown-problem.ts'
import type { UpstreamCall } from '../../upstream/call.ts'
import { passedReader, passStream, type Passage, type PassedReply } from './passed.ts'

/** Passes the reply of an upstream of the caller's own dialect as bytes, whole or streamed. */
export async function passReply(
  context: Context,
  plan: PassPlan,
  call: UpstreamCall,
): Promise<Answer> {
  const { received, route, sent } = plan
  const type = call.headers.get('content-type')
  const isStream = plan.stream || isStreamType(type)
  const mirror = context.memories && createMirror({ ...context, received, route }, plan)
  const answer = isStream
    ? await passStream(context, plan, call, passageOf(context.lease, plan, mirror))
    : await passBody(context, plan, call, mirror)
  const isJson = !isStream || framingOf(route.framing).isJson
  const unnamed = isJson ? 'application/json' : 'text/event-stream'
  const headers = {
    'content-type':
      type !== null && /^[\x20-\x7e]{1,128}$/.test(type) ? sent.secrets.hide(type) : unnamed,
    ...answer.headers,
    ...replyHeaders(plan, call, plan.losses),
  }
  return { ...answer, headers }
}

/** Releases a request that has been sent: its stream may go on for an hour. Of one that is kept the scanned text stays. */
function passageOf(lease: Lease, plan: PassPlan, mirror: Mirror | undefined): Passage {
  const begun = () => {
    if (mirror) return plan.received.leave()
    // To delete a member would make the plan larger for as long as the stream goes on.
    plan.scanned = undefined
    plan.found = undefined
    plan.received.drop()
    lease.hold(0)
  }
  return { mirror, begun }
}

/** Passes one JSON body. It is gathered first, so that a body that was cut off does not look like an answer. */
async function passBody(
  context: Context,
  plan: PassPlan,
  call: UpstreamCall,
  mirror: Mirror | undefined,
): Promise<PassedReply> {
  const heard = new HeardReply()
  context.journal.hears(heard)
  const bytes = withoutMark(await allBytes(context, call, heard))
  context.journal.began()
  const text = utf8Text(bytes)
  const { events, json } = bodyEvents(context, plan, text, mirror)
  const failure = plan.isRepeatable ? events.find(isShown) : undefined
  if (failure?.type === 'error' && mayHop(failure.problem))
    throw new StillbornError(shownProblem(plan, failure.problem))
  observe(context.journal, plan, events, heard)
  const failed = failureAnswer(context, plan, events, { text, json })
  if (failed) return failed
  await mirror?.settle()
  context.journal.finish({ status: call.status, bytesOut: bytes.length })
  const { requested: model, destination, sent } = plan
  const { reply } = context.caller.same.modelMember
  // A server's own words may stand beside a reply or in place of one, so secrets are hidden in them.
  const hasError = isObject(json) && Boolean(json['error'])
  const isForeign = events.length === 0 || events.at(-1)?.type === 'error' || hasError
  const shown = isForeign ? sent.secrets.hideJson(text) : text
  const renamed = destination.aliased
    ? spliceStrings(shown, slicesAt(shown, [reply]), model)
    : shown
  return { status: call.status, headers: {}, body: renamed === text ? bytes : renamed }
}

/**
 * The answer for a body that is nothing but a failure, undefined for any other: some services send theirs with status
 * 200, which clients take for a reply without content. It is written anew where the proxy has more to say of it, and
 * where clients of the dialect could not read its error.
 */
export function failureAnswer(
  context: Context,
  plan: PassPlan,
  events: readonly Event[],
  { text, json }: { text: string; json: Json | undefined },
): PassedReply | undefined {
  if (events.at(-1)?.type !== 'error') return undefined
  const { adapter } = plan.destination
  const body = isObject(json) ? json : undefined
  const isWithin = body !== undefined && adapter.same.passing.failsWithin?.(body) === true
  const [first, ...others] = isWithin ? events.filter(isShown) : events
  if (first?.type !== 'error' || others.length > 0) return undefined
  const isCured = hasAdvice(plan, first.problem)
  // A body without any sign of a failure may be a reply of a kind that the reader does not know.
  const isTold = body === undefined || isWithin || isFailure(body)
  if (!isCured && !isTold && Object.keys(body).length > 0) return undefined
  const problem = shownProblem(plan, first.problem)
  context.journal.spared()
  if (isCured || problem === KEY_REFUSED || !hasReadableError(adapter, body))
    throw new ProblemError(problem)
  const { status, headers } = problemAnswer(adapter, problem, '')
  context.journal.finish({ status, problem })
  return { status, headers, body: plan.sent.secrets.hideJson(text) }
}

function observe(
  journal: Context['journal'],
  { sent }: PassPlan,
  events: readonly Event[],
  heard: HeardReply,
): void {
  heard.add(events)
  for (const event of events) {
    if (event.type === 'finish') journal.note({ finish: event.reason })
    if (event.type === 'error') journal.note({ error: sent.secrets.hide(event.problem.message) })
  }
}

export async function allBytes(
  { settings, lease }: Context,
  call: UpstreamCall,
  heard?: HeardReply,
): Promise<Uint8Array> {
  const refuse = (problem: Problem) => {
    call.cancel()
    throw new ProblemError(problem)
  }
  const isRoom = replyCounter(lease)
  const list = new ByteList()
  for (let piece = await call.read(); piece; piece = await call.read()) {
    if (piece.problem) throw new ProblemError(piece.problem)
    list.add(piece.bytes)
    if (heard) heard.came = list.size
    if (list.size > settings.limits.replyBytes) refuse(REPLY_TOO_LARGE)
    if (!isRoom(piece.bytes.length)) refuse(NO_ROOM)
  }
  return wholeBytes(list.take())
}

export function bodyEvents(
  context: Context,
  plan: PassPlan,
  text: string,
  mirror?: Mirror,
): { events: Event[]; json?: Json } {
  const { upstream } = plan.destination.adapter
  const kind = guessKind(text)
  // A caller that waits for one body cannot use a stream, even under another content type.
  if (kind === 'events') throw new ProblemError(NOT_A_REPLY)
  if (kind === 'other') throw new ProblemError(hiddenReply(plan.sent.secrets, text))
  try {
    const json = parse(text, upstream.verbatim)
    if (plan.route.operation !== 'count-tokens')
      return { events: passedReader(context, plan, mirror).body(json, text), json }
    const problem = isFailure(json) ? upstream.readProblem(200, json) : undefined
    return { events: problem ? [{ type: 'error', problem }] : [], json }
  } catch (error) {
    // The reader serves only the log; whether the body is JSON decides.
    if (error instanceof SyntaxError) throw new ProblemError(NOT_JSON)
    return { events: [] }
  }
}

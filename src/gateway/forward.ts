import { ProblemError, type Problem } from '../canonical/problem.ts'
import { replyHeaders } from './answer.ts'
import { NOTHING } from './bytes.ts'
import type { Answer, Exchange } from './exchange.ts'
import { CALLER_LEFT } from './failures.ts'
import { addressed, type Addressed } from './outgoing.ts'
import { allBytes, errorsOf } from './passthrough.ts'
import { picked } from './picked.ts'
import type { PassPlan } from './plan.ts'
import { isStreamType } from './reply-events.ts'
import { isSuccess } from './refusal.ts'
import { destinationTo, type Destination } from './route.ts'
import { refusal } from './run.ts'
import { eventShape } from './shape.ts'
import { steppedSource, STREAM_HEADERS, type Step } from './stream-out.ts'
import { callUpstream, type Sendable, type UpstreamCall } from './upstream.ts'

/** The one upstream that speaks the caller's dialect and so may keep something; none where there are several. */
export function upstreamWithMemory(exchange: Exchange): Destination | undefined {
  const { settings, dialects, caller } = exchange
  const routes = settings.routes.filter(
    ({ upstream }) => settings.upstreams.get(upstream)?.dialect === caller.dialect,
  )
  const [route] = routes
  const isOnly = routes.every(({ upstream }) => upstream === route?.upstream)
  return route && isOnly ? destinationTo(settings, dialects, route, '') : undefined
}

/**
 * A request about something that the upstream keeps, without a body: it goes there as it came. Undefined
 * when there is nothing under this id; it is said here in the same words whoever does not have it.
 */
export async function forwarded(
  exchange: Exchange,
  destination: Destination,
): Promise<Answer | undefined> {
  const { caller, incoming, credential, journal } = exchange
  const { upstream } = destination
  const { path, method } = incoming
  const query = picked(incoming.query, caller.caller.memory?.query ?? [], VALUE)
  const parcel = { path, query, headers: {}, body: NOTHING, stream: false }
  const sent = addressed(parcel, upstream, credential)
  journal.note({ upstream: upstream.name, upstreamDialect: upstream.dialect })
  const plan = passPlanTo(destination, sent)
  let call: UpstreamCall | undefined
  try {
    call = await callUpstream(exchange, bare(sent, method), {
      timeouts: upstream.timeouts,
      proxy: upstream.proxy,
    })
    return await passedOn(exchange, plan, call)
  } catch (error) {
    call?.cancel()
    if (!(error instanceof ProblemError)) throw error
    throw new ProblemError(error.problem, replyHeaders(plan, call, []))
  }
}

async function passedOn(
  exchange: Exchange,
  plan: PassPlan,
  call: UpstreamCall,
): Promise<Answer | undefined> {
  const { journal } = exchange
  if (call.status === NOT_FOUND) {
    call.release()
    return undefined
  }
  if (!isSuccess(call.status)) return refusal(exchange, plan, call)
  const type = call.headers.get('content-type') ?? 'application/json'
  const headers = { 'content-type': plan.sent.veil.hide(type), ...replyHeaders(plan, call, []) }
  const { status } = call
  if (isStreamType(type))
    return { status, headers: { ...headers, ...STREAM_HEADERS }, body: piped(exchange, plan, call) }
  const body = await allBytes(exchange, call)
  journal.sent(body.length)
  journal.finish({ status })
  return { status, headers, body: withoutKey(plan, body) }
}

/** What is kept may be a response that failed, with the words of its upstream. */
function withoutKey({ sent }: PassPlan, bytes: Uint8Array): Uint8Array | string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return ERROR.test(text) ? sent.veil.hideJson(text) : bytes
}

const ERROR = /"error"\s*:\s*[{"]/

const NOT_FOUND = 404

const passPlanTo = (destination: Destination, sent: Addressed): PassPlan => ({
  kind: 'pass',
  destination,
  requested: '',
  stream: false,
  losses: [],
  sent,
})

function bare({ url, headers }: Addressed, method: string): Sendable {
  const { 'content-type': _, ...others } = headers
  return { method, url, headers: { ...others, accept: '*/*' } }
}

const VALUE = /^[\w.-]{1,128}$/

function piped(exchange: Exchange, plan: PassPlan, call: UpstreamCall) {
  const { journal, settings, signal } = exchange
  const shape = eventShape(settings.limits.eventBytes)
  const errors = errorsOf(exchange, plan)
  const shown = (bytes: Uint8Array): Uint8Array => {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    return ERROR.test(text)
      ? new TextEncoder().encode(errors.inspected(text, undefined).text)
      : bytes
  }
  const over = (problem?: Problem) => journal.finish({ status: call.status, problem })
  const step = async (): Promise<Step> => {
    const piece = await call.read()
    if (!piece?.bytes) over(piece?.problem)
    const bytes = shown(piece?.bytes ? shape.push(piece.bytes) : shape.rest())
    journal.sent(bytes.length)
    return { bytes, last: !piece?.bytes }
  }
  const stop = () => {
    call.cancel()
    over(CALLER_LEFT)
  }
  return steppedSource(step, { heartbeatMs: settings.limits.heartbeatMs, signal, stop })
}

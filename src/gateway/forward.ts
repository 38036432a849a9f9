import type { Problem } from '../canonical/problem.ts'
import { replyHeaders } from './answer.ts'
import { NOTHING } from './bytes.ts'
import type { Answer, Exchange } from './exchange.ts'
import { CALLER_LEFT } from './failures.ts'
import { addressed, type Addressed } from './outgoing.ts'
import { allBytes } from './passthrough.ts'
import type { PassPlan } from './plan.ts'
import { isStreamType } from './reply-events.ts'
import { isSuccess } from './refusal.ts'
import { destinationTo, type Destination } from './route.ts'
import { pauseMs, refusal } from './run.ts'
import { steppedSource, STREAM_HEADERS, type Step } from './stream-out.ts'
import type { UpstreamSettings } from './settings.ts'
import { callUpstream, type CallOptions, type Sendable, type UpstreamCall } from './upstream.ts'

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
  const { incoming, credential, journal, settings } = exchange
  const { upstream } = destination
  const { path, method } = incoming
  const parcel = { path, query: passedQuery(exchange), headers: {}, body: NOTHING, stream: false }
  const sent = addressed(parcel, upstream, credential)
  journal.note({ upstream: upstream.name, upstreamDialect: upstream.dialect })
  const call = await callUpstream(bare(sent, method), callOptions(exchange, upstream))
  if (call.status === NOT_FOUND) {
    call.release()
    return undefined
  }
  const plan = passPlanTo(destination, sent)
  if (!isSuccess(call.status)) return refusal(exchange, plan, call, sent)
  const type = call.headers.get('content-type') ?? 'application/json'
  const headers = { 'content-type': type, ...replyHeaders(plan, call, []) }
  const { status } = call
  if (isStreamType(type))
    return { status, headers: { ...headers, ...STREAM_HEADERS }, body: piped(exchange, call) }
  const body = await allBytes(call, settings.limits.replyBytes)
  journal.sent(body.length)
  journal.finish({ status })
  return { status, headers, body }
}

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

function passedQuery({ caller, incoming }: Exchange): [string, string][] {
  return (caller.caller.memory?.query ?? []).flatMap((name): [string, string][] => {
    const value = incoming.query.get(name)
    return value !== null && VALUE.test(value) ? [[name, value]] : []
  })
}

const callOptions = (
  { ports, signal, journal }: Exchange,
  upstream: UpstreamSettings,
): CallOptions => ({
  send: ports.send,
  timeouts: upstream.timeouts,
  stream: false,
  caller: signal,
  deadline: ports.deadline,
  pauseMs: () => pauseMs(ports.randomId()),
  failed: (reason) => journal.note({ reason }),
})

function piped({ journal, settings, signal }: Exchange, call: UpstreamCall) {
  const over = (problem?: Problem) =>
    journal.finish({
      status: problem === CALLER_LEFT ? 499 : call.status,
      ...(problem && { error: problem.message }),
    })
  const step = async (): Promise<Step> => {
    const piece = await call.read()
    if (!piece?.bytes) over(piece?.problem)
    const bytes = piece?.bytes ?? NOTHING
    journal.sent(bytes.length)
    return { bytes, last: !piece?.bytes }
  }
  const stop = () => {
    call.cancel()
    over(CALLER_LEFT)
  }
  return steppedSource(step, { heartbeatMs: settings.limits.heartbeatMs, signal, stop })
}

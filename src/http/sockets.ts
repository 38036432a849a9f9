import { ProblemError, type Problem } from '../model/problem.ts'
import { matched } from '../exchange/attempts/dispatch.ts'
import type { Answer } from '../exchange/exchange.ts'
import type { HttpRequest } from '../ports.ts'
import { CROWDED, STOPPING } from '../problems/failures.ts'
import { alarm } from '../stream/time.ts'
import type { KnownCaller } from '../upstream/credentials.ts'
import type { AppContext } from './app-context.ts'
import { type Arrival, receiveRequest } from './request-head.ts'
import { failedAnswer } from './conversation.ts'

/** Whether a request asks for a socket. */
export const asksForSocket = ({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>) =>
  method === 'GET' && headers.get('upgrade')?.toLowerCase() === 'websocket'

/**
 * Opens a socket for a caller that was admitted; undefined where none can be: clients then go on over HTTP. Throws
 * ProblemError where there is no place.
 */
export function socketAnswer(
  context: AppContext,
  arrival: Arrival,
  caller: KnownCaller,
): Answer | undefined {
  const { dialects, load, ports, settings, sockets: door } = context
  const { head, id, journal, request } = arrival
  const adapter = matched(dialects, { ...head, method: 'POST' })?.caller
  const mode = adapter?.caller.sockets
  if (!door || !adapter || !mode || settings.sockets === false || !asksForSocket(request))
    return undefined
  const accept = door.hub.enter(settings.limits.sockets, {
    id,
    adapter,
    mode,
    limits: settings.limits,
    hasStore: context.memories !== undefined && settings.state !== 'off',
    opening: request,
    lease: load.lease(),
    alarm: ports.alarm ?? alarm,
    answer: door.answer,
    refuse: (asked, problem) => refused(context, asked, adapter, problem, caller),
    now: ports.now,
    randomId: ports.randomId,
  })
  if (!accept) throw new ProblemError(door.hub.isDraining ? STOPPING : CROWDED)
  journal.note({ connection: id })
  return { status: 101, headers: {}, body: null, accept }
}

function refused(
  { ports }: AppContext,
  request: HttpRequest,
  adapter: Parameters<typeof failedAnswer>[0],
  problem: Problem,
  { name }: KnownCaller,
): Answer {
  const arrival = receiveRequest(request, ports)
  arrival.journal.note({ caller: name, dialect: adapter.dialect, operation: 'create' })
  return failedAnswer(adapter, arrival, new ProblemError(problem))
}

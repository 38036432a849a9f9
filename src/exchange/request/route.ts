import { memberOf, type ScannedBody } from '../../json/scanned-body.ts'
import { invalid, type ProblemError } from '../../model/problem.ts'
import { findRoute } from '../../upstream/route.ts'
import type { RouteSettings } from '../../config/settings.ts'
import type { Exchange } from '../exchange.ts'
import { noRoute, refuseOtherModels } from './other-models.ts'
import { readCallerRequest, scanBody } from './read-request.ts'
import { routeConditions } from './route-conditions.ts'
import type { SessionPart } from './session.ts'

/** A request, read only as far as its route requires. */
export interface RoutedRequest {
  route: RouteSettings
  /** The model that the caller named. */
  model: string | undefined
  /** The scanned body, where it had to be scanned. */
  scanned?: ScannedBody | undefined
  /** The session of the request and its part, once it has been looked up; false where the request has no session. */
  part?: SessionPart | false
  /** Whether it may refer to a kept reply, once a look through the whole body has told. */
  refers?: boolean
}

/** Throws ProblemError for a request without a route. */
export function routeRequest(exchange: Exchange): RoutedRequest {
  const { route, caller, settings, permit } = exchange
  // Where the path names the model, the body is scanned only for a caller to whom others are forbidden.
  const isScanned = route.model === undefined || permit.isLimited
  const scanned = isScanned ? scanBody(exchange) : undefined
  const named = route.model ?? memberOf(scanned, caller.same.modelMember.request)
  const model = typeof named === 'string' ? named : undefined
  exchange.journal.note({ model: model ?? '' })
  if (route.compacts && model === undefined) throw invalid('model: is required', 'model')
  const found = findRoute(settings, model ?? '', routeConditions(exchange, scanned))
  if (!found || !permit.mayUse(model ?? '')) throw unrouted(exchange, model)
  if (permit.isLimited && scanned) refuseOtherModels(permit, scanned)
  return { route: found, model, scanned }
}

/** Whether a request may refer to a kept reply. */
export function mayRefer({ caller }: Exchange, routed: RoutedRequest): boolean {
  const { memory } = caller.caller
  routed.refers ??= memory !== undefined && routed.scanned?.holds(memory.mayRefer) === true
  return routed.refers
}

export function unrouted(exchange: Exchange, model: string | undefined): ProblemError {
  // A request without a model is refused in the words of the caller's own dialect.
  if (model === undefined) readCallerRequest(exchange, scanBody(exchange).text)
  return noRoute(model)
}

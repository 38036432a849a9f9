import type { AskedRequest, RoutedRequest } from '../stages.ts'
import { memberOf } from '../../json/scanned-body.ts'
import { invalid, type ProblemError } from '../../model/problem.ts'
import { findRoute } from '../../upstream/route.ts'
import { noRoute, refuseOtherModels } from './other-models.ts'
import { readCallerRequest, scanBody } from './read-request.ts'
import { routeConditions } from './route-conditions.ts'

/** `isClassed`: that of `hasClasses`. Throws ProblemError for a request without a route. */
export function routeRequest(came: AskedRequest, isClassed: boolean): RoutedRequest {
  const { route, caller, settings, permit } = came
  // Where the path names the model, the body is scanned only for a caller to whom others are forbidden.
  const isScanned = route.model === undefined || permit.isLimited
  const { asked, scanned } = isScanned ? scanBody(came) : { asked: came, scanned: undefined }
  const named = route.model ?? memberOf(scanned, caller.same.modelMember.request)
  const model = typeof named === 'string' ? named : undefined
  asked.journal.note({ model: model ?? '' })
  if (route.compacts && model === undefined) throw invalid('model: is required', 'model')
  const conditions = isClassed ? routeConditions(asked, scanned) : undefined
  const found = findRoute(settings, model ?? '', conditions)
  const isForbidden = permit.isLimited && !permit.mayUse(model ?? '')
  if (!found || isForbidden) throw unrouted(asked, model)
  if (permit.isLimited && scanned) refuseOtherModels(permit, scanned)
  return { asked, route: found, model, scanned }
}

/** Whether a request may refer to a kept reply. */
export function mayRefer(routed: RoutedRequest): boolean {
  const { memory } = routed.asked.caller.caller
  routed.refers ??= memory !== undefined && routed.scanned?.holds(memory.mayRefer) === true
  return routed.refers
}

export function unrouted(asked: AskedRequest, model: string | undefined): ProblemError {
  // A request without a model is refused in the words of the caller's own dialect.
  if (model === undefined) readCallerRequest(asked, scanBody(asked).scanned.text)
  return noRoute(model)
}

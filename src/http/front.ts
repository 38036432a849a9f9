import type { Adapter } from '../../adapters/adapter.ts'
import type { Dialects } from '../../adapters/index.ts'
import { ProblemError, type Problem } from '../canonical/problem.ts'
import { matched, storedAt, type StoredMatch, type StoredPlace } from '../gateway/dispatch.ts'
import type { Answer } from '../gateway/exchange.ts'
import { findModel, listModels } from '../gateway/models.ts'
import { taskServiceAt } from '../gateway/task-routes.ts'
import {
  arrivalOf,
  HEALTH,
  healthAnswer,
  probeAnswer,
  type Arrival,
  type Asked,
} from './arrival.ts'
import { converse, failedAnswer, revisit } from './converse.ts'
import { admissionOf } from './entrance.ts'
import { jsonAnswer, named } from './respond.ts'
import type { Site } from './site.ts'
import { failedTask, taskAnswer } from './task-answer.ts'

/** From a request to an answer. Never rejects: every failure is told in a dialect. */
export async function answerRequest(site: Site, request: Asked): Promise<Answer> {
  const arrival = arrivalOf(request, site.ports)
  const refusal = site.guard?.refusal(request.headers)
  const answer =
    healthAnswer(arrival, site.ports) ??
    (refusal
      ? refused(site.dialects, arrival, refusal)
      : (preflightAnswer(site, arrival) ?? probeAnswer(arrival) ?? (await guarded(site, arrival))))
  const sharing = refusal ? undefined : site.guard?.sharing(request.headers)
  const headers = { ...answer.headers, ...sharing }
  return named(sharing ? { ...answer, headers } : answer, arrival.id)
}

function preflightAnswer(
  { guard }: Site,
  { incoming, request, journal }: Arrival,
): Answer | undefined {
  const answer = guard?.preflight(incoming.method, request.headers)
  if (answer) journal.finish({ status: answer.status })
  return answer
}

async function guarded(site: Site, arrival: Arrival): Promise<Answer> {
  const service = taskServiceAt(arrival.path)
  if (service) return taskAnswer(site, arrival, service)
  try {
    return await admitted(site, arrival, looksOf(site.dialects, arrival))
  } catch (error) {
    return failed(site.dialects, arrival, error)
  }
}

/** Says why a request is not even looked at. */
export const refuseRequest = (dialects: Dialects, arrival: Arrival, problem: Problem): Answer =>
  named(refused(dialects, arrival, problem), arrival.id)

const refused = (dialects: Dialects, arrival: Arrival, problem: Problem): Answer =>
  failed(dialects, arrival, new ProblemError(problem))

/** In the words of whatever the path looks like. */
function failed(dialects: Dialects, arrival: Arrival, error: unknown): Answer {
  const service = taskServiceAt(arrival.path)
  return service
    ? failedTask(arrival, service, error)
    : failedAnswer(looksOf(dialects, arrival), arrival, error)
}

const looksOf = (dialects: Dialects, { incoming, request }: Arrival): Adapter =>
  dialects.resembling(incoming.path, request.headers)

/** The key comes first: without one nobody learns which paths there are. */
async function admitted(site: Site, arrival: Arrival, looks: Adapter): Promise<Answer> {
  const admission = admissionOf(site, arrival)
  const match = matched(site.dialects, arrival.incoming)
  if (match) return converse(site, arrival, match, admission)
  const stored = arrival.explain ? undefined : storedAt(site.dialects, arrival.incoming)
  if (stored) return revisit(site, arrival, storedMatch(stored, arrival), admission)
  const answer = modelAnswer(site, arrival, looks) ?? refuseRoute(site, arrival)
  arrival.journal.finish({ status: answer.status })
  return answer
}

function storedMatch({ caller, route }: StoredPlace, { incoming }: Arrival): StoredMatch {
  const { actions, id } = route
  const { method } = incoming
  const action = Object.hasOwn(actions, method) ? actions[method] : undefined
  if (!action) throw wrongMethod(Object.keys(actions).join(', '))
  return { caller, id, action }
}

const MODELS = /^\/v1(?:beta)?\/models(?:\/(.+))?$/

function modelAnswer(site: Site, arrival: Arrival, looks: Adapter): Answer | undefined {
  const { method, path } = arrival.incoming
  const found = MODELS.exec(path)
  if (!found || arrival.explain || !isReading(method) || isConversation(site, arrival))
    return undefined
  const { settings, dialects, ports } = site
  const now = Math.floor(ports.now() / 1000)
  const [, name] = found
  if (name === undefined)
    return jsonAnswer(looks.caller.writeModels(listModels(settings, dialects), now))
  const id = modelName(name)
  const model = id === undefined ? undefined : findModel(settings, dialects, id)
  return model && jsonAnswer(looks.caller.writeModel(model, now))
}

const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'

const NAME = /^[\w.:@/-]{1,256}$/
const CLIMBING = /(?:^|\/)\.{0,2}(?:\/|$)/

/** A name as a path spells it, where it could be one of a model. */
function modelName(segment: string): string | undefined {
  try {
    const name = decodeURIComponent(segment)
    return NAME.test(name) && !CLIMBING.test(name) ? name : undefined
  } catch {
    return undefined
  }
}

const isConversation = ({ dialects }: Site, { incoming }: Arrival): boolean =>
  matched(dialects, { ...incoming, method: 'POST' }) !== undefined

/** Carries the method that would have been right. */
const wrongMethod = (allow: string): ProblemError =>
  new ProblemError(
    { kind: 'method-not-allowed', message: `This path takes ${allow} only.` },
    { allow },
  )

function refuseRoute(site: Site, arrival: Arrival): never {
  const { incoming, request, explain, path } = arrival
  const { method } = incoming
  if (isConversation(site, arrival)) {
    // Clients that try a socket first fall back at once when they are told to upgrade.
    if (method === 'GET' && !explain && request.headers.get('upgrade') !== null)
      throw new ProblemError(NO_SOCKET)
    throw wrongMethod('POST')
  }
  const isList = MODELS.test(path) && !path.includes(':')
  if (!explain && (HEALTH.has(path) || (isList && !isReading(method))))
    throw wrongMethod('GET, HEAD')
  const place = path.length > LONGEST_QUOTE ? `${path.slice(0, LONGEST_QUOTE)}…` : path
  const message = `There is nothing at ${method} ${place}. ${WHAT_THERE_IS}`
  throw new ProblemError({ kind: 'not-found', message })
}

const WHAT_THERE_IS =
  'Conversations are at POST /v1/messages, /v1/responses and /v1beta/models/{model}:generateContent.'

const LONGEST_QUOTE = 200

const NO_SOCKET: Problem = {
  kind: 'upgrade-required',
  message: 'Sockets are not supported here; send a POST request.',
}

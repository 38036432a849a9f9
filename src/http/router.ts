import type { Adapter } from '../../adapters/contract.ts'
import type { Dialects } from '../../adapters/index.ts'
import { isModelName, unescaped } from '../rules/model-name.ts'
import { ProblemError, type Problem } from '../model/problem.ts'
import {
  matched,
  storedAt,
  type StoredMatch,
  type StoredPlace,
} from '../exchange/attempts/dispatch.ts'
import type { Answer } from '../exchange/exchange.ts'
import { noRoute } from '../exchange/request/other-models.ts'
import { findModel, listModels } from './models.ts'
import { type KnownCaller, mayUse } from '../upstream/credentials.ts'
import { receiveRequest, HEALTH, healthAnswer, probeAnswer, type Arrival } from './request-head.ts'
import type { HttpRequest } from '../ports.ts'
import { answerConversation, failedAnswer, answerStoredRequest } from './conversation.ts'
import { authenticate } from './admission/auth.ts'
import { jsonAnswer, named } from './respond.ts'
import type { AppContext } from './app-context.ts'
import type { Guard } from './admission/guard.ts'
import { socketAnswer } from './sockets.ts'
import { answerEndpoint, passingAt } from './endpoint.ts'
import { failedTask, taskAnswer } from './task-route.ts'

/** From a request to an answer. It never rejects: every failure is written in a dialect. */
export async function answerRequest(context: AppContext, request: HttpRequest): Promise<Answer> {
  const arrival = receiveRequest(request, context.ports)
  const trace = context.ports.tracer?.begin(request.headers)
  if (trace) arrival.journal.note({ trace })
  if (context.clientOf) arrival.journal.note(context.clientOf(request))
  const refusal = context.guard?.refusal(request.headers)
  const answer =
    healthAnswer(arrival, context.ports) ??
    (refusal
      ? refused(context, arrival, refusal)
      : ((context.guard && preflightAnswer(context.guard, arrival)) ??
        probeAnswer(arrival) ??
        (await answerGuarded(context, arrival))))
  const sharing = refusal ? undefined : context.guard?.sharing(request.headers)
  const headers = { ...answer.headers, ...sharing }
  return named(sharing ? { ...answer, headers } : answer, arrival.id)
}

function preflightAnswer(guard: Guard, { head, request, journal }: Arrival): Answer | undefined {
  const answer = guard.preflight(head.method, request.headers)
  if (answer) journal.finish({ status: answer.status })
  return answer
}

async function answerGuarded(context: AppContext, arrival: Arrival): Promise<Answer> {
  const service = context.tasks?.serviceAt(arrival.path)
  if (service) return taskAnswer(context, arrival, service)
  try {
    const answer = context.operator?.answer(context, arrival)
    if (answer) return await answer
    return await answerAdmitted(context, arrival)
  } catch (error) {
    return failed(context, arrival, error)
  }
}

/** Refuses a request before it is looked at. */
export const refuseRequest = (speakers: Speakers, arrival: Arrival, problem: Problem): Answer =>
  named(refused(speakers, arrival, problem), arrival.id)

/** In whose words a failure may be written. */
export type Speakers = Pick<AppContext, 'dialects' | 'tasks'>

const refused = (speakers: Speakers, arrival: Arrival, problem: Problem): Answer =>
  failed(speakers, arrival, new ProblemError(problem))

/** Writes a failure in the dialect or for the service that the path looks like. */
function failed({ dialects, tasks }: Speakers, arrival: Arrival, error: unknown): Answer {
  const service = tasks?.serviceAt(arrival.path)
  return service
    ? failedTask(arrival, service, error)
    : failedAnswer(resembledDialect(dialects, arrival), arrival, error)
}

const resembledDialect = (dialects: Dialects, { head, request }: Arrival): Adapter =>
  dialects.resembling(head.path, request.headers)

/** The key is checked first, so that a caller without one does not learn which paths exist. */
async function answerAdmitted(context: AppContext, arrival: Arrival): Promise<Answer> {
  const admission = await authenticate(context, arrival)
  const match = matched(context.dialects, arrival.head)
  if (match) return answerConversation(context, arrival, match, admission)
  const stored = arrival.explain ? undefined : storedAt(context.dialects, arrival.head)
  if (stored) return answerStoredRequest(context, arrival, storedMatch(stored, arrival), admission)
  const passing = passingAt(context, arrival)
  const passed = passing && (await answerEndpoint(context, passing, arrival, admission))
  if (passed) return passed
  const answer =
    (await modelAnswer(context, arrival, admission.caller)) ??
    socketAnswer(context, arrival, admission.caller) ??
    refuseRoute(context, arrival)
  arrival.journal.finish({ status: answer.status })
  return answer
}

function storedMatch({ caller, route }: StoredPlace, { head }: Arrival): StoredMatch {
  const { actions, id } = route
  const { method } = head
  const action = Object.hasOwn(actions, method) ? actions[method] : undefined
  if (!action) throw wrongMethod(Object.keys(actions).join(', '))
  return { caller, id, action }
}

const MODELS = /^\/v1(?:beta)?\/models(?:\/(.+))?$/

async function modelAnswer(
  context: AppContext,
  arrival: Arrival,
  caller: KnownCaller,
): Promise<Answer | undefined> {
  const { method, path, query } = arrival.head
  const found = MODELS.exec(path)
  if (!found || arrival.explain || !isReading(method) || isConversation(context, arrival))
    return undefined
  const { settings, dialects, ports } = context
  const looks = resembledDialect(dialects, arrival)
  await context.use?.enter(caller, arrival.journal)
  const now = Math.floor(ports.now() / 1000)
  const [, name] = found
  if (name === undefined) {
    const models = listModels(settings, dialects).filter(({ id }) => mayUse(caller, id))
    return jsonAnswer(looks.caller.writeModels(models, now, query))
  }
  const id = modelName(name)
  if (id === undefined) return undefined
  const model = mayUse(caller, id) ? findModel(settings, dialects, id) : undefined
  if (!model) throw noRoute(id)
  return jsonAnswer(looks.caller.writeModel(model, now))
}

const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** The name of a model in a path; undefined for a segment that can be none. */
function modelName(segment: string): string | undefined {
  const name = unescaped(segment)
  return name !== undefined && isModelName(name) ? name : undefined
}

const isConversation = ({ dialects }: AppContext, { head }: Arrival): boolean =>
  matched(dialects, { ...head, method: 'POST' }) !== undefined

/** The refusal, with the method that would be right. */
const wrongMethod = (allow: string): ProblemError =>
  new ProblemError(
    { kind: 'method-not-allowed', message: `This path takes ${allow} only.` },
    { allow },
  )

function refuseRoute(context: AppContext, arrival: Arrival): never {
  const { head, request, explain, path } = arrival
  const { method } = head
  if (isConversation(context, arrival)) {
    // Codex tries a WebSocket first; told to upgrade, it uses HTTP at once.
    if (method === 'GET' && !explain && request.headers.get('upgrade') !== null)
      throw new ProblemError(NO_SOCKET)
    throw wrongMethod('POST')
  }
  const isList = MODELS.test(head.path) && !path.includes(':')
  if (!explain && (HEALTH.has(path) || (isList && !isReading(method))))
    throw wrongMethod('GET, HEAD')
  const place = path.length > LONGEST_QUOTE ? `${path.slice(0, LONGEST_QUOTE)}…` : path
  const message = `There is nothing at ${method} ${place}. ${WHAT_THERE_IS}`
  throw new ProblemError({ kind: 'not-found', message })
}

const WHAT_THERE_IS =
  'Conversations are at POST /v1/messages, /v1/responses, /v1/chat/completions and /v1beta/models/{model}:generateContent.'

const LONGEST_QUOTE = 200

const NO_SOCKET: Problem = {
  kind: 'upgrade-required',
  message: 'Sockets are not supported here; send a POST request.',
}

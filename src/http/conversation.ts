import type { Adapter } from '../../adapters/contract.ts'
import { ProblemError } from '../model/problem.ts'
import { problemAnswer } from '../exchange/answers/answer.ts'
import { FREE_BYTES } from '../stream/budget.ts'
import { type Admission, type KnownCaller, mayUse } from '../upstream/credentials.ts'
import type { Match, StoredMatch } from '../exchange/attempts/dispatch.ts'
import type { AdmittedRequest, Answer, Context } from '../exchange/exchange.ts'
import type { AskedRequest, Permit } from '../exchange/stages.ts'
import { idSource } from '../model/ids.ts'
import { INTERNAL } from '../problems/failures.ts'
import { type Bytes, encoded, LONG_BYTES, NOTHING, piecesIn, utf8Text } from '../json/bytes.ts'
import { Received } from '../exchange/received.ts'
import { explainExchange } from '../exchange/attempts/explain.ts'
import { runExchange } from '../exchange/attempts/run.ts'
import { answerFromStore } from '../exchange/stored/stored.ts'
import type { CallerLimits } from '../config/settings.ts'
import type { Ports, RecalledRequest } from '../ports.ts'
import { forExplanation } from '../upstream/pools.ts'
import { ownTurn } from '../stream/time.ts'
import type { Arrival } from './request-head.ts'
import { askBefore } from './admission/before.ts'
import type { Load } from './admission/load.ts'
import { readBody } from './read-body.ts'
import { jsonAnswer } from './respond.ts'
import type { AppContext } from './app-context.ts'

/** Answers a conversation of a caller that was admitted. Failures become answers too. */
export function answerConversation(
  context: AppContext,
  arrival: Arrival,
  match: Match,
  admission: Admission,
): Promise<Answer> {
  const count = match.route.operation === 'create' ? 'create' : 'count'
  const { dialect } = match.caller
  arrival.journal.note({ operation: arrival.explain ? 'explain' : count, dialect })
  const known = exchangeOf(context, arrival, match.caller, admission)
  return exchangeAdmitted(context, arrival, admission, known, () => {
    const permit = permitOf(context, arrival, admission.caller, match.caller)
    return readAndRun(context, arrival, { ...known, ...match, permit })
  })
}

/** Answers a request about a stored exchange, which has no body. */
export function answerStoredRequest(
  context: AppContext,
  arrival: Arrival,
  { caller, ...stored }: StoredMatch,
  admission: Admission,
): Promise<Answer> {
  arrival.journal.note({ operation: 'stored', dialect: caller.dialect })
  const known = exchangeOf(context, arrival, caller, admission)
  return exchangeAdmitted(context, arrival, admission, known, () => answerFromStore(known, stored))
}

function exchangeOf(
  { dialects, load, memories, pools, ports, settings, soleCaller }: AppContext,
  { head, journal, request }: Arrival,
  caller: Adapter,
  { credential, identity }: Admission,
): AdmittedRequest {
  return {
    caller,
    settings,
    dialects,
    ports,
    head,
    credential,
    identity,
    isAlone: soleCaller?.isAlone(settings, identity) === true,
    memories,
    pools,
    signal: request.signal,
    journal,
    lease: load.lease(),
    newId: idSource(ports.randomId),
  }
}

async function exchangeAdmitted(
  context: AppContext,
  arrival: Arrival,
  { caller: known }: Admission,
  admitted: AdmittedRequest,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const { journal } = arrival
  const entering = context.use?.enter(known, journal)
  if (entering) await entering
  journal.onEnd(context.load.enter())
  try {
    return inFlight(await work(), admitted, context.load)
  } catch (error) {
    admitted.lease.release()
    return failedAnswer(admitted.caller, arrival, error)
  }
}

/** An explanation costs no tokens, so it is not counted. */
const permitOf = (
  context: AppContext,
  arrival: Arrival,
  caller: KnownCaller,
  { dialect }: Adapter,
): Permit => ({
  isLimited: caller.models !== undefined,
  mayUse: (model) => mayUse(caller, model),
  counts:
    (caller.limits && countsTokens(caller.limits)) ||
    (context.observer !== undefined && isServed(context.settings)),
  reserve(asked) {
    const { settings, use } = context
    const { explain, journal } = arrival
    if (explain) return undefined
    if (!settings.before) return use?.reserve(caller, asked, journal)
    const { model, route, bytes } = asked
    const known = { caller: caller.name, dialect, model, route, bytes }
    const asking = askBefore(settings.before, context, arrival, known)
    return asking.then(() => use?.reserve(caller, asked, journal))
  },
})

const countsTokens = ({ tokensPerMinute, usdPerDay }: CallerLimits): boolean =>
  (tokensPerMinute ?? usdPerDay) !== undefined

/** Metrics that the configuration does not ask for are no reason to edit a body that passes. */
const isServed = ({ metrics = { kind: 'off' } }: AppContext['settings']): boolean =>
  metrics.kind === 'key' || (metrics.kind === 'on' && !metrics.unasked)

/** Answers a failure in the caller's dialect, with what is known by then. */
export function failedAnswer(adapter: Adapter, { id, journal }: Arrival, error: unknown): Answer {
  const { problem, headers } = error instanceof ProblemError ? error : new ProblemError(INTERNAL)
  const answer = problemAnswer(adapter, problem, id)
  journal.finish({ status: answer.status, problem })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

async function readAndRun(
  context: AppContext,
  arrival: Arrival,
  admitted: Omit<AskedRequest, 'received' | 'headers'>,
): Promise<Answer> {
  const { request, explain } = arrival
  const { ports, settings } = context
  const came = await readBody(request, settings.limits, admitted.lease, ports)
  const body = new Received(came)
  admitted.journal.note({ bytesIn: body.size })
  admitted.journal.received()
  const { alsoSpeaks } = admitted.caller
  // The program that sends a body is known by how that begins.
  const caller = alsoSpeaks?.begins.test(beginningOf(came)) ? alsoSpeaks.adapter : admitted.caller
  const asked = { ...admitted, caller, headers: request.headers, received: body }
  if (body.size > LONG_BYTES) await ownTurn()
  if (!explain) {
    const recall = ports.recall && recalledRequest(ports.recall, settings, asked, body.size)
    return runExchange({ ...asked, recall })
  }
  const answer = jsonAnswer(await explainExchange({ ...asked, pools: forExplanation(asked.pools) }))
  admitted.journal.finish({ status: answer.status })
  return answer
}

const BEGINNING = 4096

const beginningOf = (body: Bytes): string =>
  utf8Text((piecesIn(body)[0] ?? NOTHING).subarray(0, BEGINNING))

function recalledRequest(
  recall: NonNullable<Ports['recall']>,
  { limits }: AppContext['settings'],
  { caller: { caller, dialect, same }, identity = '' }: Pick<AskedRequest, 'caller' | 'identity'>,
  size: number,
): RecalledRequest | undefined {
  const { turns } = same.beginning ?? {}
  if (turns === undefined) return undefined
  const rules = { limits, verbatim: caller.verbatim, turns }
  return recall.request(identity, dialect, rules, size)
}

/** Counts the answer as open until its stream is over, or its body has been taken. */
function inFlight(answer: Answer, { lease, journal }: Context, load: Load): Answer {
  const { body } = answer
  if (body !== null && typeof body === 'object' && 'read' in body) {
    journal.onEnd(() => lease.release())
    journal.onEnd(load.enterStream())
    return answer
  }
  if (body === null || body.length <= FREE_BYTES) {
    lease.release()
    return answer
  }
  const bytes = typeof body === 'string' ? encoded(body) : body
  lease.hold(bytes.length)
  return { ...answer, body: bytes, gone: () => lease.release() }
}

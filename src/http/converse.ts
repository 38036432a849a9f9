import type { Adapter } from '../../adapters/adapter.ts'
import { ProblemError, type Problem } from '../canonical/problem.ts'
import { problemAnswer } from '../gateway/answer.ts'
import { FREE_BYTES } from '../gateway/budget.ts'
import type { Admission } from '../gateway/credentials.ts'
import type { Match, StoredMatch } from '../gateway/dispatch.ts'
import { idSource, type Answer, type Exchange } from '../gateway/exchange.ts'
import { explained } from '../gateway/explain.ts'
import { INTERNAL } from '../gateway/failures.ts'
import { encoded, LONG_BYTES, NOTHING } from '../gateway/bytes.ts'
import { bodyOf } from '../gateway/read.ts'
import { run } from '../gateway/run.ts'
import { storedAnswer } from '../gateway/stored.ts'
import { ownTurn } from '../gateway/time.ts'
import type { Arrival } from './arrival.ts'
import { readBody } from './body.ts'
import { jsonAnswer } from './respond.ts'
import type { Site } from './site.ts'

/** One exchange of a conversation, from an admitted caller to its answer; what goes wrong is an answer too. */
export function converse(
  site: Site,
  arrival: Arrival,
  match: Match,
  admission: Admission,
): Promise<Answer> {
  return exchanged(site, arrival, match, admission, (exchange) => answered(site, arrival, exchange))
}

/** What a kept exchange answers; it is asked without a body. */
export function revisit(
  site: Site,
  arrival: Arrival,
  { caller, ...stored }: StoredMatch,
  admission: Admission,
): Promise<Answer> {
  const route = { operation: 'create' } as const
  return exchanged(site, arrival, { caller, route }, admission, (exchange) =>
    storedAnswer(exchange, stored),
  )
}

async function exchanged(
  site: Site,
  arrival: Arrival,
  match: Match,
  { credential, identity }: Admission,
  work: (exchange: Exchange) => Promise<Answer>,
): Promise<Answer> {
  const { incoming, journal, request } = arrival
  const { ports, load } = site
  journal.whenOver(load.enter())
  const lease = load.lease()
  journal.note({ caller: match.caller.dialect })
  const exchange: Exchange = {
    ...match,
    settings: site.settings,
    dialects: site.dialects,
    ports,
    incoming,
    headers: request.headers,
    body: NO_BODY,
    credential,
    identity,
    memories: site.memories,
    signal: request.signal,
    journal,
    lease,
    newId: idSource(ports.randomId),
  }
  try {
    return inFlight(await work(exchange), exchange)
  } catch (error) {
    lease.release()
    return failedAnswer(match.caller, arrival, error)
  }
}

/** What goes wrong is an answer too, with whatever is known by then. */
export function failedAnswer(adapter: Adapter, { id, journal }: Arrival, error: unknown): Answer {
  const { problem, headers } = error instanceof ProblemError ? error : new ProblemError(INTERNAL)
  const answer = problemAnswer(adapter, problem, id)
  journal.finish({ status: answer.status, problem })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

async function answered(site: Site, arrival: Arrival, exchange: Exchange): Promise<Answer> {
  const { request, explain } = arrival
  const body = bodyOf(await readBody(request, site.settings.limits, exchange.lease))
  exchange.journal.note({ bytesIn: body.size })
  const asked = { ...exchange, body }
  if (body.size > LONG_BYTES) await ownTurn()
  if (!explain) return run(asked)
  const answer = jsonAnswer(await explained(asked))
  exchange.journal.finish({ status: answer.status })
  return answer
}

/** An answer is in flight until its stream is over, or its body has been taken. */
function inFlight(answer: Answer, { lease, journal }: Exchange): Answer {
  const { body } = answer
  if (body !== null && typeof body === 'object' && 'read' in body) {
    journal.whenOver(() => lease.release())
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

const NO_BODY = bodyOf(NOTHING)

/** Whatever else is thrown is a fault of this program, and its words are nobody's business. */
export const problemIn = (error: unknown): Problem =>
  error instanceof ProblemError ? error.problem : INTERNAL

import { encoded, utf8Text, wholeBytes, withoutMark } from '../../json/bytes.ts'
import { slicesAt, scalarIn, spliceStrings } from '../../json/slices.ts'
import type { Slice } from '../../json/tokens.ts'
import { isMade, withMadeKey } from '../../keys/made.ts'
import { invalid, kindOfStatus, ProblemError } from '../../model/problem.ts'
import { CONNECTION_LOST } from '../../problems/failures.ts'
import { headerWait } from '../../problems/wait.ts'
import type { RouteSettings, Settings } from '../../config/settings.ts'
import type { Answer } from '../../exchange/exchange.ts'
import type { PassedRequest } from '../../exchange/tasks.ts'
import { noRoute } from '../../exchange/request/other-models.ts'
import { CallError, callUpstream, type UpstreamCall } from '../../upstream/call.ts'
import { pickHeaders } from '../../upstream/header-subset.ts'
import type { Leave } from '../../upstream/breaker.ts'
import { failoverOf, membersOf, type Member } from '../../upstream/members.ts'
import { addressRequest, type SentRequest } from '../../upstream/request.ts'
import { findRoute, sentModel } from '../../upstream/route.ts'
import { judge, saysHowLong, type Cause, type Verdict } from '../../upstream/verdict.ts'
import { taskReply } from './reply.ts'

/** Whether some upstream lists the path. */
export const isPassedOn = ({ upstreams }: Settings, path: string): boolean =>
  [...upstreams.values()].some(({ passthrough = [] }) => passthrough.includes(path))

/**
 * Passes a request to the upstream of its model and the answer back as bytes: only the name of the model is replaced,
 * where it has another one there. Undefined where the upstream of the model does not list the path. Throws ProblemError.
 */
export async function passEndpoint(exchange: PassedRequest): Promise<Answer | undefined> {
  const { settings, path, journal } = exchange
  const text = utf8Text(withoutMark(wholeBytes(exchange.body)))
  const named = modelIn(text)
  const { model } = named
  journal.note({ model })
  const route = findRoute(settings, model)
  if (!route || !exchange.mayUse(model)) throw noRoute(model)
  const members = membersOf(settings, route).filter(({ upstream }) =>
    upstream.passthrough?.includes(path),
  )
  if (members.length === 0) return undefined
  journal.note({ route: route.model })
  return askMembers(exchange, { ...named, text, route, members })
}

interface Asked {
  text: string
  /** Where the name of the model stands. */
  slices: readonly Slice[]
  model: string
  route: RouteSettings
  members: readonly Member[]
}

/** Parsers differ in which of repeated members they take, so that one which is said twice names no model. */
function modelIn(text: string): Pick<Asked, 'model' | 'slices'> {
  const slices = slicesAt(text, ['model'])
  const [only, ...others] = slices
  const model = only && others.length === 0 ? scalarIn(text.slice(only.start, only.end)) : undefined
  if (typeof model !== 'string' || model === '')
    throw invalid('model: expected the name of a model, once', 'model')
  return { model, slices }
}

/** One member after the other, as long as a failure says that another may be asked. */
async function askMembers(exchange: PassedRequest, asked: Asked): Promise<Answer> {
  const { pools, settings, ports } = exchange
  const { route, members, model } = asked
  const failover = failoverOf(settings, route)
  const ordered = pools.order({ asker: exchange, route, members })
  const free = ordered.filter((member) => pools.mayAsk(member, exchange, sentModel(member, model)))
  const [first, ...others] = (free.length > 0 ? free : ordered).slice(0, failover.hops + 1)
  if (!first) throw noRoute(model)
  const tried = await ask(exchange, asked, first)
  let last = tried
  for (const member of others) {
    const cause = causeOf(last, ports.now())
    const verdict = cause && judge(cause, failover)
    settle(exchange, asked, last, cause, verdict)
    if (!verdict?.hop || exchange.signal.aborted) return tell(exchange, last)
    last.call?.cancel()
    last = await ask(exchange, asked, member)
  }
  const cause = causeOf(last, ports.now())
  settle(exchange, asked, last, cause, cause && judge(cause, failover))
  return tell(exchange, last)
}

/** What became of asking one member: a call, or why there is none. */
interface Trial {
  member: Member
  leave: Leave
  sent?: SentRequest
  call?: UpstreamCall
  error?: unknown
}

async function ask(exchange: PassedRequest, asked: Asked, member: Member): Promise<Trial> {
  const { journal, ports, credential } = exchange
  const { upstream } = member
  const name = sentModel(member, asked.model)
  journal.note({
    upstream: upstream.name,
    member: member.name,
    upstreamDialect: upstream.dialect,
    sentModel: name,
  })
  const sent = addressed(exchange, asked, member, name, credential)
  const breaker = exchange.pools.breakerOf(member, exchange)
  const leave = breaker.enter(ports.now()) ?? breaker.force()
  try {
    if (isMade(upstream)) await withMadeKey(sent, upstream, ports)
    const { timeouts, proxy } = upstream
    journal.asks(exchange.tokens)
    return {
      member,
      leave,
      sent,
      call: await callUpstream(exchange, sent, { timeouts, proxy }),
    }
  } catch (error) {
    return { member, leave, error }
  }
}

/** The headers of a caller that describe what it asks for. */
const HEADERS = ['accept', 'idempotency-key']

function addressed(
  { path, request, body }: PassedRequest,
  { text, slices, model }: Asked,
  { upstream }: Member,
  name: string,
  credential: string | undefined,
): SentRequest {
  // A form is one of conversations.
  const { form: _, ...plain } = upstream
  const query = [...new URL(request.url).searchParams].filter(([each]) => each !== 'key')
  const headers = pickHeaders(request.headers, HEADERS)
  const renamed = name === model ? body : encoded(spliceStrings(text, slices, name))
  return addressRequest({ path, query, headers, body: renamed }, plain, {
    credential,
    stream: false,
  })
}

/** Why an answer is none to be passed on; undefined for one that is. */
function causeOf({ call, error, member }: Trial, now: number): Cause | undefined {
  if (!call)
    return error instanceof CallError && error.failure !== 'over'
      ? { kind: error.failure }
      : undefined
  const { status, headers } = call
  const kind = status >= 400 ? (kindOfStatus(status) ?? 'bad-upstream') : undefined
  if (kind === undefined) return undefined
  const retryAfterMs = headerWait(headers, now)
  const problem = { kind, message: '', ...(retryAfterMs !== undefined && { retryAfterMs }) }
  const isOurs = member.upstream.key.kind !== 'caller'
  return { kind: 'status', status, problem, isOurs, isKey: status === UNAUTHORIZED }
}

const UNAUTHORIZED = 401

/** Tells the pool what became of its member. */
function settle(
  exchange: PassedRequest,
  { members, model }: Asked,
  { member, leave, call }: Trial,
  cause: Cause | undefined,
  verdict: Verdict | undefined,
): void {
  const { pools, ports } = exchange
  const breaker = pools.breakerOf(member, exchange)
  // An only member is always asked.
  if (members.length < 2) return breaker.giveBack(leave)
  const name = sentModel(member, model)
  const waitMs = cause && saysHowLong(cause)
  if (!cause || !verdict || verdict.cell === 'none') {
    if (!call) return breaker.giveBack(leave)
    breaker.answered(leave)
    breaker.succeed(ports.now())
    pools.warm(member, exchange, name)
  } else if (verdict.cell === 'limit') {
    breaker.giveBack(leave)
    pools.cool(member, exchange, name, waitMs)
  } else
    breaker.fail(leave, ports.now(), {
      waitMs,
      hard: verdict.cell === 'hard',
      isDoubtful: cause.kind !== 'connect',
    })
}

function tell(exchange: PassedRequest, { call, error, member, sent }: Trial): Promise<Answer> {
  if (!call || !sent) throw error instanceof Error ? error : new ProblemError(CONNECTION_LOST)
  const { journal, ports, settings } = exchange
  return taskReply({
    call,
    key: member.upstream.key,
    secrets: sent.secrets,
    now: ports.now(),
    alarm: ports.alarm,
    journal,
    maxBytes: settings.limits.streamBytes,
  })
}

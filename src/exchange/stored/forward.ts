import { ProblemError } from '../../model/problem.ts'
import { replyHeaders } from '../answers/answer.ts'
import { NOTHING, utf8Text, withoutMark } from '../../json/bytes.ts'
import type { AdmittedRequest, Answer } from '../exchange.ts'
import { Received } from '../received.ts'
import { isMade, withMadeKey } from '../../keys/made.ts'
import { addressRequest, type SentRequest } from '../../upstream/request.ts'
import { allBytes, bodyEvents, failureAnswer } from '../reply/pass.ts'
import { passStream } from '../reply/passed.ts'
import { pickNamed } from '../../upstream/header-subset.ts'
import type { UpstreamSettings } from '../../config/settings.ts'
import type { PassPlan } from '../request/plan.ts'
import { isStreamType } from '../../stream/reply-events.ts'
import { isSuccess } from '../answers/refusal.ts'
import { createReadMirror } from '../../memory/mirror.ts'
import { findIssuer, isIssuer } from '../../memory/ownership.ts'
import { emptyRequest } from '../../rules/empty-request.ts'
import { ID } from '../../memory/records.ts'
import { membersOf } from '../../upstream/members.ts'
import { destinationOf, type Destination } from '../../upstream/route.ts'
import { refusal } from '../attempts/attempt.ts'
import { callUpstream, type UpstreamCall } from '../../upstream/call.ts'

/**
 * The upstream of the caller's own dialect, which may have kept the exchange. Where there are several, or several
 * keys, it is the one that gave out the id, if that is known.
 */
export async function upstreamWithMemory(
  admitted: AdmittedRequest,
  id: string,
): Promise<Destination | undefined> {
  const { settings, dialects, caller, memories } = admitted
  const places = settings.routes.flatMap((route) =>
    membersOf(settings, route)
      .filter(({ upstream }) => upstream.dialect === caller.dialect && keepsReplies(upstream))
      .map((member) => ({ route, member })),
  )
  const [first] = places
  if (!first) return undefined
  const isOnly = places.every(({ member }) => member.name === first.member.name)
  const issuer = isOnly || !memories ? undefined : await findIssuer(admitted, memories, id)
  const own = isOnly ? first : places.find(({ member }) => isIssuer(member.upstream, issuer))
  return own && destinationOf(own.member, dialects, own.route, '')
}

const keepsReplies = ({ server }: UpstreamSettings): boolean => server?.state !== false

/**
 * Passes a request about a stored exchange to the upstream as it came. Undefined where the upstream does not have
 * the id, so that a missing id is answered in the same words everywhere.
 */
export async function forwardStored(
  admitted: AdmittedRequest,
  destination: Destination,
): Promise<Answer | undefined> {
  const { caller, head, credential, journal } = admitted
  const { upstream } = destination
  const { path, method } = head
  const query = pickNamed(head.query, caller.caller.memory?.query ?? [], ID)
  const said = { path, query, headers: {}, body: NOTHING }
  const sent = addressRequest(said, upstream, { credential, stream: false })
  journal.note({
    upstream: upstream.name,
    member: destination.member.name,
    upstreamDialect: upstream.dialect,
  })
  const plan = passPlanTo(destination, sent)
  let call: UpstreamCall | undefined
  try {
    if (isMade(upstream)) await withMadeKey(sent, upstream, admitted.ports, method)
    call = await callUpstream(admitted, bare(sent, method), {
      timeouts: upstream.timeouts,
      proxy: upstream.proxy,
    })
    return await passOn(admitted, plan, call)
  } catch (error) {
    call?.cancel()
    if (!(error instanceof ProblemError)) throw error
    throw new ProblemError(error.problem, replyHeaders(plan, call, []))
  }
}

async function passOn(
  admitted: AdmittedRequest,
  plan: PassPlan,
  call: UpstreamCall,
): Promise<Answer | undefined> {
  const { journal } = admitted
  if (call.status === NOT_FOUND) {
    call.release()
    return undefined
  }
  if (!isSuccess(call.status)) return refusal(admitted, plan, call)
  const mirror = createReadMirror(admitted, plan.destination.member.name)
  const type = call.headers.get('content-type') ?? 'application/json'
  const headers = { 'content-type': plan.sent.secrets.hide(type), ...replyHeaders(plan, call, []) }
  const { status } = call
  if (isStreamType(type)) {
    const { body, headers: own } = await passStream(admitted, plan, call, {
      mirror,
      begun: () => undefined,
    })
    return { status, headers: { ...headers, ...own }, body }
  }
  const bytes = withoutMark(await allBytes(admitted, call))
  const text = utf8Text(bytes)
  // Servers say in words, too, that they have deleted something, or say nothing.
  const isWorded = admitted.head.method === 'DELETE' && !ERROR.test(text)
  if (!isWorded || text !== '') {
    const { events, json } = bodyEvents(admitted, plan, text, mirror)
    const failed = isWorded ? undefined : failureAnswer(admitted, plan, events, { text, json })
    if (failed) return { ...failed, headers: { ...headers, ...failed.headers } }
    await mirror?.settle()
  }
  journal.finish({ status, bytesOut: bytes.length })
  // A kept response may have failed, with its upstream's words in it.
  const body = isWorded || ERROR.test(text) ? plan.sent.secrets.hideJson(text) : text
  return { status, headers, body: text === '' ? null : body }
}

const ERROR = /"error"\s*:\s*[{"]/
const NOT_FOUND = 404

const passPlanTo = (destination: Destination, sent: SentRequest): PassPlan => ({
  kind: 'pass',
  // The request names no model that the reply could be told by.
  destination: { ...destination, aliased: false },
  route: { operation: 'create' },
  requested: '',
  stream: false,
  isRepeatable: false,
  received: new Received(NOTHING),
  losses: [],
  sent,
  read: () => emptyRequest('', false),
})

function bare({ url, headers, secrets }: SentRequest, method: string): SentRequest<undefined> {
  const { 'content-type': _, ...others } = headers
  return { method, url, headers: { ...others, accept: '*/*' }, body: undefined, secrets }
}

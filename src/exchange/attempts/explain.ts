import type { AskedRequest } from '../stages.ts'
import { wholeBytes } from '../../json/bytes.ts'
import { parse, stringify, Verbatim, type Json, type JsonObject } from '../../json/json.ts'
import type { Loss } from '../../model/loss.ts'
import { effectOf } from '../../model/loss-effect.ts'
import type { Request } from '../../model/request.ts'
import type { SameEdits } from '../../../adapters/contract.ts'
import { resolveWithPlaces } from '../../memory/resolved-places.ts'
import type { Places, Translation } from '../../ports.ts'
import { ownTurn } from '../../stream/time.ts'
import { memberName, membersOf } from '../../upstream/members.ts'
import { type SentRequest, masked } from '../../upstream/request.ts'
import type { UpstreamSettings } from '../../config/settings.ts'
import { memberOrder, hasClasses } from './member-order.ts'
import type { Plan } from '../request/plan.ts'
import { whyOf } from '../answers/loss-report.ts'
import { planFor } from '../request/planner.ts'
import { rereader } from '../request/read-request.ts'
import { unrouted } from '../request/route.ts'
import { routedRequest } from './run.ts'

/** Shows what would be sent for a request and what would be lost. Nothing is sent. */
export async function explainExchange(came: AskedRequest): Promise<JsonObject> {
  const routed = routedRequest(came, hasClasses(came))
  const { asked } = routed
  const members = membersOf(asked.settings, routed.route)
  const order = members.length > 1 ? (await memberOrder(routed, members)).members(false) : members
  const [first, ...others] = order
  if (!first) throw unrouted(asked, routed.model)
  const { text } = asked.received
  const plan = await planFor(routed, first)
  return {
    caller: asked.caller.dialect,
    upstream: describeUpstream(plan),
    ...(others.length > 0 && { others: others.map(({ name }) => name) }),
    ...(await placeLosses(asked, plan, text)),
  }
}

/** Bounds the search for places: a person waits for the answer, and other exchanges share the thread. */
const MOST_MS = 500

/** The losses, with their places in both bodies, and the places of carried proofs. */
async function placeLosses(asked: AskedRequest, plan: Plan, text: string): Promise<JsonObject> {
  const { caller } = asked
  const { adapter, target } = plan.destination
  const { placing } = asked.ports
  if (!placing) return { losses: plan.losses.map(plainLoss) }
  if (plan.kind === 'pass') return { losses: editedLosses(asked, plan, plan.edits, text) }
  const given = parse(text, caller.caller.verbatim)
  const resolved = await resolveWithPlaces(asked, given)
  const { body, placeOf } = resolved ?? { body: given, placeOf: (field: string) => ({ field }) }
  const settled = ({ field, sentAt }: Places): JsonObject => ({
    ...(field !== undefined && placeOf(field)),
    ...(sentAt !== undefined && { sentAt }),
  })
  if (adapter === caller) {
    const { model, facts } = target
    const edits = { model, facts, foreign: true, resolved: resolved !== undefined }
    return { losses: editedLosses(asked, plan, edits, stringify(body), settled) }
  }
  const { request, find } = placing.finder(body, translationOf(asked, plan))
  return searchPlaces(plan, request, (path) => settled(find(path)))
}

/** The translation, so that it can be made of other bodies, too. */
const translationOf = (asked: AskedRequest, { destination }: Plan): Translation => ({
  read: rereader(asked),
  write(read) {
    const { adapter, target } = destination
    const write = asked.route.operation === 'create' ? 'writeRequest' : 'writeCountRequest'
    return adapter.upstream[write](read, { target, lose: unheard })?.body ?? {}
  },
})

/** Seeks one place after the other, as long as there is time. */
async function searchPlaces(
  plan: Plan,
  request: Request | undefined,
  find: (path: string) => JsonObject,
): Promise<JsonObject> {
  const end = performance.now() + MOST_MS
  const place = async (path: string) => {
    await ownTurn()
    return performance.now() < end ? find(path) : {}
  }
  const losses: JsonObject[] = []
  for (const loss of plan.losses) losses.push({ ...plainLoss(loss), ...(await place(loss.path)) })
  const proofs: JsonObject[] = []
  for (const path of proofPaths(request)) {
    const { sentAt, ...came } = await place(path)
    if (sentAt !== undefined && Object.keys(came).length > 0) proofs.push({ path, ...came, sentAt })
  }
  return { losses, ...(proofs.length > 0 && { proofs }) }
}

/** The same for a body that is only edited: `came`, as it was before that. */
function editedLosses(
  { caller, ports }: AskedRequest,
  { losses, sent }: Plan,
  edits: SameEdits | undefined,
  came: string,
  settled: (places: Places) => object = (places) => places,
): JsonObject[] {
  const plain = losses.map(plainLoss)
  if (!ports.placing || !edits || !sent || plain.length === 0) return plain
  const places = ports.placing.edited({
    verbatim: caller.caller.verbatim,
    edit: (body, lose) => caller.same.edit(body, edits, lose),
    came,
    went: sentBody(sent),
    losses,
  })
  return plain.map((loss, index) => ({ ...loss, ...settled(places[index] ?? {}) }))
}

const unheard = (): undefined => undefined

const plainLoss = (loss: Loss): JsonObject => ({
  ...loss,
  why: whyOf(loss),
  effect: effectOf(loss),
})

const proofPaths = (request: Request | undefined): string[] =>
  (request?.turns ?? []).flatMap(({ blocks }, turn) =>
    blocks.flatMap((block, index) =>
      'proof' in block && block.proof ? [`turns.${turn}.blocks.${index}.seal`] : [],
    ),
  )

function describeUpstream({ destination, sent }: Plan): JsonObject {
  const { dialect } = destination.upstream
  const name = memberName(destination.upstream)
  if (!sent) return { name, dialect, method: null, url: null, headers: {}, body: null }
  const { url, headers } = masked(withMadePlace(sent, destination.upstream))
  return { name, dialect, method: sent.method, url, headers, body: sentBody(sent) }
}

/** Nothing is fetched or signed for a request that does not go, so only the place of a key that is made is shown. */
const withMadePlace = (sent: SentRequest, { made }: UpstreamSettings): SentRequest =>
  made
    ? {
        ...sent,
        headers: { ...sent.headers, authorization: made.kind === 'token' ? 'Bearer ' : '' },
      }
    : sent

/** The body exactly as it would be sent; a body that is no JSON is shown as text. */
function sentBody({ body }: SentRequest): Json {
  const text = new TextDecoder().decode(wholeBytes(body))
  try {
    JSON.parse(text)
    return new Verbatim(text)
  } catch {
    return text
  }
}

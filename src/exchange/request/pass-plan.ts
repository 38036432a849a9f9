import type { AskedRequest, ChosenRequest } from '../stages.ts'
import type { SameEdits, Target, WrittenRequest } from '../../../adapters/contract.ts'
import { encoded, NOTHING, piecesIn, type Bytes } from '../../json/bytes.ts'
import { editedText } from '../../json/edit.ts'
import { isObject, type Json } from '../../json/json.ts'
import { memberOf, type ScannedBody } from '../../json/scanned-body.ts'
import { slicesAt, spliceStrings } from '../../json/slices.ts'
import { lossKey, lossList, type Loss } from '../../model/loss.ts'
import { proofReader } from './accounts.ts'
import type { Request } from '../../model/request.ts'
import { refuseToolless } from '../../rules/toolless.ts'
import { addressRequest } from '../../upstream/request.ts'
import { pickNamed, sendable } from '../../upstream/header-subset.ts'
import type { MemberSettings } from '../../upstream/members.ts'
import type { Received } from '../received.ts'
import type { PassPlan } from './plan.ts'
import { parseBody, readJson, scanBody, unscannedBody } from './read-request.ts'
import { placeSearch } from './write-request.ts'
import type { ResolvedRequest } from '../../memory/resolve.ts'

/** `known`: what is known of its references. */
export function passPlan(
  { asked, destination, isRepeatable, requested, scanned }: ChosenRequest,
  known: Pick<ResolvedRequest, 'found' | 'nameless'> = {},
): PassPlan {
  const { caller, credential, head, received, route } = asked
  const { aliased, target, upstream } = destination
  const isCreate = route.operation === 'create'
  const stream = isCreate && (route.stream ?? memberOf(scanned, 'stream') === true)
  const seen = scanned ?? unscannedBody(asked)
  const counted = stream && asksForCount(asked, destination, seen)
  const { nameless } = known
  const edited = editedBody(asked, destination, seen, { counted, nameless })
  const { headers, losses: sieved } = siftedHeaders(asked, target)
  const said: WrittenRequest<Bytes> = {
    path: caller.same.path(head, aliased ? target.model : undefined),
    query: pickNamed(head.query, caller.same.query, QUERY_VALUE),
    headers,
    body: edited?.body ?? received.bytes,
  }
  return {
    kind: 'pass',
    destination,
    route,
    requested,
    stream,
    isRepeatable,
    received,
    losses: joined(edited?.losses, sieved),
    sent: addressRequest(said, upstream, { credential, stream }),
    edits: edited?.edits,
    counted,
    scanned,
    found: scanned && known.found,
    ...askedLater(asked),
  }
}

/** In a scope of its own: what is made in that of the plan would keep the body as it was scanned. */
const askedLater = (asked: AskedRequest): Pick<PassPlan, 'read' | 'places'> => ({
  read: () => readJson(asked, parseBody(scanBody(asked).scanned)),
  places: (at) => placeSearch(asked, at),
})

const NONE: readonly Loss[] = []

/** What the body has lost already is not said again of the headers. */
function joined(losses: readonly Loss[] = NONE, others: readonly Loss[] = NONE): readonly Loss[] {
  const known = new Set(others.length > 0 ? losses.map(lossKey) : [])
  return others.length > 0
    ? [...losses, ...others.filter((each) => !known.has(lossKey(each)))]
    : losses
}

function siftedHeaders(
  asked: AskedRequest,
  { facts: { server } }: Target,
): { headers: Record<string, string>; losses?: readonly Loss[] } {
  const headers = passedHeaders(asked)
  const { betas } = asked.caller.upstream
  if (!server || !betas) return { headers }
  const { lose, losses } = lossList()
  return { headers: betas.siftHeaders(headers, server, lose), losses }
}

/** Whether the upstream has to be asked to count the tokens of a stream. */
const asksForCount = (
  { caller, permit }: AskedRequest,
  { target }: PassPlan['destination'],
  seen: ScannedBody | undefined,
): boolean => {
  const { counting } = caller.same
  return (
    permit.counts &&
    counting !== undefined &&
    seen !== undefined &&
    !counting.isSettled(seen.memberText(counting.member), target.facts)
  )
}

interface Edited {
  body: Bytes
  losses: readonly Loss[]
  edits?: SameEdits
}

/** The edited body; undefined where the bytes pass unchanged, as they do for nearly all requests. */
function editedBody(
  asked: AskedRequest,
  destination: PassPlan['destination'],
  seen: ScannedBody | undefined,
  { counted, nameless }: { counted: boolean; nameless: SameEdits['nameless'] },
): Edited | undefined {
  const { caller } = asked
  const { aliased, target } = destination
  if (!seen) return undefined
  const { counting } = caller.same
  const isAdded = counted && counting !== undefined
  // Where the body names its model in one place only, the rest need not be parsed.
  const member = caller.same.modelMember.request
  const foreign = seen.holds(caller.same.mayHoldForeign)
  const { contextWindow: _, ...facts } = target.facts
  const model = aliased && mayNameModel(seen, member) ? target.model : undefined
  const isReplaced = isAdded && seen.memberText(counting.member) !== undefined
  const isNamedElsewhere = model !== undefined && member === undefined
  const isParsed = foreign || nameless !== undefined || Object.keys(facts).length > 0
  if (isParsed || isNamedElsewhere || isReplaced)
    return withEdits(asked, seen, {
      facts,
      foreign,
      sentTo: target.model,
      ...(asked.route.compacts && { unkept: true }),
      ...(counted && { usage: true }),
      ...(foreign && { readsProof: markReader(asked.settings, destination) }),
      ...(nameless && { nameless }),
      ...(model !== undefined && { model }),
    })
  const isRenamed = model !== undefined && member !== undefined
  if (!isRenamed && !isAdded) return undefined
  const body = isRenamed ? renamed(asked.received, seen, member, model) : asked.received.bytes
  return { body: isAdded ? withFirst(body, counting) : body, losses: [] }
}

/** The body of an object that has members, with another one before them. White space may fill pieces before it. */
function withFirst(body: Bytes, { member, value }: { member: string; value: string }): Bytes {
  const pieces = piecesIn(body)
  const at = pieces.findIndex((piece) => piece.includes(OBJECT))
  const piece = pieces[at] ?? NOTHING
  const behind = piece.indexOf(OBJECT) + 1
  const added = encoded(`"${member}":${value},`)
  const parts = [piece.subarray(0, behind), added, piece.subarray(behind)]
  return pieces.toSpliced(at, 1, ...parts)
}

const OBJECT = '{'.charCodeAt(0)

/** A proof without a mark is the caller's to send; where it came from is not known. */
function markReader(
  settings: MemberSettings,
  destination: PassPlan['destination'],
): SameEdits['readsProof'] {
  const reads = proofReader(settings, destination)
  return reads && ((account) => account === undefined || reads(account))
}

const mayNameModel = (seen: ScannedBody, member: string | undefined): boolean =>
  (member !== undefined && seen.memberText(member) !== undefined) || seen.holds(namesModel)

/** `model` is a member's name, and also a role in one of the dialects. */
const MODEL = /"model"\s*:/
const namesModel = (text: string): boolean => MODEL.test(text)

/** The body with another model and no other byte changed. */
const renamed = (received: Received, seen: ScannedBody, member: string, model: string): Bytes =>
  seen.respelled(member, model) ??
  received.encoded(spliceStrings(seen.text, slicesAt(seen.text, [member]), model))

function withEdits(asked: AskedRequest, seen: ScannedBody, edits: SameEdits): Edited | undefined {
  const { caller, received } = asked
  const { lose, losses } = lossList()
  const before = parsed(seen)
  if (!isObject(before)) return undefined
  const after = caller.same.edit(before, edits, lose)
  const request = losses.some(isOfTool) ? readable(asked, before) : undefined
  if (request) refuseToolless(request, losses)
  return after === before
    ? undefined
    : { body: received.encoded(editedText(seen.text, before, after)), losses, edits }
}

const isOfTool = ({ path }: Loss): boolean => path.startsWith('tools.')

/** Undefined for a count, which no model answers, and for a body that the upstream refuses in its own words. */
function readable(asked: AskedRequest, body: Json): Request | undefined {
  if (asked.route.operation !== 'create') return undefined
  try {
    return readJson(asked, body)
  } catch {
    return undefined
  }
}

/** Malformed JSON passes unread: the upstream refuses it in its own words. */
function parsed(seen: ScannedBody): Json {
  try {
    return seen.parsed()
  } catch {
    return null
  }
}

const QUERY_VALUE = /^[\w.-]{1,64}$/

/** Headers with such names may be credentials; they are passed only where the configuration says so. */
const CREDENTIAL = /auth|key|token|secret|cookie|credential|password/i

function passedHeaders({ caller, headers }: AskedRequest): Record<string, string> {
  const { twins = [], request: names, others, demand } = caller.same.headers
  demand?.(headers)
  // A plain object: what begins like a header of the dialect is no `__proto__`.
  const passed: Record<string, string> = {}
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null) passed[name] ??= value
  }
  for (const name of (others && headers.keys?.()) ?? [])
    if (others?.test(name) && !CREDENTIAL.test(name)) {
      const value = sendable(headers.get(name))
      if (value !== null) passed[name] ??= value
    }
  for (const [one, other] of twins) {
    const value = passed[one] ?? passed[other]
    if (value === undefined) continue
    passed[one] ??= value
    passed[other] ??= value
  }
  return passed
}

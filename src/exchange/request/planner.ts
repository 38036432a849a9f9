import {
  keepingOf,
  type Adapter,
  type CacheOptions,
  type WrittenRequest,
  type ServerFacts,
  type Target,
} from '../../../adapters/contract.ts'
import { estimateTokens } from '../../rules/estimate.ts'
import { refuseFileIds, refuseUnkept, reportForeign } from '../../rules/foreign.ts'
import { withoutSlices } from '../../json/without-slices.ts'
import { objectIn, stringify, type Json, type JsonObject } from '../../json/json.ts'
import { idSource } from '../../model/ids.ts'
import { lossList, nothingLost, type Lose } from '../../model/loss.ts'
import { callIds } from '../../rules/names.ts'
import type { Request } from '../../model/request.ts'
import { refuseToolless } from '../../rules/toolless.ts'
import { remembering } from '../../model/remembered.ts'
import { invalid, ProblemError } from '../../model/problem.ts'
import type { PlaceSearch } from '../../ports.ts'
import { FREE_BYTES, workOf } from '../../stream/budget.ts'
import { ownTurn, pause } from '../../stream/time.ts'
import { CALLER_LEFT, CROWDED } from '../../problems/failures.ts'
import { LONG_BYTES, VALUE_BYTES, type Bytes } from '../../json/bytes.ts'
import { isGuarded, refuseReferences, findUnnoted } from '../../memory/ownership.ts'
import type { Exchange } from '../exchange.ts'
import { addressRequest, type SentRequest } from '../../upstream/request.ts'
import { withLearnt } from './learnt.ts'
import { noRoute, refuseOtherModels } from './other-models.ts'
import { passPlan } from './pass-plan.ts'
import type { Plan, SummaryChannel, TranslatePlan } from './plan.ts'
import { isSummedHere, withSummaryTurn, type Summing } from '../compaction/asked.ts'
import { summaryDialect } from '../compaction/summary-dialect.ts'
import { createBody } from '../body.ts'
import type { SessionPart } from './session.ts'
import { withProofs } from '../../memory/proofs.ts'
import { ANSWERED } from '../../memory/records.ts'
import { scanBody, parseBody, readJson, readCallerRequest } from './read-request.ts'
import { memberOf, type Glance, type ScannedBody } from '../../json/scanned-body.ts'
import { NOTHING_SOUGHT, resolveReferences, type ResolvedRequest } from '../../memory/resolve.ts'
import { type Member } from '../../upstream/members.ts'
import { destinationOf, findRoute, type Destination } from '../../upstream/route.ts'
import { issuerMarks, proofReader, readableProofs } from './accounts.ts'
import { withCallerPath } from './caller-path.ts'
import { cacheOptions } from './cache-options.ts'
import { routeConditions } from './route-conditions.ts'
import type { RouteSettings, UpstreamSettings } from '../../config/settings.ts'

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

/**
 * Plans a request for one member. Throws ProblemError for a request that cannot be carried out. `keep`: the body
 * stays, because another member may have to be asked.
 */
export async function planFor(
  exchange: Exchange,
  routed: RoutedRequest,
  member: Member,
  keep = false,
): Promise<Plan> {
  const { route, model, scanned } = routed
  const found = destinationOf(member, exchange.dialects, route, model ?? '')
  if (!found) throw unrouted(exchange, model)
  const destination = found.target.facts.server?.betas ? withLearnt(exchange, found) : found
  const { upstream, target, adapter } = destination
  exchange.journal.note({
    upstream: upstream.name,
    member: member.name,
    upstreamDialect: upstream.dialect,
    route: route.model,
    sentModel: target.model,
  })
  if (adapter.dialect !== exchange.caller.dialect) {
    const seen = scanned ?? scanBody(exchange)
    if (!keep && !mayBeSearched(exchange)) exchange.body.leave()
    await roomFor(exchange, seen)
    await yieldTurn(exchange)
    const marks = issuerMarks(exchange.settings, destination)
    const known = await resolveReferences(exchange, parseBody(seen), seen, undefined, marks)
    return translatePlan(exchange, destination, known, seen)
  }
  const known = await resolveHere(exchange, routed, destination)
  const isServedHere = known !== undefined && target.facts.server?.state === false
  const isSummed = isSummedHere(exchange, destination, scanned)
  if (exchange.route.compacts && !isSummed) return compactPlan(exchange, destination, model, known)
  if (known?.resolved || isServedHere) return translatePlan(exchange, destination, known, scanned)
  return isSummed || isReadToo(exchange, target, scanned)
    ? translatePlan(exchange, destination, wholeBody(exchange, scanned), scanned)
    : passPlan(exchange, { destination, requested: model ?? '' }, scanned, known)
}

/** For a service that writes the summary itself: of the conversation as it is, with what is kept here written out. */
function compactPlan(
  exchange: Exchange,
  destination: Destination,
  model = '',
  known?: ResolvedRequest,
): Plan {
  if (known?.resolved) {
    const { edit } = exchange.caller.same
    const edits = { facts: {}, foreign: true, resolved: true, unkept: true }
    const body = edit(objectIn(known.body), edits, nothingLost)
    exchange.body = createBody(exchange.body.encoded(stringify(body)))
  }
  return passPlan(exchange, { destination, requested: model }, scanBody(exchange), known)
}

/**
 * Whether a request in the upstream's own dialect still has to be read: the server names tools differently, or
 * cannot count.
 */
function isReadToo(
  { caller, route }: Exchange,
  { facts: { server } }: Target,
  scanned: ScannedBody | undefined,
): boolean {
  if (!server) return false
  if (route.operation === 'count-tokens') return server.countTokens === false
  return scanned?.holds(renamedGlance(caller.same, server)) === true
}

const renamings = new WeakMap<ServerFacts, Glance>()

/** One for each server, so that what it has seen nothing in is known. */
function renamedGlance(same: Adapter['same'], server: ServerFacts): Glance {
  const known = renamings.get(server)
  if (known) return known
  const glance: Glance = (text) => same.isRenamed?.(text, server) === true
  renamings.set(server, glance)
  return glance
}

const wholeBody = (exchange: Exchange, scanned: ScannedBody | undefined): ResolvedRequest => ({
  body: parseBody(scanned ?? scanBody(exchange)),
  resolved: false,
})

/** Whether a request may refer to a kept reply. */
export function mayRefer({ caller }: Exchange, routed: RoutedRequest): boolean {
  const { memory } = caller.caller
  routed.refers ??= memory !== undefined && routed.scanned?.holds(memory.mayRefer) === true
  return routed.refers
}

/**
 * An upstream of the caller's own dialect has its own memory, so only references that it cannot know are resolved
 * here. For a server without a memory everything is kept here, as for an upstream of another dialect.
 */
async function resolveHere(
  exchange: Exchange,
  routed: RoutedRequest,
  destination: Destination,
): Promise<ResolvedRequest | undefined> {
  const { caller, memories, settings } = exchange
  const { upstream } = destination
  const { scanned } = routed
  const { memory } = caller.caller
  if (!scanned || !memory) return undefined
  const refers = mayRefer(exchange, routed)
  if (upstream.server?.state === false) {
    const marks = issuerMarks(settings, destination)
    const known = await resolveReferences(exchange, parseBody(scanned), scanned, undefined, marks)
    return known.resolved || known.keeping || refers ? known : undefined
  }
  if (!memories) {
    if (!refers || !isGuarded(exchange, upstream)) return undefined
    const ask = memory.asks(parseBody(scanned))
    refuseReferences(memory, ask, upstream)
    return { body: null, resolved: false, ...named(await findUnnoted(exchange, memories, ask)) }
  }
  if (!refers) return { body: null, resolved: false, found: NOTHING_SOUGHT }
  const marks = issuerMarks(settings, destination)
  return resolveReferences(exchange, parseBody(scanned), scanned, upstream, marks)
}

const named = (nameless: ResolvedRequest['nameless']) => (nameless ? { nameless } : {})

export function unrouted(exchange: Exchange, model: string | undefined): ProblemError {
  // A request without a model is refused in the words of the caller's own dialect.
  if (model === undefined) readCallerRequest(exchange, scanBody(exchange).text)
  return noRoute(model)
}

async function translatePlan(
  exchange: Exchange,
  destination: Destination,
  { body, resolved, keeping, issuers, nameless }: ResolvedRequest,
  scanned: ScannedBody | undefined,
): Promise<TranslatePlan> {
  const { adapter, upstream } = destination
  await roomFor(exchange, scanned)
  await yieldTurn(exchange)
  const read = await withProofs(exchange, readJson(exchange, body), adapter.dialect)
  await yieldTurn(exchange)
  const request = readableProofs(read, exchange.settings, destination, issuers)
  const { previous, ...asked } = request
  if (previous !== undefined && !resolved) throw noHistory(upstream.name)
  const whole = keptOnce(asked, resolved, keeping)
  const { lose, losses } = lossList()
  const cache = cacheOptions(exchange, destination, scanned)
  const known = { body, resolved, nameless, issuers, request: whole, cache }
  const settled = withPlaces(exchange, known, () => {
    if (adapter !== exchange.caller) {
      refuseFileIds(whole)
      refuseUnkept(whole, keepingOf(exchange.caller, adapter))
    }
    const summed = withSummaryTurn(exchange, destination, whole, lose)
    reportForeign(summed.served ?? whole, adapter.dialect, lose)
    return summed
  })
  await yieldTurn(exchange)
  const outgoing = withPlaces(exchange, known, () => {
    const written = outgoingRequest(exchange, destination, { ...known, ...settled }, lose)
    if (exchange.route.operation === 'create' && !settled.summing) refuseToolless(whole, losses)
    return written
  })
  const stream = exchange.route.operation === 'create' && request.stream
  await yieldTurn(exchange)
  exchange.lease.unfold(0)
  return {
    kind: 'translate',
    destination,
    ...(settled.summing && summaryPlan(exchange, destination, cache, settled.summing)),
    requested: request.model,
    stream,
    losses,
    request: repeatable(exchange, isLong(exchange) ? withoutTurns(exchange, request) : request),
    ...(keeping && { keeping: { ...keeping, issuer: ANSWERED + destination.member.name } }),
    ...(outgoing && { sent: addressedTo(upstream, exchange, outgoing, stream) }),
    lastProof: outgoing?.lastProof,
  }
}

/** What a plan has otherwise where its reply is a summary, or begins with one. */
function summaryPlan(
  exchange: Exchange,
  destination: Destination,
  cache: CacheOptions,
  summing: Summing,
): Required<Pick<TranslatePlan, 'destination' | 'summary'>> {
  const { adapter, target, upstream } = destination
  const { writeCountRequest, writeRequest } = adapter.upstream
  const writing = { target, lose: nothingLost, cache }
  const addressed = (outgoing: WrittenRequest, stream: boolean) =>
    addressedTo(upstream, { ...exchange, recall: undefined }, outgoing, stream)
  const isCounting = summing.above !== undefined && target.facts.server?.countTokens !== false
  const count = isCounting ? writeCountRequest(summing.of, writing) : undefined
  const channel: SummaryChannel = { events: [] }
  const summary = {
    ...summing,
    adapter,
    channel,
    write: (turn: Request) => addressed(writeRequest(turn, writing), turn.stream),
    ...(count && { counter: addressed(count, false) }),
  }
  return { summary, destination: { ...destination, adapter: summaryDialect(adapter, channel) } }
}

/** What is kept here the upstream need not keep too: no caller could ask for that copy or delete it. */
const keptOnce = (
  request: Request,
  resolved: boolean,
  keeping: ResolvedRequest['keeping'],
): Request =>
  resolved || (keeping !== undefined && request.store === true)
    ? { ...request, store: false }
    : request

interface Known {
  body: Json
  resolved: boolean
  nameless?: ResolvedRequest['nameless']
  issuers?: ResolvedRequest['issuers']
  request: Request
  cache: CacheOptions
  /** A summary is asked for in words, also of a service of the caller's dialect. */
  summing?: Summing
}

/** A refusal names its place as it stands in the caller's body, unless the place is in an earlier response. */
function withPlaces<Written>(
  exchange: Exchange,
  { body, resolved }: Pick<Known, 'body' | 'resolved'>,
  write: () => Written,
): Written {
  try {
    return remembering(exchange.recall?.isKept === true, write)
  } catch (error) {
    const places = () =>
      resolved || !mayBeSearched(exchange)
        ? undefined
        : exchange.ports.placing?.finder(body, { read: rereader(exchange), write: () => ({}) })
    throw withCallerPath(error, exchange.caller, places)
  }
}

/** Reads a body again, with ids that mean nothing. */
export const rereader =
  (exchange: Exchange) =>
  (body: Json): Request =>
    readJson({ ...exchange, newId: idSource(() => NO_SEED), recall: undefined }, body)

/** Undefined where tokens are to be counted and the server has no counter. */
function outgoingRequest(
  exchange: Exchange,
  destination: Destination,
  known: Known,
  lose: Lose,
): WrittenRequest | undefined {
  const { request, cache } = known
  const { adapter, target } = destination
  const isCount = exchange.route.operation === 'count-tokens'
  if (isCount && target.facts.server?.countTokens === false) return undefined
  if (adapter === exchange.caller && !known.summing)
    return editedRequest(exchange, destination, known, lose)
  const { writeRequest, writeCountRequest } = adapter.upstream
  if (!isCount) return writeRequest(request, { target, lose, cache })
  return writeCountRequest(request, { target, lose: withoutBound(lose), cache })
}

const UNCOUNTED: ReadonlySet<string> = new Set(['limits.maxOutputTokens', 'store'])

/** A counter gives no reply to bound or to keep, so nothing becomes of that. */
const withoutBound =
  (lose: Lose): Lose =>
  (code, path, detail) =>
    UNCOUNTED.has(path) ? undefined : lose(code, path, detail)

/** For places that the upstream names. */
export const placeSearch = (exchange: Exchange, { destination }: Plan): PlaceSearch => ({
  ...exchange,
  edits: destination.adapter === exchange.caller,
  send: (body) => writeAgain(exchange, destination, body).catch(() => undefined),
})

/** What would be sent for another body of the caller. Throws where nothing would be. */
async function writeAgain(
  exchange: Exchange,
  destination: Destination,
  body: JsonObject,
): Promise<JsonObject | undefined> {
  const { adapter } = destination
  const { lose } = lossList()
  if (adapter === exchange.caller)
    return editedRequest(exchange, destination, { body, resolved: false }, lose).body
  const read = rereader(exchange)(body)
  const request = readableProofs(
    await withProofs(exchange, read, adapter.dialect),
    exchange.settings,
    destination,
  )
  const cache = cacheOptions(exchange, destination, undefined)
  return outgoingRequest(exchange, destination, { body, resolved: false, request, cache }, lose)
    ?.body
}

const NO_SEED = '0'.repeat(32)

/** Whether the text stays until the upstream has answered: the answer may name places in it. */
export const mayBeSearched = ({ body, ports }: Exchange): boolean =>
  ports.placing !== undefined && body.size <= LONG_BYTES

/** For an upstream of the caller's own dialect: the body with its references written out. */
function editedRequest(
  { caller, head, permit, settings }: Exchange,
  destination: Destination,
  { body, resolved, nameless, issuers }: Omit<Known, 'request' | 'cache'>,
  lose: Lose,
): WrittenRequest {
  const { facts, model } = destination.target
  const readsProof = proofReader(settings, destination, issuers)
  const usage = permit.counts
  const edits = { model, facts, foreign: true, resolved, readsProof, usage, ...named(nameless) }
  return {
    path: caller.same.path(head, model),
    headers: {},
    body: caller.same.edit(objectIn(body), edits, lose),
  }
}

/** Those that wait look for room so often, since what they wait for is work of this process, and for so long. */
const LOOK_MS = 5
const ROOM_MS = 10_000

/**
 * Waits for room for what a request becomes while it is translated. Each looks for itself: on Workers an exchange may
 * end without another word.
 */
async function roomFor(
  { lease, signal }: Exchange,
  scanned: ScannedBody | undefined,
): Promise<void> {
  const needed = (scanned?.values ?? 0) * VALUE_BYTES
  for (let waited = 0; !lease.unfold(needed); waited += LOOK_MS) {
    if (signal.aborted) throw new ProblemError(CALLER_LEFT)
    if (waited >= ROOM_MS) throw new ProblemError(CROWDED)
    await pause(LOOK_MS)
  }
}

/** Yields before long work, so that other exchanges get their turn; what the work will need is counted before. */
const yieldTurn = async ({ body, lease }: Exchange): Promise<void> => {
  if (lease.size <= LONG_BYTES) return
  lease.work(workOf(body.characters))
  await ownTurn()
}

const isLong = ({ lease }: Exchange): boolean => lease.size > FREE_BYTES

/**
 * What is needed of a request once it is written for the upstream: of its turns their size and the ids of calls, and
 * nothing that would keep the text it was read from. What a session remembers is kept with it in any case.
 */
function withoutTurns({ recall }: Exchange, request: Request): Request {
  const isKept = recall?.isKept === true
  const inputTokens = remembering(isKept, () => estimateTokens(request))
  const left = { ...request, inputTokens, calls: callIds(request), turns: [] }
  return isKept ? left : withoutSlices(left)
}

/** Restores long data in the settings that replies repeat, because marks for it mean nothing there. */
function repeatable({ body }: Exchange, request: Request): Request {
  if (!body.isLifted) return request
  const { system, tools, format } = request
  return {
    ...request,
    system: system.map((block) =>
      block.kind === 'text' ? { ...block, text: body.filled(block.text) } : block,
    ),
    tools: tools.map((tool) =>
      tool.kind === 'function' && tool.schema !== undefined
        ? { ...tool, schema: body.filled(tool.schema) }
        : tool,
    ),
    ...(format?.type === 'json-schema' && {
      format: { ...format, schema: body.filled(format.schema) },
    }),
  }
}

const writtenBytes = ({ body, recall }: Exchange, written: JsonObject): Bytes =>
  recall && !body.isLifted ? recall.written(written) : body.encoded(stringify(written))

function addressedTo(
  upstream: UpstreamSettings,
  exchange: Exchange,
  written: WrittenRequest,
  stream: boolean,
): SentRequest {
  const said = { ...written, body: writtenBytes(exchange, written.body) }
  return addressRequest(said, upstream, { credential: exchange.credential, stream })
}

const noHistory = (upstream: string) =>
  invalid(
    `The upstream '${upstream}' does not keep earlier responses, so it cannot continue one: ` +
      'send the whole conversation in the input instead of previous_response_id, or set state.store.',
    'previous_response_id',
    'previous_response_not_found',
  )

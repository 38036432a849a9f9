import type { Adapter, ServerFacts, Target } from '../../../adapters/contract.ts'
import { estimateTokens } from '../../rules/estimate.ts'
import { withoutSlices } from '../../json/without-slices.ts'
import { objectIn, stringify } from '../../json/json.ts'
import { callIds } from '../../rules/names.ts'
import type { Request } from '../../model/request.ts'
import { nothingLost } from '../../model/loss.ts'
import { remembering } from '../../model/remembered.ts'
import { isGuarded, refuseReferences, findUnnoted } from '../../memory/ownership.ts'
import type { Exchange } from '../exchange.ts'
import { withLearnt } from './learnt.ts'
import { passPlan } from './pass-plan.ts'
import type { Plan, TranslatePlan } from './plan.ts'
import { isSummedHere } from '../compaction/asked.ts'
import { createBody } from '../body.ts'
import { ANSWERED } from '../../memory/records.ts'
import { scanBody, parseBody, readFor } from './read-request.ts'
import type { Glance, ScannedBody } from '../../json/scanned-body.ts'
import { NOTHING_SOUGHT, resolveReferences, type ResolvedRequest } from '../../memory/resolve.ts'
import type { Member } from '../../upstream/members.ts'
import { destinationOf, type Destination } from '../../upstream/route.ts'
import { issuerMarks } from './accounts.ts'
import { isLongRequest, mayBeSearched, roomFor, yieldTurn } from './room.ts'
import { mayRefer, unrouted, type RoutedRequest } from './route.ts'
import { addressedTo, namelessIn, placeSearch, writeFor } from './write-request.ts'

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
    if (!keep && !mayBeSearched(exchange.body, exchange.ports)) exchange.body.leave()
    await roomFor(seen, exchange.lease, exchange.signal)
    await yieldTurn(exchange.body, exchange.lease)
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
    return {
      body: null,
      resolved: false,
      ...namelessIn(await findUnnoted(exchange, memories, ask)),
    }
  }
  if (!refers) return { body: null, resolved: false, found: NOTHING_SOUGHT }
  const marks = issuerMarks(settings, destination)
  return resolveReferences(exchange, parseBody(scanned), scanned, upstream, marks)
}

async function translatePlan(
  exchange: Exchange,
  destination: Destination,
  resolved: ResolvedRequest,
  scanned: ScannedBody | undefined,
): Promise<TranslatePlan> {
  const read = await readFor(exchange, destination, resolved, scanned)
  const { losses, summary, written } = await writeFor(exchange, destination, read)
  const { asked, keeping } = read
  const stream = exchange.route.operation === 'create' && asked.stream
  await yieldTurn(exchange.body, exchange.lease)
  exchange.lease.unfold(0)
  return {
    kind: 'translate',
    destination,
    ...summary,
    requested: asked.model,
    stream,
    losses,
    request: repeatable(
      exchange,
      isLongRequest(exchange.lease) ? withoutTurns(exchange, asked) : asked,
    ),
    ...(keeping && { keeping: { ...keeping, issuer: ANSWERED + destination.member.name } }),
    ...(written && { sent: addressedTo(destination, exchange, written, stream) }),
    lastProof: written?.lastProof,
    places: (at) => placeSearch(exchange, at),
  }
}

/**
 * What is needed of a request once it is written for the upstream: of its turns their size and the ids of calls, and
 * nothing that would keep the text it was read from. What a session remembers is kept with it in any case.
 */
function withoutTurns({ recall }: Exchange, request: Request): Request {
  const isKept = recall?.isKept === true
  const left = remembering(isKept, () => ({
    ...request,
    inputTokens: estimateTokens(request),
    calls: callIds(request),
    turns: [],
  }))
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

import type { AskedRequest, RoutedRequest, ChosenRequest } from '../stages.ts'
import type { Adapter, ServerFacts, Target } from '../../../adapters/contract.ts'
import { estimateTokens } from '../../rules/estimate.ts'
import { withoutSlices } from '../../json/without-slices.ts'
import { objectIn, stringify } from '../../json/json.ts'
import { callIds } from '../../rules/names.ts'
import type { Request } from '../../model/request.ts'
import { nothingLost } from '../../model/loss.ts'
import { remembering } from '../../model/remembered.ts'
import { isGuarded, refuseReferences, findUnnoted } from '../../memory/ownership.ts'
import { withLearnt } from './learnt.ts'
import { passPlan } from './pass-plan.ts'
import type { Plan, TranslatePlan } from './plan.ts'
import { isSummedHere } from '../compaction/asked.ts'
import { Received } from '../received.ts'
import { ANSWERED } from '../../memory/records.ts'
import { scanBody, parseBody, readFor } from './read-request.ts'
import type { TextTest, ScannedBody } from '../../json/scanned-body.ts'
import { NOTHING_SOUGHT, resolveReferences, type ResolvedRequest } from '../../memory/resolve.ts'
import type { Member } from '../../upstream/members.ts'
import { destinationOf, type Destination } from '../../upstream/route.ts'
import { issuerMarks } from './accounts.ts'
import { isLongRequest, mayBeSearched, roomFor, yieldTurn } from './room.ts'
import { mayRefer, unrouted } from './route.ts'
import { addressedTo, namelessIn, placeSearch, writeFor } from './write-request.ts'

/**
 * Plans a request for one member. Throws ProblemError for a request that cannot be carried out. `isRepeatable`: the body
 * stays, because another member may have to be asked.
 */
export async function planFor(
  routed: RoutedRequest,
  member: Member,
  isRepeatable = false,
): Promise<Plan> {
  const { asked, route, model, scanned } = routed
  const found = destinationOf(member, asked.dialects, route, model ?? '')
  if (!found) throw unrouted(asked, model)
  const destination = found.target.facts.server?.betas ? withLearnt(asked, found) : found
  const { upstream, target, adapter } = destination
  asked.journal.note({
    upstream: upstream.name,
    member: member.name,
    upstreamDialect: upstream.dialect,
    route: route.model,
    sentModel: target.model,
  })
  const chosen = { asked, scanned, destination, requested: model ?? '', isRepeatable }
  if (adapter.dialect !== asked.caller.dialect) return foreignPlan(chosen)
  const known = await resolveHere(routed, destination)
  const isServedHere = known !== undefined && target.facts.server?.state === false
  const isSummed = isSummedHere(asked, destination, scanned)
  if (asked.route.compacts && !isSummed) return compactPlan(chosen, known)
  if (known?.resolved || isServedHere) return ownPlan(chosen, known)
  if (!isSummed && !isReadToo(asked, target, scanned)) return passPlan(chosen, known)
  const seen = scanBody(asked, scanned)
  const whole = { body: parseBody(seen.scanned), resolved: false }
  return ownPlan({ ...chosen, asked: seen.asked }, whole)
}

/** For a server of the caller's own dialect that has to be helped. */
async function ownPlan(chosen: ChosenRequest, resolved: ResolvedRequest): Promise<TranslatePlan> {
  const { lease, signal } = chosen.asked
  await roomFor(chosen.scanned, lease, signal)
  return translatePlan(chosen, resolved)
}

/** For an upstream of another dialect. */
async function foreignPlan(chosen: ChosenRequest): Promise<TranslatePlan> {
  const { isRepeatable, destination } = chosen
  const { asked, scanned } = scanBody(chosen.asked, chosen.scanned)
  const { lease, ports, received, settings, signal } = asked
  if (!isRepeatable && !mayBeSearched(received, ports)) received.leave()
  await roomFor(scanned, lease, signal)
  await yieldTurn(received, lease)
  const marks = issuerMarks(settings, destination)
  const known = await resolveReferences(asked, parseBody(scanned), scanned, undefined, marks)
  return translatePlan({ ...chosen, asked, scanned }, known)
}

/** For a service that writes the summary itself: of the conversation as it is, with what is kept here written out. */
function compactPlan(chosen: ChosenRequest, known: ResolvedRequest | undefined): Plan {
  const { asked } = chosen
  const seen = scanBody(known?.resolved ? withoutReferences(asked, known) : asked)
  return passPlan({ ...chosen, ...seen }, known)
}

function withoutReferences(asked: AskedRequest, { body }: ResolvedRequest): AskedRequest {
  const edits = { facts: {}, foreign: true, resolved: true, unkept: true }
  const whole = asked.caller.same.edit(objectIn(body), edits, nothingLost)
  return { ...asked, received: new Received(asked.received.encoded(stringify(whole))) }
}

/**
 * Whether a request in the upstream's own dialect still has to be read: the server names tools differently, or
 * cannot count.
 */
function isReadToo(
  { caller, route }: AskedRequest,
  { facts: { server } }: Target,
  scanned: ScannedBody | undefined,
): boolean {
  if (!server) return false
  if (route.operation === 'count-tokens') return server.countTokens === false
  return scanned?.holds(renamedTest(caller.same, server)) === true
}

const renamings = new WeakMap<ServerFacts, TextTest>()

/** One for each server, so that it is known in what it has found nothing. */
function renamedTest(same: Adapter['same'], server: ServerFacts): TextTest {
  const known = renamings.get(server)
  if (known) return known
  const test: TextTest = (text) => same.isRenamed?.(text, server) === true
  renamings.set(server, test)
  return test
}

/**
 * An upstream of the caller's own dialect has its own memory, so only references that it cannot know are resolved
 * here. For a server without a memory everything is kept here, as for an upstream of another dialect.
 */
async function resolveHere(
  routed: RoutedRequest,
  destination: Destination,
): Promise<ResolvedRequest | undefined> {
  const { asked, scanned } = routed
  const { caller, memories, settings } = asked
  const { upstream } = destination
  const { memory } = caller.caller
  if (!scanned || !memory) return undefined
  const refers = mayRefer(routed)
  if (upstream.server?.state === false) {
    const marks = issuerMarks(settings, destination)
    const known = await resolveReferences(asked, parseBody(scanned), scanned, undefined, marks)
    return known.resolved || known.keeping || refers ? known : undefined
  }
  if (!memories) {
    if (!refers || !isGuarded(asked, upstream)) return undefined
    const ask = memory.asks(parseBody(scanned))
    refuseReferences(memory, ask, upstream)
    return {
      body: null,
      resolved: false,
      ...namelessIn(await findUnnoted(asked, memories, ask)),
    }
  }
  if (!refers) return { body: null, resolved: false, found: NOTHING_SOUGHT }
  const marks = issuerMarks(settings, destination)
  return resolveReferences(asked, parseBody(scanned), scanned, upstream, marks)
}

async function translatePlan(
  chosen: ChosenRequest,
  resolved: ResolvedRequest,
): Promise<TranslatePlan> {
  const read = await readFor(chosen, resolved)
  const { losses, summary, written } = await writeFor(read)
  const { given, keeping } = read
  const { asked, destination, isRepeatable } = chosen
  const { lease, received, recall, route } = asked
  const stream = route.operation === 'create' && given.stream
  await yieldTurn(received, lease)
  lease.unfold(0)
  const isRemembered = recall?.isKept === true
  const needed = isLongRequest(lease) ? withoutTurns(given, isRemembered) : given
  return {
    kind: 'translate',
    destination,
    ...summary,
    route,
    requested: given.model,
    stream,
    isRepeatable,
    isRemembered,
    received,
    losses,
    request: repeatable(received, needed),
    ...(keeping && { keeping: { ...keeping, issuer: ANSWERED + destination.member.name } }),
    sent: written && addressedTo(destination, asked, written, stream),
    lastProof: written?.lastProof,
    places: (at) => placeSearch(asked, at),
  }
}

/**
 * What is needed of a request once it is written for the upstream: of its turns their size and the ids of calls, and
 * nothing that would keep the text it was read from. What a session remembers is kept with it in any case.
 */
function withoutTurns(request: Request, isRemembered: boolean): Request {
  const left = remembering(isRemembered, () => ({
    ...request,
    inputTokens: estimateTokens(request),
    calls: callIds(request),
    turns: [],
  }))
  return isRemembered ? left : withoutSlices(left)
}

/** Restores long data in the settings that replies repeat, because marks for it mean nothing there. */
function repeatable(received: Received, request: Request): Request {
  if (!received.isLifted) return request
  const { system, tools, format } = request
  return {
    ...request,
    system: system.map((block) =>
      block.kind === 'text' ? { ...block, text: received.filled(block.text) } : block,
    ),
    tools: tools.map((tool) =>
      tool.kind === 'function' && tool.schema !== undefined
        ? { ...tool, schema: received.filled(tool.schema) }
        : tool,
    ),
    ...(format?.type === 'json-schema' && {
      format: { ...format, schema: received.filled(format.schema) },
    }),
  }
}

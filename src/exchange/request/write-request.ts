import type { AskedRequest, ReadRequest, ReadBody, Written, SummaryPart } from '../stages.ts'
import { keepingOf, type CacheOptions, type WrittenRequest } from '../../../adapters/contract.ts'
import { objectIn, type JsonObject } from '../../json/json.ts'
import { withProofs } from '../../memory/proofs.ts'
import type { ResolvedRequest } from '../../memory/resolve.ts'
import { lossList, nothingLost, type Lose } from '../../model/loss.ts'
import type { Request } from '../../model/request.ts'
import { remembering } from '../../model/remembered.ts'
import type { PlaceSearch } from '../../ports.ts'
import { refuseFileIds, refuseUnkept, reportForeign } from '../../rules/foreign.ts'
import { refuseToolless } from '../../rules/toolless.ts'
import { addressRequest, type SentRequest } from '../../upstream/request.ts'
import type { Destination } from '../../upstream/route.ts'
import { withSummaryTurn } from '../compaction/asked.ts'
import { summaryDialect } from '../compaction/summary-dialect.ts'
import { proofReader, readableProofs } from './accounts.ts'
import { cacheOptions } from './cache-options.ts'
import { withCallerPath } from './caller-path.ts'
import type { SummaryChannel, Summing } from './plan.ts'
import { rereader } from './read-request.ts'
import { mayBeSearched, yieldTurn } from './room.ts'

/** Writes a request for its upstream. Throws ProblemError for one that the upstream cannot serve. */
export async function writeFor(read: ReadRequest): Promise<Written> {
  const { chosen, request } = read
  const { asked, destination, scanned } = chosen
  const { adapter } = destination
  const { lose, losses } = lossList()
  const cache = cacheOptions(asked, destination, scanned)
  const { summing, ...settled } = withPlaces(asked, read, () => {
    if (adapter !== asked.caller) {
      refuseFileIds(request)
      refuseUnkept(request, keepingOf(asked.caller, adapter))
    }
    const summed = withSummaryTurn(asked, destination, request, lose)
    reportForeign(summed.served ?? request, adapter.dialect, lose)
    return summed
  })
  await yieldTurn(asked.received, asked.lease)
  const written = withPlaces(asked, read, () => {
    const whole = { ...read, ...settled, cache, ...(summing && { summing }) }
    const outgoing = outgoingRequest(asked, destination, whole, lose)
    if (asked.route.operation === 'create' && !summing) refuseToolless(request, losses)
    return outgoing
  })
  const summary = summing && summaryPlan(asked, destination, cache, summing)
  return { losses, written, summary }
}

function summaryPlan(
  asked: AskedRequest,
  destination: Destination,
  cache: CacheOptions,
  summing: Summing,
): SummaryPart {
  const { adapter, target } = destination
  const { writeCountRequest, writeRequest } = adapter.upstream
  const writing = { target, lose: nothingLost, cache }
  const addressed = (outgoing: WrittenRequest, stream: boolean) =>
    addressedTo(destination, { ...asked, recall: undefined }, outgoing, stream)
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

/** A refusal names its place as it stands in the caller's body, unless the place is in an earlier response. */
function withPlaces<Result>(
  asked: AskedRequest,
  { body, resolved }: Pick<ReadBody, 'body' | 'resolved'>,
  write: () => Result,
): Result {
  try {
    return remembering(asked.recall?.isKept === true, write)
  } catch (error) {
    const places = () =>
      resolved || !mayBeSearched(asked.received, asked.ports)
        ? undefined
        : asked.ports.placing?.finder(body, { read: rereader(asked), write: () => ({}) })
    throw withCallerPath(error, asked.caller, places)
  }
}

/** Undefined where tokens are to be counted and the server has no counter. */
function outgoingRequest(
  asked: AskedRequest,
  destination: Destination,
  read: ReadBody & { cache: CacheOptions; summing?: Summing },
  lose: Lose,
): WrittenRequest | undefined {
  const { request, cache } = read
  const { adapter, target } = destination
  const isCount = asked.route.operation === 'count-tokens'
  if (isCount && target.facts.server?.countTokens === false) return undefined
  // A summary is asked for in words, also of a service of the caller's dialect.
  if (adapter === asked.caller && !read.summing)
    return editedRequest(asked, destination, read, lose)
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
export const placeSearch = (asked: AskedRequest, destination: Destination): PlaceSearch => ({
  body: asked.received,
  caller: asked.caller,
  edits: destination.adapter === asked.caller,
  send: (body) => writeAgain(asked, destination, body).catch(() => undefined),
})

/** What would be sent for another body of the caller. Throws where nothing would be. */
async function writeAgain(
  asked: AskedRequest,
  destination: Destination,
  body: JsonObject,
): Promise<JsonObject | undefined> {
  const { adapter } = destination
  const { lose } = lossList()
  if (adapter === asked.caller)
    return editedRequest(asked, destination, { body, resolved: false }, lose).body
  const read = rereader(asked)(body)
  const request = readableProofs(
    await withProofs(asked, read, adapter.dialect),
    asked.settings,
    destination,
  )
  const cache = cacheOptions(asked, destination, undefined)
  return outgoingRequest(asked, destination, { body, resolved: false, request, cache }, lose)?.body
}

/** For an upstream of the caller's own dialect: the body with its references written out. */
function editedRequest(
  { caller, head, permit, settings }: AskedRequest,
  destination: Destination,
  { body, resolved, nameless, issuers }: Omit<ReadBody, 'request'>,
  lose: Lose,
): WrittenRequest {
  const { facts, model } = destination.target
  const readsProof = proofReader(settings, destination, issuers)
  const usage = permit.counts
  const edits = {
    model,
    facts,
    foreign: true,
    resolved,
    readsProof,
    usage,
    ...namelessIn(nameless),
  }
  return {
    path: caller.same.path(head, model),
    headers: {},
    body: caller.same.edit(objectIn(body), edits, lose),
  }
}

export function addressedTo(
  { upstream }: Destination,
  { credential, recall, received }: AskedRequest,
  written: WrittenRequest,
  stream: boolean,
): SentRequest {
  const body = recall?.written(written.body) ?? received.written(written.body)
  const said = { ...written, body }
  return addressRequest(said, upstream, { credential, stream })
}

export const namelessIn = (nameless: ResolvedRequest['nameless']) => (nameless ? { nameless } : {})

import { keepingOf, type CacheOptions, type WrittenRequest } from '../../../adapters/contract.ts'
import type { Bytes } from '../../json/bytes.ts'
import { objectIn, stringify, type JsonObject } from '../../json/json.ts'
import { withProofs } from '../../memory/proofs.ts'
import type { ResolvedRequest } from '../../memory/resolve.ts'
import { lossList, nothingLost, type Lose, type Loss } from '../../model/loss.ts'
import type { Request } from '../../model/request.ts'
import { remembering } from '../../model/remembered.ts'
import type { PlaceSearch } from '../../ports.ts'
import { refuseFileIds, refuseUnkept, reportForeign } from '../../rules/foreign.ts'
import { refuseToolless } from '../../rules/toolless.ts'
import { addressRequest, type SentRequest } from '../../upstream/request.ts'
import type { Destination } from '../../upstream/route.ts'
import { withSummaryTurn, type Summing } from '../compaction/asked.ts'
import { summaryDialect } from '../compaction/summary-dialect.ts'
import type { Exchange } from '../exchange.ts'
import { proofReader, readableProofs } from './accounts.ts'
import { cacheOptions } from './cache-options.ts'
import { withCallerPath } from './caller-path.ts'
import type { SummaryChannel, TranslatePlan } from './plan.ts'
import { rereader, type ReadBody, type ReadRequest } from './read-request.ts'
import { mayBeSearched, yieldTurn } from './room.ts'

/** What is said to an upstream of another dialect, or for a server that has to be helped. */
export interface Written {
  losses: readonly Loss[]
  /** Absent where the upstream has no counter to ask for tokens. */
  written: WrittenRequest | undefined
  /** What a plan has otherwise where its reply is a summary, or begins with one. */
  summary: SummaryPart | undefined
}

type SummaryPart = Required<Pick<TranslatePlan, 'destination' | 'summary'>>

/** Writes a request for its upstream. Throws ProblemError for one that the upstream cannot serve. */
export async function writeFor(
  exchange: Exchange,
  destination: Destination,
  read: ReadRequest,
): Promise<Written> {
  const { adapter } = destination
  const { request, scanned } = read
  const { lose, losses } = lossList()
  const cache = cacheOptions(exchange, destination, scanned)
  const { summing, ...settled } = withPlaces(exchange, read, () => {
    if (adapter !== exchange.caller) {
      refuseFileIds(request)
      refuseUnkept(request, keepingOf(exchange.caller, adapter))
    }
    const summed = withSummaryTurn(exchange, destination, request, lose)
    reportForeign(summed.served ?? request, adapter.dialect, lose)
    return summed
  })
  await yieldTurn(exchange.body, exchange.lease)
  const written = withPlaces(exchange, read, () => {
    const whole = { ...read, ...settled, cache, ...(summing && { summing }) }
    const outgoing = outgoingRequest(exchange, destination, whole, lose)
    if (exchange.route.operation === 'create' && !summing) refuseToolless(request, losses)
    return outgoing
  })
  const summary = summing && summaryPlan(exchange, destination, cache, summing)
  return { losses, written, summary }
}

function summaryPlan(
  exchange: Exchange,
  destination: Destination,
  cache: CacheOptions,
  summing: Summing,
): SummaryPart {
  const { adapter, target } = destination
  const { writeCountRequest, writeRequest } = adapter.upstream
  const writing = { target, lose: nothingLost, cache }
  const addressed = (outgoing: WrittenRequest, stream: boolean) =>
    addressedTo(destination, { ...exchange, recall: undefined }, outgoing, stream)
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
function withPlaces<Written>(
  exchange: Exchange,
  { body, resolved }: Pick<ReadBody, 'body' | 'resolved'>,
  write: () => Written,
): Written {
  try {
    return remembering(exchange.recall?.isKept === true, write)
  } catch (error) {
    const places = () =>
      resolved || !mayBeSearched(exchange.body, exchange.ports)
        ? undefined
        : exchange.ports.placing?.finder(body, { read: rereader(exchange), write: () => ({}) })
    throw withCallerPath(error, exchange.caller, places)
  }
}

/** Undefined where tokens are to be counted and the server has no counter. */
function outgoingRequest(
  exchange: Exchange,
  destination: Destination,
  read: ReadBody & { cache: CacheOptions; summing?: Summing },
  lose: Lose,
): WrittenRequest | undefined {
  const { request, cache } = read
  const { adapter, target } = destination
  const isCount = exchange.route.operation === 'count-tokens'
  if (isCount && target.facts.server?.countTokens === false) return undefined
  // A summary is asked for in words, also of a service of the caller's dialect.
  if (adapter === exchange.caller && !read.summing)
    return editedRequest(exchange, destination, read, lose)
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
export const placeSearch = (exchange: Exchange, destination: Destination): PlaceSearch => ({
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

/** For an upstream of the caller's own dialect: the body with its references written out. */
function editedRequest(
  { caller, head, permit, settings }: Exchange,
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

const writtenBytes = ({ body, recall }: Exchange, written: JsonObject): Bytes =>
  recall && !body.isLifted ? recall.written(written) : body.encoded(stringify(written))

export function addressedTo(
  { upstream }: Destination,
  exchange: Exchange,
  written: WrittenRequest,
  stream: boolean,
): SentRequest {
  const said = { ...written, body: writtenBytes(exchange, written.body) }
  return addressRequest(said, upstream, { credential: exchange.credential, stream })
}

export const namelessIn = (nameless: ResolvedRequest['nameless']) => (nameless ? { nameless } : {})

import type { Outgoing } from '../../adapters/adapter.ts'
import { estimateTokens } from '../canonical/estimate.ts'
import { refuseFileIds, reportForeign } from '../canonical/foreign.ts'
import { stringify } from '../canonical/json.ts'
import { lossList, type Loss } from '../canonical/loss.ts'
import type { Request } from '../canonical/model.ts'
import { invalid, ProblemError } from '../canonical/problem.ts'
import { FREE_BYTES } from './budget.ts'
import { LONG_BYTES } from './bytes.ts'
import { isShared, refuseReferences } from './claims.ts'
import type { Exchange } from './exchange.ts'
import { addressed, type Addressed, type Parcel } from './outgoing.ts'
import { passPlan } from './pass-plan.ts'
import { withProofs } from './proofs.ts'
import { lookedOver, memberOf, parsedLooked, readJson, readRequest, type Looked } from './read.ts'
import { NOTHING_SOUGHT, remembered, type Found, type Keeping, type Remembered } from './recall.ts'
import { destinationOf, type Destination } from './route.ts'
import type { UpstreamSettings } from './settings.ts'
import { ownTurn } from './time.ts'

/** What will be done with a request: everything that is known before anything is sent. */
export type Plan = PassPlan | TranslatePlan

interface CommonPlan {
  destination: Destination
  /** The model's name as the caller sent it. */
  requested: string
  /** What the caller wants; the upstream is asked for the same. */
  stream: boolean
  losses: readonly Loss[]
}
/** Both sides speak the same dialect: the bytes pass. */
export interface PassPlan extends CommonPlan {
  kind: 'pass'
  /** The body as it came, where it was looked into. */
  looked?: Looked
  /** What it refers to, as far as that is kept here too. */
  found?: Found | undefined
  sent: Addressed
}
export interface TranslatePlan extends CommonPlan {
  kind: 'translate'
  request: Request
  keeping?: Keeping
  /** Absent when the upstream has nothing that could be asked (it cannot count tokens). */
  sent?: Addressed
}

/** Throws ProblemError for whatever cannot be done. */
export async function planOf(exchange: Exchange): Promise<Plan> {
  const { route, caller } = exchange
  // A model that the path names needs no look into the body.
  const looked = route.model === undefined ? lookedOver(exchange) : undefined
  const named = route.model ?? memberOf(looked, caller.passthrough.modelMember.request)
  const model = typeof named === 'string' ? named : undefined
  exchange.journal.note({ model: model ?? '' })
  const destination = destinationOf(exchange.settings, exchange.dialects, model ?? '')
  if (!destination) throw unrouted(exchange, model)
  const { upstream, target, adapter } = destination
  exchange.journal.note({
    upstream: upstream.name,
    upstreamDialect: upstream.dialect,
    route: destination.route.model,
    sentModel: target.model,
  })
  if (adapter.dialect !== caller.dialect) {
    const seen = looked ?? lookedOver(exchange)
    exchange.body.leave()
    await breath(exchange)
    const known = await remembered(exchange, parsedLooked(seen), seen)
    return translatePlan(exchange, destination, known)
  }
  const known = await rememberedHere(exchange, looked, upstream)
  return known?.resolved
    ? translatePlan(exchange, destination, known)
    : passPlan(exchange, { destination, requested: model ?? '' }, looked, known?.found)
}

/** An upstream of the caller's own dialect has its own memory: here counts only what it cannot know. */
async function rememberedHere(
  exchange: Exchange,
  looked: Looked | undefined,
  upstream: UpstreamSettings,
): Promise<Remembered | undefined> {
  const { caller, memories } = exchange
  const { memory } = caller.caller
  if (!looked || !memory) return undefined
  const mayRefer = memory.mayRefer(looked.text)
  if (!memories) {
    if (mayRefer && isShared(exchange, upstream))
      refuseReferences(memory, parsedLooked(looked), upstream)
    return undefined
  }
  if (!mayRefer) return { body: null, resolved: false, found: NOTHING_SOUGHT }
  return remembered(exchange, parsedLooked(looked), looked, upstream)
}

function unrouted(exchange: Exchange, model: string | undefined): ProblemError {
  // Without a model the caller's own dialect says best what is missing.
  if (model === undefined) readRequest(exchange, lookedOver(exchange).text)
  return new ProblemError({
    kind: 'not-found',
    message: `No route leads to the model '${model ?? ''}'.`,
    code: 'model_not_found',
    param: 'model',
  })
}

async function translatePlan(
  exchange: Exchange,
  destination: Destination,
  { body, resolved, keeping }: Remembered,
): Promise<TranslatePlan> {
  const { adapter, target, upstream } = destination
  await breath(exchange)
  const request = await withProofs(exchange, readJson(exchange, body), adapter.dialect)
  const { previous, ...asked } = request
  if (previous !== undefined && !resolved) throw noHistory(upstream.name)
  // What is kept here need not be kept a second time, where no caller could ask for it or delete it.
  const whole = resolved ? { ...asked, store: false } : asked
  const { lose, losses } = lossList()
  if (adapter !== exchange.caller) refuseFileIds(whole)
  reportForeign(whole, adapter.dialect, lose)
  const context = { target, lose }
  const outgoing =
    exchange.route.operation === 'create'
      ? adapter.upstream.writeRequest(whole, context)
      : adapter.upstream.writeCountRequest(whole, context)
  const stream = exchange.route.operation === 'create' && request.stream
  await breath(exchange)
  return {
    kind: 'translate',
    destination,
    requested: request.model,
    stream,
    losses,
    request: isLong(exchange) ? withoutTurns(request) : request,
    ...(keeping && { keeping }),
    ...(outgoing && {
      sent: addressed(parcelOf(exchange, outgoing, stream), upstream, exchange.credential),
    }),
  }
}

/** What takes long is done bit by bit, so that others come in between. */
const breath = async ({ lease }: Exchange): Promise<void> => {
  if (lease.size > LONG_BYTES) await ownTurn()
}

const isLong = ({ lease }: Exchange): boolean => lease.size > FREE_BYTES

/** Once it is written for the upstream, of a long conversation nobody asks for more than how long it was. */
const withoutTurns = (request: Request): Request => ({
  ...request,
  inputTokens: estimateTokens(request),
  turns: [],
})

const parcelOf = ({ body }: Exchange, outgoing: Outgoing, stream: boolean): Parcel => ({
  path: outgoing.path,
  query: outgoing.query === undefined ? [] : [...new URLSearchParams(outgoing.query)],
  headers: outgoing.headers,
  body: body.encoded(stringify(outgoing.body)),
  stream,
})

const noHistory = (upstream: string) =>
  invalid(
    `The upstream '${upstream}' does not keep earlier responses, so it cannot continue one: ` +
      'send the whole conversation in the input instead of previous_response_id.',
    'previous_response_id',
    'previous_response_not_found',
  )

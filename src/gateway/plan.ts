import type { Outgoing } from '../../adapters/adapter.ts'
import { reportForeign } from '../canonical/foreign.ts'
import { parse, stringify, type Json } from '../canonical/json.ts'
import { lossList, type Loss } from '../canonical/loss.ts'
import type { Request } from '../canonical/model.ts'
import { invalid, ProblemError } from '../canonical/problem.ts'
import type { Exchange } from './exchange.ts'
import { addressed, type Addressed, type Parcel } from './outgoing.ts'
import { destinationOf, type Destination } from './route.ts'
import { checkStructure, scalarAt, slicesAt, spliceStrings } from './scan.ts'

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
  sent: Addressed
}
export interface TranslatePlan extends CommonPlan {
  kind: 'translate'
  request: Request
  /** Absent when the upstream has nothing that could be asked (it cannot count tokens). */
  sent?: Addressed
}

/** Throws ProblemError for whatever cannot be done. */
export function planOf(exchange: Exchange, body: Uint8Array): Plan {
  const { route, caller } = exchange
  // A model that the path names needs no look into the body.
  const text = route.model === undefined ? checkedText(exchange, body) : undefined
  const model = route.model ?? stringMember(text, caller.passthrough.modelMember.request)
  exchange.journal.note({ model: model ?? '' })
  const destination = destinationOf(exchange.settings, exchange.dialects, model ?? '')
  if (!destination) throw unrouted(exchange, body, model)
  const { upstream, target, adapter } = destination
  exchange.journal.note({
    upstream: upstream.name,
    upstreamDialect: upstream.dialect,
    route: destination.route.model,
    sentModel: target.model,
  })
  return adapter.dialect === caller.dialect
    ? passPlan(exchange, { destination, requested: model ?? '' }, body, text)
    : translatePlan(exchange, destination, text ?? checkedText(exchange, body))
}

function unrouted(exchange: Exchange, body: Uint8Array, model: string | undefined): ProblemError {
  // Without a model the caller's own dialect says best what is missing.
  if (model === undefined) readRequest(exchange, checkedText(exchange, body))
  return new ProblemError({
    kind: 'not-found',
    message: `No route leads to the model '${model ?? ''}'.`,
    code: 'model_not_found',
    param: 'model',
  })
}

const STRICT = new TextDecoder('utf-8', { fatal: true })

/** The body as text: well-formed, and of a shape that can be parsed without harm. */
export function checkedText(exchange: Exchange, body: Uint8Array): string {
  let text: string
  try {
    text = STRICT.decode(body)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
  checkStructure(text, exchange.settings.limits)
  return text
}

/** The parser's own message quotes the body, so it is not passed on. */
function parsed(text: string, paths?: Parameters<typeof parse>[1]): Json {
  try {
    return parse(text, paths)
  } catch {
    throw invalid('The body is not valid JSON.')
  }
}

function stringMember(text: string | undefined, member: string | undefined): string | undefined {
  const value = text !== undefined && member !== undefined ? scalarAt(text, [member]) : undefined
  return typeof value === 'string' ? value : undefined
}

export function readRequest(exchange: Exchange, text: string): Request {
  const { caller, route, headers, newId } = exchange
  return caller.caller.readRequest(parsed(text, caller.caller.verbatim), { route, headers, newId })
}

function passPlan(
  exchange: Exchange,
  { destination, requested }: Pick<PassPlan, 'destination' | 'requested'>,
  body: Uint8Array,
  text: string | undefined,
): PassPlan {
  const { caller, incoming, route } = exchange
  const { aliased, target, upstream } = destination
  if (text !== undefined) parsed(text)
  const stream = route.stream ?? (text !== undefined && scalarAt(text, ['stream']) === true)
  const parcel: Parcel = {
    path: caller.passthrough.path(incoming, aliased ? target.model : undefined),
    query: passedQuery(exchange),
    headers: passedHeaders(exchange),
    body: aliased && text !== undefined ? renamed(exchange, text, target.model) : body,
    stream,
  }
  const sent = addressed(parcel, upstream, exchange.credential)
  return { kind: 'pass', destination, requested, stream, losses: [], sent }
}

/** The body with another model in it and not a byte changed besides. */
function renamed({ caller }: Exchange, text: string, model: string): Uint8Array {
  const member = caller.passthrough.modelMember.request
  const spliced = member === undefined ? text : spliceStrings(text, slicesAt(text, [member]), model)
  return new TextEncoder().encode(spliced)
}

const QUERY_VALUE = /^[\w.-]{1,64}$/

function passedQuery({ caller, incoming }: Exchange): [string, string][] {
  return caller.passthrough.query.flatMap((name): [string, string][] => {
    const value = incoming.query.get(name)
    return value !== null && QUERY_VALUE.test(value) ? [[name, value]] : []
  })
}

function passedHeaders({ caller, headers }: Exchange): Record<string, string> {
  const { twins = [], headers: names } = caller.passthrough
  const passed = new Map<string, string>()
  const pass = (name: string, value: string | null) => {
    if (value !== null && !passed.has(name)) passed.set(name, value)
  }
  for (const name of names) pass(name, headers.get(name))
  for (const [one, other] of twins) {
    pass(one, passed.get(other) ?? null)
    pass(other, passed.get(one) ?? null)
  }
  return Object.fromEntries(passed)
}

function translatePlan(exchange: Exchange, destination: Destination, text: string): TranslatePlan {
  const request = readRequest(exchange, text)
  const { adapter, target, upstream } = destination
  if (request.previous !== undefined) throw noHistory(upstream.name)
  const { lose, losses } = lossList()
  reportForeign(request, adapter.dialect, lose)
  const context = { target, lose }
  const outgoing =
    exchange.route.operation === 'create'
      ? adapter.upstream.writeRequest(request, context)
      : adapter.upstream.writeCountRequest(request, context)
  const stream = exchange.route.operation === 'create' && request.stream
  return {
    kind: 'translate',
    destination,
    requested: request.model,
    stream,
    losses,
    request,
    ...(outgoing && {
      sent: addressed(parcelOf(outgoing, stream), upstream, exchange.credential),
    }),
  }
}

const parcelOf = (outgoing: Outgoing, stream: boolean): Parcel => ({
  path: outgoing.path,
  query: [...new URLSearchParams(outgoing.query ?? '')],
  headers: outgoing.headers,
  body: new TextEncoder().encode(stringify(outgoing.body)),
  stream,
})

const noHistory = (upstream: string) =>
  invalid(
    `The upstream '${upstream}' does not keep earlier responses, so it cannot continue one: ` +
      'send the whole conversation in the input instead of previous_response_id.',
    'previous_response_id',
    'previous_response_not_found',
  )

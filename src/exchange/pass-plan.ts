import type { Target } from '../../adapters/contract.ts'
import { stringify } from '../json/json.ts'
import { lossList, type Loss } from '../model/loss.ts'
import type { Request } from '../model/request.ts'
import { mayHoldEnvelope } from '../model/proof.ts'
import type { Bytes } from '../json/bytes.ts'
import type { Exchange } from './exchange.ts'
import { addressRequest, type UnaddressedRequest } from '../upstream/request.ts'
import { pickNamed } from '../upstream/header-subset.ts'
import type { PassPlan } from './plan.ts'
import { readRequest } from './read-request.ts'
import { memberOf, type ScannedBody } from '../json/scanned-body.ts'
import type { Found } from '../memory/resolve.ts'
import { slicesAt, spliceStrings } from '../json/slices.ts'

type Addressee = Pick<PassPlan, 'destination' | 'requested'>

/** `looked`: the body, where it had to be looked into; `found`: what it refers to. */
export function passPlan(
  exchange: Exchange,
  { destination, requested }: Addressee,
  scanned: ScannedBody | undefined,
  found?: Found,
): PassPlan {
  const { body, caller, head, route } = exchange
  const { aliased, target, upstream } = destination
  const isStream = () => route.stream ?? memberOf(scanned, 'stream') === true
  const stream = route.operation === 'create' && isStream()
  const changed = withoutForeign(exchange, destination) ?? adapted(exchange, destination)
  const unaddressed: UnaddressedRequest = {
    path: caller.passthrough.path(head, aliased ? target.model : undefined),
    query: pickNamed(head.query, caller.passthrough.query, QUERY_VALUE),
    headers: passedHeaders(exchange),
    body:
      changed?.body ??
      (aliased && scanned ? renamed(exchange, scanned.text, target.model) : body.bytes),
    stream,
  }
  const sent = addressRequest(unaddressed, upstream, exchange.credential)
  const { losses = [] } = changed ?? {}
  const plan: PassPlan = { kind: 'pass', destination, requested, stream, losses, sent }
  return scanned ? { ...plan, scanned, found } : plan
}

interface Rewritten {
  text: string
  losses: readonly Loss[]
}
interface Changed extends Omit<Rewritten, 'text'> {
  body: Bytes
}

/**
 * A conversation that began with an upstream of another dialect holds that one's proofs, wrapped for the
 * caller, and ids that were made here. The upstream that it goes on with would refuse all of it for them, so
 * here the body is written anew, by the dialect's own adapter; undefined where there is nothing of the kind.
 */
function withoutForeign(
  exchange: Exchange,
  destination: PassPlan['destination'],
): Changed | undefined {
  const text = bodyText(exchange)
  if (text === undefined) return undefined
  const anew = () =>
    changedTo(
      exchange,
      rewritten(exchange, destination, readRequest(exchange, text), destination.target),
    )
  if (mayHoldEnvelope(text)) return anew()
  return exchange.caller.passthrough.mayHoldMinted?.(text) ? attempted(anew) : undefined
}

/** What is wrong with a body the upstream will say. */
function attempted(anew: () => Changed | undefined): Changed | undefined {
  try {
    return anew()
  } catch {
    return undefined
  }
}

/** A body that is no text passes like any other: what is wrong with it the upstream will say. */
function bodyText({ body }: Exchange): string | undefined {
  try {
    return body.text
  } catch {
    return undefined
  }
}

/**
 * What the configuration knows of a model holds for callers of its own dialect too: the body is written anew
 * where that makes a difference, and only there.
 */
function adapted(exchange: Exchange, destination: PassPlan['destination']): Changed | undefined {
  const { target } = destination
  const { contextWindow: _, ...facts } = target.facts
  if (Object.keys(facts).length === 0) return undefined
  return attempted(() => {
    const request = readRequest(exchange, exchange.body.text)
    const plain = rewritten(exchange, destination, request, { ...target, facts: {} })
    const fitting = rewritten(exchange, destination, request, target)
    return fitting?.text === plain?.text ? undefined : changedTo(exchange, fitting)
  })
}

function rewritten(
  { route }: Exchange,
  { adapter: { upstream } }: PassPlan['destination'],
  request: Request,
  target: Target,
): Rewritten | undefined {
  const { lose, losses } = lossList()
  const outgoing =
    route.operation === 'create'
      ? upstream.writeRequest(request, { target, lose })
      : upstream.writeCountRequest(request, { target, lose })
  return outgoing && { text: stringify(outgoing.body), losses }
}

const changedTo = ({ body }: Exchange, written: Rewritten | undefined): Changed | undefined =>
  written && { body: body.encoded(written.text), losses: written.losses }

/** The body with another model in it and not a byte changed besides. */
function renamed({ body, caller }: Exchange, text: string, model: string): Bytes {
  const member = caller.passthrough.modelMember.request
  const spliced = member === undefined ? text : spliceStrings(text, slicesAt(text, [member]), model)
  return body.encoded(spliced)
}

const QUERY_VALUE = /^[\w.-]{1,64}$/

function passedHeaders({ caller, headers }: Exchange): Record<string, string> {
  const { twins = [], headers: names } = caller.passthrough
  caller.passthrough.demand?.(headers)
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

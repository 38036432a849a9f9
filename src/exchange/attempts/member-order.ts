import type { AskedRequest, RoutedRequest, SessionPart } from '../stages.ts'
import { mayHoldEnvelope } from '../../model/proof.ts'
import { findIssuer, isIssuer } from '../../memory/ownership.ts'
import { ANSWERED } from '../../memory/records.ts'
import type { FailoverSettings, RouteSettings, Settings } from '../../config/settings.ts'
import type { SessionPlace } from '../../upstream/sessions.ts'
import { accountFirst, fittingFirst } from '../../upstream/choice.ts'
import { failoverOf, isMixed, type Member } from '../../upstream/members.ts'
import { sentModel, windowAt } from '../../upstream/route.ts'
import { accountIn, hasProofs } from '../request/accounts.ts'
import { mayRefer } from '../request/route.ts'
import { parseBody } from '../request/read-request.ts'
import { sessionPart } from '../request/session.ts'
import { lazyRequest, roughTokens } from '../request/route-conditions.ts'

/** The order in which a route's members are asked for a request. */
export interface MemberOrder {
  /** All members that may serve the request, the first to be asked in front. `isHop`: the first one has failed. */
  members(isHop: boolean): readonly Member[]
  /** Binds the session to the member that has served it. */
  bind(member: Member): void
}

export function memberOrder(
  routed: RoutedRequest,
  members: readonly Member[],
): MemberOrder | Promise<MemberOrder> {
  const order = (stored?: Member) => new SessionOrder(routed, members, stored)
  const isKept = routed.asked.memories !== undefined && mayRefer(routed)
  return isKept ? findStored(routed, members).then(order) : order()
}

class SessionOrder implements MemberOrder {
  readonly #asked: AskedRequest
  readonly #routed: RoutedRequest
  readonly #failover: FailoverSettings
  readonly #part: SessionPart | undefined
  readonly #isMixed: boolean
  /** The account whose proofs the request is known to hold. */
  readonly #account: string | undefined
  readonly #members: readonly Member[]
  #owner: string | undefined

  /** `stored`: the member that gave the reply to which the request refers. */
  constructor(routed: RoutedRequest, members: readonly Member[], stored: Member | undefined) {
    const { asked, route, model } = routed
    this.#asked = asked
    this.#routed = routed
    this.#failover = failoverOf(asked.settings, route)
    this.#part = partOf(routed)
    this.#isMixed = isMixed(members)
    const bound = stored ? undefined : this.#bound(members)
    const account = stored?.account ?? bound?.account ?? this.#marked(members)
    const member = stored?.name ?? bound?.member
    const session = route.pick === 'weighted' ? this.#part?.session.hash : undefined
    const preferred = { member, account }
    const chosen = asked.pools.order({ route, members, session, preferred, asker: asked })
    // Members with a window that is too small come last, and not out: there may be no other.
    const tokens = roughTokens(asked)
    this.#members = fittingFirst(chosen, (each) => (windowAt(each, model) ?? Infinity) >= tokens)
    this.#account = account
  }

  members(isHop: boolean): readonly Member[] {
    const own = this.#ownerNow(isHop)
    if (own === undefined) return this.#members
    return this.#failover.sticky === 'strict'
      ? this.#members.filter((each) => each.account === own)
      : accountFirst(this.#members, own)
  }

  bind({ name: member, account }: Member): void {
    const { pools, route, ports } = this.#asked
    const { sticky, stickySeconds } = this.#failover
    if (!this.#part || sticky === 'off' || route.operation !== 'create') return
    const { session, own, isMain } = this.#part
    const place = { route: this.#routed.route, member, account }
    const until = ports.now() + stickySeconds * 1000
    pools.sessions.kept(session).bind(own, isMain, place, until)
  }

  #bound(members: readonly Member[]): SessionPlace | undefined {
    if (!this.#part || this.#failover.sticky === 'off') return undefined
    const { session, own } = this.#part
    const now = this.#asked.ports.now()
    const isHere = (place: SessionPlace | undefined) =>
      members.some(({ account }) => account === place?.account) ? place : undefined
    return isHere(session.placeOf(own, now)) ?? isHere(session.placeOf(undefined, now))
  }

  /** The account that the proofs in the conversation are marked with. */
  #marked(members: readonly Member[]): string | undefined {
    const { scanned } = this.#routed
    if (!this.#isMixed) return undefined
    const mayHold = scanned?.holds(mayHoldEnvelope) ?? mayHoldEnvelope(this.#asked.received.text)
    if (!mayHold) return undefined
    return accountIn(lazyRequest(this.#asked)(), members)
  }

  /** The owner of proofs without a mark: the member that would be asked first. */
  #ownerNow(isHop: boolean): string | undefined {
    const [first] = this.#members
    if (this.#account !== undefined || !this.#isMixed || !first) return this.#account
    if (isHop || this.#isOut(first))
      this.#owner ??= hasProofs(lazyRequest(this.#asked)()) ? first.account : ''
    return this.#owner || undefined
  }

  #isOut(member: Member): boolean {
    const { pools, ports } = this.#asked
    const model = sentModel(member, this.#routed.model)
    return pools.until(member, this.#asked, model) > ports.now()
  }
}

function partOf(routed: RoutedRequest): SessionPart | undefined {
  routed.part ??= sessionPart(routed.asked, routed.scanned, routed.model) ?? false
  return routed.part || undefined
}

/** The member that keeps the reply to which a request refers, or that gave it and shall be asked on. */
async function findStored(
  { asked, scanned, route }: RoutedRequest,
  members: readonly Member[],
): Promise<Member | undefined> {
  const { memory } = asked.caller.caller
  if (!memory || !asked.memories || !scanned) return undefined
  const { previous, references, claims = [], spoken = [] } = memory.asks(parseBody(scanned))
  const id = previous ?? references[0] ?? claims[0] ?? spoken[0]
  if (id === undefined) return undefined
  const issuer = await findIssuer(asked, asked.memories, id).catch(() => undefined)
  const isSticky = failoverOf(asked.settings, route).sticky !== 'off'
  const name = isSticky ? issuer?.replace(ANSWERED, '') : issuer
  return members.find((member) => isIssuer(member.upstream, name))
}

/** Whether any route chooses by the class or the length of a request. */
export const hasClasses = ({ settings }: Pick<AskedRequest, 'settings'>): boolean =>
  settings.routes.some((route) => route.class ?? route.minInputTokens)

/**
 * The route on which the conversation began, where the request holds proofs: its class may change from turn to turn,
 * but the proofs are of use only where they were made. A request that the client itself names as another part of its
 * session is another conversation.
 */
export function sessionRoute(routed: RoutedRequest): RouteSettings {
  const { asked } = routed
  const part = partOf(routed)
  const now = asked.ports.now()
  const bound = part?.isMain ? part.session.placeOf(part.own, now)?.route : undefined
  const preferred = bound && bound !== routed.route ? sameRoute(asked.settings, bound) : undefined
  return preferred && preferred !== routed.route && hasProofs(lazyRequest(asked)())
    ? preferred
    : routed.route
}

/** The route as it is configured now: a reload makes the same ones anew. */
function sameRoute({ routes }: Settings, route: RouteSettings): RouteSettings | undefined {
  if (routes.includes(route)) return route
  const text = JSON.stringify(route)
  return routes.find((other) => JSON.stringify(other) === text)
}

import { mayHoldEnvelope } from '../model/proof.ts'
import { originOf } from '../memory/ownership.ts'
import { parseScanned } from '../json/scanned-body.ts'
import type { RouteSettings } from '../config/settings.ts'
import type { Binding, Pools } from '../upstream/pools.ts'
import { failoverOf, isOrigin, type Member } from '../upstream/members.ts'
import { sentModel, windowAt } from '../upstream/route.ts'
import { accountIn, hasProofs } from './accounts.ts'
import type { Exchange } from './exchange.ts'
import type { SightedRequest } from './planner.ts'
import { sessionOf } from './session.ts'
import { lazyRequest, toldClass } from './traits.ts'

/** Where a request belongs among the members of its route. */
export interface Home {
  /** All that may serve it, the one to be asked first in front. `isHop`: the first one has failed. */
  order(isHop: boolean): readonly Member[]
  /** It was served there, and goes on there. */
  bind(member: Member): void
}

interface Keys {
  /** The session, as far as it is about the same. */
  own: string
  /** The session; what has no place of its own goes where that is. */
  main: string
  isMain: boolean
}

function keysOf(exchange: Exchange, sighted: SightedRequest): Keys | undefined {
  const session = sessionOf(exchange, sighted.scanned)
  if (session === undefined) return undefined
  exchange.journal.note({ session })
  const told = toldClass(exchange) ?? 'main'
  return { own: `${session} ${told} ${sighted.model}`, main: session, isMain: told === 'main' }
}

export async function findHome(
  exchange: Exchange,
  sighted: SightedRequest,
  members: readonly Member[],
): Promise<Home> {
  const { route } = sighted
  const { pools, settings } = exchange
  const { sticky, stickySeconds } = failoverOf(settings, route)
  const keys = keysOf(exchange, sighted)
  const bound = sticky === 'off' ? undefined : boundIn(pools, keys, members)
  const stored = await storedAt(exchange, sighted, members)
  const request = lazyRequest(exchange)
  const isMixed = members.some(({ account }) => account !== members[0]?.account)
  const marked = () =>
    isMixed && mayHoldEnvelope(exchange.body.text) ? accountIn(request(), members) : undefined
  const account = stored?.account ?? bound?.account ?? marked()
  const name = stored?.name ?? bound?.member
  const chosen = pools.order({
    route,
    members,
    session: keys?.main,
    home: { member: name, account },
  })
  const roomy = roomyFirst(chosen, exchange.body.size / BYTES_PER_TOKEN, sighted.model)
  const isOut = (member: Member): boolean =>
    pools.until(member, sentModel(member, sighted.model)) > exchange.ports.now()
  let proven: string | undefined
  /** Proofs without a mark are taken for those of the member that would be asked first. */
  const owner = (isHop: boolean): string | undefined => {
    const [first] = roomy
    if (account !== undefined || !isMixed || !first) return account
    if (isHop || isOut(first)) proven ??= hasProofs(request()) ? first.account : ''
    return proven || undefined
  }
  return {
    order(isHop) {
      const own = owner(isHop)
      if (own === undefined) return roomy
      const near = roomy.filter((member) => member.account === own)
      if (sticky === 'strict') return near
      return [...near, ...roomy.filter((member) => member.account !== own)]
    },
    bind(member) {
      if (!keys || sticky === 'off' || exchange.route.operation !== 'create') return
      const binding = { route, member: member.name, account: member.account }
      pools.bind(keys.own, binding, stickySeconds)
      if (keys.isMain) pools.bind(keys.main, binding, stickySeconds)
    },
  }
}

const BYTES_PER_TOKEN = 4

function boundIn(
  pools: Pools,
  keys: Keys | undefined,
  members: readonly Member[],
): Binding | undefined {
  if (!keys) return undefined
  const isHere = (binding: Binding | undefined) =>
    members.some(({ account }) => account === binding?.account) ? binding : undefined
  return isHere(pools.bindingOf(keys.own)) ?? isHere(pools.bindingOf(keys.main))
}

/** The member that keeps the reply to which a request refers. */
async function storedAt(
  exchange: Exchange,
  { scanned }: SightedRequest,
  members: readonly Member[],
): Promise<Member | undefined> {
  const { memory } = exchange.caller.caller
  if (!memory || !exchange.memories || !scanned || !memory.mayRefer(scanned.text)) return undefined
  const { previous, references } = memory.asks(parseScanned(scanned))
  const id = previous ?? references[0]
  if (id === undefined) return undefined
  const origin = await originOf(exchange, exchange.memories, id).catch(() => undefined)
  return members.find((member) => isOrigin(member, origin))
}

/** Those whose window is known to be too small come last: they may be all there is. */
function roomyFirst(
  members: readonly Member[],
  tokens: number,
  model: string | undefined,
): Member[] {
  const isRoomy = (member: Member) => (windowAt(member, model) ?? Infinity) >= tokens
  return [...members.filter(isRoomy), ...members.filter((member) => !isRoomy(member))]
}

/** Whether any route wants to know what requests are for. */
export const hasClasses = ({ settings }: Pick<Exchange, 'settings'>): boolean =>
  settings.routes.some((route) => route.class ?? route.minInputTokens)

/**
 * The route of a conversation that has begun elsewhere: what a request is for may change with what it says, and the
 * proofs in it are of use nowhere else. What a client itself names otherwise is another conversation.
 */
export function homeRoute(exchange: Exchange, sighted: SightedRequest): RouteSettings {
  const keys = keysOf(exchange, sighted)
  const bound = keys?.isMain ? exchange.pools.bindingOf(keys.own)?.route : undefined
  const isElsewhere = bound !== undefined && bound !== sighted.route
  if (!isElsewhere || !exchange.settings.routes.includes(bound)) return sighted.route
  return hasProofs(lazyRequest(exchange)()) ? bound : sighted.route
}

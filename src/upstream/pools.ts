import type { Ports } from '../ports.ts'
import type { RouteSettings } from '../config/settings.ts'
import { backoffMs, Breaker, LONGEST_WAIT_MS } from './breaker.ts'
import { accountFirst, byRendezvous, inOrder, memberFirst, roundRobin } from './choice.ts'
import type { Member } from './members.ts'

/** What is known of the members of all pools, in this process and for as long as it lives. */
export interface Pools {
  breakerOf(member: Member): Breaker
  /** How all members stand that were asked so far; a look changes nothing. */
  breakers(): { upstream: string; key: string; state: 0 | 1 | 2 }[]
  /** The member is left alone with this model for so long, or for a usual time where nothing is said. */
  cool(member: Member, model: string, waitMs: number | undefined): void
  /** It has answered: the next time that it is cooled is the first one again. */
  warm(member: Member, model: string): void
  /** When the member may be asked for this model; in the past where it may be asked now. */
  until(member: Member, model: string): number
  /** All members in the order in which they are to be asked, those that are out among them. */
  order(asked: Choosing): Member[]
  bind(key: string, binding: Omit<Binding, 'until'>, seconds: number): void
  bindingOf(key: string): Binding | undefined
}

/** Where a session is at home. */
export interface Binding {
  route: RouteSettings
  member: string
  account: string
  until: number
}

export interface Choosing {
  route: RouteSettings
  members: readonly Member[]
  /** The session's key, where it is known. */
  session?: string | undefined
  /** The member that has the session, and the account whose proofs it brings. */
  home?: { member?: string | undefined; account?: string | undefined } | undefined
}

interface Cooling {
  until: number
  /** How often in a row. */
  count: number
}

const STATES = { closed: 0, 'half-open': 1, open: 2 } as const

/** Names of models are the callers' to choose, and so are sessions. */
const MOST_COOLINGS = 2000
const MOST_BINDINGS = 20_000

const place = ({ name }: Member, model: string): string => `${name}\0${model}`

export function createPools({ now, randomId }: Pick<Ports, 'now' | 'randomId'>): Pools {
  const chance = () => (Number.parseInt(randomId().slice(0, 8), 16) || 0) / 2 ** 32
  const breakers = new Map<string, Breaker>()
  const coolings = new Map<string, Cooling>()
  const cooledAt = new Map<string, number>()
  const bindings = new Map<string, Binding>()
  const turns = new WeakMap<RouteSettings, ReturnType<typeof roundRobin>>()
  const breakerOf = ({ name }: Member): Breaker => {
    const known = breakers.get(name)
    if (known) return known
    const breaker = new Breaker(chance)
    breakers.set(name, breaker)
    return breaker
  }
  const chosen = ({ route, members, session }: Choosing): Member[] => {
    if (route.pick !== 'weighted') return inOrder(members, ({ name }) => cooledAt.get(name) ?? 0)
    if (session !== undefined) return byRendezvous(members, session)
    const turn = turns.get(route) ?? roundRobin()
    turns.set(route, turn)
    return turn(members)
  }
  return {
    breakerOf,
    breakers: () =>
      [...breakers].map(([name, breaker]) => {
        const [upstream = '', key = '1'] = name.split('#')
        return { upstream, key, state: STATES[breaker.state(now())] }
      }),
    cool(member, model, waitMs) {
      const at = place(member, model)
      const { count = 0 } = coolings.get(at) ?? {}
      const wait = Math.min(waitMs ?? backoffMs(count), LONGEST_WAIT_MS)
      const { until = 0 } = coolings.get(at) ?? {}
      remember(
        coolings,
        at,
        { until: Math.max(until, now() + wait), count: count + 1 },
        MOST_COOLINGS,
      )
      cooledAt.set(member.name, now())
    },
    warm: (member, model) => void coolings.delete(place(member, model)),
    until: (member, model) =>
      Math.max(breakerOf(member).until, coolings.get(place(member, model))?.until ?? 0),
    order(asked) {
      const { home = {} } = asked
      const ordered = chosen(asked)
      const near = home.account === undefined ? ordered : accountFirst(ordered, home.account)
      return home.member === undefined ? near : memberFirst(near, home.member)
    },
    bind: (key, binding, seconds) =>
      remember(bindings, key, { ...binding, until: now() + seconds * 1000 }, MOST_BINDINGS),
    bindingOf(key) {
      const binding = bindings.get(key)
      return binding && binding.until > now() ? binding : undefined
    },
  }
}

/** Of too many those go that were put first. */
function remember<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

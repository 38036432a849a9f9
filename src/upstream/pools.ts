import type { Ports } from '../ports.ts'
import type { RouteSettings } from '../config/settings.ts'
import { backoffMs, Breaker, LONGEST_WAIT_MS } from './breaker.ts'
import { accountFirst, byRendezvous, inOrder, memberFirst, roundRobin } from './choice.ts'
import type { Member } from './members.ts'
import { createSessions, type Session } from './sessions.ts'

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
  order(asked: Choosing): readonly Member[]
  /** What is known of the session that is told from others by this text. */
  session(text: string): Session
}

export interface Choosing {
  route: RouteSettings
  members: readonly Member[]
  /** What stands for the session, where it is known. */
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

/** Names of models are the callers' to choose. */
const MOST_COOLINGS = 2000

const place = ({ name }: Member, model: string): string => `${name}\0${model}`

export function createPools({ now, randomId }: Pick<Ports, 'now' | 'randomId'>): Pools {
  const chance = () => (Number.parseInt(randomId().slice(0, 8), 16) || 0) / 2 ** 32
  const breakers = new Map<string, Breaker>()
  const coolings = new Map<string, Cooling>()
  const cooledAt = new Map<string, number>()
  const turns = new WeakMap<RouteSettings, ReturnType<typeof roundRobin>>()
  const breakerOf = ({ name }: Member): Breaker => {
    const known = breakers.get(name)
    if (known) return known
    const breaker = new Breaker(chance)
    breakers.set(name, breaker)
    return breaker
  }
  const chosen = ({ route, members, session }: Choosing): readonly Member[] => {
    if (route.pick !== 'weighted')
      return members.some(({ name }) => cooledAt.has(name))
        ? inOrder(members, ({ name }) => cooledAt.get(name) ?? 0)
        : members
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
    warm(member, model) {
      if (coolings.size > 0) coolings.delete(place(member, model))
    },
    until(member, model) {
      const { until } = breakerOf(member)
      if (coolings.size === 0) return until
      return Math.max(until, coolings.get(place(member, model))?.until ?? 0)
    },
    order(asked) {
      const { home = {} } = asked
      const ordered = chosen(asked)
      const near = home.account === undefined ? ordered : accountFirst(ordered, home.account)
      return home.member === undefined ? near : memberFirst(near, home.member)
    },
    session: createSessions(),
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

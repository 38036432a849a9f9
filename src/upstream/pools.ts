import type { Ports } from '../ports.ts'
import type { RouteSettings, Settings } from '../config/settings.ts'
import { backoffMs, Breaker, endOf, LONGEST_WAIT_MS } from './breaker.ts'
import { accountFirst, byRendezvous, inOrder, memberFirst, roundRobin } from './choice.ts'
import { keysOf, type Member } from './members.ts'
import { createSessions, type FindSession } from './sessions.ts'

/** The state of all members, in this process and for its lifetime. */
export interface Pools {
  breakerOf(member: Member): Breaker
  /** The state of all members that have been asked so far; reading changes nothing. */
  breakers(): { upstream: string; key: string; state: 0 | 1 | 2 }[]
  /** Takes new settings: forgets members that they do not have. */
  renew(settings: Pick<Settings, 'upstreams'>): void
  /** Leaves the member alone with this model for `waitMs`, or for a default time. */
  cool(member: Member, model: string, waitMs: number | undefined): void
  /** The member has answered with this model: the count of coolings starts again. */
  warm(member: Member, model: string): void
  /** When the member may be asked for this model; in the past where it may be asked now. */
  until(member: Member, model: string): number
  /** Whether it may be asked now; another request may be about to probe it. */
  mayAsk(member: Member, model: string): boolean
  /** All members in the order in which to ask them, including those that are out. */
  order(asked: Choosing): readonly Member[]
  readonly session: FindSession
}

export interface Choosing {
  route: RouteSettings
  members: readonly Member[]
  /** The text that stands for the session, where it is known. */
  session?: string | undefined
  /** The member that is the session's home, and the account of the proofs in the request. */
  home?: { member?: string | undefined; account?: string | undefined } | undefined
}

interface Cooling {
  from: number
  until: number
  /** How often in a row. */
  count: number
}

/** The state of one key at one address, independent of its name in the configuration. */
interface Cell {
  name: string
  readonly breaker: Breaker
  readonly coolings: Map<string, Cooling>
  /** When it was cooled the last time, or 0. */
  cooledAt: number
}

const STATES = { closed: 0, 'half-open': 1, open: 2 } as const

/** Bounded, because callers choose the names of models. */
const MOST_COOLINGS = 1000

/** A replaced key, or an upstream at a new address, starts without a history. */
function idOf({ upstream: { name, base, key } }: Pick<Member, 'upstream'>): string {
  return [name, base, key.kind === 'literal' ? key.value : key.kind].join('\0')
}

const freshCell = (chance: () => number): Cell => ({
  name: '',
  breaker: new Breaker(chance),
  coolings: new Map(),
  cooledAt: 0,
})

export function createPools({ now, randomId }: Pick<Ports, 'now' | 'randomId'>): Pools {
  const cells = new Cells(() => (Number.parseInt(randomId().slice(0, 8), 16) || 0) / 2 ** 32)
  const chosen = chooser(cells)
  return {
    breakerOf: (member) => cells.of(member).breaker,
    breakers: () =>
      cells.all().map(({ name, breaker }) => {
        const [upstream = '', key = '1'] = name.split('#')
        return { upstream, key, state: STATES[breaker.state(now())] }
      }),
    renew: ({ upstreams }) => cells.keep([...upstreams.values()].flatMap(keysOf)),
    cool(member, model, waitMs) {
      const cell = cells.of(member)
      const { count = 0 } = cell.coolings.get(model) ?? {}
      const from = now()
      const end = from + Math.min(waitMs ?? backoffMs(count), LONGEST_WAIT_MS)
      const cooling = { from, until: Math.max(coolUntil(cell, model, from), end), count: count + 1 }
      remember(cell.coolings, model, cooling, MOST_COOLINGS)
      cell.cooledAt = from
    },
    warm(member, model) {
      const { coolings } = cells.of(member)
      if (coolings.size > 0) coolings.delete(model)
    },
    until: (member, model) => untilOf(cells.of(member), model, now()),
    mayAsk(member, model) {
      const cell = cells.of(member)
      if (!cell.breaker.isOpen && cell.coolings.size === 0) return true
      const at = now()
      return untilOf(cell, model, at) <= at && cell.breaker.mayEnter(at)
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

const untilOf = (cell: Cell, model: string, now: number): number =>
  Math.max(cell.breaker.until(now), coolUntil(cell, model, now))

function coolUntil({ coolings }: Cell, model: string, now: number): number {
  const { from = 0, until = 0 } = coolings.get(model) ?? {}
  return endOf(from, until, now)
}

/** The cells of all members that have been asked so far. */
class Cells {
  readonly #chance: () => number
  readonly #byId = new Map<string, Cell>()
  /** Keyed by the member's object, so that an exchange keeps its cell through a change of the configuration. */
  readonly #byMember = new WeakMap<Member, Cell>()

  constructor(chance: () => number) {
    this.#chance = chance
  }

  of(member: Member): Cell {
    const known = this.#byMember.get(member)
    if (known) return known
    const id = idOf(member)
    const cell = this.#byId.get(id) ?? freshCell(this.#chance)
    cell.name = member.name
    this.#byId.set(id, cell)
    this.#byMember.set(member, cell)
    return cell
  }

  all(): Cell[] {
    return [...this.#byId.values()]
  }

  /** Forgets all but these members. */
  keep(members: readonly Member[]): void {
    const there = new Set(members.map(idOf))
    for (const id of this.#byId.keys()) if (!there.has(id)) this.#byId.delete(id)
  }
}

/** Orders the members of a route as it wants them picked. */
function chooser(cells: Cells): (asked: Choosing) => readonly Member[] {
  const turns = new WeakMap<RouteSettings, ReturnType<typeof roundRobin>>()
  return ({ route, members, session }) => {
    if (route.pick !== 'weighted')
      return members.some((member) => cells.of(member).cooledAt > 0)
        ? inOrder(members, (member) => cells.of(member).cooledAt)
        : members
    if (session !== undefined) return byRendezvous(members, session)
    const turn = turns.get(route) ?? roundRobin()
    turns.set(route, turn)
    return turn(members)
  }
}

/** Removes the oldest entries where there are too many. */
function remember<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

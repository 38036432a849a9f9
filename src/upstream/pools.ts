import type { Ports } from '../ports.ts'
import type { RouteSettings, Settings, UpstreamSettings } from '../config/settings.ts'
import { backoffMs, Breaker, endOf, LONGEST_WAIT_MS } from './breaker.ts'
import { accountFirst, byRendezvous, inOrder, memberFirst, roundRobin } from './choice.ts'
import { keysOf, type Member } from './members.ts'
import { Sessions } from './sessions.ts'
import { SharedTable } from './shared-table.ts'

/**
 * The state of all members, in this process and for its lifetime. Where the key is the caller's own, each caller has a
 * state of the member for himself. Reading changes nothing.
 */
export interface Pools {
  breakerOf(member: Member, asker: Asker): Breaker
  /** The state of all members with keys of the proxy that have been asked so far. */
  breakers(): { upstream: string; key: string; state: 0 | 1 | 2 }[]
  /** Takes new settings: forgets members that they do not have. */
  renew(settings: Pick<Settings, 'upstreams'>): void
  /** Leaves the member alone with this model for `waitMs`, or for a default time. */
  cool(member: Member, asker: Asker, model: string, waitMs: number | undefined): void
  /** The member has answered with this model: the count of coolings starts again. */
  warm(member: Member, asker: Asker, model: string): void
  /** When the member may be asked for this model; in the past where it may be asked now. */
  until(member: Member, asker: Asker, model: string): number
  /** Whether it may be asked now; another request may be about to probe it. */
  mayAsk(member: Member, asker: Asker, model: string): boolean
  /** Whether it is out for nothing but failures that requests may have caused. */
  isDoubtful(member: Member, asker: Asker, model: string): boolean
  /** All members in the order in which to ask them, including those that are out. `isTaken`: one will be asked. */
  order(asked: Choosing, isTaken?: boolean): readonly Member[]
  readonly sessions: Sessions
}

/** The same for an explanation, which asks no member and takes none its turn. */
export const forExplanation = (pools: Pools): Pools => ({
  ...pools,
  order: (asked) => pools.order(asked, false),
})

/** The caller, as far as it has been told from others. */
export interface Asker {
  readonly identity?: string | undefined
}

export interface Choosing {
  asker: Asker
  route: RouteSettings
  members: readonly Member[]
  /** The text that stands for the session, where it is known. */
  session?: string | undefined
  /** The member that served the session last, and the account of the proofs in the request. */
  preferred?: { member?: string | undefined; account?: string | undefined } | undefined
}

interface Cooling {
  from: number
  until: number
  /** How often in a row. */
  count: number
}

/** The state of one key at one address, independent of its name in the configuration. */
interface Cell {
  readonly id: string
  name: string
  readonly breaker: Breaker
  readonly coolings: Map<string, Cooling>
  readonly mostCoolings: number
  /** When it was cooled the last time, or 0. */
  cooledAt: number
}

const STATES = { closed: 0, 'half-open': 1, open: 2 } as const

/** Bounded, because callers choose the names of models. */
const MOST_COOLINGS = 1000
const MOST_OWN_COOLINGS = 16
/** No model has such a name, so nothing is noted of it. */
const LONGEST_MODEL = 256
/** Each takes some kilobytes. One that is forgotten costs its own caller a failed attempt. */
const MOST_OWN_CELLS = 2000

/** A replaced key, or an upstream at a new address, starts without a history. */
function idOf(member: Pick<Member, 'upstream'>): string {
  const known = ids.get(member.upstream)
  if (known !== undefined) return known
  const { name, base, key } = member.upstream
  const id = [name, base, key.kind === 'literal' ? key.value : key.kind].join('\0')
  ids.set(member.upstream, id)
  return id
}

/** A member has the settings of its upstream for itself. */
const ids = new WeakMap<UpstreamSettings, string>()

const freshCell = (id: string, mostCoolings: number, chance: () => number): Cell => ({
  id,
  name: '',
  breaker: new Breaker(chance),
  coolings: new Map(),
  mostCoolings,
  cooledAt: 0,
})

export function createPools({ now, randomId }: Pick<Ports, 'now' | 'randomId'>): Pools {
  const cells = new Cells(() => (Number.parseInt(randomId().slice(0, 8), 16) || 0) / 2 ** 32)
  const chosen = chooser(cells)
  return {
    breakerOf: (member, asker) => cells.of(member, asker).breaker,
    breakers: () =>
      cells.ofProxy().map(({ name, breaker }) => {
        const [upstream = '', key = '1'] = name.split('#')
        return { upstream, key, state: STATES[breaker.state(now())] }
      }),
    renew: ({ upstreams }) => cells.keep([...upstreams.values()].flatMap(keysOf)),
    cool(member, asker, model, waitMs) {
      if (model.length <= LONGEST_MODEL) coolCell(cells.of(member, asker), model, now(), waitMs)
    },
    warm(member, asker, model) {
      const coolings = cells.find(member, asker)?.coolings
      if (coolings && coolings.size > 0) coolings.delete(model)
    },
    until: (member, asker, model) => untilOf(cells.find(member, asker), model, now()),
    mayAsk(member, asker, model) {
      const cell = cells.find(member, asker)
      if (!cell || (!cell.breaker.isOpen && cell.coolings.size === 0)) return true
      const at = now()
      return untilOf(cell, model, at) <= at && cell.breaker.mayEnter(at)
    },
    isDoubtful(member, asker, model) {
      const cell = cells.find(member, asker)
      const at = now()
      return cell !== undefined && cell.breaker.isDoubtful && coolUntil(cell, model, at) <= at
    },
    order(asked, isTaken = true) {
      const { preferred = {} } = asked
      const ordered = chosen(asked, isTaken)
      const near =
        preferred.account === undefined ? ordered : accountFirst(ordered, preferred.account)
      return preferred.member === undefined ? near : memberFirst(near, preferred.member)
    },
    sessions: new Sessions(),
  }
}

const untilOf = (cell: Cell | undefined, model: string, now: number): number =>
  cell ? Math.max(cell.breaker.until(now), coolUntil(cell, model, now)) : 0

function coolUntil({ coolings }: Cell, model: string, now: number): number {
  const { from = 0, until = 0 } = coolings.get(model) ?? {}
  return endOf(from, until, now)
}

function coolCell(cell: Cell, model: string, from: number, waitMs: number | undefined): void {
  const { count = 0 } = cell.coolings.get(model) ?? {}
  const end = from + Math.min(waitMs ?? backoffMs(count), LONGEST_WAIT_MS)
  const until = Math.max(coolUntil(cell, model, from), end)
  const cooling = { from, until, count: count + 1 }
  remember(cell.coolings, copied(model), cooling, cell.mostCoolings)
  cell.cooledAt = from
}

/** The name may be a slice of a body, which it would keep. */
const copied = (text: string): string => JSON.parse(JSON.stringify(text))

/** Whether the member is asked with the caller's own key: then its refusals and its limits are that caller's. */
const isOwn = ({ upstream: { key } }: Pick<Member, 'upstream'>): boolean => key.kind === 'caller'

/** The cells of all members that have been asked so far. */
class Cells {
  readonly #chance: () => number
  readonly #byId = new Map<string, Cell>()
  /** Keyed by the member's object, so that an exchange keeps its cell through a change of the configuration. */
  readonly #byMember = new WeakMap<Member, Cell>()
  /** Those of callers that bring their own keys. */
  readonly #own = new SharedTable<Cell>(MOST_OWN_CELLS)

  constructor(chance: () => number) {
    this.#chance = chance
  }

  /** Undefined where nothing is known of the member. */
  find(member: Member, { identity = '' }: Asker): Cell | undefined {
    if (isOwn(member)) return this.#own.get(identity, idOf(member))
    const known = this.#byMember.get(member)
    if (known) return known
    const found = this.#byId.get(idOf(member))
    return found && this.#claimed(found, member)
  }

  of(member: Member, asker: Asker): Cell {
    const known = this.find(member, asker)
    if (isOwn(member)) {
      const cell = known ?? freshCell(idOf(member), MOST_OWN_COOLINGS, this.#chance)
      this.#own.set(asker.identity ?? '', cell.id, cell)
      return cell
    }
    if (known) return known
    const cell = freshCell(idOf(member), MOST_COOLINGS, this.#chance)
    this.#byId.set(cell.id, cell)
    return this.#claimed(cell, member)
  }

  /** A change of the configuration may give a member another name. */
  #claimed(cell: Cell, member: Member): Cell {
    cell.name = member.name
    this.#byMember.set(member, cell)
    return cell
  }

  ofProxy(): Cell[] {
    return [...this.#byId.values()]
  }

  /** Forgets all but these members. */
  keep(members: readonly Pick<Member, 'upstream'>[]): void {
    const there = new Set(members.map(idOf))
    for (const id of this.#byId.keys()) if (!there.has(id)) this.#byId.delete(id)
    this.#own.keep(({ id }) => there.has(id))
  }
}

/** Orders the members of a route as it wants them picked. */
function chooser(cells: Cells): (asked: Choosing, isTaken: boolean) => readonly Member[] {
  const turns = new WeakMap<RouteSettings, ReturnType<typeof roundRobin>>()
  return ({ route, members, session, asker }, isTaken) => {
    const cooledAt = (member: Member) => cells.find(member, asker)?.cooledAt ?? 0
    if (route.pick !== 'weighted')
      return members.some((member) => cooledAt(member) > 0) ? inOrder(members, cooledAt) : members
    if (session !== undefined) return byRendezvous(members, session)
    const turn = turns.get(route) ?? roundRobin()
    turns.set(route, turn)
    return turn(members, isTaken)
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

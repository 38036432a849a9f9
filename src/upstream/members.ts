import { fingerprint } from '../model/proof.ts'
import type {
  FailoverSettings,
  PoolEntry,
  RouteSettings,
  Settings,
  UpstreamSettings,
} from '../config/settings.ts'
import { DEFAULT_FAILOVER } from '../config/defaults.ts'

/** One upstream with one key, and the name of the model there. */
export interface Member {
  /** The name in the log and in answers: `claude#2`, or the upstream's own name where it has one key. */
  name: string
  /** The settings of the upstream, with only this key. */
  upstream: UpstreamSettings
  /** Members of one account read each other's proofs of reasoning. */
  account: string
  weight: number
  /** The model's name at this member, where it differs from the caller's. */
  as?: string
  /** Where that name has a `*`: the pattern of the route, in which it was matched. */
  glob?: string
}

export const memberName = ({ member, name }: Pick<UpstreamSettings, 'member' | 'name'>): string =>
  member ?? name

/** An upstream with each of its keys. */
export function keysOf(upstream: UpstreamSettings): Omit<Member, 'as' | 'glob'>[] {
  const { keys, name, account = `${name}#1` } = upstream
  // A list of one key is treated as a single key.
  if (!keys || keys.length < 2) {
    const [only] = keys ?? []
    return [{ name, upstream, account: only?.account ?? account, weight: only?.weight ?? 1 }]
  }
  const { keys: _, ...shared } = upstream
  return keys.map(({ key, weight, account: own }, index) => {
    const member = `${name}#${index + 1}`
    return { name: member, upstream: { ...shared, key, member }, account: own, weight }
  })
}

export type MemberSettings = Pick<Settings, 'upstreams'>

/** All members of a route, in the configured order. */
export function membersOf(settings: MemberSettings, route: RouteSettings): readonly Member[] {
  const known = pools.get(route)
  if (known) return known
  const entries: readonly PoolEntry[] = route.pool ?? [{ name: route.upstream, weight: 1 }]
  const members = entries.flatMap(({ name, as = route.as, weight }) => {
    const upstream = settings.upstreams.get(name)
    if (!upstream) return []
    return keysOf(upstream).map((key) => ({
      ...key,
      weight: key.weight * weight,
      ...(as !== undefined && { as }),
      ...(as?.includes('*') && { glob: route.model }),
    }))
  })
  pools.set(route, members)
  return members
}

/** Keyed by the route's object, which is new in each configuration. */
const pools = new WeakMap<RouteSettings, readonly Member[]>()

/** How a route deals with failures: by its own settings, the general ones, or the defaults. */
export function failoverOf(
  { failover }: Pick<Settings, 'failover'>,
  route: RouteSettings,
): FailoverSettings {
  const known = failovers.get(route)
  if (known) return known
  const made = { ...DEFAULT_FAILOVER, ...failover, ...route.failover }
  failovers.set(route, made)
  return made
}

const failovers = new WeakMap<RouteSettings, FailoverSettings>()

/** Whether the members belong to more than one account, so that it matters which one is asked. */
export const isMixed = (members: readonly Member[]): boolean => tagsOf(members) !== undefined

/**
 * The mark that proofs carry for their account; undefined where all members of a route have one account.
 */
export function accountTag(members: readonly Member[], account: string): string | undefined {
  const known = tagsOf(members)
  return known && (known.get(account) ?? fingerprint(account))
}

/**
 * The marks of the accounts whose proofs a member of a route reads; undefined where no other one may have made any.
 * Within a route each key is an account of its own, as long as the configuration does not say otherwise. Elsewhere
 * all keys for one host are taken for one, since most who list them apart have them of one organisation.
 */
export function readableMarks(
  settings: MemberSettings,
  { member, route }: { member: Member; route: RouteSettings },
): ReadonlySet<string> | undefined {
  const known = readables.get(member)
  if (known) return known.marks
  const { account, upstream } = member
  const members = membersOf(settings, route)
  const sameDialect = [...settings.upstreams.values()].filter(
    ({ dialect }) => dialect === upstream.dialect,
  )
  const others = sameDialect.flatMap(keysOf).filter((other) => other.account !== account)
  const kin = others.filter(
    (other) =>
      hostOf(other.upstream) === hostOf(upstream) &&
      !members.some((one) => one.account === other.account),
  )
  const marks =
    isMixed(members) || kin.length < others.length
      ? new Set([account, ...kin.map((other) => other.account)].map(fingerprint))
      : undefined
  readables.set(member, { marks })
  return marks
}

const hostOf = ({ base }: UpstreamSettings): string => new URL(base).host

/** A member belongs to one route. */
const readables = new WeakMap<Member, { marks: ReadonlySet<string> | undefined }>()

/** Found once for each list: every request asks several times. */
function tagsOf(members: readonly Member[]): ReadonlyMap<string, string> | undefined {
  const known = tags.get(members)
  if (known) return known.byAccount
  const accounts = new Set(members.map(({ account }) => account))
  const byAccount =
    accounts.size > 1
      ? new Map([...accounts].map((account) => [account, fingerprint(account)]))
      : undefined
  tags.set(members, { byAccount })
  return byAccount
}

const tags = new WeakMap<
  readonly Member[],
  { byAccount: ReadonlyMap<string, string> | undefined }
>()

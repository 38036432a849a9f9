import type { Gateway } from './against.ts'
import { type Dialect, DIALECTS, type Manner } from './shared.ts'

export type ProxyKind =
  | 'direct'
  | 'node:net'
  | 'node:http'
  | 'pass-through'
  | 'parse+serialise'
  | 'dragoman'
  | 'against'

/** One way from a caller to the upstream. */
export interface Lane {
  name: string
  proxy: ProxyKind
  caller: Dialect
  upstream: Dialect
  /** Two upstreams serve it, both of which are well; the lane with one of them, to compare it with. */
  twin?: string
  /** Another gateway, which was there before and stays. */
  gateway?: Gateway
}

/** The lane that others are put in proportion to. */
export const BASE = 'pass-through'
/** The least that a proxy in Node can be. */
export const FLOOR = 'node:http'
/** The same without Node's HTTP: what only knows where a message ends. */
export const RAW = 'node:net'

const BARE: readonly ProxyKind[] = ['direct', RAW, FLOOR, BASE, 'parse+serialise']

/** What does not look into a body is measured with one dialect. */
const bare = (proxy: ProxyKind, dialect: Dialect = 'messages'): Lane => ({
  name: dialect === 'messages' ? proxy : `${proxy}/${dialect}`,
  proxy,
  caller: dialect,
  upstream: dialect,
})

const pair = (caller: Dialect, upstream: Dialect): Lane => ({
  name: `${caller}:${upstream}`,
  proxy: 'dragoman',
  caller,
  upstream,
})

const pooled = (caller: Dialect, upstream: Dialect): Lane => {
  const twin = pair(caller, upstream)
  return { ...twin, name: `${twin.name}*2`, twin: twin.name }
}

/**
 * The pass-through with the same traffic: an event of one dialect is up to three times as long as one of another. What
 * is translated is held against the shortest.
 */
export const baseOf = ({ proxy, caller, upstream }: Lane): Lane =>
  bare(BASE, caller === upstream && proxy !== BASE ? caller : 'messages')

/** With what they are held against. Bodies of JSON are as long in all dialects. */
export function withBases(lanes: readonly Lane[], manner: Manner): Lane[] {
  const bases = manner === 'json' ? [] : lanes.map(baseOf)
  return [...new Map([...bases, ...lanes].map((lane) => [lane.name, lane])).values()]
}

const bareLanes = BARE.map((proxy) => bare(proxy))
const same = DIALECTS.map((dialect) => pair(dialect, dialect))
const cross = DIALECTS.flatMap((caller) =>
  DIALECTS.filter((upstream) => upstream !== caller).map((upstream) => pair(caller, upstream)),
)

const pools = [pooled('messages', 'messages'), pooled('messages', 'responses')]

export const LANES: readonly Lane[] = [...bareLanes, ...same, ...cross, ...pools]

export const isPair = ({ proxy, twin }: Lane): boolean => proxy === 'dragoman' && twin === undefined
export const isSame = (lane: Lane): boolean => isPair(lane) && lane.caller === lane.upstream
export const isCross = (lane: Lane): boolean => isPair(lane) && lane.caller !== lane.upstream
export const isPool = ({ twin }: Lane): boolean => twin !== undefined

const GROUPS: ReadonlyMap<string, readonly Lane[]> = new Map([
  ['bare', bareLanes],
  ['same', same],
  ['cross', cross],
  ['pairs', [...same, ...cross]],
  // Each with the one that it is compared with.
  ['pools', pools.flatMap((lane) => [pair(lane.caller, lane.upstream), lane])],
])

const dialectOf = (text: string): Dialect | undefined =>
  text === '' ? undefined : DIALECTS.find((dialect) => dialect.startsWith(text))

/**
 * A lane by its name, a group of them, a pair by the first letters of its dialects (`m:r`: a messages caller, a
 * responses upstream; `m:r*2`: two of them), or a bare lane in another dialect (`pass-through/r`).
 */
function lanesCalled(text: string): readonly Lane[] {
  const group = GROUPS.get(text)
  if (group) return group
  const [proxy = '', suffix = ''] = text.split('/')
  const kind = BARE.find((candidate) => candidate === proxy)
  if (kind) return [bare(kind, dialectOf(suffix))]
  const [both = '', members] = text.split('*')
  const [caller, upstream] = both.split(':').map(dialectOf)
  if (caller && upstream && members === undefined) return [pair(caller, upstream)]
  if (caller && upstream && members === '2')
    return [pair(caller, upstream), pooled(caller, upstream)]
  const names = [...GROUPS.keys(), ...LANES.map(({ name }) => name)]
  throw new Error(`There is no lane "${text}"; there are ${names.join(', ')}.`)
}

/** Always with the one that is the measure of the others. */
export function readLanes(list: string | undefined): Lane[] {
  if (list === undefined) return [...LANES]
  const wanted = [bare(BASE), ...list.split(',').flatMap((text) => lanesCalled(text.trim()))]
  return [...new Map(wanted.map((lane) => [lane.name, lane])).values()]
}

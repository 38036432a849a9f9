import type { AuthStyle } from '../../adapters/contract.ts'
import type { Lookup } from '../model/lookup.ts'
import { matchesGlob } from '../config/glob.ts'
import { withoutVariant } from './route.ts'
import { placeName } from '../config/callers.ts'
import type { CallerLimits, CallerSettings, KeySettings, NamedKey } from '../config/settings.ts'
import { memoize } from '../json/memoize.ts'
import { sha256Hex } from '../json/sha256.ts'

/** Visible ASCII of bounded length; anything else is no key and could not be sent in a header. */
const KEY = /^[\x21-\x7e]{1,512}$/

/** Every key that a request presents, in the places where the clients of any dialect put one. */
export function presentedKeys(headers: Lookup, query: Lookup): string[] {
  const candidates = [
    bearer(headers.get('authorization')),
    headers.get('x-api-key'),
    headers.get('x-goog-api-key'),
    query.get('key'),
  ]
  const keys: string[] = []
  for (const key of candidates)
    if (typeof key === 'string' && KEY.test(key) && !keys.includes(key)) keys.push(key)
  return keys
}

function bearer(authorization: string | null): string | undefined {
  if (authorization === null) return undefined
  return authorization.slice(0, 7).toLowerCase() === 'bearer '
    ? authorization.slice(7).trim()
    : undefined
}

/** A caller as the configuration knows it. */
export interface KnownCaller {
  /** `open` where no key is needed. */
  name: string
  /** Globs on the names of models; any when absent. */
  models?: readonly string[] | undefined
  limits?: CallerLimits | undefined
}

/** Claude Code marks a variant of a model behind its name (`[1m]`): both names count. */
export const mayUse = ({ models }: KnownCaller, model: string): boolean =>
  models === undefined ||
  models.some((glob) => [model, withoutVariant(model)].some((name) => matchesGlob(glob, name)))

/**
 * `credential`: the key for upstreams that take the caller's own key. `identity`: all presented keys that tell this
 * caller from others; stored exchanges belong to it.
 */
export interface Admission {
  admitted: boolean
  /** A key fits but has expired. */
  expired?: boolean
  caller: KnownCaller
  credential: string | undefined
  identity: string | undefined
}

export type Authenticate = (headers: Lookup, query: Lookup) => Admission

const ANYBODY: KnownCaller = { name: 'open' }

/** Claude Code may send a stale `x-api-key` beside the right bearer token, so any key that fits is enough. */
export function authenticator(callers: CallerSettings, now: () => number = Date.now): Authenticate {
  if (callers.kind === 'open')
    return (headers, query) => {
      const [credential] = presentedKeys(headers, query)
      return { admitted: true, caller: ANYBODY, credential, identity: credential }
    }
  const find = keyFinder(callers)
  return (headers, query) => {
    const found = presentedKeys(headers, query).map((key) => ({ key, door: find(key) }))
    const fitting = found.filter(({ door }) => door !== undefined)
    const own = fitting.find(({ door }) => (door?.expiresAt ?? Infinity) > now())
    // Where another key came beside the proxy's own, that other key is for the upstream.
    const other = found.find(({ door }) => door === undefined)?.key
    const identity = own === undefined || other === undefined ? own?.key : `${own.key}\n${other}`
    return {
      admitted: own !== undefined,
      expired: own === undefined && fitting.length > 0,
      caller: own?.door?.caller ?? ANYBODY,
      credential: other ?? found[0]?.key,
      identity,
    }
  }
}

/** The caller to which a key belongs, and when the key expires. */
interface OpenedDoor {
  caller: KnownCaller
  expiresAt?: number | undefined
}

function keyFinder(callers: CallerSettings & { kind: 'keys' }) {
  const doors = callers.keys.map((entry, index) => {
    const named = typeof entry === 'string' ? { name: placeName(index), key: entry } : entry
    const { name, models, limits = callers.limits, expiresAt }: NamedKey = named
    return { key: named.key, door: { caller: { name, models, limits }, expiresAt } }
  })
  const plain = doors.flatMap(({ key, door }) => (typeof key === 'string' ? [{ key, door }] : []))
  const hashed = doors.flatMap(({ key, door }) =>
    typeof key === 'string' ? [] : [{ key: key.sha256, door }],
  )
  // Clients present the same key with every request, and its hash takes longer than all comparisons.
  const digestOf = memoize(sha256Hex)
  const longest = Math.max(0, ...plain.map(({ key }) => key.length))
  return (candidate: string): OpenedDoor | undefined => {
    const found = match(candidate, plain, longest)
    const digest = hashed.length > 0 ? digestOf(candidate) : ''
    return match(digest, hashed, digest.length) ?? found
  }
}

/** Compares every character of every key, so that the time taken tells nothing about the keys. */
function match(
  candidate: string,
  doors: readonly { key: string; door: OpenedDoor }[],
  longest: number,
): OpenedDoor | undefined {
  let found: OpenedDoor | undefined
  for (const { key, door } of doors) {
    let difference = key.length ^ candidate.length
    // Behind the end of a string there is NaN, which becomes 0.
    for (let at = 0; at < longest; at += 1)
      difference |= key.charCodeAt(at) ^ candidate.charCodeAt(at)
    if (difference === 0) found = door
  }
  return found
}

/** The key for an upstream, if it gets one. */
export function upstreamKey(key: KeySettings, callers: string | undefined): string | undefined {
  switch (key.kind) {
    case 'literal':
      return key.value
    case 'caller':
      return callers
    case 'none':
      return undefined
    default:
      return key satisfies never
  }
}

/** Where an upstream expects its key. */
export interface Placement {
  header?: readonly [string, string]
  query?: readonly [string, string]
}

export function placeKey(style: AuthStyle, key: string | undefined): Placement {
  if (key === undefined) return {}
  switch (style) {
    case 'bearer':
      return { header: ['authorization', `Bearer ${key}`] }
    case 'x-api-key':
    case 'x-goog-api-key':
      return { header: [style, key] }
    case 'query':
      return { query: ['key', key] }
    default:
      return style satisfies never
  }
}

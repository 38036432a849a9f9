import type { AuthStyle } from '../../adapters/contract.ts'
import type { Lookup } from '../model/lookup.ts'
import { matchesGlob } from '../config/glob.ts'
import { withoutVariant } from './route.ts'
import { MAX_SECRET_CHARACTERS } from '../config/defaults.ts'
import { digestOf, placeName } from '../config/callers.ts'
import type { CallerLimits, CallerSettings, KeySettings, NamedKey } from '../config/settings.ts'
import { memoize } from '../json/memoize.ts'
import { sha256Hex } from '../json/sha256.ts'

/** Visible ASCII of bounded length; anything else is no key and could not be sent in a header. */
const KEY = /^[\x21-\x7e]+$/
const isKey = (text: string): boolean => text.length <= MAX_SECRET_CHARACTERS && KEY.test(text)

/** Every key that a request presents, in the places where the clients of any dialect put one. */
export function presentedKeys(headers: Lookup, query: Lookup): string[] {
  const presented = [
    bearer(headers.get('authorization')),
    headers.get('x-api-key'),
    headers.get('x-goog-api-key'),
    query.get('key'),
  ]
  const keys: string[] = []
  for (const key of presented)
    if (typeof key === 'string' && isKey(key) && !keys.includes(key)) keys.push(key)
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
  /** A key fits but has expired; then `caller` is the one to whom it belonged. */
  expired?: boolean
  caller: KnownCaller
  credential: string | undefined
  identity: string | undefined
}

/** The key in an identity that let the caller in; what came beside it may be anything. */
export function payerOf(identity: string): string {
  const end = identity.indexOf(BESIDE)
  return end < 0 ? identity : identity.slice(0, end)
}

export type Authenticate = (headers: Lookup, query: Lookup) => Admission

/** No key holds it. */
const BESIDE = '\n'

/** Whether another key beside the proxy's own is part of an identity. */
export const isAccompanied = (identity: string): boolean => identity.includes(BESIDE)

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
    const found = presentedKeys(headers, query).map((key) => ({ key, known: find(key) }))
    const fitting = found.filter(({ known }) => known !== undefined)
    const own = fitting.find(({ known }) => (known?.expiresAt ?? Infinity) > now())
    // Where another key came beside the proxy's own, that other key is for the upstream.
    const other = found.find(({ known }) => known === undefined)?.key
    const identity = own === undefined || other === undefined ? own?.key : own.key + BESIDE + other
    return {
      admitted: own !== undefined,
      expired: own === undefined && fitting.length > 0,
      caller: (own ?? fitting[0])?.known?.caller ?? ANYBODY,
      credential: other ?? found[0]?.key,
      identity,
    }
  }
}

/** The admission of a caller that presented a token beside other keys: the token goes to no upstream. */
export function admissionBy(
  issuer: string,
  caller: KnownCaller,
  beside: string | undefined,
): Admission {
  // No key holds such a character.
  const own = ['jwt', issuer, caller.name].join('\t')
  return {
    admitted: true,
    caller,
    credential: beside,
    identity: beside === undefined ? own : own + BESIDE + beside,
  }
}

/** Of a key that the configuration has: its caller, and when it expires. */
interface KnownKey {
  caller: KnownCaller
  expiresAt?: number | undefined
}

/**
 * Finds keys by their hashes, so that the time taken tells nothing about them, however many there are. Clients present
 * the same key with every request, which is hashed once.
 */
function keyFinder(callers: CallerSettings & { kind: 'keys' }) {
  const known = new Map<string, KnownKey>()
  for (const [index, entry] of callers.keys.entries()) {
    const named = typeof entry === 'string' ? { name: placeName(index), key: entry } : entry
    const { key, name, models, limits = callers.limits, expiresAt }: NamedKey = named
    known.set(digestOf(key), { caller: { name, models, limits }, expiresAt })
  }
  const hashed = memoize(sha256Hex)
  return (candidate: string): KnownKey | undefined => known.get(hashed(candidate))
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
    case 'api-key':
      return { header: [style, key] }
    case 'query':
      return { query: ['key', key] }
    default:
      return style satisfies never
  }
}

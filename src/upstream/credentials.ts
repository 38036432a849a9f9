import type { AuthStyle } from '../../adapters/contract.ts'
import type { Lookup } from '../model/lookup.ts'
import type { CallerSettings, KeySettings } from '../config/settings.ts'

/** Visible ASCII of a bounded length; anything else is no key, and could not be sent in a header either. */
const KEY = /^[\x21-\x7e]{1,512}$/

/** Every key that a request presents, in the places where the clients of any dialect put one. */
export function presentedKeys(headers: Lookup, query: Lookup): string[] {
  const candidates = [
    bearer(headers.get('authorization')),
    headers.get('x-api-key'),
    headers.get('x-goog-api-key'),
    query.get('key'),
  ]
  const keys = candidates.filter((key): key is string => typeof key === 'string' && KEY.test(key))
  return [...new Set(keys)]
}

function bearer(authorization: string | null): string | undefined {
  if (authorization === null) return undefined
  return authorization.slice(0, 7).toLowerCase() === 'bearer '
    ? authorization.slice(7).trim()
    : undefined
}

/**
 * `credential`: what goes to an upstream whose key is the caller's own. `identity`: everything presented
 * that tells this caller from others; what is kept belongs to it.
 */
export interface Admission {
  admitted: boolean
  credential: string | undefined
  identity: string | undefined
}

export type Authenticate = (headers: Lookup, query: Lookup) => Admission

/** Some clients present a stale key beside the right one, so any that fits opens the door. */
export function authenticator(callers: CallerSettings): Authenticate {
  if (callers.kind === 'open')
    return (headers, query) => {
      const [credential] = presentedKeys(headers, query)
      return { admitted: true, credential, identity: credential }
    }
  const { keys } = callers
  const longest = Math.max(...keys.map((key) => key.length))
  return (headers, query) => {
    const presented = presentedKeys(headers, query)
    const own = presented.find((key) => matchesAny(key, keys, longest))
    // A key of the proxy is not the one that the upstream knows, if another one came with it.
    const other = presented.find((key) => !matchesAny(key, keys, longest))
    const identity = own === undefined || other === undefined ? own : `${own}\n${other}`
    return { admitted: own !== undefined, credential: other ?? presented[0], identity }
  }
}

/** Looks at every character of every key, whatever it finds: the time it takes says nothing of them. */
function matchesAny(candidate: string, keys: readonly string[], longest: number): boolean {
  let matches = 0
  for (const key of keys) {
    let difference = key.length ^ candidate.length
    // Behind the end of either there is nothing, which becomes 0.
    for (let at = 0; at < longest; at += 1)
      difference |= key.charCodeAt(at) ^ candidate.charCodeAt(at)
    matches |= Number(difference === 0)
  }
  return matches === 1
}

/** The key that an upstream is sent, if any. */
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

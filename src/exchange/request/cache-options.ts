import type { AskedRequest } from '../stages.ts'
import type { CacheOptions } from '../../../adapters/contract.ts'
import { hmacSha256Hex } from '../../json/sha256.ts'
import type { ScannedBody } from '../../json/scanned-body.ts'
import { upstreamKey } from '../../upstream/credentials.ts'
import type { Destination } from '../../upstream/route.ts'
import { lastingSession } from './session.ts'

const DIGITS = 40
const MOST_KNOWN = 1000
const known = new Map<string, string>()

/** The cache options of the route, for an upstream of another dialect. */
export function cacheOptions(
  asked: AskedRequest,
  { route, upstream }: Pick<Destination, 'route' | 'upstream'>,
  scanned: ScannedBody | undefined,
): CacheOptions {
  return {
    mode: route.cache ?? 'derive',
    session() {
      const id = lastingSession(asked, scanned)
      if (id === undefined) return undefined
      // All keys of an upstream get the same hash, so that a session keeps its name when another key takes over.
      const { key, base } = asked.settings.upstreams.get(upstream.name) ?? upstream
      const secret = upstreamKey(key, asked.credential) ?? ''
      return keyed(`prompt cache\0${base}\0${secret}`, `${asked.identity ?? ''}\0${id}`)
    },
  }
}

/**
 * The salt is known only to this deployment and its upstream, and is the same in every process and on the edge.
 * Callers share no cache key: with a shared key one caller could measure what another has asked.
 */
function keyed(salt: string, session: string): string {
  const place = `${salt}\0${session}`
  const before = known.get(place)
  if (before !== undefined) return before
  const key = hmacSha256Hex(salt, session).slice(0, DIGITS)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(place, key)
  return key
}

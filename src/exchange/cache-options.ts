import type { CacheOptions } from '../../adapters/contract.ts'
import { hmacSha256Hex } from '../json/sha256.ts'
import type { ScannedBody } from '../json/scanned-body.ts'
import { upstreamKey } from '../upstream/credentials.ts'
import type { Destination } from '../upstream/route.ts'
import type { Exchange } from './exchange.ts'
import { lastingSession } from './session.ts'

const DIGITS = 40
const MOST_KNOWN = 1000
const known = new Map<string, string>()

/** What an upstream of another dialect is told of caching, as the route has it. */
export function cacheOptions(
  exchange: Exchange,
  { route, upstream }: Pick<Destination, 'route' | 'upstream'>,
  scanned: ScannedBody | undefined,
): CacheOptions {
  return {
    mode: route.cache ?? 'derive',
    session() {
      const id = lastingSession(exchange, scanned)
      if (id === undefined) return undefined
      // All keys of an upstream hash alike, so that a session keeps its name where another one takes over.
      const { key, base } = exchange.settings.upstreams.get(upstream.name) ?? upstream
      const secret = upstreamKey(key, exchange.credential) ?? ''
      return keyed(`prompt cache\0${base}\0${secret}`, `${exchange.identity ?? ''}\0${id}`)
    },
  }
}

/**
 * Salted with what this deployment and its upstream alone know, which is the same in every process and on the
 * edge. Callers do not share a key: with it one could measure what another one has asked.
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

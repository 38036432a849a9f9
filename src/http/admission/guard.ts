import type { Lookup } from '../../../adapters/contract.ts'
import type { Problem } from '../../model/problem.ts'
import type { Answer } from '../../exchange/exchange.ts'
import { readHostname, isLoopbackName, nameOfAddress } from '../../config/hostname.ts'
import type { WebSettings } from '../../config/settings.ts'

/**
 * How requests come in: at an address of this machine (`shared` with other processes), at a platform's address, or from
 * the program that this is part of.
 */
export type Door =
  | { kind: 'listener'; host: string; shared?: boolean }
  | { kind: 'isolate' }
  | { kind: 'program' }

/**
 * Keeps foreign web pages out. A browser lets every page send requests to every address, even to one that only this
 * machine reaches. A page whose name server maps its own name to this machine (DNS rebinding) can also read the
 * answers. Three headers, which pages cannot set, tell browsers' requests apart: `Host`, `Origin` and
 * `Sec-Fetch-Site`.
 */
export interface Guard {
  /** Why this request is refused; undefined for one that may be answered. */
  refusal(headers: Lookup): Problem | undefined
  /** The answer to a CORS preflight request (Fetch Standard, section "CORS-preflight request"). */
  preflight(method: string, headers: Lookup): Answer | undefined
  /** The CORS headers that let the page read the answer, where its origin is allowed. */
  sharing(headers: Lookup): Record<string, string> | undefined
}

/** Undefined inside a program, which calls itself. */
export function createGuard(web: WebSettings | undefined, door: Door): Guard | undefined {
  if (door.kind === 'program' && !web) return undefined
  const origins = new Set(web?.origins)
  const hosts = new Set(web?.hosts)
  const isOwn = door.kind === 'listener' ? ownNames(door.host) : () => false
  const isBounded = door.kind === 'listener' && (isLoopbackAddress(door.host) || hosts.size > 0)
  const isKnown = (name: string): boolean => isOwn(name) || hosts.has(name)
  // On Workers callers need keys, and a foreign page has none.
  const asksSite = door.kind !== 'isolate'

  const listed = (headers: Lookup): string | undefined => {
    const origin = headers.get('origin')
    return origin !== null && origins.has(origin) ? origin : undefined
  }
  return {
    refusal(headers) {
      const host = headers.get('host')
      // A request before HTTP/1.1 may have no `Host`, and no browser sends one.
      const name = readHostname(host ?? '')
      if (isBounded && host !== null && !isKnown(name)) return foreignHost(host)
      const origin = headers.get('origin')
      const isOurs = isOwn(name) && origin === `http://${host?.toLowerCase()}`
      if (origin !== null) return isOurs || origins.has(origin) ? undefined : foreignOrigin(origin)
      const context = asksSite ? headers.get('sec-fetch-site') : null
      return context !== null && OTHER_SITE.test(context) ? foreignOrigin() : undefined
    },
    preflight(method, headers) {
      const isAsked = method === 'OPTIONS' && headers.get('access-control-request-method') !== null
      return isAsked && listed(headers) !== undefined ? allowing(headers) : undefined
    },
    sharing(headers) {
      const origin = listed(headers)
      if (origin === undefined) return undefined
      return {
        'access-control-allow-origin': origin,
        vary: 'Origin',
        'access-control-expose-headers': EXPOSED,
      }
    },
  }
}

/** An address that others reach may have any name; there callers need keys. */
export const isLoopbackAddress = (address: string): boolean =>
  isLoopbackName(nameOfAddress(address))

/**
 * `0.0.0.0` is an address to listen on and no name of this proxy: browsers on Linux and macOS have connected pages
 * that ask for it to this machine.
 */
function ownNames(address: string): (name: string) => boolean {
  const own = nameOfAddress(address)
  return (name) =>
    isLoopbackName(name) || name.endsWith('.localhost') || (name === own && !UNSPECIFIED.has(name))
}

const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

/** `Sec-Fetch-Mode` is not used, because Node's `fetch` sends it too. */
const OTHER_SITE = /\b(?:cross-site|same-site)\b/i

/** The headers of this proxy that a page may read. */
const EXPOSED =
  'x-request-id, request-id, retry-after, x-should-retry, x-dragoman-upstream, x-dragoman-losses'

/** A browser sends no key with a preflight request. */
function allowing(headers: Lookup): Answer {
  const asked = (headers.get('access-control-request-headers') ?? '').toLowerCase().split(',')
  const allowed = asked.map((name) => name.trim()).filter((name) => ALLOWED.test(name))
  const isPrivate = headers.get('access-control-request-private-network') !== null
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
      ...(allowed.length > 0 && { 'access-control-allow-headers': allowed.join(', ') }),
      'access-control-max-age': '600',
      ...(isPrivate && { 'access-control-allow-private-network': 'true' }),
    },
    body: null,
  }
}

/** The headers that clients of the dialects send from web pages. */
const ALLOWED =
  /^(?:content-type|authorization|x-api-key|x-goog-api-(?:key|client)|(?:anthropic|provider|openai|x-stainless)-[\w-]{1,64}|x-request-id|x-session-id)$/

const foreignHost = (host: string): Problem => ({
  kind: 'permission',
  code: 'forbidden_host',
  message: `forbidden_host: this proxy is not called ${quoted(host)}; "web.hosts" in its configuration lists further names.`,
})

const foreignOrigin = (origin?: string): Problem => ({
  kind: 'permission',
  code: 'forbidden_origin',
  message: `forbidden_origin: web pages of ${origin === undefined ? 'other sites' : quoted(origin)} may not call this proxy; "web.origins" in its configuration lists those that may.`,
})

const LONGEST_QUOTE = 100

const quoted = (text: string): string =>
  `"${text.slice(0, LONGEST_QUOTE).replace(/[^\x20-\x7e]|"/g, '_')}"`

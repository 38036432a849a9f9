import type { Lookup } from '../../adapters/contract.ts'
import type { Problem } from '../model/problem.ts'
import type { Answer } from '../exchange/exchange.ts'
import { readHostname, isLoopbackName, nameOfAddress } from '../config/hostname.ts'
import type { WebSettings } from '../config/settings.ts'

/** Where requests come in: at an address of this machine, at a platform's, or from the program that this is part of. */
export type Door = { kind: 'listener'; host: string } | { kind: 'isolate' } | { kind: 'program' }

/**
 * Keeps foreign web pages out. A browser lets any page send requests to any address, also to one that only
 * this machine reaches, and a page whose name server points its own name here (DNS rebinding) reads the
 * answers too. What tells them from programs is in three headers, which no page can set.
 */
export interface Guard {
  /** Why this request may not be answered; undefined for one that may. */
  refusal(headers: Lookup): Problem | undefined
  /** The answer to a browser that asks whether a page may send what it wants to. */
  preflight(method: string, headers: Lookup): Answer | undefined
  /** What lets the page that asked read the answer, where it is one that may. */
  sharing(headers: Lookup): Record<string, string> | undefined
}

/** Undefined where there is nothing to keep out: a program calls itself. */
export function createGuard(web: WebSettings | undefined, door: Door): Guard | undefined {
  if (door.kind === 'program' && !web) return undefined
  const origins = new Set(web?.origins)
  const hosts = new Set(web?.hosts)
  const isOwn = door.kind === 'listener' ? ownNames(door.host) : () => false
  const isBounded = door.kind === 'listener' && (isLoopbackAddress(door.host) || hosts.size > 0)
  const isKnown = (name: string): boolean => isOwn(name) || hosts.has(name)
  // Keys are needed on Workers, and what has none of them gets no further.
  const asksSite = door.kind !== 'isolate'

  const listed = (headers: Lookup): string | undefined => {
    const origin = headers.get('origin')
    return origin !== null && origins.has(origin) ? origin : undefined
  }
  return {
    refusal(headers) {
      const host = headers.get('host')
      // Before HTTP/1.1 a request names no host, and no browser speaks that.
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

/** At an address that others reach any name may be right: there callers show a key. */
const isLoopbackAddress = (address: string): boolean => isLoopbackName(nameOfAddress(address))

/** `0.0.0.0` is an address to listen on; asked for it, some browsers find this machine for any page. */
function ownNames(address: string): (name: string) => boolean {
  const own = nameOfAddress(address)
  return (name) =>
    isLoopbackName(name) || name.endsWith('.localhost') || (name === own && !UNSPECIFIED.has(name))
}

const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

/** `Sec-Fetch-Mode` says nothing: the fetch of Node sends it too. */
const OTHER_SITE = /\b(?:cross-site|same-site)\b/i

/** What a page may see of the headers that this proxy adds. */
const EXPOSED =
  'x-request-id, request-id, retry-after, x-should-retry, x-dragoman-upstream, x-dragoman-losses'

/** A browser shows no key when it asks. */
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

/** What the clients of the dialects send from within pages. */
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

import type { Request } from '../model/request.ts'
import type { ScannedBody } from '../json/scanned-body.ts'
import type { RequestClass } from '../config/settings.ts'
import type { Traits } from '../upstream/route.ts'
import type { Exchange } from './exchange.ts'
import { readRequest } from './read-request.ts'

/**
 * The classes that Claude Code (2.1.329) names, only where it runs with CLAUDE_CODE_GATEWAY_HINT_HEADERS=1. What
 * else stands there says nothing.
 */
const TOLD: ReadonlySet<string> = new Set<RequestClass>([
  'main',
  'subagent',
  'workflow',
  'compaction',
  'auxiliary',
  'side_reply',
])

const CLASS_HEADER = 'x-claude-code-request-class'

/** The class that the client itself gives its request. */
export function toldClass({ headers }: Pick<Exchange, 'headers'>): string | undefined {
  const told = headers.get(CLASS_HEADER) ?? ''
  return TOLD.has(told) ? told : undefined
}

const BYTES_PER_TOKEN = 4

/** What a request is for, by what it says itself; nothing of it is read before a route asks. */
export function traitsOf(exchange: Exchange, scanned: ScannedBody | undefined): Traits {
  const request = lazyRequest(exchange)
  return {
    inputTokens: () => exchange.body.size / BYTES_PER_TOKEN,
    is(kind) {
      switch (kind) {
        case 'web-search':
          return isSearch(request())
        case 'thinking':
          return (request()?.reasoning?.mode ?? 'off') !== 'off'
        // How long that is the route says.
        case 'long':
          return true
        case 'compaction':
          return toldClass(exchange) === kind || scanned?.members.has('compaction') === true
        default:
          return toldClass(exchange) === kind
      }
    },
  }
}

/** A search of the provider's is all that is offered. */
const isSearch = (request: Request | undefined): boolean =>
  request !== undefined &&
  request.tools.length > 0 &&
  request.tools.every((tool) => tool.kind === 'hosted' && tool.capability === 'web-search')

/** The request in the words of the model, read once; undefined for what is none, which others will say. */
export function lazyRequest(exchange: Exchange): () => Request | undefined {
  let known: { request: Request | undefined } | undefined
  return () => (known ??= { request: attempted(exchange) }).request
}

function attempted(exchange: Exchange): Request | undefined {
  try {
    return readRequest(exchange, exchange.body.text)
  } catch {
    return undefined
  }
}

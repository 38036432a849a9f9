import type { RequestHead } from '../../adapters/contract.ts'
import { REQUEST_ID } from '../upstream/call.ts'
import type { Answer } from '../exchange/exchange.ts'
import { journal, type Journal } from '../exchange/journal.ts'
import type { HttpRequest, Ports } from '../ports.ts'
import { jsonAnswer } from './respond.ts'

const EXPLAIN = '/explain'

/** What is known of a request from its head. */
export interface Arrival {
  request: HttpRequest
  head: RequestHead
  /** Whether only an explanation is asked for, of what would be sent. */
  explain: boolean
  /** The caller's own id of this exchange when it is well-formed, else a new one. */
  id: string
  /** The path as it came, for the log. */
  path: string
  journal: Journal
}

/** What receiving a request needs: a clock, ids, and the log. */
export type ArrivalPorts = Pick<Ports, 'now' | 'randomId' | 'log'>

/** Reads the address of a request; nothing else does. Its host is not used, because a caller can write any. */
export function receiveRequest(request: HttpRequest, ports: ArrivalPorts): Arrival {
  const { pathname, query } = placeOf(request.url)
  const explain = pathname.startsWith(`${EXPLAIN}/`)
  const path = explain ? pathname.slice(EXPLAIN.length) : pathname
  const own = request.headers.get('x-request-id')
  const id = own !== null && REQUEST_ID.test(own) ? own : ports.randomId()
  const { method } = request
  return {
    request,
    head: { method, path: ownSpelling(path), query },
    explain,
    id,
    path: pathname,
    journal: journalOf(request, ports, { id, method, path: pathname }),
  }
}

function journalOf(
  { connection }: HttpRequest,
  ports: ArrivalPorts,
  head: Parameters<typeof journal>[1],
): Journal {
  const begun = journal(ports, head)
  if (connection) begun.note({ connection: connection.id })
  return begun
}

/** Where Gemini's API has the one of OpenAI; programs that were made for that one keep its address. */
const OPENAI_AT_GEMINI = '/v1beta/openai/'

/** A path as it stands here: some programs end it with a slash, and some have another name for its beginning. */
function ownSpelling(path: string): string {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  return bare.startsWith(OPENAI_AT_GEMINI) ? `/v1/${bare.slice(OPENAI_AT_GEMINI.length)}` : bare
}

const paths = new Map<string, string>()
const MOST_PATHS = 256
const NO_QUERY = new URLSearchParams()

/** An address in its parts; those without a query, which may hold a key, are remembered. */
function placeOf(address: string): { pathname: string; query: URLSearchParams } {
  const known = paths.get(address)
  if (known !== undefined) return { pathname: known, query: NO_QUERY }
  const { pathname, searchParams, search, hash } = new URL(address)
  if (search === '' && hash === '' && address.length <= LONGEST_PATH) {
    if (paths.size >= MOST_PATHS) paths.clear()
    paths.set(address, pathname)
  }
  return { pathname, query: searchParams }
}

const LONGEST_PATH = 256

const ALIVE = '/livez'

/** The paths of readiness and liveness checks. */
export const HEALTH: ReadonlySet<string> = new Set([ALIVE, '/readyz', '/healthz'])

/**
 * Answers health checks, which need no key and which any page may ask for. HAProxy asks by OPTIONS unless it is told
 * otherwise, and browsers do before they ask something else.
 */
export function healthAnswer(
  { head, explain, request }: Arrival,
  ports: Ports,
): Answer | undefined {
  const { method, path } = head
  if (explain || !HEALTH.has(path) || !CHECKING.test(method)) return undefined
  if (request.headers.get('access-control-request-method') !== null) return undefined
  // A draining process is alive: a supervisor that took it for dead would kill it, and its streams with it.
  const draining = path !== ALIVE && (ports.draining?.() ?? false)
  return jsonAnswer({ status: draining ? 'draining' : 'ok' }, draining ? 503 : 200)
}

const CHECKING = /^(?:GET|HEAD|OPTIONS)$/

/** Answers what Claude Code (2.1.329) asks before it has shown a key. */
export function probeAnswer({ head, explain }: Arrival): Answer | undefined {
  const { method, path } = head
  const isProbe = !explain && method === 'HEAD' && (path === '/' || path === '/api/hello')
  return isProbe ? { status: 200, headers: {}, body: null } : undefined
}

import type { RequestHead } from '../../adapters/contract.ts'
import { REQUEST_ID } from '../upstream/call.ts'
import type { Answer } from '../exchange/exchange.ts'
import { journal, type Journal } from '../exchange/journal.ts'
import type { HttpRequest, Ports } from '../ports.ts'
import { jsonAnswer } from './respond.ts'

const EXPLAIN = '/explain'

/** A request as far as its head tells. */
export interface ReceivedRequest {
  request: HttpRequest
  head: RequestHead
  /** Asks what would be done, and not that it be done. */
  explain: boolean
  /** The caller's own id for this exchange when it is well-formed, else a new one. */
  id: string
  /** The path as it came, for the log. */
  path: string
  journal: Journal
}

/** What it takes to receive a request, and to say that it was received. */
export type ArrivalPorts = Pick<Ports, 'now' | 'randomId' | 'log'>

/** The address is read here and nowhere else. Its host says nothing: a caller can write any. */
export function receiveRequest(request: HttpRequest, ports: ArrivalPorts): ReceivedRequest {
  const { pathname, searchParams } = new URL(request.url)
  const explain = pathname.startsWith(`${EXPLAIN}/`)
  const path = explain ? pathname.slice(EXPLAIN.length) : pathname
  const own = request.headers.get('x-request-id')
  const id = own !== null && REQUEST_ID.test(own) ? own : ports.randomId()
  const { method } = request
  return {
    request,
    head: { method, path, query: searchParams },
    explain,
    id,
    path: pathname,
    journal: journal(ports, { id, method, path: pathname }),
  }
}

const ALIVE = '/livez'

/** Where one asks whether the proxy is ready, or alive. */
export const HEALTH: ReadonlySet<string> = new Set([ALIVE, '/readyz', '/healthz'])

/** What may be asked without a key and from any page. */
export function healthAnswer({ head, explain }: ReceivedRequest, ports: Ports): Answer | undefined {
  const { method, path } = head
  if (explain || !HEALTH.has(path) || (method !== 'GET' && method !== 'HEAD')) return undefined
  // A process that is taken for dead while it drains is killed, and its streams with it.
  const draining = path !== ALIVE && (ports.draining?.() ?? false)
  return jsonAnswer({ status: draining ? 'draining' : 'ok' }, draining ? 503 : 200)
}

/** What clients ask before they have shown a key. */
export function probeAnswer({ head, explain }: ReceivedRequest): Answer | undefined {
  const { method, path } = head
  const isProbe = !explain && method === 'HEAD' && (path === '/' || path === '/api/hello')
  return isProbe ? { status: 200, headers: {}, body: null } : undefined
}

import type { Adapter, Route } from '../../../adapters/contract.ts'
import { stringify } from '../../json/json.ts'
import { ELLIPSIS, lossHeader, type Loss } from '../../model/loss.ts'
import { statusOf, type Problem } from '../../model/problem.ts'
import type { Answer, Context } from '../exchange.ts'
import type { Plan } from '../request/plan.ts'
import { memberName } from '../../upstream/members.ts'
import type { Destination } from '../../upstream/route.ts'
import { NO_SECRETS, type Secrets } from '../../upstream/secrets.ts'
import type { UpstreamCall } from '../../upstream/call.ts'
import { framingOf } from '../../stream/framings.ts'

/** The headers of a reply: those that this proxy adds, and those of the upstream that are passed on. */
export function replyHeaders(
  plan: Pick<Plan, 'destination' | 'kind' | 'sent'>,
  call: Pick<UpstreamCall, 'headers' | 'requestId'> | undefined,
  losses: readonly Loss[],
): Record<string, string> {
  const header = lossHeader(losses, ellipsis)
  const secrets = plan.sent?.secrets ?? NO_SECRETS
  const upstreamId = call?.requestId
  return {
    ...(call && passedHeaders(plan, call.headers, secrets)),
    'x-dragoman-upstream': upstreamHeader(plan.destination),
    ...(header !== undefined && { 'x-dragoman-losses': header }),
    ...(upstreamId !== undefined && { 'x-upstream-request-id': upstreamId }),
  }
}

/**
 * What `x-dragoman-losses` cannot say of a stream, since it goes out first: a comment, which clients skip. Those of a
 * dialect without a heartbeat bear none: @google/genai 1.30 (Gemini CLI 0.61) loses the stream at it.
 */
export function lossComment(
  { caller, settings }: Context,
  { framing }: Route,
  losses: readonly Loss[],
): string {
  const isBorne = caller.caller.heartbeat !== undefined && !framingOf(framing).isJson
  if (!settings.lossTrailer || !isBorne) return ''
  const said = lossHeader(losses, () => '...')
  return said === undefined ? '' : `: x-dragoman-losses: ${said}\n\n`
}

/** Clients of any dialect plan their next requests by these headers. */
const RATES = 'x-ratelimit-'

/** Passes the headers that the dialect lists; a caller of another dialect gets only the rate limits. */
function passedHeaders(
  { destination, kind }: Pick<Plan, 'destination' | 'kind'>,
  headers: UpstreamCall['headers'],
  secrets: Secrets,
): Record<string, string> {
  const own = kind === 'pass' ? destination.adapter.same.headers.reply : undefined
  // A plain object: what begins like a header of the dialect is no `__proto__`.
  const passed: Record<string, string> = {}
  for (const name of headers.keys?.() ?? []) {
    const value = name.startsWith(RATES) || own?.test(name) ? headers.get(name) : null
    if (value !== null && SHORT_VALUE.test(value)) passed[name] = secrets.hide(value)
  }
  return passed
}

const SHORT_VALUE = /^[\x20-\x7e]{1,256}$/

/** Header values are bytes by the standard, but Workers take text and encode it themselves. */
function ellipsis(): string {
  try {
    return new Headers({ 'x-text': '…' }).has('x-text') ? '…' : ELLIPSIS
  } catch {
    return ELLIPSIS
  }
}

const upstreamHeader = ({ upstream, target }: Destination): string =>
  visible(`${memberName(upstream)}; dialect=${upstream.dialect}; model=${target.model}`)

/** Makes a header value of visible ASCII and bounded length. */
const visible = (text: string): string => text.slice(0, 512).replace(/[^\x20-\x7e]/g, '_')

/** A problem as an HTTP reply in the words of a dialect. */
export function problemAnswer(adapter: Adapter, problem: Problem, requestId: string): Answer {
  const { status, body } = adapter.caller.writeProblem(problem, requestId)
  const headers = { 'content-type': 'application/json', ...waitHeaders(problem) }
  return { status: errorStatus(status, problem), headers, body: stringify(body) }
}

/**
 * The HTTP status of a problem. An upstream may have sent any status; a problem is never told with a success, a
 * redirection or an invalid number.
 */
function errorStatus(status: number, problem: Problem): number {
  if (isErrorStatus(status)) return status
  const other = statusOf(problem)
  return isErrorStatus(other) ? other : 502
}

export const isErrorStatus = (status: number): boolean =>
  Number.isInteger(status) && status >= 400 && status <= 599 && !OF_CONNECTION.has(status)

/** About the connection to the upstream. Of 407 `fetch` tells its caller nothing, and 421 it repeats by itself. */
const OF_CONNECTION: ReadonlySet<number> = new Set([407, 421])

/** More money does not come by trying again. */
export function waitHeaders(
  problem: Pick<Problem, 'kind' | 'retryAfterMs' | 'retry'>,
): Record<string, string> {
  const { kind, retryAfterMs: wait, retry = kind === 'billing' ? false : undefined } = problem
  return {
    ...(wait !== undefined && {
      'retry-after': String(Math.ceil(wait / 1000)),
      'retry-after-ms': String(Math.ceil(wait)),
    }),
    ...(retry !== undefined && { 'x-should-retry': String(retry) }),
  }
}

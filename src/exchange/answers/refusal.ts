import type { Adapter, Frame } from '../../../adapters/contract.ts'
import type { Lookup } from '../../model/lookup.ts'
import { headerWait } from '../../problems/wait.ts'
import { isObject, parse, parseObject, type Json } from '../../json/json.ts'
import { isRefusable, type Loss } from '../../model/loss.ts'
import { ProblemError, type Problem } from '../../model/problem.ts'
import { scanStructure } from '../../json/structure.ts'
import type { Context } from '../exchange.ts'
import { KEY_REFUSED, NOT_A_REPLY, REDIRECTED } from '../../problems/failures.ts'
import { foreignWords, isText, saidPage, saysError } from '../../problems/error-words.ts'
import { withFactAdvice, withProfileAdvice, namedProblem } from './problem-advice.ts'
import type { Plan } from '../request/plan.ts'
import { failureInWords } from '../../stream/event-reader.ts'
import { guessKind } from '../../stream/reply-events.ts'
import { sseParser } from '../../stream/sse.ts'
import { timer } from '../../stream/time.ts'
import type { UpstreamCall } from '../../upstream/call.ts'

/** An explanation fits into this; the rest of an upstream's error page is not read. */
const EXPLANATION_BYTES = 65_536
const EXPLANATION_DEPTH = 100
/** It comes in one go. Who leaves the connection open behind it is not waited for. */
const EXPLANATION_MS = 3000

/** 205 promises that there is no content (RFC 9110, section 15.3.6), so clients read none, whatever comes with it. */
export const isSuccess = (status: number): boolean =>
  status >= 200 && status < 300 && status !== 205
const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400)

/** `text`: the upstream's own words, where they are JSON and the caller may see them. */
export interface Refused {
  readonly problem: Problem
  readonly text?: string
  /** The upstream refuses the proxy's own key. */
  readonly isKey?: boolean
}

/** A refusal after which another member may be asked. */
export class RefusedError extends Error {
  readonly refused: Refused
  readonly plan: Plan
  readonly call: UpstreamCall
  constructor(refused: Refused, plan: Plan, call: UpstreamCall) {
    super(refused.problem.message)
    this.refused = refused
    this.plan = plan
    this.call = call
  }
}

/** A stream that failed before it showed anything of a reply. */
export class StillbornError extends ProblemError {}

/** Reads the problem from an answer that is no success. */
export async function readRefusal(
  { ports, caller, journal }: Context,
  { destination, sent }: Plan,
  call: UpstreamCall,
): Promise<Refused> {
  if (isRedirect(call.status)) {
    call.cancel()
    return { problem: REDIRECTED }
  }
  if (call.status < 300) {
    call.cancel()
    return { problem: NOT_A_REPLY }
  }
  const said = await explanation(call)
  const isOurs = destination.upstream.key.kind !== 'caller'
  const text = sent ? sent.secrets.hideJson(said) : said
  const body = parsed(text)
  const { adapter } = destination
  const page = typeof body === 'string' ? saidPage(body, `status ${call.status}`) : undefined
  const read = adapter.upstream.readProblem(call.status, page ?? body)
  const isForeign = !isObject(body) && !Array.isArray(body) && said !== ''
  const problem = namedProblem(
    isForeign ? { ...read, said: foreignWords(text) } : read,
    adapter,
    caller,
  )
  // A wrong key is not always answered with 401.
  const isKey = problem.kind === 'authentication' || isAboutKey(call.status, text)
  if (isKey && isOurs) {
    // The caller has nothing to do with it; who runs the proxy needs the words.
    journal.note({ reason: `status ${call.status}: ${problem.said ?? problem.message}` })
    return { problem: KEY_REFUSED, isKey }
  }
  const hinted = { ...problem, ...hints(call.headers, problem, ports.now()) }
  const cured = withProfileAdvice(hinted, destination, text)
  if (cured !== hinted) return { problem: cured }
  const amended = withFactAdvice(hinted, destination, caller, text)
  if (amended !== hinted) return { problem: amended }
  return hasReadableError(adapter, body) ? { problem: hinted, text } : { problem: hinted }
}

/** In every dialect an error stands in the member `error`. An answer that has no such one is written anew. */
export const hasReadableError = ({ same }: Adapter, body: Json | undefined): boolean =>
  isObject(body) && isObject(body['error']) && same.passing.tellsError?.(body) !== false

/**
 * Whether a refusal is about the key that was sent. A 403 may also be about a disabled service, a country, a model
 * or a quota, and blaming the key would mislead.
 */
export function isAboutKey(status: number, said: string): boolean {
  if (status !== FORBIDDEN) return status === UNAUTHORIZED
  // An HTML page or an empty body names no other reason, so the refusal is taken to be about the key.
  return /^\s*(?:<|$)/.test(said) || (KEY_WORDS.test(said) && !OTHER_WORDS.test(said))
}

const UNAUTHORIZED = 401
const FORBIDDEN = 403
/** Matches `API_KEY_SERVICE_BLOCKED`, `invalid x-api-key`, `unregistered callers`, `Missing scopes`. */
const KEY_WORDS =
  /(?:api|access|secret|x)[ _-]?key|\bkey\b|credential|auth(?:entication|orization)|\bscopes?\b|(?:access|auth|bearer)[ _-]token|\bcallers?\b/i
/** Words that rule the key out, although they may name it: a quota may be per key. */
const OTHER_WORDS = /quota|rate.?limit|SERVICE_DISABLED|has not been used/i

/**
 * What the upstream says, or the data of the event in which it says so where a request for a stream was refused with
 * events. Behind that event nothing is waited for: the connection may stay open.
 */
async function explanation(call: UpstreamCall): Promise<string> {
  const decoder = new TextDecoder()
  const parser = sseParser(EXPLANATION_BYTES)
  const clock = timer(() => call.cancel(), EXPLANATION_MS)
  let text = ''
  let size = 0
  let first: Frame | undefined
  let failing: Frame | undefined
  let bytes: Uint8Array | undefined
  do {
    bytes = size < EXPLANATION_BYTES ? (await call.read())?.bytes : undefined
    size += bytes?.length ?? 0
    const piece = decoder.decode(bytes, { stream: bytes !== undefined })
    text += piece
    const frames = [...parser.push(piece), ...(bytes ? [] : parser.end())]
    const saying =
      guessKind(text) === 'events'
        ? frames.filter((frame) => parseObject(frame.data) ?? failureInWords(frame))
        : []
    first ??= saying[0]
    failing = saying.find(tellsError)
  } while (bytes && !failing)
  clearTimeout(clock)
  call.release()
  return (failing ?? first)?.data ?? text
}

const tellsError = ({ event, data }: Frame): boolean =>
  event === 'error' || saysError(parseObject(data) ?? {})

/** The body as JSON, or as a text; undefined for bytes that are no text. */
function parsed(text: string): Json | undefined {
  try {
    scanStructure(text, { depth: EXPLANATION_DEPTH, nodes: EXPLANATION_BYTES })
    return parse(text)
  } catch {
    return isText(text) ? text : undefined
  }
}

function hints(headers: Lookup, problem: Problem, now: number): Partial<Problem> {
  const wait = headerWait(headers, now) ?? problem.retryAfterMs
  const advice = headers.get('x-should-retry')
  return {
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(advice === 'true' && { retry: true }),
    ...(advice === 'false' && { retry: false }),
  }
}

/** Refuses a request that would lose something, where the configuration says `losses: "reject"`. */
export function refuseLosses(losses: readonly Loss[]): void {
  const refusable = losses.filter(isRefusable)
  if (refusable.length === 0) return
  const list = refusable.map(({ code, path, detail }) =>
    detail === undefined ? `${code} ${path}` : `${code} ${path} (${detail})`,
  )
  throw new ProblemError({
    kind: 'invalid-request',
    message: `The upstream of this model cannot carry all of the request: ${list.join(', ')}.`,
    code: 'losses_rejected',
    lost: refusable.map(({ path, detail }) => (detail === undefined ? path : `${path} ${detail}`)),
  })
}

/** With places of the caller's own request. */
export async function placeRefusal(
  context: Context,
  plan: Plan,
  refused: Refused,
): Promise<Refused> {
  // Bytes that passed have their places.
  const isOwn = plan.kind === 'pass' && plan.sent.body === plan.received.bytes
  const search = isOwn ? undefined : plan.places?.(plan.destination)
  return (search && (await context.ports.placing?.refusal(search, refused))) ?? refused
}

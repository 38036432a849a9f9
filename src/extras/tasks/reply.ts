import { ProblemError, type Problem } from '../../model/problem.ts'
import { joinBytes, NOTHING, utf8Text } from '../../json/bytes.ts'
import type { Answer } from '../../exchange/exchange.ts'
import {
  CALLER_LEFT,
  KEY_REFUSED,
  NOT_A_REPLY,
  NOT_JSON,
  REDIRECTED,
  REPLY_TOO_LARGE,
} from '../../problems/failures.ts'
import type { Journal } from '../../exchange/journal.ts'
import { pickHeaders } from '../../upstream/header-subset.ts'
import { isAboutKey } from '../../exchange/answers/refusal.ts'
import { headerWait } from '../../problems/wait.ts'
import type { Secrets } from '../../upstream/secrets.ts'
import type { KeySettings } from '../../config/settings.ts'
import { steppedSource } from '../../stream/stream-out.ts'
import type { MakeAlarm } from '../../stream/time.ts'
import type { UpstreamCall } from '../../upstream/call.ts'
import { JsonEnd } from './json-end.ts'

export interface TaskReply {
  call: UpstreamCall
  key: KeySettings
  /**
   * Hides the key that was sent: a service may repeat it, and these services report most failures with status 200.
   */
  secrets: Secrets
  now: number
  journal: Journal
  maxBytes: number
  /** Makes the clock of a long answer. */
  alarm?: MakeAlarm | undefined
}

/** The service's headers that mean something to a caller of this proxy. */
const REPLY_HEADERS = [
  'content-type',
  'content-language',
  'cache-control',
  'retry-after',
  'retry-after-ms',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'ratelimit-policy',
  'x-ratelimit',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-policy',
]

/** `Response` throws for a body with these statuses (Fetch Standard, "null body status"). */
const EMPTY: ReadonlySet<number> = new Set([204, 205])

/** The service's answer as it came. Throws ProblemError for one that is no answer. */
export async function taskReply(reply: TaskReply): Promise<Answer> {
  const { call, journal, secrets } = reply
  const { status } = call
  refuseNoAnswer(reply)
  const { held, complete } = await readBeginning(call)
  const bytes = joinBytes(held)
  const end = findEnd(call, bytes)
  if (complete && end) refuseHalf(end, bytes)
  if (status === FORBIDDEN && reply.key.kind !== 'caller') refuseKey(reply, bytes)
  journal.began()
  const headers = replyHeaders(reply)
  if (complete || status >= 400) {
    const shown = without(secrets, bytes, status)
    // A failure is shortened, because services do not say so much of one; a secret that was cut in half at the end
    // would not be found.
    const body = complete ? shown : shown.subarray(0, CUT_BYTES)
    if (!complete) call.cancel()
    journal.finish({ status, bytesOut: body.length })
    return { status, headers, body: EMPTY.has(status) ? null : body }
  }
  return { status, headers: { ...headers, ...contentLength(call) }, body: rest(reply, held, end) }
}

/**
 * Without a length, only the end of the JSON shows whether an answer was cut off. Failures pass even when they are
 * cut.
 */
function findEnd({ headers, status }: UpstreamCall, beginning: Uint8Array): JsonEnd | undefined {
  const isCounted = headers.get('content-length') !== null
  if (isCounted || status >= 400 || EMPTY.has(status)) return undefined
  const isSaid = /^(?:application|text)\/(?:[\w.-]+\+|x-)?json\b/i
  return isSaid.test(headers.get('content-type') ?? '') || beginsAsJson(beginning)
    ? new JsonEnd()
    : undefined
}

/** Services send their JSON under other types, too, or under none. */
const beginsAsJson = (bytes: Uint8Array): boolean =>
  /^[\s\u{feff}]*(?:\{\s*["}]|\[\s*[[{"])/u.test(
    new TextDecoder().decode(bytes.subarray(0, BEGINNING_BYTES)),
  )

const BEGINNING_BYTES = 1024

function refuseHalf(end: JsonEnd, bytes: Uint8Array): void {
  end.push(bytes)
  if (end.isMissing) throw new ProblemError(NOT_JSON)
}

/** With its length the caller notices a body that breaks off. The length of a decoded body is not known. */
const contentLength = ({ headers }: UpstreamCall): Record<string, string> =>
  headers.get('content-encoding') === null ? pickHeaders(headers, ['content-length']) : {}

function refuseNoAnswer({ call, key }: TaskReply): void {
  const { status } = call
  const refuse = (problem: Problem) => {
    call.cancel()
    throw new ProblemError(problem)
  }
  if (status === 0 || (status >= 300 && status < 400)) refuse(REDIRECTED)
  if (status < 200 || status > 599) refuse(NOT_A_REPLY)
  if (status === UNAUTHORIZED && key.kind !== 'caller') refuse(KEY_REFUSED)
}

const UNAUTHORIZED = 401
const FORBIDDEN = 403

/**
 * Answers up to this size, which nearly all are, are sent only when they are complete, so that half an answer cannot
 * be taken for a whole one.
 */
const HELD_BYTES = 65_536
/** A longer answer that reports a failure is cut to this size. */
const CUT_BYTES = 61_440

async function readBeginning(
  call: UpstreamCall,
): Promise<{ held: Uint8Array[]; complete: boolean }> {
  const held: Uint8Array[] = []
  for (let size = 0; size <= HELD_BYTES;) {
    const piece = await call.read()
    if (!piece) return { held, complete: true }
    if (piece.problem) throw new ProblemError(piece.problem)
    held.push(piece.bytes)
    size += piece.bytes.length
  }
  return { held, complete: false }
}

/** The same bytes but for secrets, which are searched in JSON and in failures. */
function without(secrets: Secrets, bytes: Uint8Array, status: number): Uint8Array {
  const text = utf8Text(bytes)
  if (status < 400 && !/^[\s\u{feff}]*[[{"]/u.test(text)) return bytes
  const shown = secrets.hideJson(text)
  return shown === text ? bytes : new TextEncoder().encode(shown)
}

/** Whether a 403 is about the key is known from its words. */
function refuseKey({ call, secrets }: TaskReply, bytes: Uint8Array): void {
  if (!isAboutKey(call.status, secrets.hide(new TextDecoder().decode(bytes)))) return
  call.cancel()
  throw new ProblemError(KEY_REFUSED)
}

function replyHeaders({ call, secrets, now }: TaskReply): Record<string, string> {
  const {
    'retry-after': _,
    'retry-after-ms': fine,
    ...picked
  } = pickHeaders(call.headers, REPLY_HEADERS)
  const shown = Object.entries(picked).map(([name, value]) => [name, secrets.hide(value)])
  const wait = headerWait(call.headers, now)
  return {
    ...Object.fromEntries(shown),
    ...(wait !== undefined && {
      'retry-after': String(Math.ceil(wait / 1000)),
      ...(fine !== undefined && { 'retry-after-ms': String(Math.ceil(wait)) }),
    }),
    ...(call.requestId !== undefined && { 'x-upstream-request-id': call.requestId }),
  }
}

/**
 * A long answer, piece by piece. When it breaks off, the body breaks off too, because the service has no words for
 * that.
 */
function rest(reply: TaskReply, held: Uint8Array[], end: JsonEnd | undefined): Answer['body'] {
  const { call, journal, maxBytes, alarm } = reply
  let size = 0
  const over = (problem?: Problem) =>
    journal.finish({ status: call.status, bytesOut: size, problem })
  // The body fails with the error that its step throws.
  const breakOff = (problem: Problem): never => {
    call.cancel()
    over(problem)
    throw new Error(problem.message)
  }
  const step = async () => {
    const first = held.shift()
    const piece = first ? { bytes: first } : await call.read()
    if (piece?.problem) return breakOff(piece.problem)
    if (piece && (size += piece.bytes.length) > maxBytes) return breakOff(REPLY_TOO_LARGE)
    if (!piece && end?.isMissing) return breakOff(NOT_JSON)
    if (piece) end?.push(piece.bytes)
    else over()
    return piece ? { bytes: piece.bytes, last: false } : { bytes: NOTHING, last: true }
  }
  const stop = () => {
    call.cancel()
    over(CALLER_LEFT)
  }
  return steppedSource(step, { heartbeatMs: 0, alarm, stop })
}

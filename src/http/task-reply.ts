import { ProblemError, type Problem } from '../canonical/problem.ts'
import { REQUEST_ID } from '../gateway/answer.ts'
import { joinBytes, NOTHING } from '../gateway/bytes.ts'
import type { Answer } from '../gateway/exchange.ts'
import {
  CALLER_LEFT,
  KEY_REFUSED,
  NOT_A_REPLY,
  NOT_JSON,
  REDIRECTED,
  REPLY_TOO_LARGE,
} from '../gateway/failures.ts'
import type { Journal } from '../gateway/journal.ts'
import { pickedHeaders } from '../gateway/picked.ts'
import type { KeySettings } from '../gateway/settings.ts'
import { steppedSource } from '../gateway/stream-out.ts'
import type { UpstreamCall } from '../gateway/upstream.ts'
import { JsonEnd } from './json-end.ts'

export interface TaskReply {
  call: UpstreamCall
  key: KeySettings
  /** The key that was sent: a service may repeat it when it refuses something. */
  secret: string | undefined
  journal: Journal
  maxBytes: number
}

/** Of a service's headers those that mean something to a caller of this proxy. */
const REPLY_HEADERS = [
  'content-type',
  'content-language',
  'cache-control',
  'retry-after',
  'retry-after-ms',
  ...['x-ratelimit', 'ratelimit'].flatMap((family) => [
    family,
    ...['limit', 'remaining', 'reset', 'policy'].map((kind) => `${family}-${kind}`),
  ]),
]

/** Statuses that have no body; a Response with one could not be made. */
const EMPTY: ReadonlySet<number> = new Set([204, 205])

/** The service's answer as it came. Throws ProblemError for what is none. */
export async function taskReply(reply: TaskReply): Promise<Answer> {
  const { call, journal, secret } = reply
  const { status } = call
  refuseNoAnswer(reply)
  const { held, complete } = await beginning(call)
  const end = endOf(call)
  if (complete && end) refuseHalf(end, held)
  journal.began()
  const id = call.headers.get('x-request-id')
  const headers = {
    ...pickedHeaders(call.headers, REPLY_HEADERS),
    ...(id !== null && REQUEST_ID.test(id) && { 'x-upstream-request-id': id }),
  }
  if (complete) {
    const bytes = joinBytes(held)
    const body = status < 400 || secret === undefined ? bytes : without(secret, bytes)
    journal.finish({ status, bytesOut: body.length })
    return { status, headers, body: EMPTY.has(status) ? null : body }
  }
  return { status, headers: { ...headers, ...lengthOf(call) }, body: rest(reply, held, end) }
}

/**
 * Without a length nothing shows that an answer was cut, but in JSON the end is missing. What a service says of
 * a failure is told all the same.
 */
function endOf({ headers, status }: UpstreamCall): JsonEnd | undefined {
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? '')
  return isJson && status < 400 && headers.get('content-length') === null
    ? new JsonEnd()
    : undefined
}

function refuseHalf(end: JsonEnd, held: readonly Uint8Array[]): void {
  for (const bytes of held) end.push(bytes)
  if (end.isMissing) throw new ProblemError(NOT_JSON)
}

/** With its length a body that breaks off is seen to; of a decoded one the length is not known. */
const lengthOf = ({ headers }: UpstreamCall): Record<string, string> =>
  headers.get('content-encoding') === null ? pickedHeaders(headers, ['content-length']) : {}

function refuseNoAnswer({ call, key }: TaskReply): void {
  const { status } = call
  const refuse = (problem: Problem) => {
    call.cancel()
    throw new ProblemError(problem)
  }
  if (status === 0 || (status >= 300 && status < 400)) refuse(REDIRECTED)
  if (status < 200 || status > 599) refuse(NOT_A_REPLY)
  if ((status === 401 || status === 403) && key.kind !== 'caller') refuse(KEY_REFUSED)
}

/** Nearly every answer is shorter. It goes out when it is there, so that half of one is not taken for one. */
const HELD_BYTES = 65_536

async function beginning(call: UpstreamCall): Promise<{ held: Uint8Array[]; complete: boolean }> {
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

/** Byte by byte as it was, but for the secret. */
function without(secret: string, bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return text.includes(secret) ? new TextEncoder().encode(text.replaceAll(secret, '***')) : bytes
}

/** A long answer as it comes. When it breaks off, so does the body: a service has no words for that. */
function rest(reply: TaskReply, held: Uint8Array[], end: JsonEnd | undefined): Answer['body'] {
  const { call, journal, maxBytes } = reply
  let size = 0
  const over = (problem?: Problem) =>
    journal.finish({ status: call.status, bytesOut: size, problem })
  // The body fails with what its step throws.
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
  return steppedSource(step, { heartbeatMs: 0, stop })
}

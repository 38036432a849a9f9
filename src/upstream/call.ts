import { ProblemError, type Problem } from '../model/problem.ts'
import {
  CALLER_LEFT,
  CONNECTION_LOST,
  NO_FIRST_BYTE,
  UNREACHABLE,
  WENT_SILENT,
} from '../problems/failures.ts'
import { callDeadline, type CallDeadline } from './call-deadline.ts'
import {
  ConnectError,
  StaleConnectionError,
  type Ports,
  type Send,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../ports.ts'
import type { TimeoutSettings } from '../config/settings.ts'
import type { SentRequest } from './request.ts'
import { toSource } from '../stream/source.ts'
import type { Secrets } from './secrets.ts'
import { pause, timer } from '../stream/time.ts'

/** The result of a read: bytes, or the problem that ends them; undefined at the regular end. */
export type Piece =
  | { bytes: Uint8Array; problem?: undefined }
  | { problem: Problem; bytes?: undefined }
  | undefined

/** An upstream that has begun to answer. None of its methods rejects. */
export interface UpstreamCall {
  readonly status: number
  readonly headers: UpstreamResponse['headers']
  /** The upstream's own id of the exchange. */
  readonly requestId?: string | undefined
  read(): Promise<Piece>
  /** Stops the upstream at once. */
  cancel(): void
  /** The answer is no longer needed. A short rest is read, so that the connection can be reused. */
  release(): void
}

/** Its body may be made while it is sent. */
export type SendableRequest = SentRequest<UpstreamRequest['body']>

/** What a call needs to know about its exchange. */
export interface CallContext {
  readonly ports: Ports
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  readonly journal: {
    note(fields: { reason?: string; upstreamRequestId?: string | undefined }): void
    sending(): Readonly<Record<string, string>> | undefined
  }
}

interface CallOptions {
  timeouts: TimeoutSettings
  proxy?: string | undefined
  /** Whether the answer will be streamed: a stream has to begin sooner than a whole answer. */
  stream?: boolean
  /** The whole time for the head of the answer. */
  attemptMs?: number | undefined
}

/** Why no answer began: no connection, a broken one, a timeout, or the end of the exchange. */
export type CallFailure = 'connect' | 'lost' | 'late' | 'over'

export class CallError extends ProblemError {
  readonly failure: CallFailure
  constructor(problem: Problem, failure: CallFailure) {
    super(problem)
    this.failure = failure
  }
}

/** Sends the request and waits for the head of the answer; throws CallError. */
export async function callUpstream(
  { ports, signal, journal }: CallContext,
  request: SendableRequest,
  options: CallOptions,
): Promise<UpstreamCall> {
  const { timeouts, attemptMs } = options
  const { send, deadline, alarm } = ports
  const line = callDeadline({ caller: signal, deadline, totalMs: timeouts.totalMs, alarm })
  watchBeginning(line, options)
  const traced = withTrace(request, journal.sending())
  const again = () => sendOnce(send, traced, { ...options, fresh: true }, line)
  const clock =
    attemptMs === undefined ? undefined : timer(() => line.end(NO_FIRST_BYTE), attemptMs)
  const work = sendOnce(send, traced, options, line).catch((error: unknown) => {
    if (line.problem) throw error
    if (error instanceof StaleConnectionError && isWhole(request)) return again()
    if (!(error instanceof ConnectError)) throw error
    return pause(pauseMs(ports.randomId())).then(again)
  })
  try {
    const call = opened(await line.wait(work), line, {
      ...options,
      secrets: request.secrets,
      journal,
    })
    clearTimeout(clock)
    journal.note({ upstreamRequestId: call.requestId })
    return call
  } catch (error) {
    clearTimeout(clock)
    // An answer that comes after the deadline is discarded.
    work.then(({ body }) => body && toSource(body).cancel()).catch(() => {})
    const lost = problemOf(line, error, { journal })
    const failure = failureOf(line.problem, error)
    const problem = failure === 'connect' ? UNREACHABLE : lost
    line.close()
    throw new CallError(problem, failure)
  }
}

/** This header and its state are set for each call and not once per plan, because each call is a span of its own. */
const TRACEPARENT = 'traceparent'

function withTrace(
  request: SendableRequest,
  trace: Readonly<Record<string, string>> | undefined,
): SendableRequest {
  if (request.headers[TRACEPARENT] === undefined) return request
  const { [TRACEPARENT]: _, ...headers } = request.headers
  return { ...request, headers: { ...headers, ...trace } }
}

export const REQUEST_ID = /^[\w.=-]{1,64}$/

/** The log does not know the key of a caller, so an id with a secret in it counts for none. */
function readRequestId(
  headers: UpstreamResponse['headers'],
  { hide }: Secrets,
): string | undefined {
  const id =
    headers.get('request-id') ?? headers.get('x-request-id') ?? headers.get('x-amzn-requestid')
  return id !== null && REQUEST_ID.test(id) && hide(id) === id ? id : undefined
}

/** What the caller is told. Messages of the system or the runtime go to the log alone. */
function problemOf(
  { problem }: CallDeadline,
  error: unknown,
  { journal }: Pick<CallContext, 'journal'>,
): Problem {
  if (!problem && error instanceof Error) journal.note({ reason: error.message })
  return problem ?? CONNECTION_LOST
}

function failureOf(problem: Problem | undefined, error: unknown): CallFailure {
  if (problem) return problem === NO_FIRST_BYTE ? 'late' : 'over'
  return error instanceof ConnectError ? 'connect' : 'lost'
}

/** A body that is made while it is sent cannot be sent a second time. */
const isWhole = ({ body }: SendableRequest): boolean => !(body instanceof ReadableStream)

const watchBeginning = (line: CallDeadline, { stream, timeouts }: CallOptions): void =>
  line.watch(stream ? timeouts.firstByteMs : timeouts.jsonMs, NO_FIRST_BYTE)

function sendOnce(
  send: Send,
  { method, url, headers, body }: SendableRequest,
  options: CallOptions & { fresh?: boolean },
  line: CallDeadline,
): Promise<UpstreamResponse> {
  if (line.problem) return Promise.reject(new ConnectError('the caller has left'))
  const { connectMs } = options.timeouts
  // The time to the first byte counts from the moment the connection is found.
  const connection = (state: 'sought' | 'found') =>
    state === 'sought' ? line.relax() : watchBeginning(line, options)
  try {
    const { proxy, fresh } = options
    return send({
      method,
      url,
      headers,
      ...(body && { body }),
      ...(fresh && { fresh }),
      ...(proxy !== undefined && { proxy }),
      signal: line.signal,
      connectMs,
      connection,
    })
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Between 50 and 250 ms, so that many callers do not come back at the same moment. */
const pauseMs = (random: string): number =>
  50 + (Number.parseInt(random.slice(0, 2), 16) || 0) * 0.8

/** The most that is read of an answer only to reuse its connection. */
const REST_BYTES = 65_536
export const REST_MS = 1000

async function skipRest(read: () => Promise<Piece>): Promise<void> {
  let skipped = 0
  for (let piece = await read(); piece?.bytes && skipped < REST_BYTES; piece = await read())
    skipped += piece.bytes.length
}

type Opening = CallOptions & Pick<CallContext, 'journal'> & Pick<SendableRequest, 'secrets'>

function opened(reply: UpstreamResponse, line: CallDeadline, options: Opening): UpstreamCall {
  const source = reply.body && toSource(reply.body)
  let begun = false
  let over = !source
  const stop = () => {
    over = true
    line.close()
    source?.cancel()
  }
  const read = async (): Promise<Piece> => {
    if (!source || over) return over && line.problem ? { problem: line.problem } : undefined
    if (begun) line.watch(options.timeouts.idleMs, WENT_SILENT)
    try {
      const bytes = await line.wait(source.read())
      source.taken?.(bytes)
      if (bytes && bytes.length > 0) begun = true
      // The limit for the first byte runs until some bytes have come.
      if (begun) line.relax()
      if (bytes) return { bytes }
      over = true
      return void line.close()
    } catch (error) {
      const problem = problemOf(line, error, options)
      stop()
      return { problem }
    }
  }
  const release = async () => {
    const clock = timer(stop, REST_MS)
    await skipRest(read)
    clearTimeout(clock)
    if (!over) stop()
  }
  if (over) line.close()
  line.whenEnded(stop)
  return {
    status: reply.status,
    headers: reply.headers,
    requestId: readRequestId(reply.headers, options.secrets),
    read,
    cancel() {
      if (over) return
      line.end(CALLER_LEFT)
      stop()
    },
    release: () => void (over || release()),
  }
}

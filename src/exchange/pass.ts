import type { Frame, Route } from '../../adapters/contract.ts'
import type { FrameReader } from '../stream/codec.ts'
import { ENDED_EARLY } from '../model/cursor.ts'
import { isShown, type Event } from '../model/events.ts'
import { isFailure } from '../model/error-words.ts'
import { isPassingOver } from '../upstream/verdict.ts'
import { isObject, parse, parseObject } from '../json/json.ts'
import { ProblemError, type Problem } from '../model/problem.ts'
import { problemAnswer, replyHeaders } from './answer.ts'
import { replyCounter } from '../stream/budget.ts'
import type { Answer, Exchange, PassingExchange, StoredExchange } from './exchange.ts'
import { joinBytes, NOTHING, Pile, utf8Text, wholeBytes, withoutMark } from '../json/bytes.ts'
import { createMirror, type Mirror } from '../memory/mirror.ts'
import {
  CALLER_LEFT,
  INTERNAL,
  KEY_REFUSED,
  NO_ROOM,
  NOT_A_REPLY,
  NOT_JSON,
  NOT_TAKEN,
  REPLY_TOO_LARGE,
} from '../model/failures.ts'
import { ShownStream, stragglers, trailer } from './epilogue.ts'
import type { ReadFrames } from './first-read.ts'
import { passingErrors, type Opening, type PassingErrors } from './passing-errors.ts'
import type { PassPlan } from './plan.ts'
import { pieceFinder } from '../stream/pieces.ts'
import { isStreamType, guessKind, replyEvents, type ReplyEvents } from '../stream/reply-events.ts'
import { slicesAt, spliceStrings } from '../json/slices.ts'
import {
  elementShape,
  eventShape,
  renamedEventShape,
  type PassingShape,
  wholeEventsIn,
} from '../stream/whole-events.ts'
import {
  begunWith,
  encodeHeartbeat,
  steppedSource,
  STREAM_HEADERS,
  type Step,
} from '../stream/stream-out.ts'
import { SILENT, within } from '../stream/time.ts'
import { hasReadableError, StillbornError } from './refusal.ts'
import { curedProblem } from './improved-problem.ts'
import { observe, tapReader } from './tap.ts'
import { toldProblem } from './told-problem.ts'
import { finder } from '../upstream/spellings.ts'
import type { Piece, UpstreamCall } from '../upstream/call.ts'

/** Passes the reply of an upstream of the caller's own dialect as bytes, whole or streamed. */
export async function passReply(
  exchange: Exchange,
  plan: PassPlan,
  call: UpstreamCall,
): Promise<Answer> {
  const type = call.headers.get('content-type')
  const isStream = plan.stream || isStreamType(type)
  const answer = isStream
    ? await passStream(exchange, plan, call, () => begun(exchange, plan))
    : await passBody(exchange, plan, call)
  const isJson = !isStream || exchange.route.framing === 'json-array'
  const unnamed = isJson ? 'application/json' : 'text/event-stream'
  const headers = {
    'content-type':
      type !== null && /^[\x20-\x7e]{1,128}$/.test(type) ? plan.sent.veil.hide(type) : unnamed,
    ...answer.headers,
    ...replyHeaders(plan, call, plan.losses),
  }
  return { ...answer, headers }
}

type Body = Pick<Answer, 'status' | 'headers' | 'body'>

/** Passes one JSON body. It is gathered first, so that a body that was cut off does not look like an answer. */
async function passBody(exchange: Exchange, plan: PassPlan, call: UpstreamCall): Promise<Body> {
  const bytes = withoutMark(await allBytes(exchange, call))
  exchange.journal.began()
  const text = utf8Text(bytes)
  const mirror = createMirror(exchange, plan)
  const { events, hasError } = bodyEvents(exchange, plan, text, mirror)
  const failure = exchange.isRepeatable ? events.find(isShown) : undefined
  if (failure?.type === 'error' && isPassingOver(failure.problem))
    throw new StillbornError(toldProblem(plan, failure.problem))
  observe(exchange, plan, events)
  const told = toldFailure(exchange, plan, events, text)
  if (told) return told
  await mirror?.settle()
  exchange.journal.finish({ status: call.status, bytesOut: bytes.length })
  const { requested: model, destination, sent } = plan
  const { reply } = exchange.caller.same.modelMember
  // A server's own words may stand beside a reply or in place of one, so secrets are hidden in them.
  const isForeign = events.length === 0 || events.at(-1)?.type === 'error' || hasError
  const shown = isForeign ? sent.veil.hideJson(text) : text
  const renamed = destination.aliased
    ? spliceStrings(shown, slicesAt(shown, [reply]), model)
    : shown
  return { status: call.status, headers: {}, body: renamed === text ? bytes : renamed }
}

/**
 * The answer for a body that is nothing but a failure, undefined for any other: some services send theirs with status
 * 200, which clients take for a reply without content. It is written anew where the proxy has more to say of it, and
 * where clients of the dialect could not read its error.
 */
export function toldFailure(
  exchange: StoredExchange,
  plan: PassPlan,
  events: readonly Event[],
  text: string,
): Body | undefined {
  const [first, ...others] = events
  if (first?.type !== 'error' || others.length > 0) return undefined
  const { adapter } = plan.destination
  const body = parseObject(text)
  const isCured = isImproved(plan, first.problem)
  // A body without any sign of a failure may be a reply of a kind that the reader does not know.
  if (!isCured && body && Object.keys(body).length > 0 && !isFailure(body)) return undefined
  const problem = toldProblem(plan, first.problem)
  if (isCured || problem === KEY_REFUSED || !hasReadableError(adapter, body))
    throw new ProblemError(problem)
  const { status, headers } = problemAnswer(adapter, problem, '')
  exchange.journal.finish({ status, problem })
  return { status, headers, body: plan.sent.veil.hideJson(text) }
}

const isImproved = ({ destination }: PassPlan, problem: Problem): boolean =>
  curedProblem(problem, destination) !== problem

export async function allBytes(
  { settings, lease }: StoredExchange,
  call: UpstreamCall,
): Promise<Uint8Array> {
  const refuse = (problem: Problem) => {
    call.cancel()
    throw new ProblemError(problem)
  }
  const isRoom = replyCounter(lease)
  const pile = new Pile()
  for (let piece = await call.read(); piece; piece = await call.read()) {
    if (piece.problem) throw new ProblemError(piece.problem)
    pile.add(piece.bytes)
    if (pile.size > settings.limits.replyBytes) refuse(REPLY_TOO_LARGE)
    if (!isRoom(piece.bytes.length)) refuse(NO_ROOM)
  }
  return wholeBytes(pile.take())
}

export function bodyEvents(
  exchange: StoredExchange & { route?: Route },
  plan: PassPlan,
  text: string,
  mirror?: Mirror,
): { events: Event[]; hasError?: boolean } {
  const { upstream } = plan.destination.adapter
  const kind = guessKind(text)
  // A caller that waits for one body cannot use a stream, even under another content type.
  if (kind === 'other' || kind === 'events') throw new ProblemError(NOT_A_REPLY)
  try {
    const json = parse(text, upstream.verbatim)
    const hasError = isObject(json) && Boolean(json['error'])
    if (exchange.route?.operation !== 'count-tokens')
      return { events: tapReader(exchange, plan, mirror).body(json, text), hasError }
    const problem = isFailure(json) ? upstream.readProblem(200, json) : undefined
    return { events: problem ? [{ type: 'error', problem }] : [] }
  } catch (error) {
    // The reader serves only the log; whether the body is JSON decides.
    if (error instanceof SyntaxError) throw new ProblemError(NOT_JSON)
    return { events: [] }
  }
}

/** Passes a stream in the caller's own dialect, piece by piece. */
export async function passStream(
  exchange: PassingExchange,
  plan: PassPlan,
  call: UpstreamCall,
  begun: () => Mirror | undefined = () => undefined,
): Promise<Body> {
  const errors = createPassingErrors(exchange, plan)
  const isDecisive = exchange.isRepeatable === true
  const opening = readOpening(call, { framing: exchange.route.framing, errors, isDecisive })
  const opened = await within(opening, exchange.settings.limits.heartbeatMs)
  const { problem, first } = opened === SILENT ? UNKNOWN : opened
  if (problem) throw new StillbornError(toldProblem(plan, problem))
  const shape = createShape(exchange, plan, errors)
  const mirror = begun()
  const shown = new ShownStream(exchange.caller.same.thread)
  const tap = createTap(exchange, plan, call, {
    shown,
    reader: tapReader(exchange, plan, mirror, first),
  })
  const pieces = new PassedPieces(exchange, plan, call, { shape, mirror, tap, errors, shown })
  // A heartbeat would damage an answer of another type.
  const isStream = isStreamType(call.headers.get('content-type'))
  const heartbeat = isStream
    ? encodeHeartbeat(exchange.caller.caller.heartbeat, exchange.route.framing)
    : undefined
  const read = begunWith(opened === SILENT ? opening.then(unmarked) : opening, () => call.read())
  let isWithin = false
  const step = async (): Promise<Step> => {
    const made = await pieces.pass(await (pieces.over ? stragglers(read(), call) : read()))
    // A step may wait for a store. Only afterwards is known whether the caller has half an event.
    isWithin = Boolean(shape.closing?.())
    return made
  }
  const body = steppedSource(step, {
    // A heartbeat must not stand inside an event, or behind the last one.
    heartbeat: heartbeat && (() => (isWithin || tap.ended ? undefined : heartbeat())),
    heartbeatMs: exchange.settings.limits.heartbeatMs,
    alarm: exchange.ports.alarm,
    signal: exchange.signal,
    stop() {
      call.cancel()
      exchange.journal.finish({ status: call.status, problem: CALLER_LEFT })
    },
    stalled() {
      call.cancel()
      return pieces.pass({ problem: NOT_TAKEN })
    },
  })
  return { status: call.status, headers: STREAM_HEADERS, body }
}

/** Releases a request that has been sent: its stream may go on for an hour. Of one that is kept the scanned text stays. */
function begun(exchange: Exchange, plan: PassPlan): Mirror | undefined {
  const mirror = createMirror(exchange, plan)
  if (mirror) {
    exchange.body.leave()
    return mirror
  }
  // To delete a member would make the plan larger for as long as the stream goes on.
  plan.scanned = undefined
  plan.found = undefined
  exchange.body.drop()
  exchange.lease.hold(0)
  return undefined
}

const unmarked = (piece: Piece): Piece =>
  piece?.bytes ? { bytes: withoutMark(piece.bytes) } : piece

/**
 * Reads up to the first event that shows something of a reply, as one piece. A failure before that event can still
 * become an HTTP status.
 */
async function readOpening(
  call: UpstreamCall,
  { framing, errors, isDecisive }: OpeningOptions,
): Promise<Opened> {
  let bytes: Uint8Array = NOTHING
  for (;;) {
    const piece = await call.read()
    if (piece?.problem) return piece
    if (piece) bytes = bytes.length > 0 ? joinBytes([bytes, piece.bytes]) : piece.bytes
    const text = new TextDecoder().decode(bytes)
    const kind = guessKind(text)
    if (kind === 'other') return { problem: NOT_A_REPLY }
    // JSON where events were expected is a failure, so it is held back until it is complete.
    const isHeld = kind === 'json' && framing !== 'json-array'
    // Half an event cannot be judged: it would count as one that the caller is to see.
    const whole = piece && kind === 'events' ? wholeEventsIn(bytes) : bytes
    const judged = whole.length === bytes.length ? text : new TextDecoder().decode(whole)
    const isOpen = kind === 'events' ? judged !== '' : kind === 'json' && !isHeld
    const { begun, failure, first } =
      isOpen || !piece ? errors.opening(judged, isDecisive) : NOT_BEGUN
    if (failure) return { problem: failure }
    const isTooLong = bytes.length > OPENING_BYTES
    if (kind === undefined && (isTooLong || (!piece && bytes.length > 0)))
      return { problem: NOT_A_REPLY }
    // Clients of events find none in it, and would take that for a reply without content.
    if (isHeld && (first || isTooLong) && isStreamType(call.headers.get('content-type')))
      return { problem: NOT_A_REPLY }
    if (begun || isTooLong || (kind === 'json' && isOpen))
      return { bytes, ...(first && kind === 'events' && { first }) }
    if (!piece) return { problem: ENDED_EARLY }
  }
}

/** The piece with which a stream begins; `first`: its first frames, where they have been read. */
type Opened =
  | { bytes: Uint8Array; problem?: undefined; first?: ReadFrames }
  | { problem: Problem; bytes?: undefined; first?: undefined }

interface OpeningOptions {
  framing: Route['framing']
  errors: PassingErrors
  /** Until the first event is shown, another upstream may still be asked. */
  isDecisive: boolean
}

const UNKNOWN: Pick<Opened, 'problem' | 'first'> = {}
const NOT_BEGUN: Opening = { begun: false }

/** The opening is not held back beyond this size. */
const OPENING_BYTES = 16_384

/** The rules for failures in a stream that passes. */
const createPassingErrors = (exchange: StoredExchange, plan: PassPlan): PassingErrors =>
  passingErrors({
    adapter: exchange.caller,
    veil: plan.sent.veil,
    reader: () => tapReader(exchange, plan, undefined),
    isImproved: (problem) => isImproved(plan, problem),
    maxEventCharacters: exchange.settings.limits.eventBytes,
  })

interface Passing {
  shape: PassingShape
  mirror: Mirror | undefined
  tap: ReplyEvents
  errors: PassingErrors
  shown: ShownStream
}

/** Passes one piece after the other; at a premature end it writes the error that the upstream left out. */
class PassedPieces {
  readonly #exchange: PassingExchange
  readonly #plan: PassPlan
  readonly #call: UpstreamCall
  readonly #passing: Passing
  #received = 0
  /** The last event of earlier pieces, where it has not been read: of the last piece not all may pass. */
  #unread: Frame | undefined
  /** A failure that the reader has found, and that has not passed in words that clients understand. */
  #unsettled: Problem | undefined

  constructor(exchange: PassingExchange, plan: PassPlan, call: UpstreamCall, passing: Passing) {
    this.#exchange = exchange
    this.#plan = plan
    this.#call = call
    this.#passing = passing
  }

  /** Nothing is missing any more; what follows comes at once. */
  get over(): boolean {
    const { errors, tap } = this.#passing
    return errors.said || tap.ended
  }

  pass(piece: Piece): Step | Promise<Step> {
    const { journal, settings } = this.#exchange
    const { tap, shape, mirror, errors } = this.#passing
    journal.began()
    if (!piece?.bytes) return this.#ended(piece)
    this.#unread = tap.unread
    this.#received += piece.bytes.length
    if (this.#received > settings.limits.streamBytes) return this.#cancelled(REPLY_TOO_LARGE)
    const wasEnded = tap.ended
    const events = tap.push(piece.bytes)
    observe(this.#exchange, this.#plan, events)
    // The problem is known too late to change the status.
    if (events.some(isNoReply)) return this.#cancelled(NOT_A_REPLY)
    const bytes = shape.push(piece.bytes)
    if (errors.untold) return this.#passed(bytes, errors.untold)
    const isKnown = !wasEnded && !tap.strayed && !tap.suspect
    const isPlain = isKnown && events.every(({ type }) => type !== 'error')
    const step = isPlain ? this.#passed(bytes) : this.#inspected(events, bytes)
    return mirror?.isReady() ? mirror.settle().then(() => step) : step
  }

  #passed(bytes: Uint8Array, failure?: Problem): Step {
    this.#passing.shown.add(bytes)
    if (failure) return this.#cancelled(toldProblem(this.#plan, failure), bytes)
    this.#exchange.journal.sent(bytes.length)
    return { bytes, last: false }
  }

  /** Looks event by event at bytes that tell of a failure or follow the end of the reply. */
  #inspected(events: readonly Event[], bytes: Uint8Array): Step {
    const { tap, errors } = this.#passing
    const told = events.find((event) => event.type === 'error')?.problem
    const stray = tap.strayed && !tap.ended ? ENDED_EARLY : undefined
    const { shown, failure, found } = inspectedBytes(errors, bytes, told ?? stray)
    if (!found) this.#unsettled ??= told
    return this.#passed(shown, failure)
  }

  #ended(piece: Piece): Step {
    const { tap, errors, shown } = this.#passing
    // Half an event, which the tap now reads as a whole one, does not pass.
    shown.end(tap.unread)
    const failure = tap.ended ? this.#unsettled : this.#prematureEnd(piece)
    return this.#finish(failure && !errors.said ? toldProblem(this.#plan, failure) : undefined)
  }

  /** Why a stream that stops here is incomplete; undefined when it is complete. */
  #prematureEnd(piece: Piece): Problem | undefined {
    const { tap } = this.#passing
    const events = piece?.problem ? tap.fail(piece.problem) : tap.end()
    observe(this.#exchange, this.#plan, events)
    const last = events.at(-1)
    // A failure of the reader itself says nothing about the bytes.
    return last?.type === 'error' && last.problem !== INTERNAL ? last.problem : undefined
  }

  #cancelled(failure: Problem, passed?: Uint8Array): Step {
    this.#call.cancel()
    return this.#finish(failure, passed)
  }

  #finish(failure: Problem | undefined, passed: Uint8Array = NOTHING): Step {
    const { journal } = this.#exchange
    this.#passing.shown.end(this.#unread, passed)
    const last = joinBytes([passed, this.#lastBytes(failure)])
    journal.sent(last.length)
    journal.finish({ status: this.#call.status, problem: failure })
    return { bytes: last, last: true }
  }

  #lastBytes(failure: Problem | undefined): Uint8Array {
    const { shape, shown, errors } = this.#passing
    if (failure === CALLER_LEFT) return NOTHING
    if (!failure) {
      const rest = inspectedBytes(errors, shape.rest(), undefined).shown
      return joinBytes([rest, trailer(this.#exchange, this.#plan, this.#call)])
    }
    const error = shown.error(this.#exchange, this.#plan, failure)
    return new TextEncoder().encode((shape.closing?.() ?? '') + error)
  }
}

const isNoReply = (event: Event): boolean => event.type === 'error' && event.problem === NOT_A_REPLY

function inspectedBytes(errors: PassingErrors, bytes: Uint8Array, told: Problem | undefined) {
  const whole = utf8Text(bytes)
  const { text, ...inspected } = errors.inspected(whole, told)
  return { ...inspected, shown: text === whole ? bytes : new TextEncoder().encode(text) }
}

/** Reads along with a passing stream. */
const createTap = (
  exchange: PassingExchange,
  plan: PassPlan,
  call: UpstreamCall,
  { shown, reader }: { shown: ShownStream; reader: FrameReader },
): ReplyEvents =>
  replyEvents({
    reader: shown.listen(reader),
    verbatim: plan.destination.adapter.upstream.verbatim,
    limits: exchange.settings.limits,
    contentType: call.headers.get('content-type'),
    passing: {
      anew: () => shown.listen(tapReader(exchange, plan, undefined)),
      pieces: pieceFinder(exchange.caller.same.pieces),
      isSuspect: finder(plan.sent.veil.sought?.plain ?? []),
    },
  })

function createShape(
  exchange: PassingExchange,
  plan: PassPlan,
  errors: PassingErrors,
): PassingShape {
  const { eventBytes } = exchange.settings.limits
  const { event, reply } = exchange.caller.same.modelMember
  const { requested: model } = plan
  const { aliased } = plan.destination
  if (exchange.route.framing === 'json-array')
    return elementShape(aliased ? { path: [reply], model } : undefined, errors.element)
  return aliased
    ? renamedEventShape(eventBytes, { path: event ?? [reply], model })
    : eventShape(eventBytes)
}

import type { Frame, Route, SameSide } from '../../../adapters/contract.ts'
import type { FrameReader } from '../../stream/codec.ts'
import { ENDED_EARLY } from '../../model/cursor.ts'
import { isRecognised } from '../../problems/error-words.ts'
import type { Event } from '../../model/events.ts'
import type { Problem } from '../../model/problem.ts'
import type { Answer, PassingExchange, StoredExchange } from '../exchange.ts'
import { joinBytes, NOTHING, utf8Text, withoutMark } from '../../json/bytes.ts'
import { BeginningBytes } from './beginning-bytes.ts'
import type { Mirror } from '../../memory/mirror.ts'
import {
  CALLER_LEFT,
  INTERNAL,
  NOT_A_REPLY,
  NOT_TAKEN,
  REPLY_TOO_LARGE,
} from '../../problems/failures.ts'
import { ShownStream, stragglers, trailer } from './epilogue.ts'
import type { ReadFrames } from './first-read.ts'
import { passingErrors, type Beginning, type PassingErrors } from './passing-errors.ts'
import { HeardStream, type HeardReply } from './heard.ts'
import type { PassPlan } from '../request/plan.ts'
import { pieceFinder, PieceTally } from '../../stream/pieces/pieces.ts'
import { isStreamType, replyEvents, type ReplyEvents } from '../../stream/reply-events.ts'
import {
  elementShape,
  eventShape,
  renamedEventShape,
  shapeWithout,
  type PassingShape,
} from '../../stream/whole-events.ts'
import {
  begunWith,
  encodeHeartbeat,
  steppedSource,
  STREAM_HEADERS,
  type Step,
} from '../../stream/stream-out.ts'
import { SILENT, within } from '../../stream/time.ts'
import { StillbornError } from '../answers/refusal.ts'
import { isImproved } from '../answers/improved-problem.ts'
import { freshReader, observe, tapReader } from './tap.ts'
import { toldProblem } from '../answers/told-problem.ts'
import { finder } from '../../upstream/spellings.ts'
import type { Piece, UpstreamCall } from '../../upstream/call.ts'
import type { ByteSource } from '../../stream/source.ts'

/** What a reply that passes has of its own. */
export type PassedReply = Pick<Answer, 'status' | 'headers' | 'body'>

/** Passes a stream in the caller's own dialect, piece by piece. */
export async function passStream(
  exchange: PassingExchange,
  plan: PassPlan,
  call: UpstreamCall,
  begun: () => Mirror | undefined,
): Promise<PassedReply> {
  const errors = createPassingErrors(exchange, plan)
  const isDecisive = exchange.isRepeatable === true
  const beginning = readBeginning(call, { framing: exchange.route.framing, errors, isDecisive })
  const opened = await within(beginning, exchange.settings.limits.heartbeatMs)
  const { problem, first } = opened === SILENT ? UNKNOWN : opened
  if (problem) throw new StillbornError(toldProblem(plan, problem))
  const counts = new CountLook()
  const shape = withoutCounts(plan, createShape(exchange, plan, errors), counts)
  const mirror = begun()
  const shown = new ShownStream(exchange.caller.same.thread)
  const tally = new PieceTally()
  const reader = tapReader(exchange, plan, mirror, first, tally)
  const tap = createTap(exchange, plan, call, { shown, reader, tally, counts })
  const heard = new HeardStream(tally, (piece) => freshReader(exchange, plan).read(piece))
  exchange.journal.hears(heard)
  const passing = { shape, mirror, tap, errors, shown, heard }
  const read = begunWith(opened === SILENT ? beginning.then(unmarked) : beginning, () =>
    call.read(),
  )
  const body = passingSource(exchange, plan, call, passing, read)
  return { status: call.status, headers: STREAM_HEADERS, body }
}

/** The bytes for the caller, with heartbeats where they damage nothing. */
function passingSource(
  exchange: PassingExchange,
  plan: PassPlan,
  call: UpstreamCall,
  passing: Passing,
  read: () => Promise<Piece>,
): ByteSource {
  const { shape, tap } = passing
  const pieces = new PassedPieces(exchange, plan, call, passing)
  // A heartbeat would damage an answer of another type.
  const isStream = isStreamType(call.headers.get('content-type'))
  const heartbeat = isStream
    ? encodeHeartbeat(exchange.caller.caller.heartbeat, exchange.route.framing)
    : undefined
  let isWithin = false
  const step = async (): Promise<Step> => {
    const made = await pieces.pass(await (pieces.over ? stragglers(read(), call) : read()))
    // A step may wait for a store. Only afterwards is known whether the caller has half an event.
    isWithin = Boolean(shape.closing?.())
    return made
  }
  return steppedSource(step, {
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
}

const unmarked = (piece: Piece): Piece =>
  piece?.bytes ? { bytes: withoutMark(piece.bytes) } : piece

/**
 * Reads up to the first event that shows something of a reply, as one piece. A failure before that event can still
 * become an HTTP status.
 */
async function readBeginning(
  call: UpstreamCall,
  { framing, errors, isDecisive }: BeginningOptions,
): Promise<FirstPiece> {
  const gathered = new BeginningBytes()
  for (;;) {
    const piece = await call.read()
    if (piece?.problem) return piece
    gathered.add(piece?.bytes)
    const { kind } = gathered
    if (kind === 'other' && piece && !isRecognised(gathered.text)) continue
    if (kind === 'other') return { problem: { ...NOT_A_REPLY, said: gathered.text } }
    // JSON where events were expected is a failure, so it is held back until it is complete.
    const isHeld = kind === 'json' && framing !== 'json-array'
    const events = kind === 'events' ? gathered.events() : ''
    const isOpen = events !== '' || (kind === 'json' && !isHeld)
    const judged = kind === 'events' ? events : isOpen || !piece ? gathered.text : ''
    const { begun, failure, first } =
      isOpen || !piece ? errors.beginning(judged, isDecisive) : NOT_BEGUN
    if (failure) return { problem: failure }
    const isTooLong = gathered.size > BEGINNING_BYTES
    if (kind === undefined && (isTooLong || (!piece && gathered.size > 0)))
      return { problem: NOT_A_REPLY }
    // Clients of events find none in it, and would take that for a reply without content.
    if (isHeld && (first || isTooLong) && isStreamType(call.headers.get('content-type')))
      return { problem: NOT_A_REPLY }
    if (begun || isTooLong || (kind === 'json' && isOpen))
      return { bytes: gathered.bytes, ...(first && kind === 'events' && { first }) }
    if (!piece) return { problem: ENDED_EARLY }
  }
}

/** The piece with which a stream begins; `first`: its first frames, where they have been read. */
type FirstPiece =
  | { bytes: Uint8Array; problem?: undefined; first?: ReadFrames }
  | { problem: Problem; bytes?: undefined; first?: undefined }

interface BeginningOptions {
  framing: Route['framing']
  errors: PassingErrors
  /** Until the first event is shown, another upstream may still be asked. */
  isDecisive: boolean
}

const UNKNOWN: Pick<FirstPiece, 'problem' | 'first'> = {}
const NOT_BEGUN: Beginning = { begun: false }

/** The beginning is not held back beyond this size. */
const BEGINNING_BYTES = 16_384

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
  heard: HeardReply
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
    const { tap, shape, mirror, errors, heard } = this.#passing
    journal.began()
    if (!piece?.bytes) return this.#ended(piece)
    this.#unread = tap.unread
    this.#received += piece.bytes.length
    // A list is read only when it is complete.
    if (this.#exchange.route.framing === 'json-array') heard.came = this.#received
    if (this.#received > settings.limits.streamBytes) return this.#cancelled(REPLY_TOO_LARGE)
    const wasEnded = tap.ended
    const events = tap.push(piece.bytes)
    observe(this.#exchange, this.#plan, events, heard)
    // The problem is known too late to change the status.
    if (events.some(isNoReplyEvent)) return this.#cancelled(NOT_A_REPLY)
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
    const { tap, heard } = this.#passing
    const events = piece?.problem ? tap.fail(piece.problem) : tap.end()
    observe(this.#exchange, this.#plan, events, heard)
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
    const { shown, tap } = this.#passing
    shown.end(this.#unread, passed)
    const last = joinBytes([passed, this.#lastBytes(failure)])
    journal.sent(last.length)
    journal.finish({ status: this.#call.status, problem: failure ?? tap.broken })
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

const isNoReplyEvent = (event: Event): boolean =>
  event.type === 'error' && event.problem === NOT_A_REPLY

function inspectedBytes(errors: PassingErrors, bytes: Uint8Array, told: Problem | undefined) {
  const whole = utf8Text(bytes)
  const { text, ...inspected } = errors.inspected(whole, told)
  return { ...inspected, shown: text === whole ? bytes : new TextEncoder().encode(text) }
}

/** Whether anything was read since the last look: a count is never only a piece. */
class CountLook {
  isDue = false

  taken(): boolean {
    const was = this.isDue
    this.isDue = false
    return was
  }
}

/** Takes the count out that the upstream was asked for and the caller did not. */
function withoutCounts(plan: PassPlan, shape: PassingShape, counts: CountLook): PassingShape {
  const { counting } = plan.destination.adapter.same
  return plan.counted && counting
    ? shapeWithout(shape, () => counts.taken(), counting.isCount)
    : shape
}

interface Tapped {
  shown: ShownStream
  reader: FrameReader
  tally: PieceTally
  counts: CountLook
}

/** Reads along with a passing stream. */
const createTap = (
  exchange: PassingExchange,
  plan: PassPlan,
  call: UpstreamCall,
  { shown, reader, tally, counts }: Tapped,
): ReplyEvents =>
  replyEvents({
    reader: shown.listen(reader),
    verbatim: plan.destination.adapter.upstream.verbatim,
    limits: exchange.settings.limits,
    contentType: call.headers.get('content-type'),
    passing: {
      anew: () => shown.listen(tapReader(exchange, plan, undefined, undefined, tally)),
      tally,
      kept: () => void (counts.isDue = true),
      pieces: pieceFinder(exchange.caller.same.pieces),
      isKnown: knownFrames(exchange.caller.same),
      isSuspect: finder(plan.sent.veil.sought?.plain ?? []),
    },
  })

/**
 * Which frames clients of the dialect parse: where events have names, those that they know. Signs of life are none of
 * them, whatever stands in them.
 */
const knownFrames =
  ({ pieces, knows = () => true }: SameSide) =>
  (frame: Frame): boolean => {
    const isNamed = pieces !== undefined && 'isName' in pieces
    return frame.event === undefined && !isNamed
      ? true
      : frame.event !== 'ping' && frame.event !== 'keepalive' && knows(frame)
  }

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

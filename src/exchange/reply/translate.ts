import { watchEmptyReply, type EmptyReply } from './empty-reply.ts'
import type { Writer } from '../../../adapters/contract.ts'
import {
  isShown,
  type Event,
  type FinishEvent,
  type StartEvent,
  type Withheld,
} from '../../model/events.ts'
import { stringify } from '../../json/json.ts'
import { lossList } from '../../model/loss.ts'
import { dotted } from '../../model/paths.ts'
import type { Request } from '../../model/request.ts'
import { ProblemError, type Problem } from '../../model/problem.ts'
import { lossComment, replyHeaders } from '../answers/answer.ts'
import { FREE_BYTES, replyCounter, weightOf } from '../../stream/budget.ts'
import { isLonger, streamEncoder } from '../../json/bytes.ts'
import { concealer } from './concealed.ts'
import type { Answer, Exchange } from '../exchange.ts'
import { CALLER_LEFT, INTERNAL, NO_ROOM, NOT_TAKEN, REPLY_GREW } from '../../problems/failures.ts'
import { ReplyRecorder } from '../../memory/recorder.ts'
import { HeardReply } from './heard.ts'
import type { TranslatePlan } from '../request/plan.ts'
import { soughtIn } from '../request/planner.ts'
import { createProofRecorder } from '../../memory/proofs.ts'
import type { FrameReader } from '../../stream/codec.ts'
import { frameReader } from '../../stream/event-reader.ts'
import { isStreamType, replyEvents } from '../../stream/reply-events.ts'
import { replyWriter } from './reply-writer.ts'
import {
  begunWith,
  framer,
  encodeHeartbeat,
  steppedSource,
  STREAM_HEADERS,
  type Framer,
  type Step,
} from '../../stream/stream-out.ts'
import { SILENT, within } from '../../stream/time.ts'
import { StillbornError } from '../answers/refusal.ts'
import { toldProblem } from '../answers/told-problem.ts'
import { proofMarker } from '../request/accounts.ts'
import type { Piece, UpstreamCall } from '../../upstream/call.ts'

/** Translates an upstream's reply into the caller's dialect, as a stream or one body. */
export async function translateReply(
  exchange: Exchange,
  plan: TranslatePlan,
  call: UpstreamCall,
): Promise<Answer> {
  const { caller, settings, ports, newId, journal } = exchange
  const { lastProof, destination } = plan
  const { adapter, target } = destination
  const { lose, losses } = lossList(plan.sent?.veil.sought?.hide)
  const request = repliedRequest(exchange, plan)
  const proofs = createProofRecorder(exchange, request)
  const now = Math.floor(ports.now() / 1000)
  const writing = { request, now, lose, newId, trail: exchange.recall?.trail }
  const told = watchEmptyReply(replyWriter(caller, writing, proofs?.hear), losses)
  const replyRecorder =
    plan.keeping && new ReplyRecorder(exchange, plan.keeping, told.writer, () => call.cancel())
  const { server } = target.facts
  const reader = frameReader(adapter.upstream.reader({ request, server, lastProof, lose, newId }))
  const next = eventSteps(exchange, plan, call, () => replyRecorder?.interruption, reader)
  // Plan and reply share one request object, so that releasing its turns frees them for both.
  plan.request = request
  const allLosses = () => [...plan.losses, ...losses]
  const settle = async (problem?: Problem, body?: string) => {
    if (problem === CALLER_LEFT) return
    await proofs?.settle()
    if ((await replyRecorder?.settle(body)) === false) lose('dropped', 'store')
  }
  const over = (problem?: Problem) => journal.finish({ status: 200, losses: allLosses(), problem })
  if (plan.stream) {
    const headers = replyHeaders(plan, call, plan.losses)
    const writer = replyRecorder?.writer ?? told.writer
    const begun = () => letGo(exchange, plan, request)
    // A writer that has ended writes nothing more, so an error needs a new one.
    const another = () => caller.caller.writer({ request, now, lose: () => undefined, newId })
    const trailer = () => lossComment(exchange, allLosses())
    const speaking = { writer, another, outcome: told.outcome, trailer }
    return streamReply({ exchange, call, next, headers, settle, over, begun, ...speaking })
  }
  const body = await gatherReply(next, told.outcome, told.writer, settings.limits.replyBytes)
  await settle(undefined, body)
  over()
  const headers = replyHeaders(plan, call, allLosses())
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body }
}

/** The request as its reply repeats it. Where the caller named no model, that names the one that answered. */
const repliedRequest = (
  { settings }: Exchange,
  { request, destination }: TranslatePlan,
): Request => ({
  ...request,
  model: request.model || destination.target.model,
  ...(settings.state === 'off' && { store: false }),
})

/**
 * Releases the conversation when the reply has begun: the reply repeats only settings of the request. Of a body that
 * will be kept the text stays, and counts against the memory bound.
 */
function letGo({ body, lease }: Exchange, { keeping }: TranslatePlan, request: Request): void {
  request.system = []
  request.turns = []
  if (keeping) body.leave()
  else body.drop()
  lease.hold(keeping ? weightOf(body.size) : 0)
}

/** The next events; undefined after the end. Never rejects. */
type Next = () => Promise<readonly Event[] | undefined>

const isError = (event: Event): boolean => event.type === 'error'

function eventSteps(
  exchange: Exchange,
  plan: TranslatePlan,
  call: UpstreamCall,
  interruption: () => Problem | undefined,
  reader: FrameReader,
): Next {
  const { journal, lease, settings } = exchange
  const { verbatim } = plan.destination.adapter.upstream
  const contentType = call.headers.get('content-type')
  const events = replyEvents({ reader, verbatim, limits: settings.limits, contentType })
  const conceal = concealer(plan.sent?.veil.sought)
  const tell = (event: Event): Event =>
    event.type === 'error'
      ? { type: 'error', problem: toldProblem(plan, event.problem, exchange.caller) }
      : event
  // A body is gathered whole before it is read, and written whole before it is handed over.
  const mark = proofMarker(settings, plan.destination)
  const isHeld = !plan.stream || !isStreamType(contentType)
  const isRoom = replyCounter(lease)
  const heard = new HeardReply()
  journal.hears(heard)
  const isRefused = (piece: Piece) =>
    isHeld && piece?.bytes !== undefined && !isRoom(piece.bytes.length)
  const placed = placer(exchange, plan)
  const gathered = gatheredBytes()
  return async () => {
    if (events.ended) return undefined
    const piece = await call.read()
    let step
    const problem = interruption() ?? piece?.problem ?? (isRefused(piece) ? NO_ROOM : undefined)
    if (isHeld && piece?.bytes) heard.came += piece.bytes.length
    if (problem) step = events.fail(problem)
    else step = piece?.bytes ? events.push(piece.bytes) : events.end()
    if (events.ended) call.release()
    if (step.length > 0) journal.began()
    let told = conceal(step.some(isError) ? step.map(tell) : step)
    if (mark) told = mark(told)
    // A reply says this at its beginning, or when it ends.
    if (saysWithheld(told[0]) || saysWithheld(told.at(-1)))
      told = await Promise.all(told.map((event) => placed(event)))
    noteReply(journal, told, heard)
    if (isHeld || events.ended || isRoom(gathered(told, piece))) return told
    call.release()
    return events.fail(NO_ROOM).map(tell)
  }
}

function noteReply(
  journal: Exchange['journal'],
  events: readonly Event[],
  heard: HeardReply,
): void {
  heard.add(events)
  for (const event of events) {
    if (event.type === 'usage') journal.count(event.usage)
    if (event.type === 'finish') journal.note({ finish: event.reason })
  }
}

/** How much a writer gathers of the events of a step: their text, and of others the bytes in which they came. */
function gatheredBytes(): (events: readonly Event[], piece: Piece) => number {
  let came = 0
  return (events, piece) => {
    came += piece?.bytes?.length ?? 0
    if (events.length === 0) return 0
    const all = came
    came = 0
    let size = 0
    for (const event of events) {
      const length = addedLength(event)
      if (length === undefined) return all
      size += length
    }
    return size
  }
}

/** The length of what an event adds to a text; undefined for one that does something else. */
function addedLength(event: Event): number | undefined {
  if (event.type === 'candidate') return addedLength(event.event)
  if (event.type === 'block-delta') return event.text.length
  return event.type === 'usage' ? 0 : undefined
}

/** What the upstream withheld from its model, by the places of the caller. */
function placer(exchange: Exchange, plan: TranslatePlan): (event: Event) => Promise<Event> {
  // When a stream ends, the request has been let go; the end repeats what the beginning has found.
  const known: { told: Withheld; found: Withheld }[] = []
  const isKnown = ({ at = [], id, reason }: Withheld, index: number): boolean => {
    const told = known[index]?.told
    return told?.id === id && told?.reason === reason && dotted(told.at ?? []) === dotted(at)
  }
  return async (event) => {
    if (!saysWithheld(event)) return event
    const { withheld: list = [] } = event
    const unknown = list.filter((each, index) => !isKnown(each, index))
    const found = await exchange.ports.placing?.withheld(soughtIn(exchange, plan), unknown)
    const rest = (found ?? unknown.map(({ reason }) => ({ reason }))).values()
    for (const [index, told] of list.entries()) {
      if (isKnown(told, index)) continue
      known[index] = { told, found: rest.next().value ?? { reason: told.reason } }
    }
    return { ...event, withheld: list.flatMap((_, index) => known[index]?.found ?? []) }
  }
}

const saysWithheld = (event: Event | undefined): event is StartEvent | FinishEvent =>
  (event?.type === 'start' || event?.type === 'finish') && event.withheld !== undefined

async function gatherReply(
  next: Next,
  outcome: EmptyReply['outcome'],
  writer: Writer,
  maxBytes: number,
): Promise<string> {
  for (let events = await next(); events; events = await next()) {
    for (const come of events) {
      const event = outcome(come)
      if (event.type === 'error') throw new StillbornError(event.problem)
      writer.push(event)
    }
  }
  const body = stringify(writer.body())
  if (isLonger(body, maxBytes + FREE_BYTES)) throw new ProblemError(REPLY_GREW)
  return body
}

interface Streaming {
  exchange: Exchange
  call: UpstreamCall
  writer: Writer
  another(): Writer
  next: Next
  outcome: EmptyReply['outcome']
  /** What is said of losses before the end. */
  trailer(): string
  headers: Record<string, string>
  /** Resolves when everything that is to be kept has been kept, or is among the losses. */
  settle(problem?: Problem): Promise<void>
  /** Ends the exchange. */
  over(problem?: Problem): void
  /** The beginning of the reply has been written. */
  begun(): void
}

/**
 * The status goes out with the first event that shows something, so that an earlier failure still becomes an HTTP
 * status. It waits no longer than a heartbeat, because intermediaries give up on silent upstreams.
 */
async function streamReply(streaming: Streaming): Promise<Answer> {
  const { exchange, call, next, headers, over } = streaming
  const { heartbeatMs } = exchange.settings.limits
  const { framing } = exchange.route
  const frames = framer(framing)
  const steps = stepper(streaming, frames)
  const beginning = firstEvents(next)
  const opened = await within(beginning, heartbeatMs)
  const failure = opened === SILENT ? undefined : failureIn(opened)
  if (failure) throw new StillbornError(failure)
  const following = begunWith<readonly Event[] | undefined>(beginning, next)
  const body = steppedSource(async () => steps(await following()), {
    heartbeat: encodeHeartbeat(exchange.caller.caller.heartbeat, framing),
    heartbeatMs,
    alarm: exchange.ports.alarm,
    signal: exchange.signal,
    stop() {
      call.cancel()
      over(CALLER_LEFT)
    },
    stalled() {
      call.cancel()
      return steps([{ type: 'error', problem: NOT_TAKEN }])
    },
  })
  const own = { 'content-type': frames.contentType, ...STREAM_HEADERS }
  return { status: 200, headers: { ...own, ...headers }, body }
}

const failureIn = (events: readonly Event[]): Problem | undefined => {
  const shown = events.find(isShown)
  return shown?.type === 'error' ? shown.problem : undefined
}

/** All events up to the first one that shows something of a reply, or ends it. */
async function firstEvents(next: Next): Promise<readonly Event[]> {
  const seen: Event[] = []
  for (let events = await next(); events; events = await next()) {
    seen.push(...events)
    if (events.some(isShown)) break
  }
  return seen
}

/** How a stream ends. `said`: its last event, before which the losses are told. */
interface End {
  said?: string
  problem?: Problem
}

/** Turns events into bytes. The last step is marked as the last and carries the end of the framing. */
function stepper(
  { exchange, writer, another, call, outcome, trailer, settle, over, begun }: Streaming,
  frames: Framer,
): (events: readonly Event[] | undefined) => Promise<Step> {
  const encode = streamEncoder()
  const most = exchange.settings.limits.streamBytes + FREE_BYTES
  let written = 0
  const outgrown = (event: Event): string => {
    call.cancel()
    const speaker = event.type === 'finish' ? another() : writer
    return frames.write(speaker.push({ type: 'error', problem: REPLY_GREW }))
  }
  const write = (events: readonly Event[]): { text: string; end?: End } => {
    let text = ''
    for (const come of events) {
      const event = outcome(come)
      if (event.type === 'error' && event.problem === CALLER_LEFT)
        return { text, end: { problem: event.problem } }
      const said = frames.write(writer.push(event))
      if (event.type !== 'error' && written + text.length + said.length > most)
        return { text: text + outgrown(event), end: { problem: REPLY_GREW } }
      // A client may stop reading at the last event.
      if (event.type === 'error') return { text, end: { said, problem: event.problem } }
      if (event.type === 'finish') return { text, end: { said } }
      text += said
    }
    return { text }
  }
  const attempt = (events: readonly Event[]): ReturnType<typeof write> => {
    try {
      return write(events)
    } catch {
      call.cancel()
      return events.some((event) => event.type === 'error')
        ? { text: '', end: { problem: INTERNAL } }
        : attempt([{ type: 'error', problem: INTERNAL }])
    }
  }
  return async (events) => {
    const { text, end }: ReturnType<typeof write> = events ? attempt(events) : { text: '', end: {} }
    if (written === 0) begun()
    if (end) await settle(end.problem)
    const last = end?.said === undefined ? '' : trailer() + end.said
    const bytes = encode(end ? text + last + frames.end() : text)
    written += bytes.length
    exchange.journal.sent(bytes.length)
    if (end) over(end.problem)
    return { bytes, last: end !== undefined }
  }
}

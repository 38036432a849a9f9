import type { Adapter, Frame, StreamThread } from '../../../adapters/contract.ts'
import { isShown, type Event, type StartEvent } from '../../model/events.ts'
import type { Problem } from '../../model/problem.ts'
import type { Mirror } from '../../memory/mirror.ts'
import { NOT_A_REPLY } from '../../problems/failures.ts'
import { replyCounter } from '../../stream/budget.ts'
import type { FrameReader, PassingRules } from '../../stream/codec.ts'
import { frameReader } from '../../stream/event-reader.ts'
import { PieceFinder } from '../../stream/pieces/pieces.ts'
import {
  isDone,
  isStreamType,
  replyFrames,
  type ReadFrame,
  type ReplyFrames,
} from '../../stream/reply-events.ts'
import { framer, framingOf, type Change, type FramingRules } from '../../stream/framings.ts'
import { mayHop } from '../../upstream/verdict.ts'
import type { Secrets } from '../../upstream/secrets.ts'
import type { UpstreamCall } from '../../upstream/call.ts'
import { lossComment } from '../answers/answer.ts'
import { hasAdvice } from '../answers/problem-advice.ts'
import { shownProblem } from '../answers/shown-problem.ts'
import type { Answer, Context } from '../exchange.ts'
import { memberOf } from '../../json/scanned-body.ts'
import { slicesAt, spliceStrings } from '../../json/slices.ts'
import { unreadRequest, type PassPlan } from '../request/plan.ts'
import { HeardReply } from './heard.ts'
import { Delivery, problemAtEnd, type FrameOut } from './reply.ts'

/** What a reply that passes has of its own. */
export type PassedReply = Pick<Answer, 'status' | 'headers' | 'body'>

/** `begun`: called when the stream has begun. */
export interface Passage {
  mirror: Mirror | undefined
  begun(): void
}

/** Passes a stream in the caller's own dialect, frame by frame. */
export function passStream(
  context: Context,
  plan: PassPlan,
  call: UpstreamCall,
  passage: Passage,
): Promise<PassedReply> {
  // Neither a heartbeat nor a comment may stand in an answer of another type.
  const isStream = isStreamType(call.headers.get('content-type'))
  const reader = () => freshReader(context.newId, plan)
  const frames = framesOf(context, plan, call, passage.mirror)
  const delivery = new Delivery({
    context,
    call,
    frames,
    out: new PassedFrames(context, plan, call, passage),
    keeper: passage.mirror,
    framing: plan.route.framing,
    heard: new HeardReply(frames, (piece) => reader().read(piece)),
    status: call.status,
    heartbeat: isStream ? context.caller.caller.heartbeat : undefined,
    losses: () => plan.losses,
    trailer: () => (isStream ? lossComment(context, plan.route, plan.losses) : ''),
  })
  return delivery.stream()
}

function framesOf(
  context: Context,
  plan: PassPlan,
  call: UpstreamCall,
  mirror: Mirror | undefined,
): ReplyFrames {
  const reader = passedReader(context, plan, mirror)
  const { verbatim } = plan.destination.adapter.upstream
  return replyFrames({
    reader,
    verbatim,
    limits: context.settings.limits,
    contentType: call.headers.get('content-type'),
    passing: {
      framing: framingOf(plan.route.framing),
      pieces: new PieceFinder(context.caller.same.passing.isPiece),
      restart: () => passedReader(context, plan, mirror),
    },
  })
}

/** Reads along with what passes, for the log and to know how it ends. */
export function passedReader(
  context: Context,
  plan: PassPlan,
  mirror: Mirror | undefined,
): FrameReader {
  const reader = freshReader(context.newId, plan)
  return mirror ? mirror.listen(reader) : reader
}

function freshReader(newId: Context['newId'], plan: PassPlan): FrameReader {
  const { adapter, target } = plan.destination
  const { server } = target.facts
  const request = unreadRequest(plan)
  return frameReader(adapter.upstream.reader({ request, server, lose: () => undefined, newId }))
}

/** No service says so much in an error, and searching a larger one for secrets takes too long. */
const LARGEST_ERROR = 262_144

/**
 * Passes frames as they came. One that clients of the dialect take for a failure passes with its secrets hidden; in
 * place of any other failure an error of the dialect is written. What has not the dialect's shape may be the words of a
 * server in between: keys are hidden in it.
 */
class PassedFrames implements FrameOut {
  readonly passes = true
  goesOn = true
  readonly #context: Context
  readonly #plan: PassPlan
  readonly #call: UpstreamCall
  readonly #passage: Passage
  readonly #rules: PassingRules
  readonly #framing: FramingRules
  /** Nothing passes that is no data. */
  readonly #isData: boolean
  readonly #secrets: Secrets
  readonly #thread: StreamThread | undefined
  /** The caller has been shown something of the reply. */
  #isShown = false
  readonly #rename: Change | undefined
  readonly #isCount: ((data: string) => boolean) | undefined
  /** The frame of a failure that passes as it came, and whether another upstream may be asked for it. */
  #own: ReadFrame | undefined
  #mayHop = false
  /** The end of the framing has passed. */
  #isClosed = false

  constructor(context: Context, plan: PassPlan, call: UpstreamCall, passage: Passage) {
    this.#context = context
    this.#plan = plan
    this.#call = call
    this.#passage = passage
    this.#rules = context.caller.same.passing
    this.#framing = framingOf(plan.route.framing)
    this.#isData = context.caller.caller.heartbeat === undefined
    this.#secrets = plan.sent.secrets
    this.#thread = this.#rules.streamThread?.(replyCounter(context.lease))
    this.#rename = renamerOf(context.caller, plan)
    const { counting } = plan.destination.adapter.same
    this.#isCount = plan.counted ? counting?.isCount : undefined
  }

  ready(frames: readonly ReadFrame[]): readonly ReadFrame[] {
    for (const read of frames)
      if (!read.pieces && this.#failureIn(read))
        return frames.map((each) => this.#withFailure(each))
    return frames
  }

  /** JSON where events were asked for is one, too: clients of events find none in it, and take that for an empty reply. */
  #failureIn(read: ReadFrame): Problem | undefined {
    const isMisplaced = read.frame?.bare && isStreamType(this.#call.headers.get('content-type'))
    return problemAtEnd(read) ?? (isMisplaced ? NOT_A_REPLY : undefined)
  }

  /** A frame with its failure as the caller may see it. */
  #withFailure(read: ReadFrame): ReadFrame {
    const problem = this.#failureIn(read)
    if (!problem) return read
    const before = read.events.filter(({ type }) => type === 'usage')
    const events = [...before, failureOf(shownProblem(this.#plan, problem))]
    const shown = { ...read, events }
    this.#mayHop = mayHop(problem)
    const isOwn = read.frame && this.#tellsFailure(read.frame)
    if (isOwn && !hasAdvice(this.#plan, problem)) this.#own = shown
    return shown
  }

  /** Whether clients take a frame for a failure. One that came without a framing they do not read. */
  #tellsFailure(frame: Frame): boolean {
    const { tellsFailure = () => true } = this.#rules
    return !frame.bare && frame.data.length <= LARGEST_ERROR && tellsFailure(frame)
  }

  /** Until it is shown something, another upstream may be asked. */
  begins({ events, pieces }: ReadFrame): boolean {
    if (pieces) return true
    return this.#plan.isRepeatable ? events.some(isShown) : events.length > 0
  }

  opensWith(read: ReadFrame): boolean {
    return read === this.#own && !(this.#plan.isRepeatable && this.#mayHop)
  }

  begun(): void {
    this.#passage.begun()
  }

  frame(read: ReadFrame): string {
    if (this.#thread || !read.pieces) this.#show(read)
    const text = read.pieces ? read.text : this.#passed(read)
    return this.#isData || this.#rename ? this.#leaving(text, read) : text
  }

  /** Clients of a dialect without a heartbeat know nothing but data: others lose the stream at a name or a comment. */
  #leaving(text: string, { frame, pieces }: ReadFrame): string {
    // Several pieces without a name are lines of data and nothing else.
    const isPlain = !frame || (pieces && pieces.count > 1 && frame.event === undefined)
    const told = this.#isData && !isPlain ? this.#framing.dataOnly(text) : text
    return this.#rename ? this.#rename(told) : told
  }

  #passed({ text, frame, events }: ReadFrame): string {
    if (!frame) return this.#between(text)
    const { isOwnFrame = () => true } = this.#rules
    if (this.#isCount?.(frame.data)) return ''
    // Clients read no further, so the mark of the end stands before none.
    if (isDone(frame)) return events.length > 0 ? text : ''
    if (frame.bare) return text
    if (!isOwnFrame(frame)) return this.#masked(text)
    // A failure behind a good end does not undo the reply.
    const isUndone = events.length === 0 && frame.data.includes('"error"')
    return isUndone && this.#tellsFailure(frame) ? '' : text
  }

  /** What stands between the frames. */
  #between(text: string): string {
    const { isJson, end } = this.#framing
    this.#isClosed ||= text.includes(end)
    if (isJson) return text
    return this.#isData ? '' : this.#masked(text)
  }

  #masked(text: string): string {
    if (text.length > LARGEST_ERROR) return this.#secrets.forms?.hide(text) ?? text
    return this.#hidden(text)
  }

  /** A text without its secrets. */
  #hidden(text: string): string {
    if (text.length > LARGEST_ERROR) return ''
    return this.#framing.withValues(text, (value) => this.#secrets.hideJson(value))
  }

  objection(): undefined {
    return undefined
  }

  failure(problem: Problem, read: ReadFrame): string {
    if (read === this.#own) {
      this.#show(read)
      return this.#leaving(this.#hidden(read.text), read)
    }
    this.goesOn = false
    this.#call.cancel()
    return this.#written(problem)
  }

  #show({ frame, events, text, pieces }: ReadFrame): void {
    this.#isShown ||= text !== ''
    if (!this.#thread || !frame) return
    if (pieces) this.#thread.piece(frame)
    else this.#thread.event(frame, events.find(isStart))
  }

  /** The error that is missing at the end of the stream, in its dialect. */
  #written(problem: Problem): string {
    const { caller, ports, newId } = this.#context
    const { destination, requested, route, stream } = this.#plan
    const now = Math.floor(ports.now() / 1000)
    const request = { ...unreadRequest(this.#plan), ...storing(this.#context.caller, this.#plan) }
    const writer = caller.caller.writer({ request, now, lose: () => undefined, newId })
    const frames = framer(route.framing, this.#isShown)
    const said = writer.push({ type: 'error', problem })
    if (!this.#isShown) return frames.write(said) + frames.end()
    // The caller has had the beginning of the reply, so only the last event is written.
    const how = { isStream: stream, model: destination.aliased ? requested : undefined }
    const last = said.slice(-1).map((event) => this.#thread?.failure(event, how) ?? event)
    return frames.write(last) + frames.end()
  }

  /** Behind the end only its mark, and behind a failure only what tells it again: some services do that. */
  behind({ text, frame }: ReadFrame): string {
    if (!frame) return this.#between(text)
    if (this.#own) return this.#tellsFailure(frame) ? this.#hidden(text) : ''
    return isDone(frame) ? text : ''
  }

  /** An upstream may stop behind an error, and what has no end could not be read. */
  end(): string {
    return this.goesOn && !this.#isClosed ? this.#framing.end : ''
  }
}

const isStart = (event: Event): event is StartEvent => event.type === 'start'

/** What a request that has passed says of whether its reply is kept. */
function storing({ caller }: Adapter, { scanned }: PassPlan): { store?: boolean } {
  const store = memberOf(scanned, caller.memory?.keepMember)
  return typeof store === 'boolean' ? { store } : {}
}

const failureOf = (problem: Problem) => ({ type: 'error' as const, problem })

/** Tells frames that pass by the caller's name of the model, where that is another. */
function renamerOf(
  { same }: Adapter,
  { requested: model, destination, route }: PassPlan,
): Change | undefined {
  if (!destination.aliased) return undefined
  const { event, reply } = same.modelMember
  const path = event ?? [reply]
  const member = `"${path.at(-1)}"`
  const framing = framingOf(route.framing)
  const rename: Change = (json) =>
    json.includes(member) ? spliceStrings(json, slicesAt(json, path), model) : json
  return (text) => (text.includes(member) ? framing.withData(text, rename) : text)
}

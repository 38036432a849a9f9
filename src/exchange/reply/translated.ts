import type { WriteReplyContext, Writer } from '../../../adapters/contract.ts'
import {
  isShown,
  type Event,
  type FinishEvent,
  type StartEvent,
  type Withheld,
} from '../../model/events.ts'
import { stringify } from '../../json/json.ts'
import { lossList, type Lose, type Loss } from '../../model/loss.ts'
import { remembering } from '../../model/remembered.ts'
import { dotted } from '../../model/paths.ts'
import type { Request } from '../../model/request.ts'
import { ProblemError, type Problem } from '../../model/problem.ts'
import { lossComment, replyHeaders } from '../answers/answer.ts'
import { FREE_BYTES, replyCounter, weightOf, type Lease } from '../../stream/budget.ts'
import { isLonger } from '../../json/bytes.ts'
import { secretHider } from './hide-secrets.ts'
import type { Answer, Context } from '../exchange.ts'
import { CALLER_LEFT, NO_ROOM, REPLY_GREW } from '../../problems/failures.ts'
import { ReplyRecorder } from '../../memory/recorder.ts'
import { watchEmptyReply, type EmptyReply } from './empty-reply.ts'
import { HeardReply } from './heard.ts'
import type { TranslatePlan } from '../request/plan.ts'
import { createProofRecorder } from '../../memory/proofs.ts'
import { frameReader } from '../../stream/event-reader.ts'
import {
  isStreamType,
  replyFrames,
  type ReadFrame,
  type ReplyFrames,
} from '../../stream/reply-events.ts'
import { replyWriter } from './reply-writer.ts'
import { framer, type Framer } from '../../stream/framings.ts'
import { shownProblem } from '../answers/shown-problem.ts'
import { proofMarker } from '../request/accounts.ts'
import type { Piece, UpstreamCall } from '../../upstream/call.ts'
import { Delivery, problemAtEnd, type FrameOut, type Keeper } from './reply.ts'

/** Translates an upstream's reply into the caller's dialect, as a stream or one body. */
export async function translateReply(
  context: Context,
  plan: TranslatePlan,
  call: UpstreamCall,
): Promise<Answer> {
  const { losses } = plan
  const out = new TranslatedFrames(context, plan, call)
  const delivery = new Delivery({
    context,
    call,
    out,
    frames: out.source,
    keeper: out,
    framing: plan.route.framing,
    heard: out.heard,
    status: 200,
    heartbeat: context.caller.caller.heartbeat,
    losses: () => out.losses,
    trailer: () => lossComment(context, plan.route, out.losses),
  })
  if (plan.stream) {
    const { body, headers } = await delivery.stream()
    const own = { 'content-type': out.contentType, ...headers }
    return { status: 200, headers: { ...own, ...replyHeaders(plan, call, losses) }, body }
  }
  await delivery.gather((read) => out.gather(read))
  const body = out.body()
  await out.settle(undefined, body)
  context.journal.finish({ status: 200, losses: out.losses })
  const headers = replyHeaders(plan, call, out.losses)
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body }
}

/** Writes frames anew, in the words of another dialect or in another form. */
class TranslatedFrames implements FrameOut, Keeper {
  readonly source: ReplyFrames
  readonly heard: HeardReply
  readonly passes = false
  readonly goesOn = false
  readonly #context: Context
  readonly #plan: TranslatePlan
  readonly #call: UpstreamCall
  readonly #request: Request
  readonly #framer: Framer
  readonly #writer: Writer
  readonly #watched: EmptyReply
  readonly #proofs: ReturnType<typeof createProofRecorder>
  readonly stopped: ReplyRecorder | undefined
  readonly #lost: LossList
  readonly #hideSecrets: ReturnType<typeof secretHider>
  readonly #mark: ReturnType<typeof proofMarker>
  readonly #placed: ReturnType<typeof placer>
  readonly #isRoom: (bytes: number) => boolean
  readonly #gathered = gatheredBytes()
  /** A body is gathered whole before it is read, and written whole before it is handed over. */
  readonly #isHeld: boolean
  /** The writer has ended the reply. */
  #isEnded = false

  constructor(context: Context, plan: TranslatePlan, call: UpstreamCall) {
    const { caller, settings, newId, lease } = context
    const { forms } = plan.sent?.secrets ?? {}
    const lost = lossList(forms?.hide)
    const request = repliedRequest(settings, plan)
    this.#context = context
    this.#plan = plan
    this.#call = call
    this.#request = request
    this.#lost = lost
    const { received, route } = plan
    const kept = context.memories && { ...context, route, received }
    this.#proofs = kept && createProofRecorder(kept, request)
    this.#framer = framer(route.framing)
    const writing = this.#writing(lost.lose)
    const writer = remembering(plan.isRemembered, () =>
      replyWriter(caller, writing, this.#proofs?.hear),
    )
    this.#watched = watchEmptyReply(writer, lost.losses)
    this.stopped =
      kept &&
      plan.keeping &&
      new ReplyRecorder(kept, plan.keeping, this.#watched.writer, () => call.cancel())
    // Events are stored with a stream; one body is stored as itself, however often its events would repeat it.
    this.#writer = (plan.stream ? this.stopped?.writer : undefined) ?? this.#watched.writer
    const contentType = call.headers.get('content-type')
    const { upstream } = plan.destination.adapter
    const { server } = plan.destination.target.facts
    const { lastProof } = plan
    const read = { request, server, lastProof, lose: lost.lose, newId }
    const reader = frameReader(upstream.reader(read))
    const { verbatim } = upstream
    this.source = replyFrames({ reader, verbatim, limits: settings.limits, contentType })
    this.heard = new HeardReply(this.source)
    this.#isHeld = !plan.stream || !isStreamType(contentType)
    this.#hideSecrets = secretHider(forms)
    this.#mark = proofMarker(settings, plan.destination)
    this.#placed = placer(context, plan)
    this.#isRoom = replyCounter(lease)
    // Plan and reply share one request object, so that releasing its turns frees them for both.
    plan.request = request
  }

  get contentType(): string {
    return this.#framer.contentType
  }

  get losses(): readonly Loss[] {
    return [...this.#plan.losses, ...this.#lost.losses]
  }

  ready(
    frames: readonly ReadFrame[],
    piece: Piece,
  ): readonly ReadFrame[] | Promise<readonly ReadFrame[]> {
    if (this.#isHeld && piece?.bytes) {
      this.heard.came += piece.bytes.length
      if (!this.#isRoom(piece.bytes.length)) return this.#refused()
    }
    const { ended } = this.source
    if (ended) this.#call.release()
    const [only] = frames
    const came = only && frames.length === 1 ? only.events : frames.flatMap(eventsOf)
    const told = ended && frames.some(problemAtEnd) ? came.map(this.#tell) : came
    const shown = this.#hideSecrets(told)
    const events = this.#mark ? this.#mark(shown) : shown
    if (!this.#isHeld && !ended && !this.#isRoom(this.#gathered(events, piece)))
      return this.#refused()
    // A reply says this at its beginning, or when it ends.
    if (saysWithheld(events[0]) || (ended && saysWithheld(events.at(-1))))
      return Promise.all(events.map((event) => this.#placed(event))).then(inFrames)
    return events === only?.events && !ended ? frames : inFrames(events)
  }

  #refused(): readonly ReadFrame[] {
    this.#call.release()
    return inFrames([this.#tell({ type: 'error', problem: NO_ROOM })])
  }

  readonly #tell = (event: Event): Event =>
    event.type === 'error'
      ? { type: 'error', problem: shownProblem(this.#plan, event.problem, this.#context.caller) }
      : event

  begins({ events }: ReadFrame): boolean {
    return events.some(isShown)
  }

  opensWith(): boolean {
    return false
  }

  begun(): void {
    letGo(this.#context.lease, this.#plan, this.#request)
  }

  frame({ events }: ReadFrame): string {
    let text = ''
    for (const event of events) {
      text += this.#framer.write(this.#writer.push(event))
      this.#isEnded ||= event.type === 'finish'
    }
    return text
  }

  objection({ events }: ReadFrame): Problem | undefined {
    const last = events[events.length - 1]
    if (last?.type !== 'finish') return undefined
    const outcome = this.#watched.outcome(last)
    return outcome.type === 'error' ? outcome.problem : undefined
  }

  failure(problem: Problem): string {
    // A writer that has ended writes nothing more, so an error needs a new one.
    const writer = this.#isEnded
      ? this.#context.caller.caller.writer(this.#writing(() => undefined))
      : this.#writer
    return this.#framer.write(writer.push({ type: 'error', problem }))
  }

  #writing(lose: Lose): WriteReplyContext {
    const { ports, newId } = this.#context
    return { request: this.#request, now: Math.floor(ports.now() / 1000), lose, newId }
  }

  behind(): string {
    return ''
  }

  end(): string {
    return this.#framer.end()
  }

  gather({ events }: ReadFrame): void {
    for (const event of events) this.#writer.push(event)
  }

  body(): string {
    const body = stringify(this.#watched.writer.body())
    const most = this.#context.settings.limits.replyBytes + FREE_BYTES
    if (isLonger(body, most)) throw new ProblemError(REPLY_GREW)
    return body
  }

  async settle(problem?: Problem, body?: string): Promise<void> {
    if (problem === CALLER_LEFT) return
    await this.#proofs?.settle()
    if ((await this.stopped?.settle(body)) === false) this.#lost.lose('dropped', 'store')
  }
}

type LossList = ReturnType<typeof lossList>

const eventsOf = ({ events }: ReadFrame): readonly Event[] => events

const written = (events: readonly Event[]): ReadFrame => ({
  text: '',
  frame: undefined,
  events,
})

/** The event that ends a reply leaves by itself: losses are told before it. */
function inFrames(events: readonly Event[]): readonly ReadFrame[] {
  const last = events[events.length - 1]
  if (!last) return []
  const isOver = last.type === 'finish' || last.type === 'error'
  if (!isOver || events.length === 1) return [written(events)]
  return [written(events.slice(0, -1)), written([last])]
}

/** The request as its reply repeats it. Where the caller named no model, that names the one that answered. */
const repliedRequest = (
  settings: Context['settings'],
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
function letGo(lease: Lease, { keeping, received }: TranslatePlan, request: Request): void {
  request.system = []
  request.turns = []
  if (keeping) received.leave()
  else received.drop()
  lease.hold(keeping ? weightOf(received.size) : 0)
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
      const length = event.type === 'block-delta' ? event.text.length : addedLength(event)
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
function placer(context: Context, plan: TranslatePlan): (event: Event) => Promise<Event> {
  // When a stream ends, the request has been let go; the end repeats what the beginning has found.
  const known: { given: Withheld; found: Withheld }[] = []
  const isKnown = ({ at = [], id, reason }: Withheld, index: number): boolean => {
    const given = known[index]?.given
    return given?.id === id && given?.reason === reason && dotted(given.at ?? []) === dotted(at)
  }
  return async (event) => {
    if (!saysWithheld(event)) return event
    const { withheld: list = [] } = event
    const unknown = list.filter((each, index) => !isKnown(each, index))
    const search = plan.places?.(plan.destination)
    const found = search && (await context.ports.placing?.withheld(search, unknown))
    const rest = (found ?? unknown.map(({ reason }) => ({ reason }))).values()
    for (const [index, given] of list.entries()) {
      if (isKnown(given, index)) continue
      known[index] = { given, found: rest.next().value ?? { reason: given.reason } }
    }
    return { ...event, withheld: list.flatMap((_, index) => known[index]?.found ?? []) }
  }
}

const saysWithheld = (event: Event | undefined): event is StartEvent | FinishEvent =>
  (event?.type === 'start' || event?.type === 'finish') && event.withheld !== undefined

import type { Route } from '../../../adapters/contract.ts'
import { isShown, type Event } from '../../model/events.ts'
import type { Loss } from '../../model/loss.ts'
import type { Problem } from '../../model/problem.ts'
import { streamEncoder, withoutMark } from '../../json/bytes.ts'
import { CALLER_LEFT, INTERNAL, NOT_TAKEN, REPLY_GREW } from '../../problems/failures.ts'
import { FREE_BYTES } from '../../stream/budget.ts'
import type { Heartbeat } from '../../stream/codec.ts'
import type { ReadFrame, ReplyFrames } from '../../stream/reply-events.ts'
import {
  encodeHeartbeat,
  steppedSource,
  STREAM_HEADERS,
  type Step,
} from '../../stream/stream-out.ts'
import { SILENT, within } from '../../stream/time.ts'
import type { Piece, UpstreamCall } from '../../upstream/call.ts'
import { StillbornError } from '../answers/refusal.ts'
import type { Answer, Context } from '../exchange.ts'
import { Gathering, type HeardPiece } from './gathering.ts'
import type { HeardReply } from './heard.ts'

/** A way in which frames leave: as they came, or written anew. */
export interface FrameOut {
  /** Whether frames leave as they came, so that their bytes can. */
  readonly passes: boolean
  /** Makes what came together ready to leave. A frame that ends the reply ends it with its last event. */
  ready(
    frames: readonly ReadFrame[],
    piece: Piece,
  ): readonly ReadFrame[] | Promise<readonly ReadFrame[]>
  /** Whether the caller's stream begins with a frame. Until then a failure may become a status. */
  begins(read: ReadFrame): boolean
  /** Whether a stream is begun for a failure. */
  opensWith(read: ReadFrame): boolean
  /** The beginning of the stream has been written. */
  begun(): void
  frame(read: ReadFrame): string
  /** Why a frame cannot end the reply. */
  objection(read: ReadFrame): Problem | undefined
  /** The failure that ends the stream. */
  failure(problem: Problem, read: ReadFrame): string
  /** What of a frame leaves behind the end. */
  behind(read: ReadFrame): string
  /** Whether anything may leave behind the end that was written last. */
  readonly goesOn: boolean
  /** The end of the framing. */
  end(): string
}

/** Who keeps a reply. */
export interface Keeper {
  /** Where the reply may be stopped from outside, and why it was. */
  readonly stopped?: { readonly interruption: Problem | undefined } | undefined
  /** There is something to keep before more is passed on. */
  isDue?(): boolean
  /** Resolves when everything that is to be kept has been kept, or is among the losses. `problem`: how the reply ended. */
  settle(problem?: Problem): Promise<void> | undefined
}

export interface DeliveryParts {
  context: Context
  call: UpstreamCall
  framing: Route['framing']
  frames: ReplyFrames
  out: FrameOut
  keeper: Keeper | undefined
  heard: HeardReply
  status: number
  heartbeat: Heartbeat | undefined
  losses(): readonly Loss[]
  /** What is said of losses before the end. */
  trailer(): string
}

/** What has come: `bytes`, where they are the frames and nothing else; `isOver`: nothing follows. */
interface Came {
  frames: readonly ReadFrame[]
  bytes?: Uint8Array | undefined
  isOver: boolean
}

/** How a stream ends. `said`: its last event, before which the losses are told. */
interface End {
  said?: string
  problem?: Problem | undefined
}

/** `isSame`: the frames leave as they came. `behind`: what leaves behind the end. */
interface Written {
  text: string
  isSame: boolean
  end?: End
  behind: string
}

/** Brings an upstream's reply to the caller. What is done once for every reply is done here. */
export class Delivery {
  readonly #parts: DeliveryParts
  readonly #encode = streamEncoder()
  readonly #most: number
  /** Where deltas wait for others. */
  readonly #gathering: Gathering | undefined
  #written = 0
  #end: End | undefined

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    const { streamBytes, gatherMs } = parts.context.settings.limits
    this.#most = streamBytes + FREE_BYTES
    this.#gathering =
      gatherMs === 0
        ? undefined
        : new Gathering({
            ms: parts.out.passes ? Math.min(gatherMs, PASSING_MS) : gatherMs,
            read: () => this.#read(),
            hear: (piece) => this.#hear(piece),
          })
    parts.context.journal.hears(parts.heard)
  }

  /**
   * The status goes out with the first frame that begins the reply, so that an earlier failure still becomes an HTTP
   * status. It waits no longer than a heartbeat, because intermediaries give up on silent upstreams.
   */
  async stream(): Promise<Pick<Answer, 'status' | 'headers' | 'body'>> {
    const { context, call, framing, heartbeat, status } = this.#parts
    const { heartbeatMs } = context.settings.limits
    const beginning = this.#beginning()
    const opened = await within(beginning, heartbeatMs)
    if (opened !== SILENT) this.#refuse(opened)
    let first: Promise<Came> | undefined = beginning
    const step = async (): Promise<Step> => {
      const came = first
        ? await first
        : this.#took(
            this.#gathering ? await this.#gathering.next() : this.#hear(await this.#read()),
          )
      first = undefined
      return this.#leave(came instanceof Promise ? await came : came)
    }
    const beat = encodeHeartbeat(heartbeat, framing)
    const body = steppedSource(step, {
      // Behind the last event none must stand.
      heartbeat: beat && (() => (this.#end ? undefined : beat())),
      heartbeatMs,
      alarm: context.ports.alarm,
      signal: context.signal,
      stop: () => {
        call.cancel()
        this.#over(CALLER_LEFT)
      },
      stalled: () => {
        call.cancel()
        return this.#leave({ frames: [failing(NOT_TAKEN)], isOver: true })
      },
    })
    return { status, headers: STREAM_HEADERS, body }
  }

  /** Gathers the whole reply; throws a failure. `take` gets each frame. */
  async gather(take: (read: ReadFrame) => void): Promise<void> {
    const { frames, out } = this.#parts
    for (let isOver = false; !isOver;) {
      const came = await this.#next()
      for (const read of came.frames) {
        const problem = problemAtEnd(read) ?? out.objection(read)
        if (problem) throw new StillbornError(problem)
        take(read)
      }
      isOver = came.isOver || frames.ended
    }
  }

  /** All frames up to the first one that begins the reply, or ends it. */
  async #beginning(): Promise<Came> {
    const { out } = this.#parts
    const seen: ReadFrame[] = []
    for (;;) {
      const came = await this.#next()
      const { frames, isOver } = came
      const isFirst = seen.length === 0
      seen.push(...frames)
      if (isOver || frames.some((read) => endIn(read) || out.begins(read)))
        return isFirst ? came : { frames: seen, isOver }
    }
  }

  #refuse({ frames }: Came): void {
    const { out } = this.#parts
    const first = frames.find((read) => out.begins(read) || read.events.some(isShown))
    const shown = first?.events.find(isShown)
    if (!first || shown?.type !== 'error') return
    if (!out.opensWith(first)) throw new StillbornError(shown.problem)
    this.#parts.context.journal.spared()
  }

  /** The next frames. Never rejects. */
  async #next(): Promise<Came> {
    return this.#took(this.#hear(await this.#read()))
  }

  #read(): Promise<Piece> {
    const { call, frames } = this.#parts
    return frames.ended ? straggler(call) : call.read()
  }

  #hear(piece: Piece): HeardPiece {
    const { frames, keeper, out } = this.#parts
    const isBetween = out.passes && !frames.isWithin
    const problem = keeper?.stopped?.interruption ?? piece?.problem
    if (problem) return { frames: frames.fail(problem), piece, isBetween }
    const read = piece?.bytes ? frames.push(piece.bytes) : frames.end()
    return { frames: read, piece, isBetween }
  }

  /** The frames that have been heard; a promise only where they need one, since each costs as much as a frame. */
  #took({ frames: read, piece, isBetween }: HeardPiece): Came | Promise<Came> {
    const { frames, out, context } = this.#parts
    if (read.length > 0) context.journal.began()
    const made = out.ready(read, piece)
    const bytes = isBetween && !frames.isWithin ? piece?.bytes : undefined
    const came = (ready: readonly ReadFrame[]): Came => {
      this.#note(ready)
      return { frames: ready, bytes, isOver: !piece?.bytes }
    }
    return made instanceof Promise ? made.then(came) : came(made)
  }

  #note(frames: readonly ReadFrame[]): void {
    const { heard, context } = this.#parts
    for (const { frame, events, pieces } of frames) {
      if (events.length > 0) {
        heard.add(events)
        const last = events[events.length - 1]
        if (last?.type === 'finish') context.journal.note({ finish: last.reason })
      } else if (pieces && frame) heard.skip(frame, pieces)
    }
  }

  /** The last step is marked as the last and carries the end of the framing. */
  #leave(came: Came): Step | Promise<Step> {
    const { keeper, out } = this.#parts
    const written = this.#write(came.frames)
    const { end } = written
    if (this.#written === 0) out.begun()
    this.#end ??= end
    const kept = end || keeper?.isDue?.() ? keeper?.settle(end?.problem) : undefined
    return kept ? kept.then(() => this.#step(came, written)) : this.#step(came, written)
  }

  #step({ bytes, isOver }: Came, { text, isSame, end, behind }: Written): Step {
    const { out, trailer } = this.#parts
    const last = this.#end !== undefined && (isOver || !out.goesOn)
    const said = end?.said
    const before = said === undefined ? '' : trailer()
    const closing = last ? out.end() : ''
    const left =
      bytes && isSame && before === '' && closing === ''
        ? this.#written > 0
          ? bytes
          : withoutMark(bytes)
        : this.#encode(text + before + (said ?? '') + behind + closing)
    this.#written += left.length
    if (last) this.#over(this.#end?.problem)
    return { bytes: left, last }
  }

  #over(problem: Problem | undefined): void {
    const { context, status, losses } = this.#parts
    const bytesOut = this.#written > 0 ? this.#written : undefined
    context.journal.finish({ status, losses: losses(), problem, bytesOut })
  }

  #write(frames: readonly ReadFrame[]): Written {
    const { out, call } = this.#parts
    const written: Written = { text: '', isSame: this.#end === undefined, behind: '' }
    try {
      for (const read of frames) {
        if (this.#end ?? written.end) {
          const behind = out.goesOn ? out.behind(read) : ''
          written.behind += behind
          written.isSame &&= behind === read.text
          continue
        }
        if (endIn(read)) {
          written.end = this.#endWith(read, written.text)
          written.isSame &&= written.end.said === read.text
          continue
        }
        const said = out.frame(read)
        written.isSame &&= said === read.text
        if (this.#isTooLong(written.text, said)) {
          written.end = this.#outgrown(read)
          written.isSame = false
        } else written.text += said
      }
      return written
    } catch {
      call.cancel()
      return frames.some(problemAtEnd)
        ? { text: '', isSame: false, end: { problem: INTERNAL }, behind: '' }
        : this.#write([failing(INTERNAL)])
    }
  }

  #endWith(read: ReadFrame, before: string): End {
    const { out } = this.#parts
    const problem = problemAtEnd(read) ?? out.objection(read)
    // A client may stop reading at the last event.
    if (problem === CALLER_LEFT) return { problem }
    if (problem) return { said: out.failure(problem, read), problem }
    const said = out.frame(read)
    return this.#isTooLong(before, said) ? this.#outgrown(read) : { said }
  }

  /** A dialect that repeats content can make a reply many times as large as it came. */
  #isTooLong(before: string, said: string): boolean {
    return this.#written + before.length + said.length > this.#most
  }

  #outgrown(read: ReadFrame): End {
    this.#parts.call.cancel()
    return { said: this.#parts.out.failure(REPLY_GREW, read), problem: REPLY_GREW }
  }
}

/**
 * What follows the end of a reply, or a failure that has passed: some services (`responses`) tell that in two events,
 * some upstreams leave the connection open behind it.
 */
async function straggler(call: UpstreamCall): Promise<Piece> {
  const piece = await within(call.read(), STRAGGLERS_MS)
  if (piece !== SILENT) return piece
  call.cancel()
  return undefined
}

const STRAGGLERS_MS = 1000

/** What passes is not held back: it takes along only what comes in the same burst. */
const PASSING_MS = 1

const failing = (problem: Problem): ReadFrame => ({
  text: '',
  frame: undefined,
  events: [{ type: 'error', problem }],
})

/** The event of a frame that ends the reply. */
function endIn({ events }: ReadFrame): Extract<Event, { type: 'finish' | 'error' }> | undefined {
  // An index of -1 would be looked up as a name, which takes longer than all else that is done for a piece.
  const last = events.length === 0 ? undefined : events[events.length - 1]
  return last?.type === 'finish' || last?.type === 'error' ? last : undefined
}

export function problemAtEnd(read: ReadFrame): Problem | undefined {
  const end = endIn(read)
  return end?.type === 'error' ? end.problem : undefined
}

import type { Frame, SameSide, WireEvent } from '../../../adapters/contract.ts'
import { NOTHING, utf8Text } from '../../json/bytes.ts'
import { isObject, Verbatim } from '../../json/json.ts'
import type { Event, StartEvent } from '../../model/events.ts'
import type { Problem } from '../../model/problem.ts'
import type { FrameReader } from '../../stream/codec.ts'
import { isStreamType } from '../../stream/reply-events.ts'
import { framer } from '../../stream/stream-out.ts'
import { SILENT, within } from '../../stream/time.ts'
import type { Piece, UpstreamCall } from '../../upstream/call.ts'
import { lossComment } from '../answers/answer.ts'
import type { PassingExchange } from '../exchange.ts'
import { unreadRequest, type PassPlan } from '../request/plan.ts'

/** The comment with the losses, behind a stream of events that passed whole. */
export function trailer(exchange: PassingExchange, plan: PassPlan, call: UpstreamCall): Uint8Array {
  const isStream = isStreamType(call.headers.get('content-type'))
  const comment = isStream ? lossComment(exchange, plan.losses) : ''
  // The last line of the upstream may have no end.
  return comment === '' ? NOTHING : new TextEncoder().encode(`\n${comment}`)
}

/**
 * What follows the end of a reply, or a failure that has passed: some services (`responses`) tell that in two events,
 * some upstreams leave the connection open behind it.
 */
export async function stragglers(read: Promise<Piece>, call: UpstreamCall): Promise<Piece> {
  const piece = await within(read, STRAGGLERS_MS)
  if (piece !== SILENT) return piece
  call.cancel()
  return undefined
}

const STRAGGLERS_MS = 1000

type Thread = SameSide['thread']

/** What a caller has been shown of a stream that passes, as far as an error behind it has to know. */
export class ShownStream {
  readonly #thread: Thread
  readonly #number: RegExp | undefined
  #begun = false
  #isOver = false
  /** Known with the first event. */
  #isLasting: boolean | undefined
  #start: StartEvent | undefined
  /** The number of the last event that has one. */
  #count: number | undefined

  constructor(thread: Thread) {
    this.#thread = thread
    this.#number = thread && new RegExp(`"${thread.count}"\\s*:\\s*(\\d{1,15})`)
  }

  add(bytes: Uint8Array): void {
    this.#begun ||= bytes.length > 0
  }

  /** The reader, which is listened to. Events that are only a piece are not read, so that none of them costs anything. */
  listen(reader: FrameReader): FrameReader {
    if (!this.#thread) return reader
    return {
      body: (json, text) => reader.body(json, text),
      read: (frame) => {
        const events = reader.read(frame)
        this.#hear(frame, events)
        return events
      },
      end: () => reader.end(),
    }
  }

  #hear(frame: Frame, events: readonly Event[]): void {
    // An event that fails may not pass.
    if (this.#isOver || events.some(({ type }) => type === 'error')) return
    this.#isLasting ??= this.#thread?.lasting.test(frame.data)
    this.#start ??= events.find((event) => event.type === 'start')
    this.#note(frame.data)
  }

  /** The service says the number of an event before the reply, which may quote one. Numbers grow. */
  #note(event: string): void {
    const number = Number(this.#number?.exec(event)?.[1] ?? -1)
    if (number > (this.#count ?? -1)) this.#count = number
  }

  /**
   * No whole event follows. `unread`: the last one that was not read; `passed`: the last bytes that pass, also those
   * of an event that fails.
   */
  end(unread: Frame | undefined, passed = NOTHING): void {
    if (this.#isOver || !this.#thread) return
    this.#isOver = true
    for (const event of [unread?.data ?? '', ...utf8Text(passed).split('\n')]) this.#note(event)
  }

  /** The error that is missing at the end of the stream, in its dialect. */
  error(
    { caller, ports, newId, route }: PassingExchange,
    plan: PassPlan,
    problem: Problem,
  ): string {
    const now = Math.floor(ports.now() / 1000)
    const request = unreadRequest(plan)
    const writer = caller.caller.writer({ request, now, lose: () => undefined, newId })
    const frames = framer(route.framing, this.#begun)
    const said = writer.push({ type: 'error', problem })
    // The caller has had the beginning of the reply, so only the last event is written.
    const last = this.#begun ? said.slice(-1).map((event) => this.#next(event, plan)) : said
    return frames.write(last) + frames.end()
  }

  /** The event as the next one of the stream. A caller may come back for what goes on without it, behind the last one. */
  #next(event: WireEvent, { destination, requested, stream }: PassPlan): WireEvent {
    if (!this.#thread) return event
    const { count, reply, named, broken } = this.#thread
    const isLeft = this.#isLasting || !stream
    const { name, data } = isLeft ? broken(event) : event
    if (!isObject(data)) return event
    const written = data[reply]
    const whole = written instanceof Verbatim ? written.value : written
    const model = destination.aliased ? { model: requested } : {}
    const known = this.#start ? named({ ...this.#start, ...model }) : {}
    return {
      name,
      data: {
        ...data,
        ...(isObject(whole) && { [reply]: { ...whole, ...known } }),
        ...(this.#count !== undefined && { [count]: this.#count + (isLeft ? 0 : 1) }),
      },
    }
  }
}

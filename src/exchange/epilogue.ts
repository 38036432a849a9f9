import type { SameSide, WireEvent } from '../../adapters/contract.ts'
import { NOTHING } from '../json/bytes.ts'
import { countFinder } from '../json/last-count.ts'
import { isObject, Verbatim } from '../json/json.ts'
import type { Event, StartEvent } from '../model/events.ts'
import type { Problem } from '../model/problem.ts'
import { isStreamType } from '../stream/reply-events.ts'
import { framer } from '../stream/stream-out.ts'
import type { UpstreamCall } from '../upstream/call.ts'
import { lossComment } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { unreadRequest, type PassPlan } from './plan.ts'

/** The comment with the losses, behind a stream of events that passed whole. */
export function trailer(exchange: Exchange, plan: PassPlan, call: UpstreamCall): Uint8Array {
  const isStream = isStreamType(call.headers.get('content-type'))
  const comment = isStream ? lossComment(exchange, plan.losses) : ''
  // The last line of the upstream may have no end.
  return comment === '' ? NOTHING : new TextEncoder().encode(`\n${comment}`)
}

type Thread = SameSide['thread']

/** What a caller has been shown of a stream that passes, as far as an error behind it has to know. */
export class ShownStream {
  readonly #thread: Thread
  readonly #countIn: ((bytes: Uint8Array) => number | undefined) | undefined
  #begun = false
  #start: StartEvent | undefined
  /** The number of the last event that has one. */
  #count: number | undefined

  constructor(thread: Thread) {
    this.#thread = thread
    this.#countIn = thread && countFinder(thread.count)
  }

  add(bytes: Uint8Array): void {
    this.#begun ||= bytes.length > 0
    if (this.#countIn) this.#count = this.#countIn(bytes) ?? this.#count
  }

  heed(events: readonly Event[]): void {
    if (this.#thread && !this.#start) this.#start = events.find((event) => event.type === 'start')
  }

  /** The end that is missing in the stream, in its dialect. */
  error({ caller, ports, newId, route }: Exchange, plan: PassPlan, problem: Problem): string {
    const now = Math.floor(ports.now() / 1000)
    const request = unreadRequest(plan)
    const writer = caller.caller.writer({ request, now, lose: () => undefined, newId })
    const frames = framer(route.framing, this.#begun)
    const said = writer.push({ type: 'error', problem })
    // The caller has had the beginning of the reply, so only the last event is written.
    const last = this.#begun ? said.slice(-1).map((event) => this.#next(event, plan)) : said
    return frames.write(last) + frames.end()
  }

  /** The event as the next one of the stream. */
  #next(event: WireEvent, { destination, requested }: PassPlan): WireEvent {
    const { name, data } = event
    if (!this.#thread || !isObject(data)) return event
    const { count, reply, named } = this.#thread
    const written = data[reply]
    const whole = written instanceof Verbatim ? written.value : written
    const model = destination.aliased ? { model: requested } : {}
    const known = this.#start ? named({ ...this.#start, ...model }) : {}
    return {
      name,
      data: {
        ...data,
        ...(isObject(whole) && { [reply]: { ...whole, ...known } }),
        ...(this.#count !== undefined && { [count]: this.#count + 1 }),
      },
    }
  }
}

import type { SameSide, WireEvent } from '../../../adapters/contract.ts'
import { isObject, Verbatim } from '../../json/json.ts'
import type { StartEvent } from '../../model/events.ts'
import type { Problem } from '../../model/problem.ts'
import type { ReadFrame } from '../../stream/reply-events.ts'
import { framer } from '../../stream/stream-out.ts'
import type { PassingExchange } from '../exchange.ts'
import { unreadRequest, type PassPlan } from '../request/plan.ts'

type Thread = SameSide['streamThread']

/** What a caller has been shown of a stream that passes, as far as an error behind it has to know. */
export class SentEvents {
  readonly #exchange: PassingExchange
  readonly #plan: PassPlan
  readonly #thread: Thread
  #begun = false
  /** Known with the first event. */
  #isContinuing: boolean | undefined
  #start: StartEvent | undefined
  readonly #number: RegExp | undefined
  /** The number of the last event that was read, and the last one that was only a piece: a stream is made of them. */
  #count: number | undefined
  #piece = ''

  constructor(exchange: PassingExchange, plan: PassPlan) {
    this.#exchange = exchange
    this.#plan = plan
    const { streamThread } = exchange.caller.same
    this.#thread = streamThread
    this.#number = streamThread && new RegExp(`"${streamThread.count}"\\s*:\\s*(\\d{1,15})`)
  }

  add({ frame, events, text, isPiece }: ReadFrame): void {
    this.#begun ||= text !== ''
    if (!this.#thread || !frame) return
    if (isPiece) {
      this.#piece = frame.data
      return
    }
    const number = this.#numberIn(frame.data)
    if (number !== undefined) {
      this.#count = number
      this.#piece = ''
    }
    if (this.#isContinuing !== undefined) return
    this.#isContinuing = this.#thread.continuing.test(frame.data)
    this.#start = events.find((event) => event.type === 'start')
  }

  /** The error that is missing at the end of the stream, in its dialect. */
  error(problem: Problem): string {
    const { caller, ports, newId, route } = this.#exchange
    const now = Math.floor(ports.now() / 1000)
    const request = unreadRequest(this.#plan)
    const writer = caller.caller.writer({ request, now, lose: () => undefined, newId })
    const frames = framer(route.framing, this.#begun)
    const said = writer.push({ type: 'error', problem })
    // The caller has had the beginning of the reply, so only the last event is written.
    const last = this.#begun ? said.slice(-1).map((event) => this.#next(event)) : said
    return frames.write(last) + frames.end()
  }

  /** The event as the next one of the stream. A caller may come back for what goes on without it, behind the last one. */
  #next(event: WireEvent): WireEvent {
    if (!this.#thread) return event
    const { destination, requested, stream } = this.#plan
    const { count, reply, named, broken } = this.#thread
    const isLeft = this.#isContinuing || !stream
    const { name, data } = isLeft ? broken(event) : event
    if (!isObject(data)) return event
    const written = data[reply]
    const whole = written instanceof Verbatim ? written.value : written
    const model = destination.aliased ? { model: requested } : {}
    const known = this.#start ? named({ ...this.#start, ...model }) : {}
    const number = this.#numberIn(this.#piece) ?? this.#count
    return {
      name,
      data: {
        ...data,
        ...(isObject(whole) && { [reply]: { ...whole, ...known } }),
        ...(number !== undefined && { [count]: number + (isLeft ? 0 : 1) }),
      },
    }
  }

  /** The service says the number of an event before the reply, which may quote one. */
  #numberIn(event: string): number | undefined {
    const [, number] = this.#number?.exec(event) ?? []
    return number === undefined ? undefined : Number(number)
  }
}

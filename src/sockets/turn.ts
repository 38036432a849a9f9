import type { Adapter } from '../../adapters/contract.ts'
import type { Answer } from '../exchange/exchange.ts'
import { encoded, streamDecoder, utf8Text, wholeBytes, type Bytes } from '../json/bytes.ts'
import { objectIn, parseObject, stringify, type JsonObject } from '../json/json.ts'
import { idSource } from '../model/ids.ts'
import type { Problem } from '../model/problem.ts'
import type { HttpRequest } from '../ports.ts'
import { eventFrame } from '../stream/event-text.ts'
import type { ByteSource } from '../stream/source.ts'
import { sseParser } from '../stream/sse.ts'
import type { CreateOrder, SocketMode } from './mode.ts'
import type { Memory, Remembered } from './remembered.ts'
import type { Sent } from './request.ts'

/** What the requests of one connection have in common. */
export interface TurnContext {
  readonly adapter: Adapter
  readonly mode: SocketMode
  readonly memory: Memory
  /** What is kept for later is found by others too. */
  readonly hasStore: boolean
  readonly mostEventCharacters: number
  request(sent: Omit<Sent, 'mode'>, isOurs: boolean): HttpRequest
  answer(request: HttpRequest): Promise<Answer>
  /** Refuses without having asked anybody. */
  refuse(request: HttpRequest, problem: Problem): Answer
  send(text: string): Promise<void> | undefined
  now(): number
  randomId(): string
}

/** One request and the events of its reply. It never rejects. */
export class SocketTurn {
  readonly #context: TurnContext
  readonly #order: CreateOrder
  readonly #known: Remembered | undefined
  readonly #leaving = new AbortController()
  #source: ByteSource | undefined
  #isSettled = false

  constructor(context: TurnContext, order: CreateOrder) {
    const { previous } = order
    this.#context = context
    this.#order = order
    this.#known = previous === undefined ? undefined : context.memory.find(previous)
  }

  /** The caller has left: nothing more is asked for. */
  leave(): void {
    this.#leaving.abort(new Error('the caller has left'))
    this.#source?.cancel()
  }

  async run(): Promise<void> {
    try {
      await this.#reply()
    } catch {
      // The answer broke off, which the log has: what is left is to tell it.
      await this.#tellRefusal({ status: 500, headers: {}, body: null })
    }
  }

  /** Before the end is told: the caller may go on from it at once, in any lane. */
  #settle(reply?: JsonObject): void {
    const { memory, mode } = this.#context
    const { lane, previous } = this.#order
    if (this.#isSettled || this.#leaving.signal.aborted) return
    this.#isSettled = true
    if (reply && mode.isWhole(reply)) this.#remember(reply)
    else if (previous !== undefined) memory.evict(previous, lane)
  }

  async #reply(): Promise<void> {
    const { adapter } = this.#context
    const { warms } = this.#order
    const body = this.#body()
    const { signal } = this.#leaving
    const sent = { body, signal, isExplained: warms }
    const request = this.#context.request(sent, this.#isOurs())
    const problem = this.#problem()
    const answer = problem
      ? this.#context.refuse(request, problem)
      : await this.#context.answer(request)
    if (isSource(answer.body)) return this.#pump(answer.body)
    if (warms && answer.status < 400) {
      answer.gone?.()
      return this.#warmed(adapter, body, request)
    }
    await this.#tellRefusal(answer)
  }

  /** Whether this proxy alone can know what is continued: a service would not have stored it. */
  #isOurs(): boolean {
    const { keeps, previous } = this.#order
    return !keeps && (this.#known ? this.#known.base : previous) !== undefined
  }

  /** The body of the request, with what it continues. */
  #body(): Bytes {
    const { head, tail } = this.#context.mode.body(this.#order, this.#known)
    const items = this.#known?.items ?? []
    const pieces = items.flatMap((piece, index) => (index > 0 ? [COMMA, piece] : [piece]))
    return [encoded(head), ...pieces, encoded(tail)]
  }

  /** What is wrong with what it continues, as far as this connection knows. */
  #problem(): Problem | undefined {
    const { adapter, memory, mode } = this.#context
    const { previous, input } = this.#order
    if (previous === undefined) return undefined
    if (!this.#known)
      return memory.isGone(previous)
        ? adapter.caller.memory?.missing('previous', previous)
        : undefined
    const { calls } = this.#known
    if (!calls || !input?.includes('call_id')) return undefined
    const { made, answered } = mode.calls(input)
    const lost = answered.find((id) => !calls.has(id) && !made.includes(id))
    return lost === undefined ? undefined : mode.problems.noCall(lost)
  }

  async #pump(source: ByteSource): Promise<void> {
    this.#source = source
    const decode = streamDecoder()
    const parser = sseParser(this.#context.mostEventCharacters)
    const context = this.#laneContext()
    const say = async (frames: ReturnType<typeof parser.push>): Promise<void> => {
      for (const frame of frames) {
        const text = this.#context.mode.event(frame.data, context)
        if (text === undefined) continue
        const whole = this.#context.adapter.caller.memory?.replyIn(frame)
        if (whole || text.startsWith('{"type":"error"')) this.#settle(objectIn(whole?.reply))
        await this.#context.send(text)
        if (this.#leaving.signal.aborted) return
      }
    }
    for (;;) {
      const bytes = await source.read()
      source.taken?.(bytes)
      if (this.#leaving.signal.aborted) return
      await say(bytes ? parser.push(decode(bytes)) : parser.end())
      if (!bytes) break
    }
    if (!this.#isSettled) throw new Error('the reply has no end')
  }

  #laneContext() {
    const { lane, previous } = this.#order
    const isHidden = this.#known !== undefined && this.#known.base !== previous
    return { lane, previous: isHidden ? previous : undefined }
  }

  async #tellRefusal({ status, headers, body, gone }: Answer): Promise<void> {
    const text = typeof body === 'string' ? body : body instanceof Uint8Array ? utf8Text(body) : ''
    gone?.()
    this.#settle()
    const said = { status, headers, body: parseObject(text) }
    await this.#context.send(stringify(this.#context.mode.refusal(said, this.#order.lane)))
  }

  /** The reply to a request that only brings its input. */
  async #warmed(adapter: Adapter, body: Bytes, { headers }: HttpRequest): Promise<void> {
    const { now, randomId, mode } = this.#context
    const newId = idSource(randomId)
    const route = { operation: 'create' } as const
    const text = utf8Text(wholeBytes(body))
    const request = adapter.caller.readRequest(parseObject(text) ?? {}, { route, headers, newId })
    const writer = adapter.caller.writer({
      request,
      now: Math.floor(now() / 1000),
      lose: unheard,
      newId,
    })
    for (const event of EMPTY_REPLY)
      for (const { data } of writer.push(event).map(eventFrame)) {
        if (event.type === 'finish') this.#settle(writer.body())
        const text = mode.event(data, this.#laneContext())
        if (text !== undefined) await this.#context.send(text)
      }
  }

  #remember(reply: JsonObject): void {
    const { hasStore, memory, mode, adapter } = this.#context
    const { lane, previous, input, keeps, warms } = this.#order
    const { id } = reply
    if (typeof id !== 'string') return
    const said = adapter.caller.memory?.itemsText(input) ?? '[]'
    const output = stringify(mode.goOn(reply))
    const isElsewhere = previous !== undefined && !this.#known
    const known = isElsewhere ? undefined : (this.#known?.calls ?? NO_CALLS)
    const made = [...mode.calls(said).made, ...mode.calls(output).made]
    const calls = known && (made.length > 0 ? new Set([...known, ...made]) : known)
    const isStored = keeps && hasStore && !warms
    memory.keep({
      id,
      lane,
      calls,
      ...(isStored
        ? { base: id, items: [] }
        : {
            base: this.#known ? this.#known.base : previous,
            items: [...(this.#known?.items ?? []), ...piecesOf(said, output)],
          }),
    })
  }
}

const unheard = (): undefined => undefined

const COMMA = encoded(',')

const NO_CALLS: ReadonlySet<string> = new Set()

const EMPTY_REPLY = [
  { type: 'start', id: '', model: '' },
  { type: 'usage', usage: { input: 0, output: 0 } },
  { type: 'finish', reason: 'stop' },
] as const

const isSource = (body: Answer['body']): body is ByteSource =>
  typeof body === 'object' && body !== null && 'read' in body

/** The items of two lists, as they stand in a longer one. */
function piecesOf(...lists: readonly string[]): Uint8Array[] {
  const inside = lists.map((text) => text.trim().slice(1, -1).trim()).filter((text) => text !== '')
  return inside.length === 0 ? [] : [encoded(inside.join(','))]
}

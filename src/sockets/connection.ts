import type { Adapter } from '../../adapters/contract.ts'
import type { Answer } from '../exchange/exchange.ts'
import { isLonger } from '../json/bytes.ts'
import { stringify, type JsonObject } from '../json/json.ts'
import { ScannedBody } from '../json/scanned-body.ts'
import { scanStructure, StructureError } from '../json/structure.ts'
import type { Problem } from '../model/problem.ts'
import type { HttpRequest, Listener, Peer } from '../ports.ts'
import { CROWDED, STOPPING } from '../problems/failures.ts'
import { FREE_BYTES, weightOf, type Lease } from '../stream/budget.ts'
import type { Alarm, MakeAlarm } from '../stream/time.ts'
import { Lanes, MOST_LANES } from './lanes.ts'
import type { CreateOrder, Order, SocketMode } from './mode.ts'
import { Memory, type Shelf } from './remembered.ts'
import { requestOn } from './request.ts'
import { SocketTurn, type TurnContext } from './turn.ts'

/** The limits that hold for a connection. */
export interface ConnectionLimits {
  bodyBytes: number
  replyBytes: number
  depth: number
  nodes: number
  socketMs: number
  socketBytes: number
}

/** What a connection stands upon. */
export interface Ground {
  readonly id: string
  readonly adapter: Adapter
  readonly mode: SocketMode
  readonly limits: ConnectionLimits
  readonly hasStore: boolean
  /** The request by which it was opened. */
  readonly opening: HttpRequest
  readonly shelf: Shelf
  /** Its share of the bytes in flight. */
  readonly lease: Lease
  readonly alarm: MakeAlarm
  answer(request: HttpRequest): Promise<Answer>
  refuse(request: HttpRequest, problem: Problem): Answer
  now(): number
  randomId(): string
  /** Called once, when the socket is closed. */
  over(code: number): void
}

/** How a connection ends once nothing is underway. */
interface Ending {
  code: number
  reason: string
  /** Why nothing more is begun. */
  problem: Problem
  isTold: boolean
}

export const CLOSE = { normal: 1000, tooLarge: 1009, restart: 1012, tryLater: 1013 } as const

const MINUTE_MS = 60_000

/** One socket of a caller, from its opening to its end. */
export class Connection implements Listener {
  readonly #ground: Ground
  readonly #peer: Peer
  readonly #lanes: Lanes
  readonly #turns = new Set<SocketTurn>()
  readonly #context: TurnContext
  readonly #age: Alarm
  #coming = 0
  #ending: Ending | undefined
  #isOver = false

  constructor(ground: Ground, peer: Peer) {
    const { limits, mode, shelf, id, opening } = ground
    this.#ground = ground
    this.#peer = peer
    this.#lanes = new Lanes(
      limits.bodyBytes,
      (order) => this.#run(order),
      () => this.#closeIdle(),
    )
    this.#context = {
      ...ground,
      memory: new Memory(limits.socketBytes, shelf),
      mostEventCharacters: limits.replyBytes,
      request: (sent, isOurs) => requestOn(opening, { id, isOurs }, { mode, ...sent }),
      send: (text) => (this.#isOver ? undefined : peer.send(text)),
    }
    this.#age = ground.alarm(() => this.#expire())
    this.#age.set(limits.socketMs)
  }

  /** How many requests are underway. */
  get underway(): number {
    return this.#lanes.underway
  }

  coming(bytes: number): boolean {
    this.#coming += bytes
    return this.#weigh()
  }

  heard(text: string): void {
    this.#coming = 0
    if (this.#isOver) return
    if (isLonger(text, this.#ground.limits.bodyBytes)) return this.#tooLarge()
    this.#take(this.#read(text), text.length)
    this.#weigh()
  }

  unreadable(): void {
    this.#coming = 0
    if (!this.#isOver) this.#refuse(undefined, this.#ground.mode.problems.unreadable)
  }

  left(code: number): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#age.close()
    this.#lanes.clear()
    for (const turn of this.#turns) turn.leave()
    this.#turns.clear()
    this.#context.memory.forgetAll()
    this.#ground.lease.release()
    this.#ground.over(code)
  }

  /** There is no place for it after all. */
  refuse(): void {
    this.#close(CLOSE.tryLater, 'no room')
  }

  /** Begins nothing more, and closes when what is underway has ended. */
  drain(): void {
    this.#end({ code: CLOSE.restart, reason: 'restart', problem: STOPPING, isTold: false })
    for (const { lane } of this.#lanes.clear()) this.#refuse(lane, STOPPING)
    this.#closeIdle()
  }

  #expire(): void {
    const { limits, mode } = this.#ground
    const problem = mode.problems.expired(Math.round(limits.socketMs / MINUTE_MS))
    this.#end({ code: CLOSE.normal, reason: 'connection limit', problem, isTold: true })
    this.#lanes.clear()
    this.#closeIdle()
  }

  #end(ending: Ending): void {
    this.#ending ??= ending
  }

  #closeIdle(): void {
    if (!this.#ending || this.#isOver || !this.#lanes.isIdle) return
    const { code, reason, problem, isTold } = this.#ending
    if (isTold) this.#refuse(undefined, problem)
    this.#close(code, reason)
  }

  #close(code: number, reason: string): void {
    this.#peer.close(code, reason)
    this.left(code)
  }

  #read(text: string): Order {
    const { adapter, limits, mode } = this.#ground
    try {
      const structure = scanStructure(text, limits, adapter.caller.verbatim)
      return mode.read(structure && new ScannedBody(text, structure))
    } catch (error) {
      if (!(error instanceof StructureError)) throw error
      return { kind: 'refused', lane: undefined, problem: beyond(error) }
    }
  }

  #take(order: Order, bytes: number): void {
    const { lane } = order
    if (order.kind === 'refused') return this.#refuse(lane, order.problem)
    if (this.#ending) return this.#refuse(lane, this.#ending.problem)
    if (order.kind === 'answered') return this.#tell(order.event)
    if (!this.#lanes.opens(lane))
      return this.#refuse(lane, this.#ground.mode.problems.lanes(MOST_LANES))
    if (!this.#lanes.add(order, bytes)) this.#refuse(lane, TOO_MANY)
  }

  async #run(order: CreateOrder): Promise<void> {
    const turn = new SocketTurn(this.#context, order)
    this.#turns.add(turn)
    await turn.run().catch(() => undefined)
    this.#turns.delete(turn)
  }

  #refuse(lane: string | undefined, problem: Problem): void {
    const { id, mode, opening } = this.#ground
    const { signal } = opening
    const request = requestOn(opening, { id, isOurs: true }, { mode, body: [], signal })
    const { status, headers, body } = this.#ground.refuse(request, problem)
    const said = typeof body === 'string' ? JSON.parse(body) : undefined
    this.#tell(mode.refusal({ status, headers, body: said }, lane))
  }

  #tell(event: JsonObject): void {
    void this.#context.send(stringify(event))
  }

  #tooLarge(): void {
    const { bodyBytes } = this.#ground.limits
    this.#refuse(undefined, {
      kind: 'too-large',
      message: `A message may have ${bodyBytes} bytes.`,
    })
    this.#close(CLOSE.tooLarge, 'message too large')
  }

  /** Counts what has come and is not worked on yet; false where there is no room. */
  #weigh(): boolean {
    const { lease } = this.#ground
    const bytes = this.#coming + this.#lanes.bytes
    const weight = bytes > FREE_BYTES ? weightOf(bytes) : 0
    if (weight > lease.size && !lease.fits(weight - lease.size)) return false
    lease.hold(weight)
    return true
  }
}

const TOO_MANY: Problem = {
  ...CROWDED,
  kind: 'rate-limit',
  message: 'Too many requests of this connection wait for others; wait for their replies.',
}

const beyond = ({ limit, most }: StructureError): Problem => ({
  kind: limit === 'depth' ? 'invalid-request' : 'too-large',
  message:
    limit === 'depth'
      ? `The body is nested deeper than ${most} levels.`
      : `The body holds more than ${most} JSON values.`,
})

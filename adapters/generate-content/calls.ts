import { fingerprint } from '../../src/model/proof.ts'
import type { WalkMap } from '../../src/model/remembered.ts'

/** The call that a result answers. */
export interface Answered {
  callId: string
  /** Empty when no call is known. */
  name: string
}

interface Call {
  readonly id: string
  readonly name: string
}

/** Calls of one function, or with one id, in one turn. */
interface TurnCalls {
  readonly turn: number
  readonly count: number
  /** The number of the first that may wait. */
  readonly next: number
  /** Those of the turn before it. */
  readonly before: TurnCalls | undefined
}

/** What is known of the calls of one history. */
export interface KnownCalls {
  turn: number
  /** How often each function has been called. */
  readonly numbers: WalkMap<string, number>
  readonly names: WalkMap<string, string>
  /** The newest calls of a function, or with an id, and each of them by its number. */
  readonly latest: WalkMap<string, TurnCalls>
  readonly calls: WalkMap<string, Call>
  readonly answered: Set<Call>
}

/**
 * Calls and results of one history, in order. This dialect requires ids for neither. An id made here consists of
 * the name and a number, so that it is the same on every turn.
 */
export class CallBook {
  readonly #known: KnownCalls

  constructor(known: KnownCalls) {
    this.#known = known
  }

  turn(): void {
    this.#known.turn += 1
  }

  call(name: string, said: string | undefined): string {
    const number = this.#numbered(name)
    const call = { id: said || inventedId(number, name), name }
    this.#open(byName(name), call, this.#known.turn)
    this.#open(byId(call.id), call, 0)
    this.#known.names.set(call.id, name)
    return call.id
  }

  result(name: string, id: string | undefined): Answered {
    const asked = id ? this.#waiting(byId(id)) : undefined
    if (asked) return this.#close(asked)
    const known = id ? this.#known.names.get(id) : undefined
    if (id && known !== undefined) return { callId: id, name: known }
    const waiting = this.#waiting(byName(name))
    if (waiting) return this.#close(waiting)
    return { callId: id || inventedId(this.#numbered(name), name), name: '' }
  }

  #numbered(name: string): number {
    const number = (this.#known.numbers.get(name) ?? 0) + 1
    this.#known.numbers.set(name, number)
    return number
  }

  #close(call: Call): Answered {
    this.#known.answered.add(call)
    return { callId: call.id, name: call.name }
  }

  #open(key: string, call: Call, turn: number): void {
    const { calls, latest } = this.#known
    const last = latest.get(key)
    const isSame = last?.turn === turn
    const count = isSame ? last.count : 0
    calls.set(numbered(key, turn, count), call)
    const begun = isSame ? last : { turn, next: 0, before: last }
    latest.set(key, { ...begun, count: count + 1 })
  }

  /** The first waiting call of the newest turn; calls of older turns have been given up. */
  #waiting(key: string): Call | undefined {
    const { answered, calls, latest } = this.#known
    let last = latest.get(key)
    for (; last; last = last.before)
      for (let { next } = last; next < last.count; next += 1) {
        const call = calls.get(numbered(key, last.turn, next))
        if (!call || answered.has(call)) continue
        latest.set(key, { ...last, next })
        return call
      }
    latest.set(key, NOT_CALLED)
    return undefined
  }
}

const NOT_CALLED: TurnCalls = { turn: -1, count: 0, next: 0, before: undefined }

const byName = (name: string): string => `name ${name}`
const byId = (id: string): string => `id ${id}`
const numbered = (key: string, turn: number, number: number): string => `${turn} ${number} ${key}`

const inventedId = (number: number, name: string): string =>
  `call_${fingerprint(`${number} ${name}`)}`

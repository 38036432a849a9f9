import { fingerprint } from '../../src/model/proof.ts'

/** The call that a result answers. */
export interface Answered {
  callId: string
  /** Empty when no call is known. */
  name: string
}

/** What was entered into a book. */
export type Entered =
  | { readonly kind: 'turn' }
  | { readonly kind: 'call' | 'result'; readonly name: string; readonly id: string | undefined }

interface Call {
  readonly id: string
  readonly name: string
}

/** Calls of one function in one turn. */
interface TurnCalls {
  readonly turn: number
  readonly calls: Call[]
  /** The number of the first that may wait. */
  next: number
}

/** Calls of one function: those of each turn in their order, the newest turn last. */
class OpenCalls {
  readonly #turns: TurnCalls[] = []

  add(call: Call, turn: number): void {
    const last = this.#turns.at(-1)
    if (last?.turn === turn) last.calls.push(call)
    else this.#turns.push({ turn, calls: [call], next: 0 })
  }

  /** The first waiting call of the newest turn; calls of older turns have been given up. */
  latest(answered: ReadonlySet<Call>): Call | undefined {
    for (let last = this.#turns.at(-1); last; last = this.#turns.at(-1)) {
      const { calls } = last
      let call = calls[last.next]
      for (; call && answered.has(call); call = calls[last.next]) last.next += 1
      if (call) return call
      this.#turns.pop()
    }
    return undefined
  }
}

/**
 * Calls and results of one history, in order. This dialect requires ids for neither. An id made here consists of
 * the name and a number, so that it is the same on every turn.
 */
export class CallBook {
  /** How often each function has been called. */
  readonly #numbers = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #byName = new Map<string, OpenCalls>()
  readonly #byId = new Map<string, OpenCalls>()
  readonly #answered = new Set<Call>()
  #turn = 0
  #entered: Entered[] = []

  /** What was entered since it was last asked, to enter it into another book. */
  taken(): readonly Entered[] {
    if (this.#entered.length === 0) return NONE
    const entered = this.#entered
    this.#entered = []
    return entered
  }

  enter(entered: readonly Entered[]): void {
    for (const one of entered) {
      if (one.kind === 'turn') this.turn()
      else if (one.kind === 'call') this.call(one.name, one.id)
      else this.result(one.name, one.id)
    }
    this.#entered = []
  }

  turn(): void {
    this.#turn += 1
    this.#entered.push({ kind: 'turn' })
  }

  call(name: string, said: string | undefined): string {
    const number = this.#numbered(name)
    const call = { id: said || inventedId(number, name), name }
    openIn(this.#byName, name).add(call, this.#turn)
    openIn(this.#byId, call.id).add(call, 0)
    this.#names.set(call.id, name)
    this.#entered.push({ kind: 'call', ...call })
    return call.id
  }

  result(name: string, id: string | undefined): Answered {
    this.#entered.push({ kind: 'result', name, id })
    const asked = id ? this.#byId.get(id)?.latest(this.#answered) : undefined
    if (asked) return this.#close(asked)
    const known = id ? this.#names.get(id) : undefined
    if (id && known !== undefined) return { callId: id, name: known }
    const waiting = this.#byName.get(name)?.latest(this.#answered)
    if (waiting) return this.#close(waiting)
    return { callId: id || inventedId(this.#numbered(name), name), name: '' }
  }

  #numbered(name: string): number {
    const number = (this.#numbers.get(name) ?? 0) + 1
    this.#numbers.set(name, number)
    return number
  }

  #close(call: Call): Answered {
    this.#answered.add(call)
    return { callId: call.id, name: call.name }
  }
}

const NONE: readonly Entered[] = []

const inventedId = (number: number, name: string): string =>
  `call_${fingerprint(`${number} ${name}`)}`

function openIn(calls: Map<string, OpenCalls>, key: string): OpenCalls {
  const known = calls.get(key) ?? new OpenCalls()
  calls.set(key, known)
  return known
}

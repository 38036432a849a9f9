import { fingerprint } from '../../src/model/proof.ts'
import { UndoMap } from '../../src/model/trail/undo-map.ts'

/** The call that a result answers. */
export interface Answered {
  callId: string
  /** Empty when no call is known. */
  name: string
}

/**
 * Calls and results of one history, in order. This dialect requires ids for neither. An id made here consists of
 * the name and a number, so that it is the same on every turn.
 */
export interface CallBook {
  turn(): void
  call(name: string, id: string | undefined): string
  result(name: string, id: string | undefined): Answered
  /** One that goes on from here by itself. */
  copy(): CallBook
}

interface Call {
  readonly id: string
  readonly name: string
}

/** Calls of one function in one turn. */
interface TurnCalls {
  readonly turn: number
  readonly calls: Call[]
  /** The number of the first that may wait. */
  readonly next: number
}

/** Calls of one function: those of each turn in their order, the newest turn last. */
class OpenCalls {
  /** Stands for the book that may change it. */
  readonly book: object
  readonly #turns: TurnCalls[]

  constructor(book: object, turns: TurnCalls[] = []) {
    this.book = book
    this.#turns = turns
  }

  copy(book: object): OpenCalls {
    const turns = [...this.#turns]
    const last = turns.at(-1)
    // Only the last turn may get more.
    if (last) turns[turns.length - 1] = { ...last, calls: [...last.calls] }
    return new OpenCalls(book, turns)
  }

  add(call: Call, turn: number): void {
    const last = this.#turns.at(-1)
    if (last?.turn === turn) last.calls.push(call)
    else this.#turns.push({ turn, calls: [call], next: 0 })
  }

  /** The first waiting call of the newest turn; calls of older turns have been given up. */
  latest(answered: Pick<ReadonlySet<Call>, 'has'>): Call | undefined {
    for (let last = this.#turns.at(-1); last; last = this.#turns.at(-1)) {
      const { calls } = last
      let { next } = last
      for (let call = calls[next]; call && answered.has(call); call = calls[next]) next += 1
      if (next !== last.next) this.#last = { ...last, next }
      const call = calls[next]
      if (call) return call
      this.#turns.pop()
    }
    return undefined
  }

  set #last(calls: TurnCalls) {
    this.#turns[this.#turns.length - 1] = calls
  }
}

interface Entries {
  /** How often each function has been called. */
  readonly numbers: UndoMap<string, number>
  readonly names: UndoMap<string, string>
  readonly byName: UndoMap<string, OpenCalls>
  readonly byId: UndoMap<string, OpenCalls>
  readonly answered: UndoMap<Call, true>
  turn: number
}

export function callBook(): CallBook {
  return new Book({
    numbers: new UndoMap(),
    names: new UndoMap(),
    byName: new UndoMap(),
    byId: new UndoMap(),
    answered: new UndoMap(),
    turn: 0,
  })
}

class Book implements CallBook {
  readonly #entries: Entries
  /** Stands for what this book alone may change. */
  #own = {}

  constructor(entries: Entries) {
    this.#entries = entries
  }

  copy(): CallBook {
    // What both hold now, neither may change any more.
    this.#own = {}
    const { numbers, names, byName, byId, answered, turn } = this.#entries
    return new Book({
      numbers: numbers.copy(),
      names: names.copy(),
      byName: byName.copy(),
      byId: byId.copy(),
      answered: answered.copy(),
      turn,
    })
  }

  turn(): void {
    this.#entries.turn += 1
  }

  call(name: string, id: string | undefined): string {
    const { byName, byId, names, turn } = this.#entries
    const invented = this.#invent(name)
    const call = { id: id || invented, name }
    this.#open(byName, name).add(call, turn)
    this.#open(byId, call.id).add(call, 0)
    names.set(call.id, name)
    return call.id
  }

  result(name: string, id: string | undefined): Answered {
    const { names, byName, byId } = this.#entries
    const asked = id ? this.#latest(byId, id) : undefined
    if (asked) return this.#close(asked)
    const known = id ? names.get(id) : undefined
    if (id && known !== undefined) return { callId: id, name: known }
    const waiting = this.#latest(byName, name)
    return waiting ? this.#close(waiting) : { callId: id || this.#invent(name), name: '' }
  }

  #invent(name: string): string {
    const { numbers } = this.#entries
    const number = (numbers.get(name) ?? 0) + 1
    numbers.set(name, number)
    return `call_${fingerprint(`${number} ${name}`)}`
  }

  #open(calls: UndoMap<string, OpenCalls>, key: string): OpenCalls {
    const known = calls.get(key)
    if (known?.book === this.#own) return known
    const own = known?.copy(this.#own) ?? new OpenCalls(this.#own)
    calls.set(key, own)
    return own
  }

  #latest(calls: UndoMap<string, OpenCalls>, key: string): Call | undefined {
    return calls.has(key) ? this.#open(calls, key).latest(this.#entries.answered) : undefined
  }

  #close(call: Call): Answered {
    this.#entries.answered.set(call, true)
    return { callId: call.id, name: call.name }
  }
}

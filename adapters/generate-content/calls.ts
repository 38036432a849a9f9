import { fingerprint } from '../../src/model/proof.ts'

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
}

interface Call {
  id: string
  name: string
  isAnswered: boolean
}

/** Calls of one function: those of each turn in their order, the newest turn last. */
class OpenCalls {
  readonly #turns: { turn: number; calls: Call[]; next: number }[] = []

  add(call: Call, turn: number): void {
    const last = this.#turns.at(-1)
    if (last?.turn === turn) last.calls.push(call)
    else this.#turns.push({ turn, calls: [call], next: 0 })
  }

  /** The first waiting call of the newest turn; calls of older turns have been given up. */
  latest(): Call | undefined {
    for (let last = this.#turns.at(-1); last; last = this.#turns.at(-1)) {
      while (last.calls[last.next]?.isAnswered) last.next += 1
      const call = last.calls[last.next]
      if (call) return call
      this.#turns.pop()
    }
    return undefined
  }
}

function close(call: Call): Answered {
  call.isAnswered = true
  return { callId: call.id, name: call.name }
}

const listIn = <T>(map: Map<string, T>, key: string, make: () => T): T => {
  const known = map.get(key) ?? make()
  map.set(key, known)
  return known
}

export function callBook(): CallBook {
  const numbers = new Map<string, number>()
  const names = new Map<string, string>()
  const byName = new Map<string, OpenCalls>()
  const byId = new Map<string, OpenCalls>()
  let turn = 0
  const invent = (name: string): string => {
    const number = (numbers.get(name) ?? 0) + 1
    numbers.set(name, number)
    return `call_${fingerprint(`${number} ${name}`)}`
  }
  return {
    turn() {
      turn += 1
    },
    call(name, id) {
      const invented = invent(name)
      const call = { id: id || invented, name, isAnswered: false }
      listIn(byName, name, () => new OpenCalls()).add(call, turn)
      listIn(byId, call.id, () => new OpenCalls()).add(call, 0)
      names.set(call.id, name)
      return call.id
    },
    result(name, id) {
      const asked = id ? byId.get(id)?.latest() : undefined
      if (asked) return close(asked)
      const known = id ? names.get(id) : undefined
      if (id && known !== undefined) return { callId: id, name: known }
      const waiting = byName.get(name)?.latest()
      return waiting ? close(waiting) : { callId: id || invent(name), name: '' }
    },
  }
}

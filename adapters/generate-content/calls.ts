import { fingerprint } from '../../src/canonical/seal.ts'

/** Which call a result answers. */
export interface Answered {
  callId: string
  /** Empty when no call is known. */
  name: string
}

/**
 * Calls and results of one history in the order in which they stand there. Neither needs an id in this
 * dialect: what has none gets one made of its name and its number, so that it is the same on every turn.
 */
export interface CallBook {
  turn(): void
  call(name: string, id: string | undefined): string
  result(name: string, id: string | undefined): Answered
}

interface OpenCall {
  id: string
  name: string
  turn: number
}

export function callBook(): CallBook {
  const numbers = new Map<string, number>()
  const names = new Map<string, string>()
  let open: OpenCall[] = []
  let turn = 0
  const invent = (name: string): string => {
    const number = (numbers.get(name) ?? 0) + 1
    numbers.set(name, number)
    return `call_${fingerprint(`${number} ${name}`)}`
  }
  const close = (call: OpenCall): Answered => {
    open = open.filter((other) => other !== call)
    return { callId: call.id, name: call.name }
  }
  return {
    turn() {
      turn += 1
    },
    call(name, id) {
      const invented = invent(name)
      const call = { id: id || invented, name, turn }
      open.push(call)
      names.set(call.id, name)
      return call.id
    },
    result(name, id) {
      const byId = id ? open.find((call) => call.id === id) : undefined
      if (byId) return close(byId)
      const known = id ? names.get(id) : undefined
      if (id && known !== undefined) return { callId: id, name: known }
      const byName = latest(open.filter((call) => call.name === name))
      return byName ? close(byName) : { callId: id || invent(name), name: '' }
    },
  }
}

/** Of the calls that wait, the first one of the newest turn: older ones were given up. */
function latest(calls: OpenCall[]): OpenCall | undefined {
  const newest = Math.max(...calls.map((call) => call.turn))
  return calls.find((call) => call.turn === newest)
}

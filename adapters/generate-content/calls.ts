import { fingerprint } from '../../src/model/proof.ts'
import type { WalkMap } from '../../src/model/remembered.ts'

export interface Answered {
  callId: string
  /** Empty when no call is known. */
  name: string
}

interface Call {
  readonly id: string
  readonly name: string
}

/** The calls of one function, or with one id, in one turn. */
interface TurnCalls {
  readonly turn: number
  readonly count: number
  /** The number of the first call that may still wait for its result. */
  readonly next: number
  /** The calls of the same function or id in the last turn before that has some. */
  readonly before: TurnCalls | undefined
}

/** The calls and results of one history, in order. In this dialect neither needs an id. */
export interface KnownCalls {
  turn: number
  /** The number of calls of each function, with results that have no call. */
  readonly numbers: WalkMap<string, number>
  readonly names: WalkMap<string, string>
  /** The newest calls of each function and of each id; `calls` has each call by its turn and number. */
  readonly latest: WalkMap<string, TurnCalls>
  readonly calls: WalkMap<string, Call>
  /** The calls that are answered. */
  readonly done: Set<Call>
}

/**
 * Notes a call and returns its id. An invented id is made of the name and a number, so that it is the same in each
 * request.
 */
export function addCall(known: KnownCalls, name: string, said: string | undefined): string {
  const number = numberOf(known, name)
  const call = { id: said || inventedId(number, name), name }
  open(known, byName(name), call, known.turn)
  open(known, byId(call.id), call, 0)
  known.names.set(call.id, name)
  return call.id
}

/** The call that a result answers. */
export function answered(known: KnownCalls, name: string, id: string | undefined): Answered {
  const asked = id ? waiting(known, byId(id)) : undefined
  if (asked) return asked
  const called = id ? known.names.get(id) : undefined
  if (id && called !== undefined) return { callId: id, name: called }
  return (
    waiting(known, byName(name)) ?? {
      callId: id || inventedId(numberOf(known, name), name),
      name: '',
    }
  )
}

function numberOf({ numbers }: KnownCalls, name: string): number {
  const number = (numbers.get(name) ?? 0) + 1
  numbers.set(name, number)
  return number
}

function open({ calls, latest }: KnownCalls, key: string, call: Call, turn: number): void {
  const last = latest.get(key)
  const isSame = last?.turn === turn
  const count = isSame ? last.count : 0
  calls.set(numbered(key, turn, count), call)
  const begun = isSame ? last : { turn, next: 0, before: last }
  latest.set(key, { ...begun, count: count + 1 })
}

/** Takes the first waiting call of the newest turn that has one; calls of older turns have been given up. */
function waiting({ done, calls, latest }: KnownCalls, key: string): Answered | undefined {
  for (let last = latest.get(key); last; last = last.before)
    for (let { next } = last; next < last.count; next += 1) {
      const call = calls.get(numbered(key, last.turn, next))
      if (!call || done.has(call)) continue
      latest.set(key, { ...last, next })
      done.add(call)
      return { callId: call.id, name: call.name }
    }
  latest.set(key, NOT_CALLED)
  return undefined
}

const NOT_CALLED: TurnCalls = { turn: -1, count: 0, next: 0, before: undefined }

const byName = (name: string): string => `name ${name}`
const byId = (id: string): string => `id ${id}`
const numbered = (key: string, turn: number, number: number): string => `${turn} ${number} ${key}`

const inventedId = (number: number, name: string): string =>
  `call_${fingerprint(`${number} ${name}`)}`

import type { Json, JsonObject } from '../../json/json.ts'
import { LOSSES_LISTED, type Lose, type Loss } from '../loss.ts'

/** How a list is gone through, from its beginning to its end. A step changes the state, and nothing else. */
export interface Course<Element, State> {
  begin(): State
  /** One that further steps change without changing the other. What a step never changes may be shared. */
  copy(state: State): State
  step(state: State, element: Element, index: number): unknown
}

/** How far the list of a request had been gone through where the next one may part from it. */
interface Mark {
  readonly list: readonly unknown[]
  readonly count: number
  readonly given: readonly unknown[]
  readonly state: unknown
  readonly losses: readonly Loss[]
}

/** So many elements at the end of a list may be others in the next request, as long as nothing is known of it. */
const UNSETTLED = 8

/**
 * What became of the lists of the last request of a session, so that those of the next one, which begin with the
 * same objects, are gone through from where they part. Everything that is in them must never be changed.
 */
export class Trail {
  readonly #marks = new Map<string, Mark>()
  readonly #settled = new Map<string, readonly unknown[]>()

  /**
   * Goes through a list. `given`: everything else that the steps go by; lists in it are compared by their elements.
   * Losses that were told on the way are told again.
   */
  follow<Element, State>(
    name: string,
    list: readonly Element[],
    given: readonly unknown[],
    lose: Lose,
    courseOf: (lose: Lose) => Course<Element, State>,
  ): State {
    const before = this.#marks.get(name)
    const common = before ? commonCount(before.list, list) : 0
    const isKnown = before !== undefined && common >= before.count && areSame(before.given, given)
    const heard: Loss[] = isKnown ? [...before.losses] : []
    for (const { code, path, detail } of heard) lose(code, path, detail)
    const course = courseOf((code, path, detail) => {
      // Beyond that no mark is set, so they are not needed.
      if (heard.length <= LOSSES_LISTED)
        heard.push(detail === undefined ? { code, path } : { code, path, detail })
      return lose(code, path, detail)
    })
    // The name stands for the course, and so for the type of its state.
    const state = isKnown ? course.copy(before.state as State) : course.begin()
    const first = isKnown ? before.count : 0
    const place = common > 0 ? common : Math.max(0, list.length - UNSETTLED)
    for (let index = first; index <= list.length; index += 1) {
      if (index === place && heard.length <= LOSSES_LISTED)
        this.#marks.set(name, {
          list,
          count: index,
          given,
          state: isKnown && index === first ? before.state : course.copy(state),
          losses: [...heard],
        })
      const element = list[index]
      if (index < list.length && element !== undefined) course.step(state, element, index)
    }
    return state
  }

  /** What is made of a value and what else is given; it must not depend on anything else. */
  made<Value>(
    name: string,
    given: readonly unknown[],
    make: (lose: Lose) => Value,
    lose: Lose = nothingLost,
  ): Value {
    return this.follow<never, { value: Value }>(name, [], given, lose, (heard) => ({
      begin: () => ({ value: make(heard) }),
      copy: (state) => state,
      step: () => undefined,
    })).value
  }

  /**
   * Throws as `check` does, which looks at each element of one list of a body by itself: those that the last request
   * brought and that were right are not looked at again.
   */
  check<Checked>(
    name: string,
    body: JsonObject,
    member: string,
    check: (body: JsonObject) => Checked,
  ): Checked {
    const list = body[member]
    if (!Array.isArray(list)) return check(body)
    const known = commonCount(this.#settled.get(name) ?? [], list)
    const isKnown = known > 0 && isRight({ ...body, [member]: list.slice(known) }, check)
    // The whole is right because its parts are, which the types cannot express.
    const whole: Json = body
    const checked = isKnown ? (whole as Checked) : check(body)
    this.#settled.set(name, list)
    return checked
  }
}

/** For steps that lose nothing. */
export const nothingLost: Lose = () => undefined

/** Goes through a list, where a trail is kept from where it parts from that of the last request. */
export function follow<Element, State>(
  trail: Trail | undefined,
  name: string,
  list: readonly Element[],
  given: readonly unknown[],
  lose: Lose,
  courseOf: (lose: Lose) => Course<Element, State>,
): State {
  if (trail) return trail.follow(name, list, given, lose, courseOf)
  const course = courseOf(lose)
  const state = course.begin()
  for (const [index, element] of list.entries()) course.step(state, element, index)
  return state
}

/** For steps that only tell what is lost, or refuse. */
export const STATELESS = { begin: () => null, copy: () => null }

/** What is made of a value and what else is given; it must not depend on anything else. */
export const made = <Value>(
  trail: Trail | undefined,
  name: string,
  given: readonly unknown[],
  make: (lose: Lose) => Value,
  lose: Lose = nothingLost,
): Value => (trail ? trail.made(name, given, make, lose) : make(lose))

/** What becomes of each element, in one list. */
export const mapped = <Element, Result>(
  trail: Trail | undefined,
  name: string,
  list: readonly Element[],
  given: readonly unknown[],
  lose: Lose,
  map: (element: Element, index: number, lose: Lose) => readonly Result[],
): Result[] =>
  follow<Element, Result[]>(trail, name, list, given, lose, (heard) => ({
    begin: () => [],
    copy: (results) => [...results],
    step(results, element, index) {
      for (const result of map(element, index, heard)) results.push(result)
    },
  }))

function isRight(body: JsonObject, check: (body: JsonObject) => unknown): boolean {
  try {
    check(body)
    return true
  } catch {
    return false
  }
}

/** How many elements two lists have in common at their beginning. */
function commonCount(one: readonly unknown[], other: readonly unknown[]): number {
  const most = Math.min(one.length, other.length)
  for (let index = 0; index < most; index += 1) if (one[index] !== other[index]) return index
  return most
}

const areSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length &&
  one.every((value, index) => {
    const another = other[index]
    if (value === another) return true
    if (!Array.isArray(value) || !Array.isArray(another)) return false
    return value.length === another.length && commonCount(value, another) === value.length
  })

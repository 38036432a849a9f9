import { LOSSES_LISTED, nothingLost, tell, type Lose, type Loss } from './loss.ts'

/** Whether what is given now is likely to come again: most requests are the only ones of their session. */
let isKept = false

/** Does some work, none of which may wait. While it `keeps`, what it makes is remembered. */
export function remembering<Value>(keeps: boolean, work: () => Value): Value {
  const before = isKept
  isKept = keeps
  try {
    return work()
  } finally {
    isKept = before
  }
}

/**
 * A pure function that gives out again what it made last of the same values. That is kept with the first object among
 * them, or in a list of them, as long as this lives. Objects are the same where they are one, lists where their elements
 * are. Nothing that was given or made may be changed.
 */
export function remembered<Given extends readonly unknown[], Value>(
  make: (...given: Given) => Value,
): (...given: Given) => Value {
  const made = rememberedLosing((_, ...given: Given) => make(...given))
  return (...given) => made(nothingLost, ...given)
}

/** The same of a function that tells what is lost, which is told again. */
export function rememberedLosing<Given extends readonly unknown[], Value>(
  make: (lose: Lose, ...given: Given) => Value,
): (lose: Lose, ...given: Given) => Value {
  const each = rememberedEach<null, Value>()
  const one = [null]
  return (lose, ...given) => {
    const [value] = each(one, given, lose, (_, heard) => () => make(heard, ...given))
    // A list of one becomes a list of one.
    return value as Value
  }
}

/**
 * What becomes of each element of a list, which depends on nothing but what stands before it and `given`. As far as a
 * list begins with the same as the last one, what became of that is given out again. `begin` is asked where more
 * follows: it is given what became of those before, and tells how to go on. What is lost of an element is told as it
 * is treated, and again with what became of it.
 */
export type Each<Element, Value> = (
  list: readonly Element[],
  given: readonly unknown[],
  lose: Lose,
  begin: (before: readonly Value[], lose: Lose) => (element: Element, index: number) => Value,
) => readonly Value[]

interface Gone<Value> {
  readonly list: readonly unknown[]
  readonly given: readonly unknown[]
  readonly values: readonly Value[]
  readonly losses: readonly (Loss & { readonly index: number })[]
}

export function rememberedEach<Element, Value>(): Each<Element, Value> {
  const known = new WeakMap<object, Gone<Value>>()
  return (list, given, lose, begin) => {
    const key = isKept ? (keyIn(list) ?? keyIn(given)) : undefined
    const last = key && known.get(key)
    const common = last && areSame(last.given, given) ? commonCount(last.list, list) : 0
    const values = last && common > 0 ? last.values.slice(0, common) : []
    let losses = last?.losses.length ? last.losses.filter(({ index }) => index < common) : NONE
    for (const loss of losses) tell(lose, loss)
    const heard: Lose = (code, path, detail) => {
      if (losses === NONE) losses = []
      const index = values.length
      // Beyond that they are not kept, so they are not needed.
      if (key && losses.length <= LOSSES_LISTED)
        losses.push({ code, path, index, ...(detail !== undefined && { detail }) })
      return lose(code, path, detail)
    }
    if (common < list.length) {
      const step = begin(values, heard)
      for (let index = common; index < list.length; index += 1)
        values.push(step(list[index] as Element, index))
    }
    if (key && losses.length <= LOSSES_LISTED) known.set(key, { list, given, values, losses })
    return values
  }
}

const NONE: (Loss & { readonly index: number })[] = []

/**
 * What pure functions make on the way through a list: as far as it begins with the same as the last one, they are not
 * asked again. `index`: the element that it is made for; nothing behind that may matter, and nothing else but `given`.
 */
export type Making = <From extends readonly unknown[], Value>(
  index: number,
  make: (...from: From) => Value,
  ...from: From
) => Value

interface Makings {
  list: readonly unknown[]
  given: readonly unknown[]
  values: unknown[]
  /** The elements that they were made for. */
  places: number[]
}

export function rememberedMaking(): (
  list: readonly unknown[],
  given?: readonly unknown[],
) => Making {
  const known = new WeakMap<object, Makings>()
  return (list, given = []) => {
    const key = isKept ? keyIn(list) : undefined
    if (!key) return (_, make, ...from) => make(...from)
    const last = known.get(key)
    const common = last && areSame(last.given, given) ? commonCount(last.list, list) : 0
    const count = last ? countBelow(last.places, common) : 0
    const values = last ? last.values.slice(0, count) : []
    const places = last ? last.places.slice(0, count) : []
    known.set(key, { list, given, values, places })
    let next = 0
    return <From extends readonly unknown[], Value>(
      index: number,
      make: (...from: From) => Value,
      ...from: From
    ): Value => {
      next += 1
      // The same elements lead to the same functions, up to where one of them threw.
      if (next <= count) return values[next - 1] as Value
      const value = make(...from)
      values.push(value)
      places.push(index)
      return value
    }
  }
}

/** How many of some ascending numbers are below one. */
function countBelow(numbers: readonly number[], most: number): number {
  let count = numbers.length
  while (count > 0 && (numbers[count - 1] ?? 0) >= most) count -= 1
  return count
}

/** The first object, which may be the first in a list. */
function keyIn(given: readonly unknown[]): object | undefined {
  for (const value of given) {
    const key: unknown = Array.isArray(value) ? value[0] : value
    if (typeof key === 'object' && key !== null) return key
  }
  return undefined
}

/** How many elements two lists have in common at their beginning. */
function commonCount(one: readonly unknown[], other: readonly unknown[]): number {
  const most = Math.min(one.length, other.length)
  for (let index = 0; index < most; index += 1) if (!isSame(one[index], other[index])) return index
  return most
}

const areSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && commonCount(one, other) === one.length

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
  for (let index = 0; index < one.length; index += 1)
    if (!Object.is(one[index], other[index])) return false
  return true
}

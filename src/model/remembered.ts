import { LOSSES_LISTED, nothingLost, type Lose } from './loss.ts'

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
  const each = rememberedEach<null, Value>()
  return (...given) =>
    isKept
      ? // A list of one becomes a list of one.
        (each(ONE, given, nothingLost, () => () => make(...given))[0] as Value)
      : make(...given)
}

/** The same of a function that tells what is lost, which is told again. */
export function rememberedLosing<Given extends readonly unknown[], Value>(
  make: (lose: Lose, ...given: Given) => Value,
): (lose: Lose, ...given: Given) => Value {
  const each = rememberedEach<null, Value>()
  return (lose, ...given) =>
    isKept
      ? (each(ONE, given, lose, (_, heard) => () => make(heard, ...given))[0] as Value)
      : make(lose, ...given)
}

const ONE = [null]

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

export function rememberedEach<Element, Value>(): Each<Element, Value> {
  const known = new WeakMap<object, Steps<Value[]>>()
  return (list, given, lose, begin) => {
    const steps = isKept ? taken(known, list, given) : undefined
    const values = steps?.kept?.slice(0, steps.common) ?? []
    steps?.resume(lose, steps.common)
    if (values.length < list.length) {
      const step = begin(values, steps?.lose ?? lose)
      for (let index = values.length; index < list.length; index += 1) {
        if (steps) steps.index = index
        values.push(step(list[index] as Element, index))
      }
    }
    steps?.keep(known, values)
    if (steps) steps.told = nothingLost
    return values
  }
}

/** What is known of a list that begins as this one does; it goes on as this one. */
function taken<Kept>(
  known: WeakMap<object, Steps<Kept>>,
  list: readonly unknown[],
  given: readonly unknown[],
): Steps<Kept> | undefined {
  const key = keyIn(list) ?? keyIn(given)
  const steps = key && (known.get(key) ?? new Steps<Kept>(key))
  if (key) known.delete(key)
  steps?.meet(list, given)
  return steps
}

/** The element that a walk is at. */
export interface WalkStep {
  readonly index: number
  readonly lose: Lose
  /** What a pure function makes here: nothing behind the element may matter, and nothing else but `given`. */
  readonly made: <From extends readonly unknown[], Value>(
    make: (...from: From) => Value,
    ...from: From
  ) => Value
}

/**
 * Goes through a list. `State`: what is gathered on the way, in single values, and in lists, sets and `WalkMap`s of what
 * is never changed. As far as a list begins with the same as the last one, it is not gone through again, but for some at
 * the end of that, where what was `made` is given out again. The caller may change what comes of it.
 */
type Walk<Element, State> = (
  list: readonly Element[],
  given: readonly unknown[],
  lose: Lose,
  begin: () => State,
  step: (state: State, element: Element, at: WalkStep) => void,
) => State

export function rememberedWalk<Element, State extends object>(): Walk<Element, State> {
  const marks = new WeakMap<object, Steps<State>>()
  return (list, given, lose, begin, step) => {
    const steps = isKept ? taken(marks, list, given) : undefined
    const known = steps && steps.mark <= steps.common ? steps.kept : undefined
    const state = known ? resumed(known) : begin()
    steps?.resume(lose, known ? steps.mark : 0)
    const at = steps ?? { index: 0, lose, made }
    for (; at.index <= list.length; at.index += 1) {
      if (at.index === steps?.common) steps.keep(marks, marked(state))
      if (at.index < list.length) step(state, list[at.index] as Element, at)
    }
    if (steps) steps.told = nothingLost
    return state
  }
}

/** What is made where nothing is remembered. */
const made: WalkStep['made'] = (make, ...from) => make(...from)

/** A state of lists: `open` is what the end of `all` is made of. */
export interface Listed<Element, Open = Element> {
  readonly all: Element[]
  open: Open[]
}

export const nothingListed = <Element, Open>(): Listed<Element, Open> => ({ all: [], open: [] })

/** How a list was gone through, and what is kept of it where the next one may part from it. */
class Steps<Kept> implements WalkStep {
  index = 0
  /** How many elements the list has in common with the last one. */
  common = 0
  kept: Kept | undefined
  /** The element that it is kept at. */
  mark = 0
  readonly #key: object
  #list: readonly unknown[] = []
  #given: readonly unknown[] = []
  /** With the elements that they were told of. */
  #losses: (readonly [number, ...Parameters<Lose>])[] = []
  readonly #values: unknown[] = []
  /** How many of them were made up to here, and up to the mark. */
  #count = 0
  #marked = 0
  /** Let go of once the list was gone through: it may hold much of its exchange. */
  told = nothingLost

  constructor(key: object) {
    this.#key = key
  }

  meet(list: readonly unknown[], given: readonly unknown[]): void {
    this.common = areSame(this.#given, given) ? commonCount(this.#list, list) : 0
    this.#list = list
    this.#given = given
  }

  /** Goes on at the mark, or from the beginning. */
  resume(lose: Lose, index: number): void {
    this.told = lose
    this.index = index
    this.#count = index > 0 ? this.#marked : 0
    this.#losses = this.#losses.filter(([at]) => at < index)
    for (const [, ...loss] of this.#losses) lose(...loss)
  }

  /** Unless more was lost than is known. */
  keep(known: WeakMap<object, Steps<Kept>>, kept: Kept): void {
    if (this.#losses.length > LOSSES_LISTED) return
    this.kept = kept
    this.mark = this.index
    this.#marked = this.#count
    known.set(this.#key, this)
  }

  readonly lose: Lose = (...loss) => {
    // Beyond that nothing is kept, so they are not needed.
    if (this.#losses.length <= LOSSES_LISTED) this.#losses.push([this.index, ...loss])
    return this.told(...loss)
  }

  readonly made = <From extends readonly unknown[], Value>(
    make: (...from: From) => Value,
    ...from: From
  ): Value => {
    const values = this.#values
    // The same elements lead to the same functions, up to where one of them threw.
    if (this.index >= this.common) values.length = Math.min(values.length, this.#count)
    if (this.#count === values.length) values.push(make(...from))
    this.#count += 1
    return values[this.#count - 1] as Value
  }
}

/** A state that goes on by itself. */
function marked<State extends object>(state: State): State {
  const copy = { ...state }
  for (const name of Object.keys(copy) as (keyof State)[]) copy[name] = ownList(copy[name])
  return copy
}

function ownList<Value>(value: Value): Value {
  if (value instanceof WalkMap) value.mark()
  const copy: unknown = Array.isArray(value)
    ? value.slice()
    : value instanceof Set
      ? new Set(value)
      : value
  // It is of the same kind, which the types cannot express.
  return copy as Value
}

function resumed<State extends object>(state: State): State {
  for (const value of Object.values(state)) if (value instanceof WalkMap) value.rewind()
  return state
}

/** A map in the state of a walk, to be added to. To copy one takes long, so what is set behind a mark is taken back. */
export class WalkMap<Key, Value> extends Map<Key, Value> {
  /** What there was before, for all that was set since the mark. */
  #before: [Key, Value | undefined][] | undefined

  override set(key: Key, value: Value): this {
    this.#before?.push([key, this.get(key)])
    return super.set(key, value)
  }

  mark(): void {
    this.#before = []
  }

  rewind(): void {
    for (const [key, value] of this.#before?.toReversed() ?? [])
      if (value === undefined) this.delete(key)
      else super.set(key, value)
  }
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

const isSame = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || (Array.isArray(one) && Array.isArray(other) && areSame(one, other))

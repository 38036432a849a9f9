import { isObject, toValue, Verbatim, type Json, type JsonObject } from '../json/json.ts'
import { invalid } from '../model/problem.ts'
import { nothingLost } from '../model/loss.ts'
import { rememberedEach } from '../model/remembered.ts'

/** What is wrong with a value, and where in it. */
export interface Issue {
  readonly path: string[]
  readonly message: string
}

/**
 * Tells the first thing that is wrong with a value, if anything is. Nothing is copied or built on the way:
 * who asked goes on with the value itself, which is then known to be of the type.
 */
export interface Shape<T = unknown> {
  (value: unknown): Issue | undefined
  readonly type?: T
}

/** The type of the values that have a shape. */
export type TypeOf<S> = S extends Shape<infer T> ? T : never

/** The value as it came; throws when it has another shape. */
export function shaped<T>(shape: Shape<T>, value: Json): T {
  const issue = shape(value)
  if (!issue) return value as T
  const place = issue.path.join('.')
  throw invalid(`${place === '' ? 'body' : place}: ${issue.message}`, place || undefined)
}

/** The issue of a value that is not what was expected. Texts are not quoted: they may be long, or secret. */
export function unexpected(expected: string, value: unknown, found = spoken(value)): Issue {
  const message =
    value === undefined ? `is missing; expected ${expected}` : `expected ${expected}, got ${found}`
  return { path: [], message }
}

function spoken(value: unknown): string {
  if (value instanceof Verbatim) return spoken(toValue(value))
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string'
  if (Array.isArray(value)) return `an array of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** The same issue, seen from one level further out. */
function within(key: string, issue: Issue): Issue {
  issue.path.unshift(key)
  return issue
}

/** Something that may be left out. */
export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value) =>
    value === undefined ? undefined : shape(value)

/** Something that may be left out, or be null; also where its text is kept as it came. */
export const nullish =
  <T>(shape: Shape<T>): Shape<T | null | undefined> =>
  (value) =>
    value === undefined || value === null || isNullText(value) ? undefined : shape(value)

const isNullText = (value: unknown): boolean =>
  value instanceof Verbatim && value.text.trim() === 'null'

/** A value that has all of these shapes. */
export const all =
  <T>(first: Shape<T>, ...others: Shape[]): Shape<T> =>
  (value) => {
    let issue = first(value)
    for (const other of others) issue ??= other(value)
    return issue
  }

/** An array, of at most so many elements. */
export const list =
  <T>(element: Shape<T>, most = Infinity): Shape<T[]> =>
  (value) => {
    if (!Array.isArray(value)) return unexpected('an array', value)
    if (value.length > most) return unexpected(`at most ${most} elements`, value, `${value.length}`)
    let index = 0
    for (const item of value) {
      const issue = element(item)
      if (issue) return within(`${index}`, issue)
      index += 1
    }
    return undefined
  }

/** A string or an array. Of an array it is told which element is wrong. */
export const textOrList = <T>(element: Shape<T>): Shape<string | T[]> => textOr(list(element))

export function textOr<T>(elements: Shape<T[]>): Shape<string | T[]> {
  return (value) => {
    if (typeof value === 'string') return undefined
    return Array.isArray(value) ? elements(value) : unexpected('a string or an array', value)
  }
}

/** An array whose elements come again in the next request: those that were right are known to be. */
export function lastingList<T>(element: Shape<T>): Shape<T[]> {
  const each = rememberedEach<unknown, boolean>()
  const elements = list(element)
  const isRight = (value: unknown): boolean => element(value) === undefined
  return (value) =>
    Array.isArray(value) && each(value, [], nothingLost, () => isRight).every(Boolean)
      ? undefined
      : elements(value)
}

type Members = Readonly<Record<string, Shape>>
type Omissible<M> = { [K in keyof M]: undefined extends TypeOf<M[K]> ? K : never }[keyof M]
type Flat<T> = { [K in keyof T]: T[K] }
type ObjectOf<M> = Flat<
  { [K in Exclude<keyof M, Omissible<M>>]: TypeOf<M[K]> } & {
    [K in Omissible<M>]?: TypeOf<M[K]>
  } & JsonObject
>

/** An object with these members. Any others pass: an unknown member is a leftover, never an error. */
export function object<M extends Members>(members: M): Shape<ObjectOf<M>> {
  let known: { key: string; shape: Shape; isOptional: boolean }[] | undefined
  return (value) => {
    if (!isObject(value)) return unexpected('an object', value)
    // Made here, because a Worker would pay at its start for the tables of all dialects.
    known ??= Object.entries(members).map(([key, shape]) => {
      return { key, shape, isOptional: shape(undefined) === undefined }
    })
    for (const { key, shape, isOptional } of known) {
      const member = Object.hasOwn(value, key) ? value[key] : undefined
      const issue = isOptional && member === undefined ? undefined : shape(member)
      if (issue) return within(key, issue)
    }
    return undefined
  }
}

/** An object with at most so many members of any names; one called `__proto__` does not count. */
export const record =
  <T>(name: Shape<string>, member: Shape<T>, most = Infinity): Shape<Record<string, T>> =>
  (value) => {
    if (!isObject(value)) return unexpected('an object', value)
    const keys = Object.keys(value).filter((key) => key !== '__proto__')
    for (const key of keys) {
      const issue = name(key) ?? member(value[key])
      if (issue) return within(key, issue)
    }
    return keys.length > most
      ? unexpected(`at most ${most} pairs`, value, `${keys.length}`)
      : undefined
  }

/** An object of a known type has the shape of that type; an unknown type may be a newer one and passes. */
export function byType(shapes: Members): Shape<JsonObject> {
  const known = new Map<unknown, Shape>(Object.entries(shapes))
  return (value) => (isObject(value) ? known.get(value['type'])?.(value) : undefined)
}

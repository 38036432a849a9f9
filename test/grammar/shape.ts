import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'

/** Says what is wrong with a value at a path, or nothing. */
export type Shape = (value: Json | undefined, path: string) => string | undefined

const is =
  (what: string, test: (value: Json | undefined) => boolean): Shape =>
  (value, path) =>
    test(value) ? undefined : `${path}: expected ${what}, got ${show(value)}`

export const any: Shape = is('a value', (value) => value !== undefined)
export const string = is('a string', (value) => typeof value === 'string')
export const filled = is('a non-empty string', (value) => typeof value === 'string' && value !== '')
export const boolean = is('a boolean', (value) => typeof value === 'boolean')
export const number = is('a number', (value) => typeof value === 'number')
export const nothing = is('null', (value) => value === null)
export const anyObject = is('an object', isObject)
/** A number of tokens, an index, a time. */
export const count = is(
  'a non-negative integer',
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
)
export const literal = (...allowed: Json[]): Shape =>
  is(allowed.map((value) => JSON.stringify(value)).join(' or '), (value) =>
    allowed.some((one) => one === value),
  )
export const matching = (pattern: RegExp): Shape =>
  is(`text like ${pattern}`, (value) => typeof value === 'string' && pattern.test(value))
export const empty = is('an empty array', (value) => Array.isArray(value) && value.length === 0)
export const emptyObject = is(
  'an empty object',
  (value) => isObject(value) && Object.keys(value).length === 0,
)

export const nullable =
  (shape: Shape): Shape =>
  (value, path) =>
    value === null ? undefined : shape(value, path)

export const optional =
  (shape: Shape): Shape =>
  (value, path) =>
    value === undefined ? undefined : shape(value, path)

/** Absent or null. */
export const loose = (shape: Shape): Shape => optional(nullable(shape))

export const array =
  (element: Shape, least = 0): Shape =>
  (value, path) => {
    if (!Array.isArray(value)) return `${path}: expected an array, got ${show(value)}`
    if (value.length < least) return `${path}: expected at least ${least} elements`
    return first(value.map((item, index) => element(item, `${path}[${index}]`)))
  }

/** An object with at least these members. */
export const object =
  (members: Record<string, Shape>): Shape =>
  (value, path) => {
    if (!isObject(value)) return `${path}: expected an object, got ${show(value)}`
    return first(
      Object.entries(members).map(([key, shape]) => shape(member(value, key), `${path}.${key}`)),
    )
  }

/** An object with these members and no others. */
export const exactly =
  (members: Record<string, Shape>): Shape =>
  (value, path) => {
    const wrong = object(members)(value, path)
    if (wrong !== undefined || !isObject(value)) return wrong
    const extra = Object.keys(value).find((key) => !Object.hasOwn(members, key))
    return extra === undefined ? undefined : `${path}: has an unexpected member ${extra}`
  }

/** One of several objects, told apart by a member that all of them have. */
export const variant =
  (tag: string, shapes: Record<string, Shape>): Shape =>
  (value, path) => {
    if (!isObject(value)) return `${path}: expected an object, got ${show(value)}`
    const name = member(value, tag)
    if (typeof name !== 'string' || !Object.hasOwn(shapes, name))
      return `${path}.${tag}: ${show(name)} is not known`
    return shapes[name]?.(value, path)
  }

export const both =
  (...shapes: Shape[]): Shape =>
  (value, path) =>
    first(shapes.map((shape) => shape(value, path)))

export const either =
  (...shapes: Shape[]): Shape =>
  (value, path) => {
    const wrongs = shapes.map((shape) => shape(value, path))
    return wrongs.includes(undefined) ? undefined : wrongs.join(' / ')
  }

export const first = (wrongs: (string | undefined)[]): string | undefined =>
  wrongs.find((wrong) => wrong !== undefined)

/** An own member: a name like `constructor` is not found on every object. */
export function member(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** Deep equality of JSON, with `undefined` as what an absent member is. */
export function same(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => same(item, right[index]))
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]))
  )
}

export const show = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 160)

/** The object that a frame's data spells, or what is wrong with it. */
export function payload(data: string): JsonObject | string {
  if (/[\r\n]/.test(data)) return 'the data is more than one line'
  try {
    const value: Json = JSON.parse(data)
    return isObject(value) ? value : 'the data is no object'
  } catch {
    return `the data is no JSON: ${data.slice(0, 80)}`
  }
}

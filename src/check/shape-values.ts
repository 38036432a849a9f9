import { isObject, Verbatim, type Json } from '../json/json.ts'
import { unexpected, type Shape } from './shape.ts'

/** Shapes of values that are not looked into any further. */

/** A value of which something holds. */
export const that =
  <T>(expected: string, holds: (value: unknown) => boolean): Shape<T> =>
  (value) =>
    holds(value) ? undefined : unexpected(expected, value)

/** Any value. */
export const anything: Shape<Json> = () => undefined

/** Any object, also one that stayed text. */
export const objectText = that<Json>(
  'an object',
  (value) => isObject(value) || (value instanceof Verbatim && value.text.trimStart()[0] === '{'),
)

/** True or false. */
export const flag = that<boolean>('true or false', (value) => typeof value === 'boolean')

/** A string. */
export const text = that<string>('a string', (value) => typeof value === 'string')

/** A string that says something. */
export const filled = that<string>(
  'a string that is not empty',
  (value) => typeof value === 'string' && value !== '',
)

/** A string of so many characters. */
export function sized(min: number, max: number): Shape<string> {
  const expected = `a string of ${min === 0 ? 'at most' : `${min} to`} ${max} characters`
  return (value) => {
    if (typeof value !== 'string') return unexpected(expected, value)
    const { length } = value
    return length < min || length > max ? unexpected(expected, value, `${length}`) : undefined
  }
}

/** One of these strings. */
export function oneOf<const T extends string>(...values: T[]): Shape<T> {
  const known = new Set<unknown>(values)
  const expected = `${values.length > 1 ? 'one of ' : ''}"${values.join('", "')}"`
  return (value) => {
    if (known.has(value)) return undefined
    return unexpected(expected, value, typeof value === 'string' ? 'another string' : undefined)
  }
}

/** A number that can be written as JSON: one beyond the range of doubles was read as infinity. */
export const number = (min = -Infinity, max = Infinity): Shape<number> =>
  numeric('a number', Number.isFinite, min, max)

/** A whole number that a double holds exactly. */
export const integer = (min = -Infinity, max = Infinity): Shape<number> =>
  numeric('an integer', Number.isSafeInteger, min, max)

function numeric(
  noun: string,
  isOne: (value: unknown) => boolean,
  min: number,
  max: number,
): Shape<number> {
  const atLeast = min === -Infinity ? '' : ` of at least ${min}`
  const expected = `${noun}${max === Infinity ? atLeast : ` from ${min} to ${max}`}`
  const holds = (value: unknown) =>
    typeof value === 'number' && isOne(value) && value >= min && value <= max
  return that(expected, holds)
}

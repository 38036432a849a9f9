import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { same } from '../grammar/shape.ts'
import { valueAt, type Path } from '../laws/mutate.ts'
import type { NoOp } from './noop.ts'
import { plainName } from './reported.ts'

/** Who says it to whom, and which members say nothing then. */
export interface Pair {
  /** Of a reply: the dialect that it comes in. */
  caller: string
  /** Of a reply: the dialect that it is written in. */
  upstream: string
  noOps: readonly NoOp[]
}

/** True when a value says nothing: it is empty, a known no-op, or made of members that each say nothing. */
export function isQuiet(pair: Pair, body: Json, path: Path): boolean {
  const value = valueAt(body, path)
  if (isEmpty(value) || pair.noOps.some((entry) => applies(entry, pair, body, path))) return true
  if (Array.isArray(value)) return value.every((_, index) => isQuiet(pair, body, [...path, index]))
  if (!isObject(value)) return false
  return Object.keys(value).every((key) => isQuiet(pair, body, [...path, key]))
}

/** True when it says nothing whatever its value is, by itself or by what it is part of. */
export const isMute = (pair: Pair, body: Json, path: Path): boolean =>
  pair.noOps.some((entry) =>
    entry.below
      ? path.some((_, length) => applies(entry, pair, body, path.slice(0, length + 1)))
      : !entry.values && !entry.when && applies(entry, pair, body, path),
  )

const isEmpty = (value: Json | undefined): boolean =>
  value === null || value === '' || same(value, []) || same(value, {})

function applies(entry: NoOp, { caller, upstream }: Pair, body: Json, path: Path): boolean {
  if (entry.dialect !== caller || (entry.upstream ?? upstream) !== upstream) return false
  if (!matches(entry.path.split('.'), path)) return false
  const value = valueAt(body, path)
  if (
    entry.beside &&
    !entry.beside(objectAt(body, path.slice(0, -1)), objectAt(body, path.slice(0, -2)))
  )
    return false
  if (entry.when && !entry.when(value, body)) return false
  return !entry.values || entry.values.some((one) => same(one, value))
}

function objectAt(body: Json, path: Path): JsonObject {
  const value = valueAt(body, path)
  return isObject(value) ? value : {}
}

/** One dialect has two spellings of everything. `*` is any one segment, `**` any number of them. */
function matches(pattern: readonly string[], path: Path): boolean {
  const [name, ...others] = pattern
  if (name === undefined) return path.length === 0
  if (name === '**')
    return Array.from({ length: path.length + 1 }, (_, skipped) => path.slice(skipped)).some(
      (rest) => matches(others, rest),
    )
  const [key, ...rest] = path
  const fits = key !== undefined && (name === '*' || plainName(name) === plainName(String(key)))
  return fits && matches(others, rest)
}

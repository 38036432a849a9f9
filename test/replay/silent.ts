import type { Adapter } from '../../adapters/adapter.ts'
import { isObject, stringify, type Json, type JsonObject } from '../../src/canonical/json.ts'
import { ProblemError } from '../../src/canonical/problem.ts'
import { fingerprint } from '../../src/canonical/seal.ts'
import { readRequest, writeRequest, type Spoken } from '../laws/exchange.ts'
import { mutate, pathsOf, valueAt, type Path } from '../laws/mutate.ts'
import { NO_OPS } from './noops.ts'

export interface SilentLoss {
  path: string
  how: 'deleted' | 'changed'
  value: Json | undefined
}

export interface Probe {
  /** How many mutations were tried and left a trace. */
  kept: number
  /** How many were reported as lost, by a change in the list of losses alone. */
  reported: number
  silent: SilentLoss[]
}

/** What leaves for the upstream, and what is reported: one of them must show every change. */
interface Outcome {
  text: string
  /** Code and path of each loss. */
  losses: ReadonlySet<string>
}

/** Undefined when the caller is told that the request is wrong. */
type Translate = (body: Json) => Outcome | undefined

function translation(caller: Adapter, upstream: Adapter, spoken: Spoken): Translate {
  return (body) => {
    try {
      const request = readRequest(caller, stringify(body), spoken)
      const { text, losses } = writeRequest(upstream, request)
      return { text, losses: new Set(losses.map(({ code, path }) => `${code} ${path}`)) }
    } catch (error) {
      if (error instanceof ProblemError) return undefined
      throw error
    }
  }
}

/**
 * Changes a request bit by bit and looks whether anybody notices. `most` bounds the number of places; which
 * ones are tried depends on nothing but the request.
 */
export function probe(
  caller: Adapter,
  upstream: Adapter,
  body: JsonObject,
  most: number,
  spoken: Spoken = {},
): Probe | undefined {
  const translate = translation(caller, upstream, spoken)
  const before = translate(body)
  if (!before) return undefined
  const found: Probe = { kept: 0, reported: 0, silent: [] }
  for (const path of sample(pathsOf(body), most)) {
    const value = valueAt(body, path)
    if (isNoOp(caller.dialect, path, value, body)) continue
    for (const [how, replacement] of replacements(value)) {
      const after = translate(mutate(body, path, replacement))
      if (!after) continue
      if (after.text !== before.text) found.kept += 1
      else if (!sameSet(after.losses, before.losses) || isReported(translate, body, before, path))
        found.reported += 1
      else found.silent.push({ path: path.join('.'), how, value })
    }
  }
  return found
}

const sameSet = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  left.size === right.size && [...left].every((item) => right.has(item))

/**
 * A value that is reported as lost is reported whatever it is: without it, or without what it is part of, the
 * report is gone. A report for a whole must name the whole.
 */
function isReported(translate: Translate, body: JsonObject, before: Outcome, path: Path): boolean {
  for (let length = path.length; length > 0; length -= 1) {
    const outer = path.slice(0, length)
    const after = translate(mutate(body, outer, undefined))
    const gone = [...before.losses].filter((loss) => !after?.losses.has(loss))
    if (after && length === path.length && gone.length > 0) return true
    const names = namesOf(outer, valueAt(body, outer))
    if (after && gone.some((loss) => names.includes(lastName(loss)))) return true
  }
  return false
}

const plainName = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase()
const lastName = (loss: string): string =>
  plainName(loss.split('.').at(-1)?.split(' ').at(-1) ?? '')

/** What a report may call this value: its key, or its own type or name. */
function namesOf(path: Path, value: Json | undefined): string[] {
  const own = isObject(value) ? [value['type'], value['name']] : []
  return [path.at(-1), ...own].filter((name) => typeof name === 'string').map(plainName)
}

function replacements(value: Json | undefined): [SilentLoss['how'], Json | undefined][] {
  const deleted: [SilentLoss['how'], Json | undefined] = ['deleted', undefined]
  if (typeof value === 'string') return [deleted, ['changed', `${value}~`]]
  if (typeof value === 'number') return [deleted, ['changed', value + 1]]
  if (typeof value === 'boolean') return [deleted, ['changed', !value]]
  return [deleted]
}

function sample(paths: Path[], most: number): Path[] {
  const inner = paths.filter((path) => path.length > 0)
  if (inner.length <= most) return inner
  return inner
    .map((path) => ({ path, rank: fingerprint(path.join('.')) }))
    .toSorted((left, right) => (left.rank < right.rank ? -1 : 1))
    .slice(0, most)
    .map(({ path }) => path)
}

function isNoOp(dialect: string, path: Path, value: Json | undefined, body: Json): boolean {
  return NO_OPS.some((entry) => {
    if (entry.dialect !== dialect || !matches(entry.path.split('.'), path)) return false
    if (entry.beside && !entry.beside(parentOf(body, path))) return false
    return !entry.values || entry.values.some((one) => one === value)
  })
}

function parentOf(body: Json, path: Path): JsonObject {
  const parent = valueAt(body, path.slice(0, -1))
  return isObject(parent) ? parent : {}
}

/** `**` at the end is anything below. */
function matches(pattern: string[], path: Path): boolean {
  const open = pattern.at(-1) === '**'
  const wanted = open ? pattern.slice(0, -1) : pattern
  if (open ? path.length < wanted.length : path.length !== wanted.length) return false
  return wanted.every((name, index) => name === '*' || name === String(path[index]))
}

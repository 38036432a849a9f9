import type { Adapter } from '../../adapters/contract.ts'
import { stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { fingerprint } from '../../src/model/proof.ts'
import { readRequest, writeRequest, type Spoken } from '../laws/exchange.ts'
import { mutate, pathsOf, valueAt, type Path } from '../laws/mutate.ts'
import { isMute, isQuiet, type Pair } from './quiet.ts'
import { NO_OPS } from './noops.ts'
import { isReported, type Outcome, type Translate } from './reported.ts'

export interface SilentLoss {
  path: string
  how: Change['how']
  value: Json | undefined
}

/** `garbled`: made into another text, which may be illegal; `changed`: into another legal value. */
interface Change {
  how: 'deleted' | 'garbled' | 'changed'
  replacement: Json | undefined
}

export interface Probe {
  /** How many mutations were tried and left a trace. */
  kept: number
  /** How many were reported as lost, by a change in the list of losses alone. */
  reported: number
  silent: SilentLoss[]
}

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
  const pair = { caller: caller.dialect, upstream: upstream.dialect, noOps: NO_OPS }
  return search({ translate, pair, isReported }, body, most)
}

/** How something is translated, and what is no silence. */
export interface Hearing {
  translate: Translate
  pair: Pair
  isReported(translate: Translate, body: JsonObject, before: Outcome, path: Path): boolean
}

/** The same for anything that is translated. */
export function search(
  { translate, pair, isReported }: Hearing,
  body: JsonObject,
  most: number,
): Probe | undefined {
  const before = translate(body)
  if (!before) return undefined
  const found: Probe = { kept: 0, reported: 0, silent: [] }
  for (const path of sample(pathsOf(body), most)) {
    const value = valueAt(body, path)
    if (isMute(pair, body, path)) continue
    const quiet = isQuiet(pair, body, path)
    for (const { how, replacement } of changes(value)) {
      const mutant = mutate(body, path, replacement)
      // Of a default, only another legal value says something.
      if (quiet && (how !== 'changed' || isQuiet(pair, mutant, path))) continue
      const after = translate(mutant)
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

/** Another legal value, where a word has one; most others are free text. */
const OTHERS = new Map([
  ['low', 'high'],
  ['medium', 'low'],
  ['high', 'low'],
  ['LOW', 'HIGH'],
  ['HIGH', 'LOW'],
  ['auto', 'none'],
  ['any', 'auto'],
  ['required', 'none'],
  ['AUTO', 'NONE'],
  ['ANY', 'NONE'],
  ['5m', '1h'],
  ['user', 'assistant'],
  ['adaptive', 'disabled'],
  ['json_object', 'text'],
  ['application/json', 'text/plain'],
  ['image/png', 'image/jpeg'],
  ['string', 'integer'],
  ['STRING', 'INTEGER'],
])

const changed = (replacement: Json): Change => ({ how: 'changed', replacement })

function changes(value: Json | undefined): Change[] {
  const deleted: Change = { how: 'deleted', replacement: undefined }
  if (typeof value === 'number') return [deleted, changed(value + 1 === value ? 0 : value + 1)]
  if (typeof value === 'boolean') return [deleted, changed(!value)]
  if (typeof value !== 'string') return [deleted]
  const garbled: Change = { how: 'garbled', replacement: `${value}~` }
  const other = OTHERS.get(value)
  return other === undefined ? [deleted, garbled] : [deleted, garbled, changed(other)]
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

import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { isObject, stringify, Verbatim, type Json } from '../../src/json/json.ts'
import { mutate, pathsOf, valueAt, type Path } from '../laws/mutate.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { officials } from '../dialects/official/index.ts'

const words: Json[] = ['', ' ', 'x', 'auto', 'user', 'tool', 'assistant', '12', '-7', '5m']
const numbers: Json[] = [0, -0, -1, 1, 1.5, 2, 5, 16, 51, 1023, 1024, 2 ** 53, -1e300]
const long: Json[] = [64, 65, 256, 257, 512, 513].map((length) => 'x'.repeat(length))
const lists: Json[] = [
  [],
  [null],
  [[]],
  ['x'],
  [{}],
  Array<Json>(6).fill('x'),
  Array<Json>(6).fill(1),
]
const objects: Json[] = [{}, { type: 'text' }, { ['x'.repeat(65)]: 'x' }, pairs(16), pairs(17)]
const crowd = JSON.stringify(pairs(16)).replace('{', '{"__proto__":"x",')
const hostile = [crowd, '1e999', '{"__proto__":1}', '{"__proto__":{"type":"text"},"a":2}'].map(
  (text) => new Verbatim(text),
)
/** What may come in place of anything: other types, the borders of what is allowed, hostile names. */
const ODD: Json[] = [null, true, false, words, numbers, long, lists, objects, hostile].flat(1)

function pairs(count: number): Json {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, 'x']))
}

const NAMES = ['type', 'role', 'content', 'constructor', 'toString', 'unknown_member']

interface Words {
  requests: Json[]
  /** Every member that a request of the dialect has anywhere, and every value. */
  names: string[]
  values: Json[]
}

const fixture = (path: string): Json => JSON.parse(readFileSync(`fixtures/${path}`, 'utf8'))

function readRequests(dialect: Dialect): Json[] {
  const folder = `${dialect}/request`
  return [
    fixture(`full/${dialect}.json`),
    ...readdirSync(`fixtures/${folder}`).map((name) => fixture(`${folder}/${name}`)),
    ...officials[dialect].wire.rare,
  ]
}

function wordsOf(dialect: Dialect): Words {
  const requests = readRequests(dialect)
  const paths = requests.flatMap((request) => pathsOf(request).map((path) => ({ request, path })))
  const names = paths.map(({ path }) => path.at(-1)).filter((name) => typeof name === 'string')
  const values = new Map(
    paths.map(({ request, path }) => {
      const value = valueAt(request, path) ?? null
      return [JSON.stringify(value), value]
    }),
  )
  return { requests, names: [...new Set([...names, ...NAMES])], values: [...values.values()] }
}

interface Fault {
  where: number
  /** The name of a member that is added; without it the value there is replaced. */
  name: string | undefined
  value: Json | undefined
}

function faulty(request: Json, { where, name, value }: Fault): Json {
  const paths = pathsOf(request).filter(
    (path) => name === undefined || isObject(valueAt(request, path)),
  )
  const path = paths[where % paths.length] ?? []
  if (name === undefined) return path.length === 0 ? request : mutate(request, path, value)
  const whole = valueAt(request, path)
  const entries = isObject(whole) ? Object.entries(whole) : []
  const object = Object.fromEntries([...entries, [name, value ?? null]])
  return mutate(request, path, object)
}

/** Every request with every single member left out, or replaced by everything odd, once for each kind of place. */
export function* singleFaults(dialect: Dialect): Generator<string> {
  const seen = new Set<string>()
  for (const request of readRequests(dialect))
    for (const path of pathsOf(request).slice(1)) {
      const kind = kindOf(request, path)
      if (seen.has(kind)) continue
      seen.add(kind)
      for (const value of [undefined, ...ODD]) yield stringify(mutate(request, path, value))
    }
}

/** The names of the members on the way, and the types of what they are members of. */
function kindOf(request: Json, path: Path): string {
  const steps = path.map((key, index) => {
    const parent = valueAt(request, path.slice(0, index))
    const type = isObject(parent) ? JSON.stringify([parent['type'], parent['role']]) : ''
    return `${type}.${typeof key === 'number' ? '*' : key}`
  })
  return steps.join(' ')
}

/** Requests of a dialect as text: legal ones, and some with faults at random places. */
export function brokenRequests(dialect: Dialect, legal: fc.Arbitrary<Json>): fc.Arbitrary<string> {
  const { requests, names, values } = wordsOf(dialect)
  const value = fc.oneof(fc.constantFrom(...ODD), fc.constantFrom(...values))
  const fault = fc.record<Fault>({
    where: fc.nat(),
    name: fc.option(fc.constantFrom(...names), { nil: undefined, freq: 2 }),
    value: fc.option(value, { nil: undefined, freq: 5 }),
  })
  return fc
    .tuple(fc.oneof(legal, fc.constantFrom(...requests)), fc.array(fault, { maxLength: 3 }))
    .map(([request, faults]) => stringify(faults.reduce(faulty, request)))
}

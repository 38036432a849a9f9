import { memoize } from '../json/memoize.ts'
import { objectIn, isObject, stringify, type Json, type JsonObject } from '../json/json.ts'
import { conjunction, toKey } from './merge.ts'
import { asList, resolve, without, words } from './source.ts'
import { typed, readTypes } from './types.ts'
import { Walk as SchemaWalk, type SchemaPlace, type SchemaRules } from './walk.ts'

export { widen } from './widen.ts'

/**
 * JSON Schema written as the smaller Schema of content generation (generateContent, `Schema`). Other constraints go
 * into the description, where the model reads them, and are reported as lost.
 */
export interface Narrowed {
  /** Absent for a tool without parameters. */
  schema?: JsonObject
  /** Keywords that no longer bind the model, sorted. */
  lost: string[]
}

/** The longest chain of references that is followed. */
const MAX_REFERENCES = 100

/** The length of each schema that was referred to. */
type Lengths = Map<string, number>
type Walk = SchemaWalk<Lengths>

/** The parameters of a function: an object with properties, or nothing. */
export const narrowParameters = memoize((source: string): Narrowed => {
  const { schema, lost } = narrow(source)
  const united = schema?.['anyOf'] !== undefined
  const object = schema && united ? uniteBranches(schema) : schema
  const all = united ? [...lost, 'anyOf'].toSorted() : lost
  if (object?.['properties'] !== undefined) return { schema: object, lost: all }
  // Arguments are always an object, so a schema of another type does not apply to them.
  const isOther = !united && schema['type'] !== 'OBJECT'
  return { lost: isOther ? [...new Set([...all, 'type'])].toSorted() : all }
})

/** A root with several objects as alternatives becomes one object that allows what each of them allows. */
function uniteBranches(schema: JsonObject): JsonObject | undefined {
  const branches = asList(schema['anyOf']).filter(isObject)
  const properties = branches.flatMap((branch) => Object.entries(objectIn(branch['properties'])))
  if (properties.length === 0) return undefined
  const [first, ...others] = branches.map((branch) => asList(branch['required']))
  const demanded = others.map((names) => new Set(names))
  const required = first?.filter((name) => demanded.every((names) => names.has(name))) ?? []
  return {
    type: 'OBJECT',
    properties: Object.fromEntries(properties.toReversed()),
    ...(required.length > 0 && { required }),
  }
}

export function narrow(source: string): Narrowed & { schema: JsonObject } {
  const walk = new SchemaWalk<Lengths>(NARROWED, parsed(source), new Map())
  const schema = objectIn(walk.run())
  return { schema, lost: [...walk.lost].toSorted() }
}

function parsed(source: string): Json {
  try {
    return JSON.parse(source)
  } catch {
    return {}
  }
}

function write(source: Json, place: SchemaPlace, walk: Walk): Json {
  const { schema, references, cycle } = flatten(source, place, walk)
  if (cycle !== undefined) return cut(cycle, schema, walk)
  const inner = { depth: place.depth + 1, references }
  const variants = listVariants(schema, walk)
  return variants ? union(schema, variants, inner, walk) : typed(schema, inner, walk)
}

const NARROWED: SchemaRules<Lengths> = {
  bounds: { depth: 24, nodes: 5_000, repeated: 1_000_000 },
  write,
  writeOther: write,
  writeBeyond(_, walk) {
    walk.lost.add('depth')
    return { type: 'OBJECT' }
  },
}

/**
 * Counts the length of a schema that is written at one more place. The first place is already counted with the text.
 */
function repeat(name: string, value: JsonObject, walk: Walk): void {
  const known = walk.state.get(name)
  if (known === undefined) walk.state.set(name, stringify(value).length)
  else walk.repeated += known
}

/** Written in place of a schema that refers to itself. */
function cut(reference: string, schema: JsonObject, walk: Walk): JsonObject {
  walk.lost.add('$ref')
  const text = typeof schema['description'] === 'string' ? `${schema['description']} ` : ''
  const name = reference.split('/').at(-1) || reference
  const description = `${text}(again as described above: ${name})`
  // Without an end a value that holds itself could not be written.
  return { type: 'OBJECT', description, ...(schema['nullable'] === true && { nullable: true }) }
}

interface Flat {
  schema: JsonObject
  references: readonly string[]
  cycle?: string
}

/** Follows references and merges schemas that must hold together, until neither is left. */
function flatten(source: Json, place: SchemaPlace, walk: Walk): Flat {
  const conflict = (keyword: string) => walk.lost.add(keyword)
  if (source === false) conflict('false')
  let schema = objectIn(source)
  let references = place.references
  for (;;) {
    walk.nodes += 1
    const { $ref, $dynamicRef, allOf, ...rest } = schema
    const reference = $ref ?? $dynamicRef
    if (walk.isSpent || (typeof reference !== 'string' && allOf === undefined))
      return { schema: rest, references }
    if (typeof reference === 'string') {
      if (references.includes(reference)) return { schema: rest, references, cycle: reference }
      if (references.length > MAX_REFERENCES) walk.repeated = Infinity
      references = [...references, reference]
      const target = resolve(walk.root, reference)
      if (target === undefined) conflict('$ref')
      schema = { ...rest, ...(allOf !== undefined && { allOf }) }
      if (isObject(target)) {
        repeat(reference, target, walk)
        schema = together([schema, target], conflict)
      }
    } else {
      const flats = asList(allOf).map((one) => flatten(one, { ...place, references }, walk))
      if (flats.some((flat) => flat.cycle !== undefined)) conflict('$ref')
      // Each list begins with the references that led here.
      const added = flats.flatMap((flat) => flat.references.slice(references.length))
      references = [...references, ...new Set(added)]
      schema = together([rest, ...flats.map((flat) => flat.schema)], conflict)
    }
  }
}

/** One schema for values that satisfy all of them. */
function together(
  [first = {}, ...others]: JsonObject[],
  conflict: (keyword: string) => void,
): JsonObject {
  const all = conjunction(first)
  for (const other of others) all.add(other, conflict)
  return all.schema()
}

/** The alternatives of a schema, or undefined when there is just one. */
function listVariants(schema: JsonObject, walk: Walk): Json[] | undefined {
  const [any, one] = [asList(schema['anyOf']), asList(schema['oneOf'])]
  if (any.length > 0 && one.length > 0) walk.lost.add('oneOf')
  if (any.length > 0 || one.length > 0) return any.length > 0 ? any : one
  const types = readTypes(schema).filter((type) => type !== 'null')
  return types.length > 1 ? types.map((type) => ({ type })) : undefined
}

const UNION = words('anyOf oneOf nullable type')

/** The service allows no other keywords beside `anyOf`, so they are copied into every branch. */
function union(schema: JsonObject, variants: Json[], place: SchemaPlace, walk: Walk): Json {
  const others = without(schema, UNION)
  const types = readTypes(schema).filter((name) => name !== 'null')
  const shared = types.length === 1 && types[0] ? { ...others, type: types[0] } : others
  const some = variants.filter((variant) => !isNull(variant))
  const canBeNull =
    schema['nullable'] === true ||
    some.length < variants.length ||
    readTypes(schema).includes('null')
  const extra = canBeNull ? { nullable: true } : {}
  const constants = some.length > 1 ? mergeConstants(some) : undefined
  if (constants) return walk.schema({ ...shared, ...constants, ...extra }, place)
  const beside = { ...shared, ...extra }
  const length = stringify(beside).length
  const written = some.map((variant, index): [string, Json] => {
    if (index > 0) walk.repeated += length
    const one = branch(variant, beside, place, walk)
    return [toKey(one), one]
  })
  const branches = [...new Map(written).values()]
  if (branches.length === 0) return walk.schema({ ...shared, ...extra }, place)
  const [only] = branches
  return branches.length === 1 && only ? only : { anyOf: branches.flatMap(unnested) }
}

function branch(variant: Json, shared: JsonObject, place: SchemaPlace, walk: Walk): Json {
  const { schema, references, cycle } = flatten(variant, place, walk)
  if (cycle !== undefined) return cut(cycle, { ...shared, ...schema }, walk)
  if (walk.isSpent) return walk.schema({}, place)
  const merged = together([schema, shared], (keyword) => walk.lost.add(keyword))
  return walk.schema(merged, { ...place, references })
}

const unnested = (branch: Json): Json[] =>
  isObject(branch) && Array.isArray(branch['anyOf']) ? branch['anyOf'] : [branch]

const isNull = (variant: Json): boolean =>
  isObject(variant) && (readTypes(variant).join() === 'null' || variant['const'] === null)

/** Alternatives that are all single strings become one enumeration. */
function mergeConstants(variants: Json[]): JsonObject | undefined {
  const values = variants.map((variant) => {
    if (!isObject(variant) || Object.keys(variant).some((key) => !CONSTANT.has(key))) return []
    const value = variant['const'] === undefined ? variant['enum'] : variant['const']
    return asList(value).filter((one) => typeof one === 'string')
  })
  return values.every((one) => one.length > 0) ? { type: 'string', enum: values.flat() } : undefined
}

const CONSTANT = words('const enum type title')

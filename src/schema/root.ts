import { memoize } from '../json/memoize.ts'
import {
  isObject,
  objectIn,
  parseObject,
  stringify,
  type Json,
  type JsonObject,
} from '../json/json.ts'
import { toKey } from './merge.ts'
import { asList, resolve } from './source.ts'
import { said, Walk, type SchemaRules } from './walk.ts'

export interface Rooted {
  schema: string
  /** The keywords of the root that no longer bind the model, sorted. */
  lost: readonly string[]
}

/**
 * The schema of a function's arguments in a form that every service takes: an object that lists its members, without
 * lists that lack `items`. A schema that every service takes keeps its meaning, and its text where that is possible.
 */
export const rooted = memoize((schema: string): Rooted => {
  const parsed = parseObject(schema)
  const { root, lost } = objectRoot(parsed, schema)
  const missing = {
    ...(!Object.hasOwn(root, 'type') && { type: 'object' }),
    ...(!Object.hasOwn(root, 'properties') && { properties: {} }),
  }
  const first = Object.keys(missing).length === 0 ? '{' : `${stringify(missing).slice(0, -1)},`
  const text = itemised(root, root === parsed ? schema : stringify(root))
  const whole = Object.keys(root).length === 0 ? stringify(missing) : text.replace('{', first)
  return { schema: whole, lost }
})

/** Keywords that services refuse at the root of a function's schema, though not below it. */
const REFUSED = ['allOf', 'anyOf', 'enum', 'not', 'oneOf'] as const

function objectRoot(
  parsed: JsonObject | undefined,
  schema: string,
): { root: JsonObject; lost: string[] } {
  if (!parsed) return { root: {}, lost: SAYS_NOTHING.test(schema) ? [] : ['type'] }
  const root = said(withTarget(parsed))
  const types = asList(root['type'])
  if (types.length > 0 && !types.includes('object')) {
    const { description } = root
    return { root: description === undefined ? {} : { description }, lost: ['type'] }
  }
  const lost: string[] = REFUSED.filter((keyword) => root[keyword] !== undefined)
  if (types.length > 1) lost.push('type')
  if (lost.length === 0) return { root, lost }
  return { root: { ...united(root), type: 'object' }, lost }
}

/** Replaces a reference at the root by what it names: pydantic writes one for a model that refers to itself. */
function withTarget(root: JsonObject): JsonObject {
  const { $ref, ...beside } = root
  const target = typeof $ref === 'string' ? resolve(root, $ref) : undefined
  return isObject(target) ? { ...target, ...beside } : root
}

/** No schema, or one that allows any value. */
const SAYS_NOTHING = /^\s*(?:null|true)?\s*$/

/** One object that allows what each of the alternatives allows, and requires what all of them require. */
function united(root: JsonObject): JsonObject {
  const { allOf, anyOf, oneOf, enum: _enum, not: _not, ...rest } = root
  const all = resolved(asList(allOf), root)
  const alternatives = [anyOf, oneOf].map(asList).map((some) => resolved(some, root))
  const firm = propertiesOf([rest, ...all])
  const free = new Map<string, Map<string, Json>>()
  for (const [name, one] of propertiesOf(alternatives.flat()))
    free.set(name, (free.get(name) ?? new Map<string, Json>()).set(toKey(one), one))
  const demanded = [
    ...asList(rest['required']),
    ...all.flatMap(requiredBy),
    ...alternatives.flatMap(common),
  ]
  return {
    ...rest,
    properties: {
      ...Object.fromEntries(firm),
      ...Object.fromEntries([...free].map(([name, some]) => [name, either([...some.values()])])),
      // What holds in any case bounds the alternatives; what comes first wins.
      ...Object.fromEntries(firm.toReversed()),
    },
    ...(demanded.length > 0 && { required: [...new Set(demanded)] }),
  }
}

const propertiesOf = (schemas: JsonObject[]): [string, Json][] =>
  schemas.flatMap((schema) => Object.entries(objectIn(schema['properties'])))

const either = ([one = {}, ...others]: Json[]): Json =>
  others.length > 0 ? { anyOf: [one, ...others] } : one

const requiredBy = (schema: JsonObject): Json[] => asList(schema['required'])

/** Resolves each schema once, even one that many references name. */
function resolved(schemas: Json[], root: JsonObject): JsonObject[] {
  const seen = new Set<Json>()
  return schemas.flatMap((schema): JsonObject[] => {
    const { $ref } = objectIn(schema)
    if (typeof $ref !== 'string') return [objectIn(schema)]
    if (seen.has($ref)) return []
    seen.add($ref)
    return [objectIn(resolve(root, $ref))]
  })
}

function common(alternatives: JsonObject[]): Json[] {
  const [first, ...others] = alternatives.map((one) => new Set(requiredBy(one)))
  return [...(first ?? [])].filter((name) => others.every((names) => names.has(name)))
}

function itemised(root: Json, schema: string): string {
  try {
    const text = stringify(new Walk(ITEMISED, root, undefined).run())
    return text === stringify(root) ? schema : text
  } catch {
    // Nested deeper than a service accepts.
    return schema
  }
}

const ITEMISED: SchemaRules = {
  write(schema, place, walk) {
    const inner = walk.inside(schema, place)
    const isBare = asList(inner['type']).includes('array') && inner['items'] === undefined
    return isBare ? { ...inner, items: {} } : inner
  },
}

/**
 * The names that services of messages take in `properties` at the root of a function's schema: one other makes them
 * refuse the whole request ("Property keys should match pattern", n8n#30590, claude-code#79418).
 */
const TAKEN = /^[\w.-]{1,64}$/

/** The same schema, in which each other name is a pattern that fits it alone. Below the root any name is taken. */
export const byPattern = memoize((schema: string): string => {
  const root = parseObject(schema) ?? {}
  const properties = { ...objectIn(root['properties']) }
  const odd = Object.entries(properties).filter(([name]) => !TAKEN.test(name))
  if (odd.length === 0) return schema
  const patternProperties = { ...objectIn(root['patternProperties']) }
  for (const [name, member] of odd) {
    delete properties[name]
    patternProperties[`^${name.replace(SYNTAX, '\\$&')}$`] = member
  }
  return stringify({ ...root, properties, patternProperties })
})

/** The characters that stand for themselves in a pattern only behind a backslash (ECMA-262, SyntaxCharacter). */
const SYNTAX = /[\\^$.*+?()[\]{}|]/g

import { memoize } from '../json/memoize.ts'
import { isObject, pickMembers, stringify, type Json, type JsonObject } from '../json/json.ts'
import { narrow } from './narrow.ts'
import { list, mapSchemas, words } from './source.ts'

/** Keywords that a service which makes its model keep to a schema does not know. */
const UNKNOWN = words(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern not',
  'maxItems uniqueItems minProperties maxProperties contains prefixItems propertyNames',
  'patternProperties dependentRequired dependentSchemas if then else',
)
const FORMATS = words('date-time time date duration email hostname uri ipv4 ipv6 uuid')

/**
 * Such a service bounds how much it keeps to: members that may be left out, and alternatives, of which a
 * schema that refers to itself has no end.
 */
export interface Weight {
  optional: number
  unions: number
}

interface Closed extends Weight {
  schema: string
  /** The keywords that no longer say the same. */
  changed: readonly string[]
}

/**
 * A schema as such a service demands it: every object says that it has no other members, and what is not
 * known becomes words. One that complies comes back as it came.
 */
export const close = memoize((source: string): Closed => {
  const weight = { optional: 0, unions: 0 }
  const changed = new Set<string>()
  try {
    const schema = stringify(closed(JSON.parse(source), changed, weight))
    const text = changed.size > 0 ? schema : source
    if (source.includes('"$ref"') && narrow(source).lost.includes('$ref')) weight.unions = Infinity
    return { schema: text, changed: [...changed].toSorted(), ...weight }
  } catch {
    // No JSON, or deeper than a service accepts.
    return { schema: source, changed: [], ...weight }
  }
})

function weigh({ properties, required, type, anyOf, oneOf }: JsonObject, weight: Weight): void {
  const demanded = new Set(list(required))
  const names = isObject(properties) ? Object.keys(properties) : []
  weight.optional += names.filter((name) => !demanded.has(name)).length
  if (Array.isArray(type) || anyOf !== undefined || oneOf !== undefined) weight.unions += 1
}

function isUnknown(keyword: string, value: Json): boolean {
  if (keyword === 'minItems') return value !== 0 && value !== 1
  if (keyword !== 'format') return UNKNOWN.has(keyword)
  return typeof value !== 'string' || !FORMATS.has(value)
}

function closed(schema: Json, changed: Set<string>, weight: Weight): Json {
  if (!isObject(schema)) return schema
  weigh(schema, weight)
  // What must hold together would hold for nothing any more, if each part forbade the others' members.
  const { allOf, oneOf, ...others } = schema
  if (oneOf !== undefined) changed.add('oneOf')
  // Beside other alternatives it can only be told.
  const isBeside = oneOf !== undefined && others['anyOf'] !== undefined
  const apart = oneOf === undefined || isBeside ? others : { ...others, anyOf: oneOf }
  const hints = isBeside ? [`oneOf: ${stringify(oneOf)}`] : []
  // What becomes words is told as it came: words about words would grow with every level.
  const known = pickMembers(apart, (keyword, value) => {
    if (!isUnknown(keyword, value)) return true
    changed.add(keyword)
    hints.push(`${keyword}: ${stringify(value)}`)
    return false
  })
  const inner = mapSchemas(known, (one) => closed(one, changed, weight))
  const { description, additionalProperties } = inner
  const isOpen = isOfObjects(inner) && !allOf && additionalProperties !== false
  if (isOpen) changed.add('additionalProperties')
  const told = [description, hints.length > 0 && `(${hints.join('; ')})`].filter(Boolean)
  return {
    ...inner,
    ...(allOf !== undefined && { allOf }),
    ...(hints.length > 0 && { description: told.join(' ') }),
    ...(isOpen && { additionalProperties: false }),
  }
}

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  isObject(properties) || type === 'object' || list(type).includes('object')

import { memoize } from '../json/memoize.ts'
import { isObject, pickMembers, stringify, type JsonObject } from '../json/json.ts'
import { narrow } from './narrow.ts'
import { asList, words } from './source.ts'
import { fates, Walk, type SchemaRules } from './walk.ts'

const FORMATS = words('date-time time date duration email hostname uri ipv4 ipv6 uuid')

/** What a service does not know that makes its model keep to a schema. */
const fateOf = fates(
  'written',
  {
    told:
      'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern not ' +
      'maxItems uniqueItems minProperties maxProperties contains prefixItems propertyNames ' +
      'patternProperties dependentRequired dependentSchemas if then else',
  },
  {
    minItems: (value) => (value === 0 || value === 1 ? 'written' : 'told'),
    format: (value) => (typeof value === 'string' && FORMATS.has(value) ? 'written' : 'told'),
  },
)

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
  try {
    const walk = new Walk(CLOSED, JSON.parse(source), weight)
    const schema = stringify(walk.run())
    const changed = walk.lost
    const text = changed.size > 0 ? schema : source
    if (source.includes('"$ref"') && narrow(source).lost.includes('$ref')) weight.unions = Infinity
    return { schema: text, changed: [...changed].toSorted(), ...weight }
  } catch {
    // No JSON, or deeper than a service accepts.
    return { schema: source, changed: [], ...weight }
  }
})

function weigh({ properties, required, type, anyOf, oneOf }: JsonObject, weight: Weight): void {
  const demanded = new Set(asList(required))
  const names = isObject(properties) ? Object.keys(properties) : []
  weight.optional += names.filter((name) => !demanded.has(name)).length
  if (Array.isArray(type) || anyOf !== undefined || oneOf !== undefined) weight.unions += 1
}

const CLOSED: SchemaRules<Weight> = {
  write(schema, place, walk) {
    weigh(schema, walk.state)
    // What must hold together would hold for nothing any more, if each part forbade the others' members.
    const { allOf, oneOf, ...others } = schema
    if (oneOf !== undefined) walk.lost.add('oneOf')
    // Beside other alternatives it can only be told.
    const isBeside = oneOf !== undefined && others['anyOf'] !== undefined
    const apart = oneOf === undefined || isBeside ? others : { ...others, anyOf: oneOf }
    const hints = isBeside ? [`oneOf: ${stringify(oneOf)}`] : []
    // What becomes words is told as it came: words about words would grow with every level.
    const known = pickMembers(apart, (keyword, value) => {
      if (fateOf(keyword, value) === 'written') return true
      walk.lost.add(keyword)
      hints.push(`${keyword}: ${stringify(value)}`)
      return false
    })
    const inner = walk.inside(known, place)
    const { description, additionalProperties } = inner
    const isOpen = isOfObjects(inner) && !allOf && additionalProperties !== false
    if (isOpen) walk.lost.add('additionalProperties')
    const told = [description, hints.length > 0 && `(${hints.join('; ')})`].filter(Boolean)
    return {
      ...inner,
      ...(allOf !== undefined && { allOf }),
      ...(hints.length > 0 && { description: told.join(' ') }),
      ...(isOpen && { additionalProperties: false }),
    }
  },
}

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  isObject(properties) || type === 'object' || asList(type).includes('object')

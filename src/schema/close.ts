import { memoize } from '../json/memoize.ts'
import { isObject, pickMembers, stringify, wordIn, type JsonObject } from '../json/json.ts'
import { narrow } from './narrow.ts'
import { asList, words } from './source.ts'
import { fates, Walk, type SchemaRules } from './walk.ts'

const FORMATS = words('date-time time date duration email hostname uri ipv4 ipv6 uuid')

/**
 * What becomes of each keyword at services that hold their models to a schema (the strict tools and formats of
 * Messages).
 */
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
 * How much of what such a service bounds a schema uses: optional members, and alternatives. For a schema that refers
 * to itself the number of alternatives is infinite.
 */
export interface Weight {
  optional: number
  unions: number
}

interface Closed extends Weight {
  schema: string
  /** The keywords whose meaning is not kept. */
  changed: readonly string[]
}

/**
 * A schema as such a service demands it: every object forbids other members, and what the service does not know goes
 * into the description. A schema that complies already is returned as it came.
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
    // The text is no JSON, or nested deeper than a service accepts.
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
    // `allOf` is not closed: if each part forbade the members of the others, no value would satisfy all of them.
    const { allOf, oneOf, ...others } = schema
    if (oneOf !== undefined) walk.lost.add('oneOf')
    // `oneOf` beside `anyOf` can only be put into the description.
    const isBeside = oneOf !== undefined && others['anyOf'] !== undefined
    const apart = oneOf === undefined || isBeside ? others : { ...others, anyOf: oneOf }
    const hints = isBeside ? [`oneOf: ${stringify(oneOf)}`] : []
    // Descriptions quote the source as it came: quoting what was already described would grow with every level.
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
    const words = [wordIn(description), hints.length > 0 && `(${hints.join('; ')})`].filter(Boolean)
    return {
      ...inner,
      ...(allOf !== undefined && { allOf }),
      ...(hints.length > 0 && { description: words.join(' ') }),
      ...(isOpen && { additionalProperties: false }),
    }
  },
}

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  isObject(properties) || type === 'object' || asList(type).includes('object')

import { memoize } from '../json/memoize.ts'
import { mapMembers, words } from './source.ts'
import { TYPES } from './types.ts'
import { Walk, type SchemaRules } from './walk.ts'
import { isObject, parse, stringify, Verbatim, type Json, type JsonObject } from '../json/json.ts'

/**
 * The Schema of content generation as JSON Schema: types in small letters, `nullable` as a type, `example` as one of
 * the `examples`, counts as numbers. What is JSON Schema already is returned as it came.
 */
export const widen = memoize((source: string): string => {
  try {
    const value = parse(source)
    const widened = new Walk(WIDENED, value, undefined).run()
    return stringify(widened) === stringify(value) ? source : stringify(widened)
  } catch {
    return source
  }
})

const WIDENED: SchemaRules = {
  bounds: { depth: 200 },
  write(value, place, walk) {
    const { nullable, example, propertyOrdering, type, format, ...rest } = spelled(value)
    const members = mapMembers(walk.inside(rest, place), counted)
    const schema: JsonObject = {
      ...typeMember(type, nullable === true && members['anyOf'] === undefined),
      ...members,
      ...(format !== undefined && format !== 'enum' && { format }),
      ...(example !== undefined && { examples: [example] }),
    }
    return ordered(nullable === true ? admitNull(schema) : schema, propertyOrdering)
  },
}

/** Members that ProtoJSON also accepts in snake_case; in JSON Schema they would say nothing. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  [
    ...words('anyOf propertyOrdering prefixItems additionalProperties minItems maxItems'),
    ...words('minLength maxLength minProperties maxProperties'),
  ].map((name) => [name.replace(/[A-Z]/, (capital) => `_${capital.toLowerCase()}`), name]),
)

const spelled = (schema: JsonObject): JsonObject =>
  Object.keys(schema).some((key) => SPELLINGS.has(key))
    ? Object.fromEntries(
        Object.entries(schema).map(([key, value]) => [SPELLINGS.get(key) ?? key, value]),
      )
    : schema

/** The types by number: ProtoJSON accepts the number of an enum value in place of its name. */
const NUMBERED: readonly Json[] = ['TYPE_UNSPECIFIED', ...TYPES, 'null']

function typeMember(said: Json | undefined, nullable: boolean): JsonObject {
  const type = typeof said === 'number' ? (NUMBERED[said] ?? said) : said
  if (typeof type !== 'string') return type === undefined ? {} : { type }
  if (type === 'TYPE_UNSPECIFIED') return {}
  // Only types in capitals are a Schema's; other texts stay as they are.
  const name = /^[A-Z]+$/.test(type) ? type.toLowerCase() : type
  return { type: nullable ? [name, 'null'] : name }
}

const COUNTS = words('minItems maxItems minLength maxLength minProperties maxProperties')

const counted = (key: string, value: Json): Json =>
  COUNTS.has(key) && typeof value === 'string' && value !== '' ? Number(value) : value

/** In JSON Schema an enumeration, or a list of alternatives, must name null itself. */
function admitNull(schema: JsonObject): JsonObject {
  if (Array.isArray(schema['anyOf']))
    return { ...schema, anyOf: [...schema['anyOf'], { type: 'null' }] }
  return Array.isArray(schema['enum']) ? { ...schema, enum: [...schema['enum'], null] } : schema
}

/**
 * JSON Schema has no keyword for the order in which a model shall write the properties, so they are put into that
 * order.
 */
function ordered(schema: JsonObject, ordering: Json | undefined): JsonObject {
  const properties = schema['properties']
  if (!Array.isArray(ordering) || !isObject(properties)) return schema
  const place = new Map(ordering.map((name, index) => [name, index]))
  const rank = (name: string) => place.get(name) ?? ordering.length
  const entries = Object.entries(properties).toSorted(([a], [b]) => rank(a) - rank(b))
  // Written as text, because a JavaScript object would put integer names first.
  const members = entries.map(([name, value]) => `${stringify(name)}:${stringify(value)}`)
  return { ...schema, properties: new Verbatim(`{${members.join(',')}}`) }
}

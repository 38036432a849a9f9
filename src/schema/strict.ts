import { isObject, parseObject, stringify, type JsonObject } from '../json/json.ts'
import { asList, words } from './source.ts'
import { fates, PLACES, Walk, type Keywords, type SchemaRules } from './walk.ts'

const FORMATS = words(
  'date-time time date duration email hostname ipv4 ipv6 uuid int32 int64 float double',
)

/** The service refuses the whole request for any other keyword, and for a format that it does not know. */
const fateOf = fates(
  'refused',
  {
    written:
      'type description title $schema properties required additionalProperties items anyOf enum const ' +
      '$ref $defs definitions pattern minimum maximum exclusiveMinimum exclusiveMaximum ' +
      'multipleOf minItems maxItems minLength maxLength',
  },
  { format: (value) => (typeof value === 'string' && FORMATS.has(value) ? 'written' : 'refused') },
)

/**
 * A schema as the service takes it as a strict one, or undefined: every object names all of its members as
 * required and admits no others. Where it says nothing of others it is closed; all else would say something
 * new to the model.
 */
export function strictSchema(schema: string): string | undefined {
  const root = parseObject(schema)
  if (root?.['type'] !== 'object' || root['anyOf'] !== undefined || !complies(root)) return
  const text = stringify(new Walk(CLOSED, root, undefined).run())
  return text === stringify(root) ? schema : text
}

/** Why a schema is not kept to. */
export const NOT_STRICT = 'the schema does not comply'

/** Whether a schema is about something else than an object: then there is no format for it. */
export function isOfOthers(schema: string): boolean {
  const root = parseObject(schema)
  const types = asList(root?.['type'])
  return !root || (types.length > 0 && !types.includes('object'))
}

function complies(root: JsonObject): boolean {
  const walk = new Walk(CHECKED, root, undefined)
  walk.run()
  return walk.lost.size === 0
}

/** Where the service looks for schemas. */
const CHECKED_PLACES: Keywords = new Map(
  [...PLACES].filter(([keyword]) => words('items anyOf properties $defs definitions').has(keyword)),
)

const refuse: NonNullable<SchemaRules['writeBeyond']> = (source, walk) => {
  walk.lost.add('schema')
  return source
}

/** Loses whatever the service would refuse. Deeper ones are refused too. */
const CHECKED: SchemaRules = {
  bounds: { depth: 32 },
  write(schema, place, walk) {
    const { type, $ref, anyOf, items } = schema
    const members = Object.entries(schema)
    for (const [keyword, value] of members)
      if (fateOf(keyword, value) === 'refused') walk.lost.add(keyword)
    if ($ref !== undefined && members.length > 1) walk.lost.add('$ref')
    if (isOfObjects(schema) && !isDemanding(schema)) walk.lost.add('required')
    const isReference = $ref !== undefined
    if (!isReference && anyOf === undefined && asList(type).length === 0) walk.lost.add('type')
    if (asList(type).includes('array') && items === undefined) walk.lost.add('items')
    if (walk.lost.size > 0) return schema
    return walk.inside(
      anyOf === undefined ? schema : { ...schema, anyOf: asList(anyOf) },
      place,
      CHECKED_PLACES,
    )
  },
  writeOther: (source, _, walk) => refuse(source, walk),
  writeBeyond: refuse,
}

const CLOSED: SchemaRules = {
  write(schema, place, walk) {
    const inner = walk.inside(schema, place)
    return isOfObjects(schema) ? { ...inner, additionalProperties: false } : inner
  },
}

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  properties !== undefined || asList(type).includes('object')

function isDemanding({ additionalProperties = false, properties, required }: JsonObject): boolean {
  const names = isObject(properties) ? Object.keys(properties) : []
  const demanded = new Set(asList(required))
  return additionalProperties === false && names.every((name) => demanded.has(name))
}

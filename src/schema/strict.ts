import { isObject, parseObject, stringify, type JsonObject } from '../json/json.ts'
import { rooted } from './root.ts'
import { asList, words } from './source.ts'
import { fates, SCHEMA_PLACES, Walk, type Keywords, type SchemaRules } from './walk.ts'

const FORMATS = words(
  'date-time time date duration email hostname ipv4 ipv6 uuid int32 int64 float double',
)

/** For a strict schema OpenAI's Responses API refuses the whole request over any other keyword or format. */
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
 * The schema in the form that the service takes as a strict one, or undefined: every object requires all of its
 * members and forbids others. Objects that do not mention other members are closed; every other change would alter
 * what the model is asked for, so then it is undefined.
 */
export function strictSchema(schema: string): string | undefined {
  const root = parseObject(schema)
  if (root?.['type'] !== 'object' || root['anyOf'] !== undefined || !complies(root)) return
  const text = stringify(new Walk(closing(isOfObjects), root, undefined).run())
  return text === stringify(root) ? schema : text
}

/** The reason that is reported for a schema that is not strict. */
export const NOT_STRICT = 'the schema does not comply'

/** The schema of an object; undefined for what is or may be anything else, for which the service has no format. */
export function objectSchema(schema: string): string | undefined {
  const root = parseObject(schema)
  const types = asList(root?.['type'])
  if (types.includes('object')) return schema
  const { schema: whole, lost } = rooted(schema)
  if (!root || types.length + lost.length > 0) return undefined
  return root['$ref'] === undefined ? schema : whole
}

function complies(root: JsonObject): boolean {
  const walk = new Walk(CHECKED, root, undefined)
  walk.run()
  return walk.lost.size === 0
}

/** The keywords under which the service checks schemas. */
const CHECKED_PLACES: Keywords = new Map(
  [...SCHEMA_PLACES].filter(([keyword]) =>
    words('items anyOf properties $defs definitions').has(keyword),
  ),
)

const refuse: NonNullable<SchemaRules['writeBeyond']> = (source, walk) => {
  walk.lost.add('schema')
  return source
}

/** Removes and reports what the service would refuse. It checks nested schemas too. */
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

const closing = (isOpen: (schema: JsonObject) => boolean): SchemaRules => ({
  write(schema, place, walk) {
    const inner = walk.inside(schema, place)
    return isOpen(schema) ? { ...inner, additionalProperties: false } : inner
  },
})

/** The same schema, where no object takes members besides those that it names, unless it says so itself. */
export function closed(schema: string): string {
  const root = parseObject(schema)
  return root ? stringify(new Walk(closing(isSilent), root, undefined).run()) : schema
}

const isSilent = ({ properties, additionalProperties }: JsonObject): boolean =>
  isObject(properties) && additionalProperties === undefined

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  properties !== undefined || asList(type).includes('object')

function isDemanding({ additionalProperties = false, properties, required }: JsonObject): boolean {
  const names = isObject(properties) ? Object.keys(properties) : []
  const demanded = new Set(asList(required))
  return additionalProperties === false && names.every((name) => demanded.has(name))
}

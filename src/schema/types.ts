import { isObject, stringify, type Json, type JsonObject } from '../json/json.ts'
import { asList, words } from './source.ts'
import { fates, type SchemaPlace, type Walk } from './walk.ts'

/** Writes one schema of one type as a Schema of content generation. */

/** The members that a Schema may have. */
export const SCHEMA_MEMBERS: ReadonlySet<string> = words(
  'type description enum example nullable format items properties required',
  'minimum maximum minItems maxItems minLength maxLength anyOf',
)

/** In the order of their numbers: ProtoJSON accepts the number of an enum value in place of its name. */
export const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object'])

/** The formats that each type may have; the service refuses the whole request for any other. */
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['date-time']],
  ['number', ['float', 'double']],
  ['integer', ['int32', 'int64']],
])

const fateOf = fates('told', {
  // Keywords that constrain no value and tell a model nothing.
  silent:
    '$schema $id id $anchor $dynamicAnchor $vocabulary $comment $defs definitions ' +
    'examples propertyOrdering',
  // Keywords that constrain no value, but that a model should read.
  mentioned: 'default deprecated readOnly writeOnly contentEncoding contentMediaType',
  special: [
    'const title exclusiveMinimum exclusiveMaximum prefixItems oneOf additionalProperties',
    ...SCHEMA_MEMBERS,
  ].join(' '),
})

const MAX_HINT_CHARACTERS = 200

/** The types in small letters. Schemas of content generation write them in capitals, JSON Schema in small letters. */
export function readTypes(schema: JsonObject): string[] {
  const names = asList(schema['type']).filter((type) => typeof type === 'string')
  const known = names.map((name) => name.toLowerCase())
  return [...new Set(known)].filter((name) => TYPES.has(name) || name === 'null')
}

/** Collects what goes into the description, because no keyword says it. */
interface Notes {
  readonly hints: string[]
  lose(keyword: string, hint?: string): void
}

export function typed<S>(schema: JsonObject, place: SchemaPlace, walk: Walk<S>): JsonObject {
  const hints: string[] = []
  const lose = (keyword: string, hint?: string) => {
    walk.lost.add(keyword)
    if (hint) hints.push(hint)
  }
  const notes = { hints, lose }
  const type = onlyType(schema)
  if (type === undefined) return anything(schema, notes)
  if (readTypes(schema).join() === 'null') lose('type', 'always null')
  const values = enumeration(schema, type, notes)
  const nullable =
    schema['nullable'] === true || readTypes(schema).includes('null') || values.canBeNull
  const inside = (source: Json) => walk.schema(source, place)
  const body = BODIES.get(type)?.(schema, notes, inside)
  const format = keepFormat(schema, type, notes)
  tellTheRest(schema, notes)
  const description = describe(schema, hints)
  return {
    type: type.toUpperCase(),
    ...(description && { description }),
    ...(values.strings && { enum: values.strings }),
    ...makeExample(schema),
    ...(nullable && { nullable: true }),
    ...(format && { format }),
    ...body,
  }
}

/** A schema that any value satisfies. A Schema must have a type, so it becomes alternatives of several types. */
function anything(schema: JsonObject, notes: Notes): JsonObject {
  notes.lose('type')
  tellTheRest(schema, notes)
  const description = describe(schema, notes.hints)
  const types = ['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT'].map((type) => ({ type }))
  const [first, ...others] = types
  return { anyOf: [{ ...first, ...(description && { description }) }, ...others] }
}

/** The type that is declared, else the one that the other keywords suggest. */
function onlyType(schema: JsonObject): string | undefined {
  const [declared] = readTypes(schema).filter((type) => type !== 'null')
  if (declared) return declared
  if (readTypes(schema).includes('null')) return 'string'
  const values = schema['const'] === undefined ? asList(schema['enum']) : [schema['const']]
  const kinds = [...new Set(values.filter((value) => value !== null).map(schemaTypeName))]
  if (kinds.length > 0) return kinds.length === 1 ? kinds[0] : 'string'
  return SUGGESTIONS.find(([keywords]) => keywords.some((keyword) => keyword in schema))?.[1]
}

function schemaTypeName(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'object'
}

const SUGGESTIONS: readonly [readonly string[], string][] = [
  [['properties', 'required', 'additionalProperties', 'patternProperties'], 'object'],
  [['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'], 'array'],
  [['pattern', 'minLength', 'maxLength', 'format'], 'string'],
  [['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'], 'number'],
]

/** Only strings can be enumerated, and none may be empty. */
function enumeration(
  schema: JsonObject,
  type: string,
  notes: Notes,
): { strings?: string[]; canBeNull: boolean } {
  const isConstant = schema['const'] !== undefined
  const values = isConstant ? asList(schema['const']) : asList(schema['enum'])
  const some = values.filter((value) => value !== null)
  const canBeNull = some.length < values.length
  const strings = some.filter((value) => typeof value === 'string').filter((value) => value !== '')
  if (some.length === 0) return { canBeNull }
  if (type !== 'string' || strings.length < some.length)
    notes.lose(isConstant ? 'const' : 'enum', `one of: ${brief(some)}`)
  return type === 'string' && strings.length > 0 ? { strings, canBeNull } : { canBeNull }
}

type Body = (schema: JsonObject, notes: Notes, inside: (source: Json) => Json) => JsonObject

const BODIES: ReadonlyMap<string, Body> = new Map<string, Body>([
  ['string', (schema) => counts(schema, 'minLength', 'maxLength')],
  ['integer', (schema, notes) => bounds(schema, true, notes)],
  ['number', (schema, notes) => bounds(schema, false, notes)],
  ['array', arrayBody],
  ['object', objectBody],
])

/** ProtoJSON writes 64-bit integers as strings, so counts may come as strings. */
function counts(schema: JsonObject, ...keywords: string[]): JsonObject {
  const entries = keywords.map((keyword): [string, number] => [keyword, amount(schema[keyword])])
  return Object.fromEntries(entries.filter(([, count]) => Number.isInteger(count)))
}

function amount(value: Json | undefined): number {
  if (typeof value === 'string' && value.trim() !== '') return Number(value)
  return typeof value === 'number' ? value : Number.NaN
}

function bounds(schema: JsonObject, whole: boolean, notes: Notes): JsonObject {
  const least = bound(schema, 'minimum', 'exclusiveMinimum', whole ? 1 : 0, notes)
  const most = bound(schema, 'maximum', 'exclusiveMaximum', whole ? -1 : 0, notes)
  return {
    ...(least !== undefined && { minimum: least }),
    ...(most !== undefined && { maximum: most }),
  }
}

/**
 * Schema has no exclusive bounds. For integers the next one (`step`) is an exact bound; for other numbers the bound
 * itself becomes part of the range.
 */
function bound(
  schema: JsonObject,
  inclusive: 'minimum' | 'maximum',
  exclusive: 'exclusiveMinimum' | 'exclusiveMaximum',
  step: number,
  notes: Notes,
): number | undefined {
  const round = inclusive === 'minimum' ? Math.floor : Math.ceil
  const own = amount(schema[inclusive])
  // In JSON Schema draft 4 the exclusive keyword is a boolean beside the inclusive one.
  const beyond = schema[exclusive] === true ? own : amount(schema[exclusive])
  const candidates = schema[exclusive] === true ? [] : [own]
  if (Number.isFinite(beyond)) {
    candidates.push(step === 0 ? beyond : round(beyond) + step)
    const word = inclusive === 'minimum' ? 'greater' : 'less'
    if (step === 0) notes.lose(exclusive, `${word} than ${beyond}`)
  }
  const finite = candidates.filter(Number.isFinite)
  if (finite.length === 0) return undefined
  const found = inclusive === 'minimum' ? Math.max(...finite) : Math.min(...finite)
  // A number of this size lost its last digits when it was parsed.
  if (Math.abs(found) > Number.MAX_SAFE_INTEGER)
    notes.lose(inclusive, `${inclusive}: about ${found}`)
  return found
}

function arrayBody(schema: JsonObject, notes: Notes, inside: (source: Json) => Json) {
  const tuple = Array.isArray(schema['items']) ? schema['items'] : asList(schema['prefixItems'])
  const rest = Array.isArray(schema['items']) ? undefined : schema['items']
  if (tuple.length > 0) notes.lose('prefixItems', `members in order: ${brief(tuple)}`)
  const members = isObject(rest) ? [...tuple, rest] : tuple
  const [only] = members
  // The service refuses an array without `items`.
  const items =
    only === undefined
      ? { type: 'STRING' }
      : inside(members.length === 1 ? only : { anyOf: members })
  return { items, ...counts(schema, 'minItems', 'maxItems') }
}

function objectBody(schema: JsonObject, notes: Notes, inside: (source: Json) => Json) {
  const declared = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  const allowed = declared.filter(([, value]) => value !== false)
  const properties = allowed.map(([name, value]): [string, Json] => [name, inside(value)])
  // JavaScript puts integer names first in an object, so the order in which the model was to write the members is
  // lost.
  if (allowed.length > 1 && allowed.some(([name]) => /^\d+$/.test(name))) notes.lose('order')
  const names = asList(schema['required'])
  const known = new Set<Json>(allowed.map(([name]) => name))
  const required = names.filter((name) => known.has(name))
  if (required.length < names.length) notes.lose('required')
  const others = schema['additionalProperties']
  if (others === false) notes.lose('additionalProperties')
  if (isObject(others) && Object.keys(others).length > 0)
    notes.lose('additionalProperties', `other members: ${brief(others)}`)
  return {
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
  }
}

function keepFormat(schema: JsonObject, type: string, notes: Notes): string | undefined {
  const format = schema['format']
  if (typeof format !== 'string' || format === 'enum') return undefined
  if (FORMATS.get(type)?.includes(format)) return format
  notes.lose('format', `format: ${brief(format)}`)
  return undefined
}

function tellTheRest(schema: JsonObject, notes: Notes): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const fate = fateOf(keyword, value)
    if (fate === 'mentioned') notes.hints.push(`${keyword}: ${brief(value)}`)
    if (fate === 'told') notes.lose(keyword, `${keyword}: ${brief(value)}`)
  }
}

function describe(schema: JsonObject, hints: string[]): string {
  const { title, description } = schema
  const words = [title, description].filter((one) => typeof one === 'string' && one !== '')
  const text = [...new Set(words)].join(': ')
  return [text, hints.length > 0 ? `(${hints.join('; ')})` : ''].filter(Boolean).join(' ')
}

function makeExample(schema: JsonObject): JsonObject {
  const [first] = asList(schema['examples'])
  const example = schema['example'] ?? first
  return example === undefined || example === null ? {} : { example }
}

function brief(value: Json): string {
  const text = typeof value === 'string' ? value : stringify(value)
  return text.length > MAX_HINT_CHARACTERS ? `${text.slice(0, MAX_HINT_CHARACTERS)}…` : text
}

import {
  isObject,
  parseObject,
  stringify,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import { list, mapSchemas, words } from '../../src/schema/source.ts'

/** Deeper ones are refused too. */
const MAX_DEPTH = 32

/** The service refuses the whole request for any other keyword, and for a format that it does not know. */
const TAKEN = words(
  'type description title $schema properties required additionalProperties items anyOf enum const',
  '$ref $defs definitions pattern format minimum maximum exclusiveMinimum exclusiveMaximum',
  'multipleOf minItems maxItems minLength maxLength',
)
const FORMATS = words(
  'date-time time date duration email hostname ipv4 ipv6 uuid int32 int64 float double',
)

/**
 * A schema as the service takes it as a strict one, or undefined: every object names all of its members as
 * required and admits no others. Where it says nothing of others it is closed; all else would say something
 * new to the model.
 */
export function strictSchema(schema: string): string | undefined {
  const root = parseObject(schema)
  if (root?.['type'] !== 'object' || root['anyOf'] !== undefined || !complies(root, 0)) return
  const text = stringify(closed(root))
  return text === stringify(root) ? schema : text
}

/** Why a schema is not kept to. */
export const NOT_STRICT = 'the schema does not comply'

/** Whether a schema is about something else than an object: then there is no format for it. */
export function isOfOthers(schema: string): boolean {
  const root = parseObject(schema)
  const types = list(root?.['type'])
  return !root || (types.length > 0 && !types.includes('object'))
}

function complies(schema: Json | undefined, depth: number): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return false
  const { type, $ref, anyOf, items, properties, $defs, definitions, format } = schema
  const keywords = Object.keys(schema)
  if (!keywords.every((keyword) => TAKEN.has(keyword))) return false
  if ($ref !== undefined) return keywords.length === 1
  if (format !== undefined && !(typeof format === 'string' && FORMATS.has(format))) return false
  if (isOfObjects(schema) && !isDemanding(schema)) return false
  if (anyOf === undefined && list(type).length === 0) return false
  const tables = [properties, $defs, definitions].filter(isObject).flatMap(Object.values<Json>)
  const arrays = list(type).includes('array') || items !== undefined ? [items] : []
  return [...tables, ...arrays, ...list(anyOf)].every((part) => complies(part, depth + 1))
}

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  properties !== undefined || list(type).includes('object')

function isDemanding({ additionalProperties = false, properties, required }: JsonObject): boolean {
  const names = isObject(properties) ? Object.keys(properties) : []
  const demanded = new Set(list(required))
  return additionalProperties === false && names.every((name) => demanded.has(name))
}

function closed(schema: Json): Json {
  if (!isObject(schema)) return schema
  const inner = mapSchemas(schema, closed)
  return isOfObjects(schema) ? { ...inner, additionalProperties: false } : inner
}

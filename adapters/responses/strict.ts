import { isObject, parseObject, type Json, type JsonObject } from '../../src/canonical/json.ts'

/** Deeper ones are refused too. */
const MAX_DEPTH = 32

const NEVER_TAKEN = ['allOf', 'oneOf', 'not', 'if', 'dependentRequired', 'dependentSchemas']
const TABLES = ['properties', '$defs', 'definitions']

/**
 * Whether the service would take a schema as a strict one: every object names all of its members as
 * required and admits no others. It refuses the whole request for a schema that does not comply.
 */
export function isStrictSchema(schema: string): boolean {
  const root = parseObject(schema)
  return root !== undefined && root['anyOf'] === undefined && complies(root, 0)
}

function complies(schema: Json | undefined, depth: number): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return false
  if (NEVER_TAKEN.some((keyword) => schema[keyword] !== undefined)) return false
  if (isOfObjects(schema) && !isClosed(schema)) return false
  const tables = TABLES.flatMap((keyword) => valuesOf(schema[keyword]))
  const { items, anyOf } = schema
  const inner = [...tables, ...(items === undefined ? [] : [items]), ...listOf(anyOf)]
  return inner.every((part) => complies(part, depth + 1))
}

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  properties !== undefined || listOf(type).includes('object') || type === 'object'

function isClosed({ additionalProperties, properties, required }: JsonObject): boolean {
  const names = isObject(properties) ? Object.keys(properties) : []
  const demanded = new Set(listOf(required))
  return additionalProperties === false && names.every((name) => demanded.has(name))
}

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
const valuesOf = (value: Json | undefined): Json[] => (isObject(value) ? Object.values(value) : [])

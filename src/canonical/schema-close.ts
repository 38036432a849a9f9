import { habit } from './habit.ts'
import { isObject, stringify, type Json, type JsonObject } from './json.ts'
import { list, mapSchemas, words } from './schema-source.ts'

/** Bounds that a service which makes its model keep to a schema does not know. */
const UNKNOWN = words(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength',
  'maxItems uniqueItems minProperties maxProperties',
)

/**
 * A schema as such a service demands it: every object says that it has no other members, and unknown bounds
 * become words. One that complies comes back as it came; `changed` are the keywords that no longer say the same.
 */
export const close = habit((source: string): { schema: string; changed: readonly string[] } => {
  const changed = new Set<string>()
  try {
    const schema = stringify(closed(JSON.parse(source), changed))
    return { schema: changed.size > 0 ? schema : source, changed: [...changed].toSorted() }
  } catch {
    // No JSON, or too deep for anybody.
    return { schema: source, changed: [] }
  }
})

function closed(schema: Json, changed: Set<string>): Json {
  if (!isObject(schema)) return schema
  // What must hold together would hold for nothing any more, if each part forbade the others' members.
  const { allOf, ...apart } = schema
  const inner = mapSchemas(apart, (one) => closed(one, changed))
  const hints: string[] = []
  const entries = Object.entries(inner).filter(([keyword, value]) => {
    if (!UNKNOWN.has(keyword) && !(keyword === 'minItems' && Number(value) > 1)) return true
    changed.add(keyword)
    hints.push(`${keyword}: ${stringify(value)}`)
    return false
  })
  const { description, additionalProperties } = inner
  const isOpen = isOfObjects(inner) && !allOf && additionalProperties !== false
  if (isOpen) changed.add('additionalProperties')
  const told = [description, hints.length > 0 && `(${hints.join('; ')})`].filter(Boolean)
  return {
    ...Object.fromEntries(entries),
    ...(allOf !== undefined && { allOf }),
    ...(hints.length > 0 && { description: told.join(' ') }),
    ...(isOpen && { additionalProperties: false }),
  }
}

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  isObject(properties) || type === 'object' || list(type).includes('object')

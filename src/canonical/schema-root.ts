import { habit } from './habit.ts'
import { isObject, parseObject, stringify, type Json } from './json.ts'
import { list, mapSchemas } from './schema-source.ts'

/**
 * The schema of a function's arguments as every service takes it: an object that says which members it has,
 * with no list that does not say of what. What it allows stays the same, and where it can its text does.
 */
export const rooted = habit((schema: string): string => {
  const root = parseObject(schema) ?? {}
  const missing = {
    ...(!Object.hasOwn(root, 'type') && { type: 'object' }),
    ...(!Object.hasOwn(root, 'properties') && { properties: {} }),
  }
  const first = Object.keys(missing).length === 0 ? '{' : `${stringify(missing).slice(0, -1)},`
  const text = itemised(root, schema)
  return Object.keys(root).length === 0 ? stringify(missing) : text.replace('{', first)
})

function itemised(root: Json, schema: string): string {
  try {
    const text = stringify(withItems(root))
    return text === stringify(root) ? schema : text
  } catch {
    // Too deep for anybody.
    return schema
  }
}

function withItems(schema: Json): Json {
  if (!isObject(schema)) return schema
  const inner = mapSchemas(schema, withItems)
  const isBare = list(inner['type']).includes('array') && inner['items'] === undefined
  return isBare ? { ...inner, items: {} } : inner
}

import { picked, isObject, stringify, type Json, type JsonObject } from './json.ts'

/** JSON Schema as it is read: references looked up, `allOf` and the neighbours of a reference merged. */

/** The schema that a local reference names, or undefined. Only own members count. */
export function resolve(root: Json, reference: string): Json | undefined {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let place: Json | undefined = root
  for (const segment of reference.slice(2).split('/')) {
    const key = unescape(segment)
    if (Array.isArray(place)) place = place[Number(key)]
    else if (isObject(place) && Object.hasOwn(place, key)) place = place[key]
    else return undefined
  }
  return place
}

function unescape(segment: string): string {
  let plain = segment
  try {
    plain = decodeURIComponent(segment)
  } catch {
    // A percent sign of its own.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~')
}

type Merge = (first: Json, second: Json) => Json | undefined

/** How two schemas that must both hold agree on one keyword; undefined: they do not, the first one stays. */
const MERGES: ReadonlyMap<string, Merge> = new Map<string, Merge>([
  ['properties', mergeProperties],
  ['$defs', mergeProperties],
  ['definitions', mergeProperties],
  ['required', (first, second) => [...new Set([...list(first), ...list(second)])]],
  ['enum', (first, second) => intersect(list(first), list(second))],
  ['type', mergeTypes],
  ['nullable', (first, second) => first === true && second === true],
  ['minimum', numeric(Math.max)],
  ['exclusiveMinimum', numeric(Math.max)],
  ['minLength', numeric(Math.max)],
  ['minItems', numeric(Math.max)],
  ['minProperties', numeric(Math.max)],
  ['maximum', numeric(Math.min)],
  ['exclusiveMaximum', numeric(Math.min)],
  ['maxLength', numeric(Math.min)],
  ['maxItems', numeric(Math.min)],
  ['maxProperties', numeric(Math.min)],
  ['items', both],
  ['allOf', (first, second) => [...list(first), ...list(second)]],
  ['description', (first) => first],
  ['title', (first) => first],
  ['default', (first) => first],
  ['examples', (first) => first],
])

/** One schema that holds where both hold; `conflict` hears of keywords that could not be made one. */
export function merge(
  first: JsonObject,
  second: JsonObject,
  conflict: (keyword: string) => void,
): JsonObject {
  const merged = new Map(Object.entries(first))
  for (const [keyword, value] of Object.entries(second)) {
    const known = merged.get(keyword)
    if (known === undefined) merged.set(keyword, value)
    else if (!same(known, value)) {
      const together = MERGES.get(keyword)?.(known, value)
      if (together === undefined) conflict(keyword)
      else merged.set(keyword, together)
    }
  }
  return Object.fromEntries(merged)
}

function mergeProperties(first: Json, second: Json): Json | undefined {
  if (!isObject(first) || !isObject(second)) return undefined
  const merged = new Map(Object.entries(first))
  for (const [name, value] of Object.entries(second)) {
    const known = merged.get(name)
    merged.set(name, known === undefined || same(known, value) ? value : both(known, value))
  }
  return Object.fromEntries(merged)
}

function mergeTypes(first: Json, second: Json): Json | undefined {
  const types = intersect(list(first), list(second))
  return types.length > 0 ? types : undefined
}

function both(first: Json, second: Json): JsonObject {
  return { allOf: [first, second] }
}

function numeric(choose: (a: number, b: number) => number): Merge {
  return (first, second) =>
    typeof first === 'number' && typeof second === 'number' ? choose(first, second) : undefined
}

const intersect = (first: Json[], second: Json[]): Json[] =>
  first.filter((one) => second.some((other) => same(one, other)))

export const same = (first: Json, second: Json): boolean =>
  first === second || stringify(first) === stringify(second)

/** A list as it is, one value as a list of one. */
export const list = (value: Json | undefined): Json[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

/** A set of words, written as a text with spaces. */
export const words = (...lines: string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')))

export const without = (schema: JsonObject, keywords: ReadonlySet<string>): JsonObject =>
  picked(schema, (keyword) => !keywords.has(keyword))

/** The places where schemas stand; anywhere else (`enum`, `default`) a member is data. */
const SCHEMAS = words('items additionalProperties not contains propertyNames')
const LISTS = words('anyOf oneOf allOf prefixItems')
const MAPS = words('properties $defs definitions patternProperties')

/** The same schema with every schema right inside of it changed. */
export const mapSchemas = (schema: JsonObject, change: (inner: Json) => Json): JsonObject =>
  mapMembers(schema, (key, value) => {
    if (SCHEMAS.has(key)) return change(value)
    if (LISTS.has(key) && Array.isArray(value)) return value.map(change)
    return MAPS.has(key) && isObject(value) ? mapMembers(value, (_, one) => change(one)) : value
  })

export const mapMembers = (
  value: JsonObject,
  change: (key: string, value: Json) => Json,
): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(key, one)]))

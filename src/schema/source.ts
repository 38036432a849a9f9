import { pickMembers, isObject, rewriteMembers, type Json, type JsonObject } from '../json/json.ts'

/** Reads JSON Schema: resolves references, and lists members. */

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
    // The reference holds a percent sign that begins no escape.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** A list as it is, one value as a list of one. */
export const asList = (value: Json | undefined): Json[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

/** A set of words, written as text with spaces. */
export const words = (...lines: string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')))

export const without = (schema: JsonObject, keywords: ReadonlySet<string>): JsonObject =>
  pickMembers(schema, (keyword) => !keywords.has(keyword))

export const mapMembers = (
  value: JsonObject,
  change: (key: string, value: Json) => Json,
): JsonObject => rewriteMembers(value, (key, one) => [key, change(key, one)])

import { pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Ext } from '../../src/model/request.ts'
import type { NameRule } from '../../src/model/names.ts'

export const DIALECT = 'generate-content'

/** What the service says of function names. */
export const NAME_RULE: NameRule = {
  forbidden: /[^a-zA-Z0-9_.-]/,
  start: /^[a-zA-Z_]/,
  maxLength: 64,
}

/** Leftovers as a node's `ext`, to be spread into it; nothing when there are none. */
export function leftovers(fields: object): { ext?: Ext } {
  const entries: [string, Json | undefined][] = Object.entries(fields)
  if (entries.length === 0) return NOTHING
  const some = entries.filter((entry): entry is [string, Json] => entry[1] !== undefined)
  return some.length > 0 ? { ext: { [DIALECT]: Object.fromEntries(some) } } : NOTHING
}

const NOTHING = {}

/** The members besides those that are known; undefined without any, as in nearly every chunk. */
export function others(value: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let found: [string, Json][] | undefined
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue
    found ??= []
    found.push([key, value[key] ?? null])
  }
  return found && Object.fromEntries(found)
}

/** This dialect's own leftovers of a node. */
export const own = (ext: Ext | undefined): JsonObject => ext?.[DIALECT] ?? {}

/** The leftovers that are members of the node on the wire: those that only note a spelling are left out. */
export function members(ext: Ext | undefined): JsonObject {
  const fields = ext?.[DIALECT]
  if (!fields) return {}
  return pickMembers(fields, (key) => !key.startsWith('#'))
}

/** How this dialect spelled something, as noted by its reader. */
export const note = (ext: Ext | undefined, name: string): Json | undefined => own(ext)[`#${name}`]

/** Several values where the wire takes a list or just one. */
export function many<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

import { pickMembers, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { CacheMark, Ext } from '../../src/model/request.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { NameRule, ToolNames } from '../../src/model/names.ts'

/** The id of this dialect. */
export const DIALECT = 'messages'

/** Names of tools, as the specification bounds them. */
export const TOOL_NAME: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: 64 }

/** Ids of calls: any length. */
export const CALL_ID: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: Number.MAX_SAFE_INTEGER }

/** Leftovers as a spreadable member; nothing left over is no member. */
export const own = (fields: JsonObject): { ext?: Ext } =>
  Object.keys(fields).length === 0 ? {} : { ext: { [DIALECT]: fields } }

/** Members that say nothing (a default, null, a longer spelling): kept, but nobody's loss. */
export const spelling = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [`#${key}`, value]))

/** This dialect's leftovers of a node, spellings under their own names again. */
export function ownLeftovers(node: { ext?: Ext } | undefined): JsonObject {
  const fields = node?.ext?.[DIALECT]
  if (!fields) return {}
  const entries = Object.entries(fields)
  return Object.fromEntries(entries.map(([key, value]) => [key.replace(/^#/, ''), value]))
}

/** What of these members was written out although it says nothing. */
export const nulls = (fields: JsonObject): JsonObject =>
  spelling(pickMembers(fields, (_, value) => value === null))

export const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export { listOf as listIn, objectIn, objectsOf as objectsIn } from '../../src/json/json.ts'

export const numberIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** A count of tokens; what is none counts nothing. */
export const countIn = (value: Json | undefined): number | undefined =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined

/** Null says nothing here: the dialect's clients spell an absent option so. */
export const stated = <T>(value: T | null | undefined): T | undefined => value ?? undefined

/** Without the members that are null. */
export const withoutNulls = (fields: JsonObject): JsonObject =>
  pickMembers(fields, (_, value) => value !== null)

export function readCache(value: Json | undefined): { cache?: CacheMark } {
  if (!isObject(value)) return {}
  const { ttl } = value
  return { cache: typeof ttl === 'string' ? { ttl } : {} }
}

const LIFETIMES = ['5m', '1h']

/** A lifetime that this dialect does not know becomes its default. */
export function writeCache(cache: CacheMark | undefined): { cache_control?: JsonObject } {
  if (!cache) return {}
  const { ttl } = cache
  const known = ttl !== undefined && LIFETIMES.includes(ttl)
  return { cache_control: { type: 'ephemeral', ...(known && { ttl }) } }
}

export interface WriteContext {
  readonly lose: Lose
  readonly names: ToolNames
  /** Names of features that a field of the request demands. */
  readonly betas: Set<string>
  /** The canonical place of the block at hand. */
  readonly path: string
}

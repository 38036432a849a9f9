import { pickMembers, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { CacheMark } from '../../src/model/request.ts'
import { codecOf } from '../../src/model/ext.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { NameRule, ToolNames } from '../../src/model/names.ts'

/** The id of this dialect. */
export const DIALECT = 'messages'

/** Names of tools, as the specification bounds them. */
export const TOOL_NAME: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: 64 }

/** Ids of calls: any length. */
export const CALL_ID: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: Number.MAX_SAFE_INTEGER }

/** What this dialect knows of how a node stood here. */
export interface Facts {
  /** An upstream of this dialect made it, or a caller of this dialect wrote it: the service judges it itself. */
  native?: true
  /** A tool that the caller runs and the model knows by its type alone. */
  typed?: true
  /** A schema that is not rooted in an object. */
  bare?: true
  /** An effort without `thinking`: the service answers without thoughts. */
  effortAlone?: true
  /** Half of a pair of call and result that did not come. */
  lacks?: 'call' | 'result'
  /** The type of a result, where there are several for one kind of block. */
  type?: string
  /** Tools of a server, and calls of them, as they came. */
  server?: JsonObject
  toolset?: JsonObject | undefined
  use?: JsonObject
  result?: JsonObject | undefined
}

export const { keep, restOf, factsOf, isOrigin, opaque } = codecOf<Facts>(DIALECT)

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

/** Lifetimes of other dialects are settled where all marks are known. */
export function writeCache(cache: CacheMark | undefined): { cache_control?: JsonObject } {
  if (!cache) return {}
  const { ttl } = cache
  return { cache_control: { type: 'ephemeral', ...(ttl !== undefined && { ttl }) } }
}

export interface WriteContext {
  readonly lose: Lose
  readonly names: ToolNames
  /** Names of features that a field of the request demands. */
  readonly betas: Set<string>
  /** Thoughts are taken without a proof. */
  readonly isOpen: boolean
  /** The canonical place of the block at hand. */
  readonly path: string
}

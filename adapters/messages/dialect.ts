import { isObject, toText, withoutNulls, type Json, type JsonObject } from '../../src/json/json.ts'
import type { CacheMark, ToolChangeBlock } from '../../src/model/request.ts'
import { createCodec, membersBeside } from '../../src/model/ext.ts'
import type { Lose, LoseOf } from '../../src/model/loss.ts'
import type { NameRule, ToolNames } from '../../src/rules/names.ts'
import type { Takes } from './abilities.ts'

/** The id of this dialect. */
export const DIALECT = 'messages'

/** What the specification allows in the name of a tool. */
export const TOOL_NAME: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: 64 }

/** What the service allows in the id of a call, which may have any length. */
export const CALL_ID: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: Number.MAX_SAFE_INTEGER }

/** What this dialect notes about how a node was written here. */
export interface Facts {
  /** An upstream or a caller of this dialect made the node, so the service judges it by itself. */
  native?: true
  /**
   * The dated type of a tool that the model knows by its type, and other members that mean nothing in other dialects.
   */
  typed?: JsonObject
  /** A tool of a toolset; the first one holds the toolset itself. `setName`: the name of the toolset, on a result. */
  set?: true | JsonObject
  setName?: string
  /** The whole document, on its last piece. `inDocument`: an earlier piece, which the document holds. */
  document?: JsonObject
  inDocument?: true
  /**
   * Whether arguments are streamed as they are made: @ai-sdk/anthropic 4 asks for it in each stream. Other dialects
   * always do.
   */
  eager?: boolean
  /** A schema whose root is not an object. */
  bare?: true
  /** The effort came without `thinking`; then the service answers without thoughts. */
  effortAlone?: true
  /** The cache mark of a search result stands on one of its texts. */
  markedWithin?: true
  /** The missing half of a pair of call and result. */
  lacks?: 'call' | 'result'
  /** The type or the name on the wire, where several are read as one kind of block. */
  type?: string
  /** MCP servers, their toolsets, calls, listings and results, as they came. */
  server?: JsonObject
  toolset?: JsonObject | undefined
  use?: JsonObject
  listing?: JsonObject
  result?: JsonObject | undefined
  /** The `tool` of a `tool_addition` or `tool_removal`, as it came. */
  change?: JsonObject
}

export const { keep, restOf, factsOf, isOrigin, opaque } = createCodec<Facts>(DIALECT)

export {
  countIn,
  listOf as listIn,
  numberIn,
  objectIn,
  objectsOf as objectsIn,
  textIn,
} from '../../src/json/json.ts'
export { withoutNulls }

/**
 * The other members of a call or a result. `caller` is a leftover, but for `direct`, which says that the model itself
 * called.
 */
export function beyondCaller(said: JsonObject): JsonObject {
  const { caller, ...rest } = withoutNulls(said)
  return caller === undefined || toText(caller) === '{"type":"direct"}' ? rest : { ...rest, caller }
}

export function readCache(value: Json | undefined): { cache?: CacheMark } {
  if (!isObject(value)) return {}
  const { ttl } = value
  const rest = membersBeside(value, MARK)
  return { cache: { ...(typeof ttl === 'string' && { ttl }), ...(rest && keep(rest)) } }
}

const MARK = new Set(['type', 'ttl'])

/** `withMarks` converts lifetimes of other dialects later, when all marks are known. */
export function writeCache(cache: CacheMark | undefined): { cache_control?: JsonObject } {
  if (!cache) return {}
  const { ttl } = cache
  return {
    cache_control: { type: 'ephemeral', ...(ttl !== undefined && { ttl }), ...restOf(cache) },
  }
}

export interface WriteContext {
  readonly lose: Lose
  readonly names: ToolNames
  /** The beta features that fields of the request require. */
  readonly betas: Set<string>
  /** The server takes thoughts without a proof. */
  readonly isOpen: boolean
  readonly takes: Takes
  /** The wire's names of the tools on offer that the model does not see yet. */
  readonly hidden: ReadonlySet<string>
  /** Writes the tools that a change brings along. */
  brought(change: ToolChangeBlock): JsonObject[]
}

/** The context for one element, a turn or a block. */
export interface ElementContext extends WriteContext {
  readonly lose: LoseOf
}

import { isObject, toText, withoutNulls, type Json, type JsonObject } from '../../src/json/json.ts'
import type { CacheMark, ToolChangeBlock } from '../../src/model/request.ts'
import { createCodec, membersBeside } from '../../src/model/ext.ts'
import type { Lose, LoseOf } from '../../src/model/loss.ts'
import type { NameRule, ToolNames } from '../../src/rules/names.ts'
import type { Takes } from './abilities.ts'

/** The id of this dialect. */
export const DIALECT = 'messages'

/** Names of tools, as the specification bounds them. */
export const TOOL_NAME: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: 64 }

/** Ids of calls: any length. */
export const CALL_ID: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: Number.MAX_SAFE_INTEGER }

/** Facts of this dialect about how a node was spelled here. */
export interface Facts {
  /** Made by an upstream of this dialect, or written by a caller of it: the service judges it itself. */
  native?: true
  /** The type of a tool that the model knows by it, as it was dated, and other members that say nothing elsewhere. */
  typed?: JsonObject
  /** A tool of a set: the set itself on the first one. The name of the set, on a result. */
  set?: true | JsonObject
  setName?: string
  /** The document that ends with this piece, and the pieces before that, which it holds. */
  document?: JsonObject
  inDocument?: true
  /** Whether arguments are told as they come. @ai-sdk/anthropic 4 asks for it in each stream; elsewhere they always are. */
  eager?: boolean
  /** A schema whose root is not an object. */
  bare?: true
  /** An effort without `thinking`: the service answers without thoughts. */
  effortAlone?: true
  /** The mark of what was found stands at one of its texts. */
  markedWithin?: true
  /** The half that is missing of a pair of call and result. */
  lacks?: 'call' | 'result'
  /** The type of a result, where one kind of block has several. */
  type?: string
  /** The tools of an MCP server, and calls of them, as they came. */
  server?: JsonObject
  toolset?: JsonObject | undefined
  use?: JsonObject
  listing?: JsonObject
  result?: JsonObject | undefined
  /** The tool of a change, as it was said. */
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

/** What else a call or a result says. Its `caller` is a leftover, unless the model itself has called, which it mostly has. */
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

/** Lifetimes of other dialects are converted later, when all marks are known. */
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
  /** The tools on offer that the model does not see yet, by their names on the wire. */
  readonly hidden: ReadonlySet<string>
  /** The tools that a change brings along, as they are written. */
  brought(change: ToolChangeBlock): JsonObject[]
}

/** The same for one element: a turn, a block. */
export interface ElementContext extends WriteContext {
  readonly lose: LoseOf
}

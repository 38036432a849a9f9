import { pickMembers, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose, LoseOf } from '../../src/model/loss.ts'
import type { NameRule, ToolNames } from '../../src/rules/names.ts'
import { createCodec, type Kept } from '../../src/model/ext.ts'
import type { CacheMark, Role } from '../../src/model/request.ts'

/** The id of this dialect. */
export const DIALECT = 'chat-completions'

/** Names of tools, formats and the like. */
export const TOOL_NAME: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: 64 }

/** Facts of this dialect about how a node was spelled here. */
export interface Facts {
  /** The role of instructions at the top. */
  role?: Role
  /** The content came as a list. */
  list?: true
  /** Which of the two marks said what to cache. */
  cache?: 'cache_control' | 'prompt_cache_breakpoint'
  /** Which of the two members has the bound. */
  limit?: 'max_tokens' | 'max_completion_tokens'
  /** The stop sequence, where it was a text and no list. */
  stop?: string
  /** Set where the newer member names the end user. */
  user?: 'safety_identifier'
  stream_options?: JsonObject
  usage?: JsonObject
  /** The request has functions of the old form, so it is answered with a call of that form. */
  functions?: true
  /** A message makes its call in the old form; a function, or a result, is of the old form. */
  functionCall?: true
  legacy?: true
  /** The name of the tool, where its result says it. */
  name?: string
  /** Thoughts that are there, and empty. */
  reasoning_content?: ''
  /** A function that says that it is not strict. */
  strict?: false
  /** A tool choice as it came, perhaps in the older member. */
  choice?: Json
  older?: true
  /** All members that ask for thinking, as they came. */
  words?: JsonObject
  /** The older type of a format, beside a schema. */
  type?: 'json_object'
  /** A refusal that is a part of the content. */
  part?: true
  /** The part for files was used, also for a picture. */
  file?: true
  /** An address or data stood where an object usually is, or without a data URL. */
  bare?: true
  detail?: 'auto'
}

export const { keep, restOf, factsOf, isOrigin, opaque } = createCodec<Facts>(DIALECT)

/** The members where one of them is set; undefined where all are null, or there are none. */
export const unlessEmpty = (fields: JsonObject): JsonObject | undefined =>
  Object.values(fields).some((value) => value !== null) ? fields : undefined

export {
  countIn,
  listOf as listIn,
  numberIn,
  objectIn,
  objectsOf as objectsIn,
  textIn,
  withoutNulls,
} from '../../src/json/json.ts'

/** Servers spell an absent value as null, an empty text, an empty list or an empty object. */
export const isAbsent = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

export const withoutAbsent = (fields: JsonObject): JsonObject =>
  pickMembers(fields, (_, value) => !isAbsent(value))

/**
 * Reads either mark: `cache_control` (OpenRouter, LiteLLM, Alibaba) or `prompt_cache_breakpoint` (OpenAI, gpt-5.6).
 */
export function readCache(part: JsonObject): { cache?: CacheMark } {
  const { cache_control, prompt_cache_breakpoint } = part
  if (isObject(cache_control)) {
    const { ttl } = cache_control
    return { cache: typeof ttl === 'string' ? { ttl } : {} }
  }
  if (!isObject(prompt_cache_breakpoint)) return {}
  const { ttl } = prompt_cache_breakpoint
  return { cache: typeof ttl === 'string' ? { ttl } : {} }
}

export interface WriteContext {
  readonly lose: Lose
  readonly names: ToolNames
  /** The request came in this dialect. */
  readonly own: boolean
  /** Whether the caller's marks of what to cache are carried. */
  readonly marks: boolean
}

/** The context of one element: a block, a turn, a tool. */
export interface ElementContext extends WriteContext {
  readonly lose: LoseOf
}

export function writeCache(
  node: Kept & { cache?: CacheMark },
  { marks, lose }: Pick<WriteContext, 'marks' | 'lose'>,
): JsonObject {
  const { cache } = node
  if (!cache) return {}
  const mark = factsOf(node).cache ?? (marks && 'cache_control')
  const ttl = cache.ttl === undefined ? {} : { ttl: cache.ttl }
  if (mark === 'cache_control') return { cache_control: { type: 'ephemeral', ...ttl } }
  if (mark === 'prompt_cache_breakpoint')
    return { prompt_cache_breakpoint: { mode: 'explicit', ...ttl } }
  return lose('dropped', 'cache') ?? {}
}

/** Which of the two cache marks the part had. */
export const cacheFacts = (part: JsonObject): Facts =>
  isObject(part['cache_control'])
    ? { cache: 'cache_control' }
    : isObject(part['prompt_cache_breakpoint'])
      ? { cache: 'prompt_cache_breakpoint' }
      : {}

/**
 * Whether a tool has its name beside its type. Cursor sends a custom tool as the dialect `responses` has it, also among
 * functions of this dialect (BerriAI/litellm#34029, Wei-Shaw/sub2api#5861).
 */
export const isFlat = ({ type, custom, name }: JsonObject): boolean =>
  type === 'custom' && custom === undefined && name !== undefined

const isUnsaid = (type: Json | undefined): boolean => (type ?? '') === ''

/** The type of a tool, also told by its members: the SDK of Mistral for Python (mistralai 3.7) may leave it out. */
export const toolType = ({ type, ...tool }: JsonObject): Json | undefined =>
  isUnsaid(type) ? ['function', 'custom'].find((member) => isObject(tool[member])) : type

/** The type of a format, which that SDK leaves out as well. */
export const formatType = ({ type, json_schema }: JsonObject): Json | undefined =>
  isUnsaid(type) ? (isObject(json_schema) ? 'json_schema' : 'text') : type

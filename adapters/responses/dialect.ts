import {
  isObject,
  objectsOf,
  pickMembers,
  withoutNulls,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import { isMinted } from '../../src/model/ids.ts'
import type { Ext } from '../../src/model/request.ts'
import { createCodec, membersBeside, type Kept, type Members } from '../../src/model/ext.ts'

export const DIALECT = 'responses'

/** Facts of this dialect about how a node was spelled here. */
export interface Facts {
  /** The number of tools in the request's list; the conversation itself may declare others. */
  listed?: number
  /** The type (`typeof`) of the input where it was no list. */
  input?: string
  /** The cache settings as they came. */
  caching?: JsonObject
  /** Set where the newer member names the end user. */
  user?: 'safety_identifier'
  content?: 'parts' | 'string'
  /** Whether a message of the model comments on its work or is the answer: other dialects tell that by its place. */
  phase?: string
  output?: 'parts'
  /** The type of a text or a tool, where it differs from the usual one. */
  type?: Json
  /** The id of a call or a thought, by which the service finds it again. */
  id?: string
  /** What a search did and how it ended, in more detail than its canonical block has. */
  action?: JsonObject
  status?: string
  /** A text without `annotations`, or a file whose data is no data URL. */
  bare?: true
  /** The part for files was used, also for a picture. */
  file?: true
  /** The format of audio, as it was spelled. */
  audio?: string
  /** The allowed domains stood in `domains`, and not among the `filters`. */
  domains?: true
  /** The request did not say how much to think. */
  effort?: 'default'
  /** The older member asked for the summary. */
  summary?: 'generate_summary'
  /** Which thoughts the model is shown, where the request said it. */
  context?: Json
  /** The request asks for proofs. */
  proofs?: true
  /** The user's messages, which the answer of `/v1/responses/compact` repeats. */
  said?: JsonObject[]
  /** The item of a call, a result or a turn as it came. */
  item?: JsonObject
  /** The block is written with the item of another one. */
  part?: true
  /** A tool and a choice as they came. */
  tool?: JsonObject
  choice?: JsonObject
  /** The outputs of code, where they were not one log. */
  outputs?: Json[]
  /** The other members of an item that had outputs and no code. */
  head?: JsonObject
}

export const { keep, restOf, factsOf, isOrigin, opaque } = createCodec<Facts>(DIALECT)

/** The leftovers of an object, and the facts for the writer of this dialect. */
export const keepRest = (members: Members, facts?: Facts): Kept => keep(members.rest(), { facts })

/** Takes the id out of an item or a part where it was made here. */
export function withoutMinted(value: JsonObject): JsonObject {
  if (!isMinted(value['id'])) return value
  const { id: _, ...rest } = value
  return rest
}

/**
 * What Codex (0.144 and later) tells its own service about an item: its turn, when it was made, what its parts are for.
 * It is to an item what `client_metadata` is to a request.
 */
const PASSTHROUGH = 'internal_chat_message_metadata_passthrough'

export const hasPassthrough = (item: JsonObject): boolean => Object.hasOwn(item, PASSTHROUGH)

export function withoutPassthrough(item: JsonObject): JsonObject {
  const { [PASSTHROUGH]: _, ...rest } = item
  return rest
}

/** Looks up a word of the wire in a table. The word may be the name of an inherited property, such as `constructor`. */
export const lookup = <T>(
  table: Readonly<Record<string, T>>,
  key: Json | undefined,
): T | undefined => (typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined)

export { listOf, objectIn } from '../../src/json/json.ts'
export { objectsOf, withoutNulls }
export const memberText = (value: JsonObject, key: string): string | undefined => {
  const member = value[key]
  return typeof member === 'string' ? member : undefined
}
/** The whole number in a member, at least 0; undefined for any other value. */
export const memberCount = (value: JsonObject, key: string): number | undefined => {
  const member = value[key]
  return typeof member === 'number' && Number.isSafeInteger(member) && member >= 0
    ? member
    : undefined
}

/** The members beyond the known ones, without nulls and empty lists. */
export function leftoversBeyond(value: JsonObject, known: ReadonlySet<string>): Ext | undefined {
  const left = membersBeside(value, known)
  if (!left) return undefined
  return keep(pickMembers(left, isSaid)).ext
}

const isSaid = (_: string, value: Json): boolean =>
  value !== null && !(Array.isArray(value) && value.length === 0)

const PART = new Set(['type', 'text'])

/** Takes the texts of a list of parts. Where a part says more than its text, the list is also left over. */
export function takeTexts(members: Members, key: string): string[] {
  const value = members.any(key) ?? null
  const parts = objectsOf(value)
  if (parts.some((part) => membersBeside(withoutNulls(part), PART))) members.leave(key, value)
  return parts.flatMap((part) => memberText(part, 'text') || [])
}

/** How a ciphertext of the service begins: with the version of Fernet and the first bytes of its time. */
const CIPHERTEXT = /^gAAAA/

/**
 * The content of a message from one agent to another. Codex (0.171.0) sends what its model said to an agent as
 * `encrypted_content`, because its own service encrypts it; what any other model said is plain text there.
 */
export const openedContent = (content: Json = ''): Json =>
  Array.isArray(content) ? content.map(opened) : content

function opened(part: Json): Json {
  const text = isObject(part) && part['encrypted_content']
  return typeof text !== 'string' || CIPHERTEXT.test(text) ? part : { type: 'input_text', text }
}

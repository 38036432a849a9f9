import { pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { isMinted } from '../../src/model/ids.ts'
import type { Ext } from '../../src/model/request.ts'
import { codecOf, type Kept, type Members } from '../../src/model/ext.ts'

export const DIALECT = 'responses'

/** What this dialect knows of how a node stood here. */
export interface Facts {
  /** How many tools the list of the request has; others are declared in the middle of the conversation. */
  listed?: number
  /** What the input was, where it was no list. */
  input?: string
  /** What was said of caching, as it stood. */
  caching?: JsonObject
  /** The member that names the end user, where it is the newer one. */
  user?: 'safety_identifier'
  content?: 'parts' | 'string'
  output?: 'parts'
  /** The type of a text or of a tool, where another one is as usual. */
  type?: Json
  /** The id of a call or of thoughts, by which a service knows them again. */
  id?: string
  /** What a search did and how it ended, in more words than the model has. */
  action?: JsonObject
  status?: string
  /** A text without `annotations`; data of a file without a data URL around it. */
  bare?: true
  /** A part for files, also for a picture. */
  file?: true
  /** The format of sound by its own name. */
  audio?: string
  /** Domains in a member of their own. */
  domains?: true
  /** Nothing was said of how much the model shall think. */
  effort?: 'default'
  summary?: 'generate_summary'
  /** Calls, tools and choices as they came. */
  item?: JsonObject
  tool?: JsonObject
  choice?: JsonObject
  outputs?: Json[]
  head?: JsonObject
}

export const { keep, restOf, factsOf, isOrigin, opaque } = codecOf<Facts>(DIALECT)

/** What is left of an object whose known members were taken, and what its own writer goes by. */
export const keepRest = (members: Members, facts?: Facts): Kept => keep(members.rest(), { facts })

/** An item or a part as it came, without an id that was made here. */
export function withoutMinted(value: JsonObject): JsonObject {
  if (!isMinted(value['id'])) return value
  const { id: _, ...rest } = value
  return rest
}

/** A table's entry for a word from outside, which may be the name of anything. */
export const lookup = <T>(
  table: Readonly<Record<string, T>>,
  key: Json | undefined,
): T | undefined => (typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined)

export { listOf, objectIn, objectsOf } from '../../src/json/json.ts'
export const textIn = (value: JsonObject, key: string): string | undefined => {
  const member = value[key]
  return typeof member === 'string' ? member : undefined
}
/** A number of something. */
export const countIn = (value: JsonObject, key: string): number | undefined => {
  const member = value[key]
  return typeof member === 'number' && Number.isSafeInteger(member) && member >= 0
    ? member
    : undefined
}

/** The members besides those that are known, as far as they say something. */
export function leftoversBeyond(value: JsonObject, known: readonly string[]): Ext | undefined {
  const left = pickMembers(
    value,
    (key, one) => !known.includes(key) && one !== null && !(Array.isArray(one) && !one.length),
  )
  return keep(left).ext
}

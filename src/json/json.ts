import { keptIn, type KeptText } from './structure.ts'
import { SIGN } from './tokens.ts'
import type { PathNode, VerbatimPaths } from './verbatim-paths.ts'

/**
 * JSON as it crosses the proxy. Some subtrees (a tool call's input, a schema) must leave exactly as
 * they came: integers beyond 2^53, the order of keys that look like integers, `__proto__`, white
 * space. Such a subtree is never parsed into objects; it travels as `Verbatim` text.
 */
export type Json = string | number | boolean | null | Verbatim | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}
/** An object of which these members are looked at. Their values are not checked yet. */
export type Loose<Names extends string> = JsonObject & { readonly [Name in Names]?: Json }

/** What is written as it stands in one `stringify` call, which is synchronous and never nested. */
let collected: Verbatim[] | undefined

/** JSON text that is written as it stands. */
export class Verbatim {
  readonly text: string
  readonly #value: Json | undefined
  #isWellFormed = false
  /** `value`: the parsed value, where it is known already. */
  constructor(text: string, value?: Json) {
    this.text = text
    this.#value = value
  }
  /** What is written more than once, and looked over only now. */
  static of(value: Json): Verbatim {
    const verbatim = new Verbatim(stringify(value), value)
    verbatim.#isWellFormed = true
    return verbatim
  }
  get wellFormed(): string {
    return this.#isWellFormed ? this.text : wellFormed(this.text)
  }
  /** The parsed value; it is shared and must not be changed. */
  get value(): Json {
    return this.#value === undefined ? JSON.parse(this.text) : this.#value
  }
  /** For JSON.stringify outside of `stringify`, such as in a caller's program or the diff of a test. */
  toJSON(): unknown {
    if (!collected) return this.value
    return marker(collected.push(this) - 1)
  }
}

/**
 * Begins the string that stands for a verbatim text until the rest is serialised; `spliced` checks that no other
 * string begins so. The character is Latin-1, because a character outside of Latin-1 would make the engine store the
 * whole text at two bytes per character.
 */
const MARK = '\u007f'
const marker = (index: number) => `${MARK}${index}${MARK}`

/** Serialises. Verbatim subtrees are written as they came, and lone surrogates become U+FFFD. */
export function stringify(value: Json): string {
  const verbatims: Verbatim[] = []
  collected = verbatims
  let text: string
  try {
    text = wellFormed(JSON.stringify(value))
  } finally {
    collected = undefined
  }
  if (verbatims.length === 0) return text
  return spliced(text, verbatims) ?? wellFormed(stringifySlowly(value))
}

/**
 * Replaces the markers by their texts, in the order in which they were made. Undefined when a string of the body
 * looks like a marker.
 */
function spliced(text: string, verbatims: readonly Verbatim[]): string | undefined {
  let whole = ''
  let from = 0
  for (const [index, verbatim] of verbatims.entries()) {
    const mark = `"${marker(index)}"`
    const at = nextMark(text, from)
    if (!text.startsWith(mark, at)) return undefined
    // To join a list of parts takes several times as long where one of them is not Latin-1.
    whole += text.slice(from, at) + verbatim.wellFormed
    from = at + mark.length
  }
  return nextMark(text, from) >= 0 ? undefined : whole + text.slice(from)
}

/**
 * The place of the next string that begins like a marker. Of its first two characters the rarer one is searched for.
 */
function nextMark(text: string, from: number): number {
  let at = text.indexOf(MARK, from)
  while (at > 0 && text.charCodeAt(at - 1) !== SIGN.quote) at = text.indexOf(MARK, at + 1)
  return at - 1
}

function stringifySlowly(value: Json): string {
  if (value instanceof Verbatim) return value.text
  if (Array.isArray(value)) return `[${value.map(stringifySlowly).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${stringifySlowly(member)}`)
  return `{${members.join(',')}}`
}

const ESCAPES = /\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u(d[89a-f][0-9a-f]{2})|.)/gi

/** One pattern is faster than two searches that stop at every backslash. */
const SURROGATE = /\\u[dD]/

/**
 * Replaces lone surrogates by U+FFFD in JSON text: strict parsers (RFC 8259, section 8.2) refuse a lone surrogate,
 * and the whole conversation with it.
 */
export function wellFormed(text: string): string {
  if (!text.includes('\\') || !SURROGATE.test(text)) return text.toWellFormed()
  return text
    .replace(ESCAPES, (escape, _high, _low, lone?: string) => (lone ? '\ufffd' : escape))
    .toWellFormed()
}

/** Parses; throws SyntaxError. Values at `paths` come back as `Verbatim`. */
export function parse(text: string, paths?: VerbatimPaths): Json {
  const value: Json = JSON.parse(text)
  return paths && reaches(value, paths) ? restored(value, keptIn(text, paths), text) : value
}

/** Whether a value has any subtree that stays text. Most replies call no tool, so most values have none. */
function reaches(value: Json, node: PathNode): boolean {
  if (node.leaf) return true
  if (Array.isArray(value)) {
    const { element } = node
    return element !== undefined && value.some((item) => reaches(item, element))
  }
  if (typeof value !== 'object' || value === null) return false
  for (const [key, inner] of node.members) {
    const member = Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
    if (member !== undefined && reaches(member, inner)) return true
  }
  return false
}

/** A text, or what knows the text between two places. */
interface Sliceable {
  slice(start: number, end: number): string
}

/** The parsed value of a text, with the subtrees that stay text as `Verbatim`. */
export function restored(value: Json, kept: KeptText | undefined, text: Sliceable): Json {
  if (!kept) return value
  if (!(kept instanceof Map)) return new Verbatim(text.slice(kept.start, kept.end), value)
  const container = value as Record<string | number, Json>
  for (const [key, inner] of kept) container[key] = restored(container[key] ?? null, inner, text)
  return value
}

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Verbatim)
  )
}

export const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
/** The objects in a value that should be a list of objects. */
export const objectsOf = (value: Json | undefined): JsonObject[] => listOf(value).filter(isObject)

export const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

export const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export const numberIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** A count of tokens; undefined for a value that is no count. */
export const countIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** The word that a value is. `String` throws on an object with a member `toString`. */
export const wordIn = (value: Json | undefined): string =>
  typeof value === 'object' ? '' : String(value ?? '')

/** The number that a value is or spells, or NaN. `Number` throws on an object with a member `toString`. */
export const amountIn = (value: Json | undefined): number =>
  typeof value === 'object' ? Number.NaN : Number(value)

/** The text of a value: a verbatim one as it came, any other serialised. */
export function toText(value: Json): string {
  return value instanceof Verbatim ? value.text : stringify(value)
}

/** The value behind a possibly verbatim subtree. */
export function toValue(value: Json): Json {
  return value instanceof Verbatim ? value.value : value
}

const OBJECT = /^\s*\{/

/** The members with other names and values; undefined for one that is left out. */
export function rewriteMembers(
  fields: JsonObject,
  change: (key: string, value: Json) => readonly [string, Json] | undefined,
): JsonObject {
  const made: JsonObject = {}
  for (const key of Object.keys(fields)) {
    const value = fields[key]
    const member = value === undefined ? undefined : change(key, value)
    if (member) setMember(made, member[0], member[1])
  }
  return made
}

/** A copy with its members sorted by name. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, member]): [string, Json] => [
    key,
    sorted(member),
  ])
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/**
 * Parses a text that should be an object. Undefined for anything else: a model may have been cut off in the middle.
 */
export function parseObject(text: string): JsonObject | undefined {
  // Most texts are no object, and an exception is slow.
  if (!OBJECT.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Sets a member of an object that is being made. V8 makes an object member by member several times as fast as
 * `Object.fromEntries` does.
 */
export function setMember<T>(object: Record<string, T>, key: string, value: T): void {
  // An assignment to this name would set the prototype.
  if (key === PROTOTYPE) Object.defineProperty(object, key, { ...OWN, value })
  else object[key] = value
}

const PROTOTYPE = '__proto__'
const OWN = { configurable: true, enumerable: true, writable: true }

/** The members that pass the test. */
export function pickMembers(
  fields: JsonObject,
  test: (key: string, value: Json) => boolean,
): JsonObject {
  const picked: JsonObject = {}
  for (const key of Object.keys(fields)) {
    const value = fields[key]
    if (value !== undefined && test(key, value)) setMember(picked, key, value)
  }
  return picked
}

export const isNull = (value: Json | undefined): boolean =>
  value === null || (value instanceof Verbatim && value.text === 'null')

/** Without the members that are null, by which services mean that they are not set; the same object without any. */
export const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.values(fields).some(isNull) ? pickMembers(fields, (_, value) => !isNull(value)) : fields

/** Merges objects; later members win. Spreading them one by one would copy everything at each step. */
export function mergedMembers(objects: readonly JsonObject[]): JsonObject {
  if (objects.length === 1 && objects[0]) return objects[0]
  const merged: JsonObject = {}
  for (const object of objects)
    for (const [key, value] of Object.entries(object)) setMember(merged, key, value)
  return merged
}

/** Removes members that are undefined, because an optional member is absent and not undefined. */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept: Record<string, unknown> = {}
  const isPlain = !Object.hasOwn(value, PROTOTYPE)
  for (const key of Object.keys(value) as (keyof T & string)[]) {
    const member = value[key]
    if (member === undefined) continue
    if (isPlain) kept[key] = member
    else setMember(kept, key, member)
  }
  return kept as { [K in keyof T]: Exclude<T[K], undefined> }
}

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
/** An object whose members of these names are looked at; what stands there is yet to be seen. */
export type Loose<Names extends string> = JsonObject & { readonly [Name in Names]?: Json }

/** Collects the verbatim texts of one `stringify` call, which is synchronous and never nested. */
let collected: string[] | undefined

/** JSON text that is written as it stands. */
export class Verbatim {
  readonly text: string
  readonly #value: Json | undefined
  /** `value`: what the text spells, where that is known already. */
  constructor(text: string, value?: Json) {
    this.text = text
    this.#value = value
  }
  /** What the text spells, as far as objects can tell; it is shared and must not be changed. */
  get value(): Json {
    return this.#value === undefined ? JSON.parse(this.text) : this.#value
  }
  /** Outside of `stringify` (a caller's own JSON.stringify, a test's diff) it is the value it spells. */
  toJSON(): unknown {
    if (!collected) return this.value
    return marker(collected.push(this.text) - 1)
  }
}

/**
 * Stands for a verbatim text until the rest is serialised. A string that begins so is next to impossible, and
 * checked for; the character is Latin-1, because a single one outside of it doubles the whole text.
 */
const MARK = '\u007f'
const marker = (index: number) => `${MARK}${index}${MARK}`

/** Serialises, writing verbatim subtrees as they came and no lone surrogate. */
export function stringify(value: Json): string {
  const texts: string[] = []
  collected = texts
  let text: string
  try {
    text = JSON.stringify(value)
  } finally {
    collected = undefined
  }
  return wellFormed(texts.length > 0 ? (spliced(text, texts) ?? stringifySlowly(value)) : text)
}

/** Markers come in the order in which they were made; undefined when a string of the body imitates one. */
function spliced(text: string, texts: readonly string[]): string | undefined {
  const parts: string[] = []
  let from = 0
  for (const [index, verbatim] of texts.entries()) {
    const mark = `"${marker(index)}"`
    const at = nextMark(text, from)
    if (!text.startsWith(mark, at)) return undefined
    parts.push(text.slice(from, at), verbatim)
    from = at + mark.length
  }
  if (nextMark(text, from) >= 0) return undefined
  parts.push(text.slice(from))
  return parts.join('')
}

/** Where the next string begins as marks do. Of the two characters the rarer one is looked for. */
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

/** A pattern is faster than two searches that stop at every backslash. */
const SURROGATE = /\\u[dD]/

/** Strict readers refuse a lone surrogate and with it the whole conversation: in JSON text it becomes U+FFFD. */
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

/** Whether anything is there that is to stay text. Most replies call no tool. */
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

/** The value of a text, with that of it as `Verbatim` which stays text. */
export function restored(value: Json, kept: KeptText | undefined, text: string): Json {
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
/** The objects of what should be a list of them. */
export const objectsOf = (value: Json | undefined): JsonObject[] => listOf(value).filter(isObject)

export const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** The text of a value: a verbatim one as it came, any other serialised. */
export function toText(value: Json): string {
  return value instanceof Verbatim ? value.text : stringify(value)
}

/** The value behind a possibly verbatim subtree. */
export function toValue(value: Json): Json {
  return value instanceof Verbatim ? value.value : value
}

const OBJECT = /^\s*\{/

/** The same with its members in the order of their names. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, member]): [string, Json] => [
    key,
    sorted(member),
  ])
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** The object that a text spells, or undefined: a model may have been cut off in the middle. */
export function parseObject(text: string): JsonObject | undefined {
  // Most texts are none, and to be told so by an exception is slow.
  if (!OBJECT.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The members that a test is passed by. */
export const pickMembers = (
  fields: JsonObject,
  test: (key: string, value: Json) => boolean,
): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([key, value]) => test(key, value)))

/** The members of all of them, of which the later ones win. To spread them one by one copies all at each step. */
export const mergedMembers = (objects: readonly JsonObject[]): JsonObject =>
  objects.length === 1 && objects[0]
    ? objects[0]
    : Object.fromEntries(objects.flatMap(Object.entries<Json>))

/** Drops members that are undefined: optional means absent. */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept: Partial<T> = {}
  for (const key of Object.keys(value) as (keyof T)[])
    if (value[key] !== undefined) kept[key] = value[key]
  return kept as { [K in keyof T]: Exclude<T[K], undefined> }
}

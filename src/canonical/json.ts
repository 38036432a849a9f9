import { CHAR, endOfString, endOfValue, type Slice } from './json-scan.ts'

/**
 * JSON as it crosses the proxy. Some subtrees (a tool call's input, a schema) must leave exactly as
 * they came: integers beyond 2^53, the order of keys that look like integers, `__proto__`, white
 * space. Such a subtree is never parsed into objects; it travels as `Verbatim` text.
 */
export type Json = string | number | boolean | null | Verbatim | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/** Collects the verbatim texts of one `stringify` call, which is synchronous and never nested. */
let collected: string[] | undefined

/** JSON text that is written as it stands. */
export class Verbatim {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  /** Outside of `stringify` (a caller's own JSON.stringify, a test's diff) it is the value it spells. */
  toJSON(): unknown {
    if (!collected) return JSON.parse(this.text)
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

/** Markers come in the order in which they were made; undefined when somebody's string imitates one. */
function spliced(text: string, texts: readonly string[]): string | undefined {
  const parts: string[] = []
  let from = 0
  for (const [index, verbatim] of texts.entries()) {
    const mark = `"${marker(index)}"`
    const at = text.indexOf(`"${MARK}`, from)
    if (!text.startsWith(mark, at)) return undefined
    parts.push(text.slice(from, at), verbatim)
    from = at + mark.length
  }
  if (text.includes(`"${MARK}`, from)) return undefined
  parts.push(text.slice(from))
  return parts.join('')
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

/** Strict readers refuse a lone surrogate and with it the whole conversation: in JSON text it becomes U+FFFD. */
export function wellFormed(text: string): string {
  if (!text.includes('\\ud') && !text.includes('\\uD')) return text.toWellFormed()
  return text
    .replace(ESCAPES, (escape, _high, _low, lone?: string) => (lone ? '\ufffd' : escape))
    .toWellFormed()
}

/**
 * Places whose values stay text, spelled `messages.*.content.*.input`: `*` is any array element,
 * `a|b` either key.
 */
export type VerbatimPaths = PathNode

export interface PathNode {
  readonly members: Map<string, PathNode>
  element?: PathNode
  leaf: boolean
}

export function verbatimPaths(...paths: string[]): VerbatimPaths {
  const root = pathNode()
  for (const path of paths) grow([root], path.split('.'))
  return root
}

function pathNode(): PathNode {
  return { members: new Map(), leaf: false }
}

function grow(nodes: PathNode[], segments: string[]): void {
  for (const segment of segments) {
    nodes = nodes.flatMap((node) => segment.split('|').map((key) => child(node, key)))
  }
  for (const node of nodes) node.leaf = true
}

function child(node: PathNode, key: string): PathNode {
  if (key === '*') return (node.element ??= pathNode())
  const known = node.members.get(key)
  if (known) return known
  const created = pathNode()
  node.members.set(key, created)
  return created
}

/** Parses; throws SyntaxError. Values at `paths` come back as `Verbatim`. */
export function parse(text: string, paths?: VerbatimPaths): Json {
  const slices = paths ? locate(text, paths) : []
  if (!paths || slices.length === 0) return JSON.parse(text)
  let from = 0
  let spliced = ''
  slices.forEach((slice, index) => {
    JSON.parse(text.slice(slice.start, slice.end))
    spliced += text.slice(from, slice.start) + index
    from = slice.end
  })
  const value: Json = JSON.parse(spliced + text.slice(from))
  const texts = slices.map((slice) => text.slice(slice.start, slice.end))
  return restore(value, paths, texts)
}

/** Every value at a leaf was replaced by the number of its slice; of duplicate keys the last one won, as always. */
function restore(value: Json, node: PathNode, texts: string[]): Json {
  if (node.leaf) return new Verbatim(texts[Number(value)] ?? 'null')
  if (Array.isArray(value)) {
    const element = node.element
    if (element) value.forEach((item, index) => (value[index] = restore(item, element, texts)))
  } else if (isObject(value)) {
    for (const [key, next] of node.members) {
      const member = Object.hasOwn(value, key) ? value[key] : undefined
      if (member !== undefined) value[key] = restore(member, next, texts)
    }
  }
  return value
}

/** Finds the slices of all leaves in one pass. Malformed text yields none: JSON.parse will say what is wrong. */
function locate(text: string, paths: PathNode): Slice[] {
  const slices: Slice[] = []
  let at = 0

  const space = () => {
    while (at < text.length && text.charCodeAt(at) <= 32) at += 1
  }
  const string = (): string => {
    const start = at
    at = endOfString(text, at)
    return text.slice(start, at)
  }
  const visit = (node: PathNode | undefined): void => {
    space()
    const code = text.charCodeAt(at)
    if (!node) at = endOfValue(text, at)
    else if (node.leaf) {
      const start = at
      at = endOfValue(text, at)
      slices.push({ start, end: at })
    } else if (code === CHAR.openBrace) members(node)
    else if (code === CHAR.openBracket && node.element) elements(node.element)
    else at = endOfValue(text, at)
    space()
  }
  const members = (node: PathNode): void => {
    at += 1
    space()
    while (at < text.length && text.charCodeAt(at) !== CHAR.closeBrace) {
      const literal = string()
      const key = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
      space()
      if (text.charCodeAt(at) !== CHAR.colon) throw new SyntaxError('expected a colon')
      at += 1
      visit(node.members.get(key))
      if (text.charCodeAt(at) === CHAR.comma) at += 1
      space()
    }
    at += 1
  }
  const elements = (node: PathNode): void => {
    at += 1
    space()
    while (at < text.length && text.charCodeAt(at) !== CHAR.closeBracket) {
      const before = at
      visit(node)
      if (text.charCodeAt(at) === CHAR.comma) at += 1
      if (at === before) throw new SyntaxError('expected a value')
      space()
    }
    at += 1
  }
  try {
    visit(paths)
    return slices
  } catch {
    return []
  }
}

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Verbatim)
  )
}

/** The text of a value: a verbatim one as it came, any other serialised. */
export function textOf(value: Json): string {
  return value instanceof Verbatim ? value.text : stringify(value)
}

/** The value behind a possibly verbatim subtree. */
export function valueOf(value: Json): Json {
  return value instanceof Verbatim ? JSON.parse(value.text) : value
}

const OBJECT = /^\s*\{/

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

/** Drops members that are undefined: optional means absent. */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept: Partial<T> = {}
  for (const key of Object.keys(value) as (keyof T)[])
    if (value[key] !== undefined) kept[key] = value[key]
  return kept as { [K in keyof T]: Exclude<T[K], undefined> }
}

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

/** U+10FFFF is no character: text that contains it in this shape is next to impossible, and checked for. */
const marker = (index: number) => `\u{10FFFF}${index}\u{10FFFF}`
const MARKERS = /"\u{10FFFF}(\d+)\u{10FFFF}"/gu

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
  if (texts.length > 0) {
    let found = 0
    const spliced = text.replace(MARKERS, (_, index: string) => {
      found += 1
      return texts[Number(index)] ?? 'null'
    })
    // More markers than verbatim texts: somebody's string imitates one, so nothing is replaced by pattern.
    text = found === texts.length ? spliced : stringifySlowly(value)
  }
  return wellFormed(text)
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

/** A part of a text. */
export interface Slice {
  start: number
  end: number
}

const CHAR = {
  quote: 34,
  comma: 44,
  colon: 58,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
} as const

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

/** The index behind the string literal that begins at `start`; throws SyntaxError. */
export function endOfString(text: string, start: number): number {
  if (text.charCodeAt(start) !== CHAR.quote) throw new SyntaxError('expected a string')
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) throw new SyntaxError('unterminated string')
    let before = end - 1
    while (text.charCodeAt(before) === CHAR.backslash) before -= 1
    if ((end - before) % 2 === 1) return end + 1
  }
}

/** The index behind the value that begins at `start`, without recursion: depth is the caller's business. */
export function endOfValue(text: string, start: number): number {
  let at = start
  let depth = 0
  do {
    const code = text.charCodeAt(at)
    if (code === CHAR.quote) at = endOfString(text, at)
    else if (code === CHAR.openBrace || code === CHAR.openBracket) {
      depth += 1
      at += 1
    } else if (code === CHAR.closeBrace || code === CHAR.closeBracket) {
      if (depth === 0) break
      depth -= 1
      at += 1
    } else if (depth === 0 && (code === CHAR.comma || code <= 32)) break
    else at += 1
  } while (at < text.length && (depth > 0 || !endsHere(text, at)))
  return at
}

function endsHere(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const container = text.charCodeAt(at - 1)
  if (container === CHAR.closeBrace || container === CHAR.closeBracket || container === CHAR.quote)
    return true
  return code === CHAR.comma || code === CHAR.closeBrace || code === CHAR.closeBracket || code <= 32
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

/** The object that a text spells, or undefined: a model may have been cut off in the middle. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Drops members that are undefined: optional means absent. */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}

/**
 * The tokens of JSON text: functions that find the end of each kind, and one loop over all of them. They build
 * nothing.
 */

/** A part of a text, from `start` up to `end`. */
export interface Slice {
  start: number
  end: number
}

const SPACE = 32
const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const TAB = 9
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const POINT = 46
const ZERO = 48
const NINE = 57
const EXPONENT_CAPITAL = 69
const EXPONENT = 101

/**
 * The characters of JSON for other modules; in UTF-8 each is one byte of the same number. In this module they are
 * local constants, because an exported binding is looked up at each use.
 */
export const SIGN = {
  comma: COMMA,
  quote: QUOTE,
  openBracket: OPEN_BRACKET,
  backslash: BACKSLASH,
  closeBracket: CLOSE_BRACKET,
  openBrace: OPEN_BRACE,
  closeBrace: CLOSE_BRACE,
} as const

/**
 * The index behind the string that begins at `start`; throws SyntaxError. Its characters and escapes are not checked.
 */
export function endOfString(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) throw new SyntaxError('expected a string')
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) throw new SyntaxError('unterminated string')
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end + 1
  }
}

/** The index behind a string without an escape; undefined for any other value, and for what JSON.parse would refuse. */
export function endOfPlainString(text: string, start: number): number | undefined {
  if (text.charCodeAt(start) !== QUOTE) return undefined
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH || code < SPACE) return undefined
  }
  return undefined
}

export interface ReadString {
  value: string
  end: number
}

/** Up to here it is faster than JSON.parse to read a string character by character. */
const SHORT = 24
const ESCAPED: ReadonlyMap<number, string> = new Map(
  ['""', '\\\\', '//', 'n\n', 'r\r', 't\t'].map(([sign = '', value = '']) => [
    sign.charCodeAt(0),
    value,
  ]),
)

/** The value of a short string, and the index behind it; undefined for any other value, and for rare escapes. */
export function readShortString(text: string, start: number): ReadString | undefined {
  if (text.charCodeAt(start) !== QUOTE) return undefined
  let value = ''
  let from = start + 1
  for (let at = from; at < start + SHORT; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return { value: value + text.slice(from, at), end: at + 1 }
    if (!(code >= SPACE)) return undefined
    if (code !== BACKSLASH) continue
    at += 1
    const sign = ESCAPED.get(text.charCodeAt(at))
    if (sign === undefined) return undefined
    value += text.slice(from, at - 1) + sign
    from = at + 1
  }
  return undefined
}

/** The value of the string literal between two places. Throws SyntaxError for an invalid escape. */
export function readString(text: string, start: number, end: number): string {
  const body = text.slice(start + 1, end - 1)
  return body.includes('\\') ? String(JSON.parse(text.slice(start, end))) : body
}

/** Whether a string holds an escape. */
export function isEscaped(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (text.charCodeAt(at) === BACKSLASH) return true
  return false
}

/** The index of the first character that is no white space. */
export function endOfSpace(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return at
    at += 1
  }
}

/** The index behind a number or a word; throws SyntaxError. */
export function endOfScalar(text: string, start: number): number {
  const end = endOfDigits(text, start)
  if (end > start && !goesOn(text.charCodeAt(end))) return end
  SCALAR.lastIndex = start
  if (!SCALAR.test(text)) throw new SyntaxError('expected a value')
  return SCALAR.lastIndex
}

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Whether the number has a fraction or an exponent. */
const goesOn = (code: number): boolean =>
  code === POINT || code === EXPONENT || code === EXPONENT_CAPITAL

/** The index behind an integer without leading zeros; `start` for anything else. */
function endOfDigits(text: string, start: number): number {
  let end = start
  for (let code = text.charCodeAt(end); code >= ZERO && code <= NINE;) {
    end += 1
    code = text.charCodeAt(end)
  }
  return text.charCodeAt(start) === ZERO && end > start + 1 ? start : end
}

/** A number has at most 15 exact decimal digits. */
const MOST_DIGITS = 15

/** The index behind an integer; undefined for any other value, and for an integer of more than 15 digits. */
export function endOfCount(text: string, start: number): number | undefined {
  const end = endOfDigits(text, start)
  return end > start && end - start <= MOST_DIGITS ? end : undefined
}

/** The index behind the colon that comes next; throws SyntaxError. */
export function endOfColon(text: string, start: number): number {
  const at = text.charCodeAt(start) <= SPACE ? endOfSpace(text, start) : start
  if (text.charCodeAt(at) !== COLON) throw new SyntaxError('expected a colon')
  return at + 1
}

/**
 * The index behind the value that begins at `start`. A loop that looks at strings and brackets alone, and no
 * recursion.
 */
export function endOfValue(text: string, start: number): number {
  let at = start
  let depth = 0
  do {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1
      at += 1
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) break
      depth -= 1
      at += 1
    } else if (depth === 0 && (code === COMMA || code <= SPACE)) break
    else at += 1
  } while (at < text.length && (depth > 0 || !endsHere(text, at)))
  return at
}

function endsHere(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const last = text.charCodeAt(at - 1)
  if (last === CLOSE_BRACE || last === CLOSE_BRACKET || last === QUOTE) return true
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= SPACE
}

/**
 * Receives where a member stands, its name and its value, and returns the index behind it. For an element the name is
 * the value's own place.
 */
type VisitPart = (name: number, endOfName: number, value: number) => number

/**
 * Visits the members or elements of the object or list at `start`, and returns the index behind it. May throw
 * SyntaxError.
 */
export function visitParts(text: string, start: number, visit: VisitPart): number {
  const isList = text.charCodeAt(start) === OPEN_BRACKET
  const close = isList ? CLOSE_BRACKET : CLOSE_BRACE
  let at = endOfSpace(text, start + 1)
  while (at < text.length && text.charCodeAt(at) !== close) {
    const endOfName = isList ? at : endOfString(text, at)
    const value = isList ? at : endOfSpace(text, endOfColon(text, endOfName))
    const end = visit(at, endOfName, value)
    if (end === value) throw new SyntaxError('expected a value')
    at = endOfSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = endOfSpace(text, at + 1)
  }
  return at + 1
}

/** Receives tokens of a text. `depth` and `wants` say which ones, because most of them do not matter. */
export interface Visitor {
  /** Tokens directly inside of this number of open objects and lists are received. */
  readonly depth: number
  /** Whether the next value is received. */
  readonly wants: boolean
  /** The name of a member, without its quotes. */
  name(text: string, start: number, end: number): void
  /** A value begins with this character. To receive what is in it, a visitor raises its `depth` by one. */
  begin(at: number, code: number): void
  /** The object or list that the visitor went into is closed. */
  leave(): void
  end(at: number): void
}

export interface StructureLimits {
  depth: number
  nodes: number
}

/** JSON text beyond a limit: on how deep it is nested, or on how many values it holds. */
export class StructureError extends Error {
  readonly limit: keyof StructureLimits
  readonly most: number

  constructor(limit: keyof StructureLimits, most: number) {
    super(`more than ${most} ${limit === 'depth' ? 'levels' : 'values'}`)
    this.limit = limit
    this.most = most
  }
}

export const UNLIMITED: StructureLimits = { depth: Infinity, nodes: Infinity }

/** What may come next. `FIRST_…` also allows the end of an empty object or list. */
const VALUE = 0
const FIRST_VALUE = 1
const KEY = 2
const FIRST_KEY = 3
const END_OF_VALUE = 4
const NOTHING = 5

/**
 * Visits all tokens of a text, in one loop and without recursion, because the sender of a body decides how deep it
 * is. It checks the structure of JSON, but not the inside of strings. It is one function because every body goes
 * through it. Returns the number of values. Throws SyntaxError, and StructureError for a text beyond the limits.
 */
export function visitTokens(text: string, visitor: Visitor, limits: StructureLimits): number {
  /** The brackets that close what is open. */
  const closers: number[] = []
  let expected = VALUE
  let nodes = 0
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code <= SPACE) at = behindSpace(text, at)
    else if (expected === END_OF_VALUE && code === COMMA) {
      at += 1
      expected = closers[closers.length - 1] === CLOSE_BRACE ? KEY : VALUE
    } else if (expected === KEY || (expected === FIRST_KEY && code !== CLOSE_BRACE)) {
      const end = endOfString(text, at)
      if (closers.length === visitor.depth) visitor.name(text, at + 1, end - 1)
      at = endOfColon(text, end)
      expected = VALUE
    } else {
      // An empty object or list counts one value inside, so that the count equals that of the commas.
      if (expected !== END_OF_VALUE && ++nodes > limits.nodes)
        throw new StructureError('nodes', limits.nodes)
      const isEnd = expected > VALUE && (expected !== FIRST_VALUE || code === CLOSE_BRACKET)
      if (isEnd) {
        if (closers.pop() !== code) throw new SyntaxError('expected the end')
        at += 1
        if (closers.length < visitor.depth) visitor.leave()
      } else {
        if (closers.length === visitor.depth && visitor.wants) visitor.begin(at, code)
        if (code === OPEN_BRACE || code === OPEN_BRACKET) {
          const isObject = code === OPEN_BRACE
          const depth = closers.push(isObject ? CLOSE_BRACE : CLOSE_BRACKET)
          if (depth > limits.depth) throw new StructureError('depth', limits.depth)
          expected = isObject ? FIRST_KEY : FIRST_VALUE
          at += 1
          continue
        }
        at = code === QUOTE ? endOfString(text, at) : endOfScalar(text, at)
      }
      if (closers.length === visitor.depth && visitor.wants) visitor.end(at)
      expected = closers.length === 0 ? NOTHING : END_OF_VALUE
    }
  }
  if (expected !== NOTHING) throw new SyntaxError('expected more')
  return nodes
}

function behindSpace(text: string, start: number): number {
  const at = endOfSpace(text, start)
  if (at === start) throw new SyntaxError('expected white space')
  return at
}

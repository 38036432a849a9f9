import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outline } from '../../src/json/outline.ts'
import { slicesAt } from '../../src/json/slices.ts'
import {
  endOfCount,
  endOfScalar,
  endOfSpace,
  endOfString,
  endOfPlainString,
  endOfValue,
  readShortString,
  readString,
  UNLIMITED,
  visitTokens,
  type Visitor,
} from '../../src/json/tokens.ts'
import { cases } from '../cases.ts'
import { pathsOf, valueAt } from '../laws/mutate.ts'

const string = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\\"', '{"a":[', 'a'),
)
/** Without escapes: JSON.parse of V8 13.6 (Node 24) takes some names that have one for others. */
const name = fc.string({ unit: 'grapheme' }).filter((word) => !/["\\]/.test(word))
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 10, 1e21, -1.5e-7),
)
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    string,
    number,
    fc.constantFrom(true, false, null),
    fc.array(tie('value')),
    fc.dictionary(name, tie('value')),
  ),
}))
const indent = fc.constantFrom('', ' ', '\t', '\r\n ')

/** Hears of everything, and puts together again what it hears. */
class Builder implements Visitor {
  readonly wants = true
  depth = 0
  whole: unknown
  readonly #text: string
  readonly #open: { isList: boolean; value: [string, unknown][]; name: string; start: number }[] =
    []

  constructor(text: string) {
    this.#text = text
    this.#enter(false, 0)
    this.depth = 0
  }

  #enter(isList: boolean, start: number): void {
    this.#open.push({ isList, value: [], name: '', start })
    this.depth += 1
  }

  name(text: string, start: number, end: number): void {
    const place = this.#open.at(-1)
    if (place) place.name = readString(text, start - 1, end + 1)
  }

  begin(at: number, code: number): void {
    const place = this.#open.at(-1)
    if (place) place.start = at
    this.whole = undefined
    if ('{['.includes(String.fromCharCode(code))) this.#enter(code === '['.charCodeAt(0), at)
  }

  leave(): void {
    const { isList = false, value = [] } = this.#open.pop() ?? {}
    this.whole = isList ? value.map(([, item]) => item) : Object.fromEntries(value)
    this.depth -= 1
  }

  end(at: number): void {
    const { start = 0, value = [], name = '' } = this.#open.at(-1) ?? {}
    const item = this.whole ?? JSON.parse(this.#text.slice(start, at))
    value.push([name, item])
    this.whole = this.depth === 0 ? item : undefined
  }
}

function rebuilt(text: string): unknown {
  const builder = new Builder(text)
  visitTokens(text, builder, UNLIMITED)
  return builder.whole
}

function isRefused(parse: () => unknown): boolean {
  try {
    parse()
    return false
  } catch {
    return true
  }
}

describe('the tokens of a text', () => {
  it('are those of JSON.parse', () => {
    fc.assert(
      fc.property(anyValue, indent, (value, space) => {
        const text = `${space}${JSON.stringify(value, undefined, space)}${space}`
        expect(rebuilt(text)).toEqual(JSON.parse(text))
      }),
      cases(1000),
    )
  })

  it('are refused where JSON.parse refuses them, but for what is inside of strings', () => {
    const sign = fc.constantFrom(
      ...'{}[],:"0-+.eE1 \n'.split(''),
      'true',
      'nul',
      '\u000b',
      '\ufeff',
    )
    const word = fc.constantFrom('x', 'y')
    const inner = fc.jsonValue({ maxDepth: 3, stringUnit: word })
    fc.assert(
      fc.property(inner, fc.array(fc.tuple(fc.nat(), sign), { maxLength: 3 }), (value, changes) => {
        const text = changes.reduce((before, [place, what]) => {
          const at = place % (before.length + 1)
          return before.slice(0, at) + what + before.slice(at + 1)
        }, JSON.stringify(value))
        // A control character may have come into a string.
        if (/"[^"]*\p{Cc}[^"]*"/u.test(text)) return
        const isJson = !isRefused(() => JSON.parse(text))
        expect(isRefused(() => visitTokens(text, new Builder(text), UNLIMITED))).toBe(!isJson)
      }),
      cases(2000),
    )
  })

  it('end where they end, whatever comes behind them', () => {
    const behind = fc.constantFrom('', ',', ' ', '}', ']', ',"a":1', '\n')
    fc.assert(
      fc.property(anyValue, behind, fc.nat(3), (value, rest, before) => {
        const literal = JSON.stringify(value)
        const text = `${' '.repeat(before)}${literal}${rest}`
        const end = before + literal.length
        expect(endOfSpace(text, 0)).toBe(before)
        expect(endOfValue(text, before)).toBe(end)
        if (typeof value === 'string') {
          expect(endOfString(text, before)).toBe(end)
          expect(endOfPlainString(text, before)).toBe(literal.includes('\\') ? undefined : end)
          expect(readString(text, before, end)).toBe(value)
        } else if (typeof value !== 'object' || value === null)
          expect(endOfScalar(text, before)).toBe(end)
      }),
      cases(1000),
    )
  })

  it('short strings are read as JSON.parse reads them, or not at all', () => {
    const part = fc.oneof(
      fc.constantFrom('a', 'é', '\u2028', '\\n', '\\r', '\\t', '\\"', '\\\\', '\\/'),
      fc.constantFrom('\\b', '\\u0041', '\\x', '\\', '\n', '\u0001', 'longer words'),
    )
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        fc.constantFrom('"', '', '",'),
        (parts, end) => {
          const text = `:"${parts.join('')}${end}`
          const read = readShortString(text, 1)
          if (read) expect(JSON.parse(text.slice(1, read.end))).toBe(read.value)
          expect(readShortString(text, 0)).toBeUndefined()
        },
      ),
      cases(2000),
    )
    expect(readShortString('"a\\n\\"b"', 0)).toEqual({ value: 'a\n"b', end: 8 })
  })

  it.each([
    ['0', 1],
    ['7,', 1],
    ['120}', 3],
    ['1.5', 1],
    ['01', undefined],
    ['-1', undefined],
    ['', undefined],
    ['"1"', undefined],
    ['9'.repeat(15), 15],
    ['9'.repeat(16), undefined],
  ])('counts are whole numbers that are not too large: %s', (text, end) => {
    expect(endOfCount(text, 0)).toBe(end)
  })
})

const byPlace = (list: unknown[] = []): unknown => new Set(list.map((one) => JSON.stringify(one)))

describe('what the visitors find', () => {
  it('are the members that JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.dictionary(name, anyValue), indent, (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        for (const [name, member] of Object.entries(JSON.parse(text))) {
          const found = slicesAt(text, [name]).map(({ start, end }) => text.slice(start, end))
          expect(found.map((each) => JSON.parse(each))).toEqual([member])
        }
      }),
      cases(300),
    )
  })

  it('are all strings and numbers, each with its place', () => {
    const plainName = fc.constantFrom('a', 'b', 'longer', '7')
    const { value: plain } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        string,
        number,
        fc.constantFrom(true, null),
        fc.array(tie('value')),
        fc.dictionary(plainName, tie('value')),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(plainName, plain), indent, (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        const parsed = JSON.parse(text)
        const found = outline(text, undefined)?.map(({ start, end, path }) => [
          path,
          JSON.parse(text.slice(start, end)),
        ])
        const expected = pathsOf(parsed)
          .map((path) => [path, valueAt(parsed, path)])
          .filter(([, scalar]) => ['string', 'number'].includes(typeof scalar))
        expect(byPlace(found)).toEqual(byPlace(expected))
        expect(found).toHaveLength(expected.length)
      }),
      cases(500),
    )
  })

  it.each(['{"a":1,"a":2}', '{"__proto__":1}', '{"\\u0061":1}', '1', '"a"', '{"a":1', ''])(
    'have no outline where more care is needed: %s',
    (text) => expect(outline(text, undefined)).toBeUndefined(),
  )
})

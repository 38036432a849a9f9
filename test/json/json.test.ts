import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { defined, isObject, parse, stringify, Verbatim } from '../../src/json/json.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'

const paths = verbatimPaths('messages.*.content.*.input', 'a|b.c')
const input = (text: string) => {
  const value = parse(`{"messages":[{"content":[{"input":${text},"x":1}]}]}`, paths)
  return JSON.stringify(value)
}

describe('verbatim JSON', () => {
  it.each([
    '{"id":2512292042121000001,"e":1e400,"neg":-0}',
    '{"b":1,"2":2,"1":3}',
    '{ "__proto__" : {"polluted":true} }',
    '"text with \\" quotes and \\\\"',
    '[1, [2, {"}":"]"}]]',
    '12',
    'null',
    '{}',
  ])('comes back as it came: %s', (text) => {
    const body = `{"messages":[{"content":[{"x":"y","input":${text} }]}],"z":{"input":1}}`
    const value = parse(body, paths)
    expect(stringify(value)).toBe(
      `{"messages":[{"content":[{"x":"y","input":${text}}]}],"z":{"input":1}}`,
    )
  })

  it('finds alternatives and escaped keys, and of duplicate keys takes the last', () => {
    expect(stringify(parse('{"a":{"c":1.0,"c":2.0},"\\u0062":{"c":3.0}}', paths))).toBe(
      '{"a":{"c":2.0},"b":{"c":3.0}}',
    )
  })

  it('does not take a caller string for a marker', () => {
    const fake = '\u{10FFFF}0\u{10FFFF}'
    const value = { text: fake, input: new Verbatim('{"n":1.0}') }
    expect(stringify(value)).toBe(`{"text":${JSON.stringify(fake)},"input":{"n":1.0}}`)
  })

  it.each([
    '{"messages":[{"content":[{"input":{"a":}}]}]}',
    '{"messages":[',
    '{"messages":[{"content":[{"input":',
  ])('refuses malformed text: %s', (text) => expect(() => parse(text, paths)).toThrow(SyntaxError))

  it('writes a lone surrogate as U+FFFD and keeps pairs and escapes', () => {
    expect(stringify('x\ud83d')).toBe('"x\ufffd"')
    expect(stringify('\\ud83d \u{1f600}')).toBe('"\\\\ud83d \u{1f600}"')
    expect(stringify(new Verbatim('"\\ud83d\\ude00 \\ud83d"'))).toBe('"\\ud83d\\ude00 \ufffd"')
  })

  it('agrees with JSON.parse on any value, wherever white space stands', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2), (value, indent) => {
        const body = {
          messages: [{ content: [{ input: value }, value] }],
          a: { c: value },
          b: value,
        }
        const text = JSON.stringify(body, null, indent)
        expect(JSON.parse(stringify(parse(text, paths)))).toEqual(JSON.parse(text))
      }),
      cases(1000),
    )
  })

  it('never hangs or crashes on arbitrary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ am1') }), (text) => {
        let expected: unknown
        try {
          expected = JSON.parse(text)
        } catch {
          expect(() => parse(text, paths)).toThrow(SyntaxError)
          return
        }
        expect(JSON.parse(stringify(parse(text, paths)))).toEqual(expected)
      }),
      cases(5000),
    )
  })

  it('is opaque to isObject', () => {
    expect(isObject(new Verbatim('{}'))).toBe(false)
    expect(input('{"a":1}')).toContain('"a":1')
  })
})

describe('what is defined of an object', () => {
  it('is every member but those that are undefined, whatever their names', () => {
    const value: object = JSON.parse('{"a":1,"__proto__":{"b":2},"c":null}')
    const left = defined({ ...value, d: undefined })
    expect(JSON.stringify(left)).toBe('{"a":1,"__proto__":{"b":2},"c":null}')
    expect(Object.getPrototypeOf(left)).toBe(Object.prototype)
  })
})

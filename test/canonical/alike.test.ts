import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alikeParser } from '../../src/canonical/alike.ts'
import { parse, stringify, Verbatim, verbatimPaths, type Json } from '../../src/canonical/json.ts'
import { template } from '../../src/canonical/template.ts'

const outcome = (read: () => Json): unknown => {
  try {
    return { text: stringify(read()) }
  } catch (error) {
    return error instanceof SyntaxError
  }
}

const key = fc.constantFrom('type', 'delta', 'text', '7', '__proto__', 'a"b', 'é', 'args')
const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', '"', '\\', '\n', '\u{1F600}', 'word'),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(true, false, null),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(Object.fromEntries),
  ),
}))

/** The same outline with other scalars, and sometimes a broken or doubled text. */
const row = fc
  .tuple(
    value,
    fc.array(fc.tuple(fc.array(scalar, { minLength: 1 }), fc.nat(40)), { maxLength: 8 }),
  )
  .map(([first, others]) => {
    const text = JSON.stringify(first)
    const more = others.map(([scalars, cut]) => {
      let index = 0
      const changed = JSON.stringify(first, (_, member: unknown) =>
        typeof member === 'object' ? member : scalars[(index += 1) % scalars.length],
      )
      return cut === 40 ? changed.slice(0, -1) : cut === 39 ? `${changed} ` : changed
    })
    return [text, ...more, text]
  })

describe('a parser of texts that are alike', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(row, (texts) => {
        const parser = alikeParser()
        for (const text of texts)
          expect(outcome(() => parser.parse(text))).toEqual(outcome(() => parse(text)))
      }),
    )
  })
  it('leaves verbatim subtrees as they are', () => {
    const paths = verbatimPaths('delta.args')
    fc.assert(
      fc.property(row, (texts) => {
        const parser = alikeParser(paths)
        for (const text of texts.map((each) => `{"delta":{"args":${each},"n":1}}`))
          expect(outcome(() => parser.parse(text))).toEqual(outcome(() => parse(text, paths)))
      }),
    )
  })
  it.each([
    ['a member that comes twice', ['{"a":1,"a":2}', '{"a":2,"a":2}', '{"a":3,"a":2}']],
    ['numbers that are none', ['{"n":1}', '{"n":2}', '{"n":02}', '{"n":-}', '{"n":1e}', '{"n":}']],
    ['control characters', ['{"n":"a"}', '{"n":"b"}', '{"n":"\u0001"}', '{"n":"\\q"}']],
    ['escapes', ['{"n":"a"}', '{"n":"b"}', '{"n":"\\u0041\\""}', '{"n":"\\\\"}', '{"n":"\\"}']],
    ['large numbers', ['[1]', '[2]', '[12345678901234567890]', '[1e400]', '[-0]', '[00000000001]']],
    ['white space', ['{"n": 1}', '{"n": 2}', '{"n": 3}', '{"n":3 }']],
    ['prototypes', ['{"__proto__":"a"}', '{"__proto__":"b"}', '{"__proto__":"c"}']],
  ])('is exact about %s', (_, texts) => {
    const parser = alikeParser()
    for (const text of texts)
      expect(outcome(() => parser.parse(text))).toEqual(outcome(() => parse(text)))
  })
  it('gives each event its own containers on the way to what differs', () => {
    const parser = alikeParser()
    const values = [1, 2, 3, 4].map((n) => parser.parse(`{"a":{"b":[${n},"x"]}}`))
    expect(values).toEqual([1, 2, 3, 4].map((n) => ({ a: { b: [n, 'x'] } })))
  })
})

const delta = (text: string, count: number) => ({ type: 'x', delta: { text }, n: count })

describe('a template', () => {
  it('writes what stringify writes', () => {
    const write = template(delta)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, count) => {
        expect(write(text, count)).toBe(stringify(delta(text, count)))
      }),
    )
  })
  it.each([
    ['twice', (text: string) => ({ text, again: text })],
    ['not at all', () => ({ text: 'always' })],
    ['within another', (text: string) => ({ text: `<${text}>` })],
    ['behind a count', (text: string, count: number) => ({ count, text })],
    ['beside two counts', (text: string, count: number) => ({ text, count, again: count })],
    ['beside a verbatim text', (text: string) => ({ text, args: new Verbatim('{"a": 1.0}') })],
  ])('is exact where the text stands %s', (_, make) => {
    const write = template(make)
    for (const text of ['a', 'b', '"', '\ud800'])
      expect(write(text, 7)).toBe(stringify(make(text, 7)))
  })
})

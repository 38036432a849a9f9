import { describe, expect, it } from 'vitest'
import { cpuMs } from '../growth/cpu.ts'
import { matchesGlob } from '../../src/config/glob.ts'
import { scalarIn, slicesAt, spliceStrings } from '../../src/json/slices.ts'

describe('globs on model names', () => {
  it.each([
    ['*', '', true],
    ['*', 'anything/at all', true],
    ['gpt-*', 'gpt-5', true],
    ['gpt-*', 'gpt-', true],
    ['gpt-*', 'gpt', false],
    ['gpt', 'gpt', true],
    ['gpt', 'gpt-5', false],
    ['*-mini', 'gpt-5-mini', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['a.c', 'abc', false],
  ])('%s, %s: %s', (glob, name, fits) => expect(matchesGlob(glob, name)).toBe(fits))
  it('take no longer for hostile names', () => {
    const start = cpuMs()
    matchesGlob('*a*a*a*a*a*a*a*a*b', 'a'.repeat(100_000))
    // A collection of garbage may fall into it; a search that goes back takes for ever.
    expect(cpuMs() - start).toBeLessThan(2000)
  })
})

describe('the scanner', () => {
  it('finds members at the top and below, and of repeated ones all', () => {
    const text = '{"a":{"model":"x"},"model":"y" , "mo\\u0064el":"z","t":[{"model":"w"}]}'
    const found = (path: string[]) =>
      slicesAt(text, path).map(({ start, end }) => text.slice(start, end))
    expect(found(['model'])).toEqual(['"y"', '"z"'])
    expect(found(['a', 'model'])).toEqual(['"x"'])
    expect(found(['t', 'model'])).toEqual([])
    expect(found(['none'])).toEqual([])
  })
  it.each([
    '',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"model":"x',
    '[',
    '"x"',
    '{"a" "b"}',
    '{1:2}',
    '{,}',
  ])('bears malformed text: %s', (text) => expect(slicesAt(text, ['model'])).toEqual([]))
  it('reads strings and booleans only', () => {
    const text = '{"s":"a\\nb","t":true,"f":false,"n":1,"z":null,"o":{},"bad":"\\x"}'
    const values = ['s', 't', 'f', 'n', 'z', 'o', 'bad'].map((key) =>
      slicesAt(text, [key]).map((slice) => scalarIn(text.slice(slice.start, slice.end))),
    )
    expect(values.flat()).toEqual(['a\nb', true, false, undefined, undefined, undefined, undefined])
  })
  it('replaces strings and nothing else', () => {
    const text = '{"model":"x","b":1,"model":5}'
    expect(spliceStrings(text, slicesAt(text, ['model']), 'a"b')).toBe(
      '{"model":"a\\"b","b":1,"model":5}',
    )
  })
})

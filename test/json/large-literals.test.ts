import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../growth/cpu.ts'
import { encodeBase64 } from '../../src/json/base64.ts'
import * as literalsOf from '../../src/json/large-literals.ts'
import { joinBytes } from '../../src/json/bytes.ts'
import { cases } from '../cases.ts'

const decodeOne = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
const decode = (pieces: readonly Uint8Array[]) => decodeOne(joinBytes(pieces))
/** The same bytes in several pieces. */
const cutAt = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((one, other) => one - other)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
}
const liftLiterals = (text: string, ...cuts: number[]) =>
  literalsOf.liftLiterals(cutAt(new TextEncoder().encode(text), cuts), decode)
const filled = (text: string, literals: readonly literalsOf.LargeLiteral[]) =>
  literalsOf
    .fillLiterals(text, literals)
    .map((piece) => (typeof piece === 'string' ? piece : decodeOne(piece)))
    .join('')

const binary = (length: number) => 'iVBORw0KGgo'.padEnd(length, 'AQIDBAUGBwgJ')

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    binary(16_384),
    binary(20_001),
    binary(16_000),
    `data:image/png;base64,${binary(40_000)}`,
    encodeBase64('Just words, and no picture. '.repeat(1000)),
    `${binary(20_000)}\\/${binary(20_000)}`,
    `say "${binary(30_000)}"`,
    'plain words '.repeat(2000),
    '\u00800.16128\u0080',
    '\u0080',
  ),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    piece,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('data', 'url', 'text'), tie('value')),
  ),
}))

describe('what is taken out of a body', () => {
  it('comes back, whatever is made of the text in between', () => {
    fc.assert(
      fc.property(value, fc.nat(2), fc.array(fc.nat(), { maxLength: 5 }), (json, indent, cuts) => {
        const text = JSON.stringify(json, undefined, indent).toWellFormed()
        const { text: rest, literals } = liftLiterals(text, ...cuts)
        expect(rest === liftLiterals(text).text).toBe(true)
        expect(filled(rest, literals) === text).toBe(true)
        const again = filled(JSON.stringify(JSON.parse(rest), undefined, indent), literals)
        expect(again === text).toBe(true)
        const nested = filled(JSON.stringify({ input: rest }), literals)
        expect(JSON.parse(nested).input === text).toBe(true)
      }),
      cases(300),
    )
  })
  it.each([
    ['data', binary(1_000_000)],
    ['a data URL', `data:image/jpeg;base64,${binary(1_000_000)}`],
    ['zeroes', 'A'.repeat(1_000_000)],
  ])('leaves next to nothing of %s', (_, data) => {
    const { text, literals } = liftLiterals(JSON.stringify({ a: [{ data }, 'words'] }))
    expect(text.length).toBeLessThan(400)
    expect(literals).toHaveLength(1)
    expect(JSON.parse(text).a[0].data.startsWith(data.slice(0, 200))).toBe(true)
  })
  it.each([
    ['the base64 of words', encodeBase64('Grüße, and no picture. '.repeat(2000))],
    ['words', 'one two three '.repeat(4000)],
    ['data with escapes', `${binary(20_000)}\n${binary(9)}`],
    ['less than is worth it', binary(16_000)],
    ['data in the alphabet for URLs', `_${binary(20_000)}`],
    ['data that turns out to be', `${binary(20_000).replaceAll('/', 'A')}-${binary(9)}`],
  ])('is nothing of %s', (_, data) => {
    expect(liftLiterals(JSON.stringify({ data })).literals).toEqual([])
  })
  it('is nothing where somebody imitates a mark', () => {
    for (const mark of ['\u00800.39744\u0080', '\\u00800.39744\\u0080']) {
      const body = `{"text":"${mark}","data":"${binary(40_000)}"}`
      expect(liftLiterals(body)).toMatchObject({ text: body, literals: [] })
    }
  })
  it('puts nothing into the place of a mark that was not made', () => {
    const { literals } = liftLiterals(JSON.stringify({ data: binary(40_000) }))
    for (const text of [
      '\u0080',
      '\u00801.5\u0080',
      '\u00800.1\u0080',
      '\u0080x',
      'a\u00800.39744',
    ])
      expect(filled(text, literals)).toBe(text)
  })
  it('is found in linear time where there are many quotes', () => {
    const text = JSON.stringify(Array.from({ length: 200_000 }, () => 'a"b'))
    const began = cpuMs()
    expect(liftLiterals(text).literals).toEqual([])
    // By the square of their number it would be minutes.
    expect(cpuMs() - began).toBeLessThan(5000)
  })
})

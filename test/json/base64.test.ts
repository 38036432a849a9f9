import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { codecs, decodeBase64, decodeWith, encodeBase64 } from '../../src/json/base64.ts'

const text = fc.string({ unit: 'binary', maxLength: 200 })

/** The names of the ways, for those that this platform has. */
const known = codecs(globalThis, Uint8Array as object).flatMap((codec, index) =>
  codec ? [{ name: ['buffer', 'native', 'letters'][index], codec }] : [],
)

describe('base64', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(decodeBase64(encodeBase64(one))).toBe(one.toWellFormed())
      }),
      cases(1000),
    )
  })

  it('is the one that everybody writes', () => {
    expect(encodeBase64('')).toBe('')
    expect(encodeBase64('xseal1.')).toBe('eHNlYWwxLg==')
    expect(encodeBase64('Grüße 👋')).toBe('R3LDvMOfZSDwn5GL')
    expect(encodeBase64('\ud800')).toBe(encodeBase64('\ufffd'))
    expect(encodeBase64('\ufeffa')).toBe('77u/YQ==')
    expect(decodeBase64('77u/YQ==')).toBe('\ufeffa')
  })

  it.each([
    ['without its end', 'R3LDvMOfZQ', 'Grüße'],
    ['with white space', ' R3LD\nvMOf\tZQ== ', 'Grüße'],
    ['in the alphabet for addresses', 'fn5-fz8_', '~~~\u007f??'],
    ['with a letter too many', 'YWJjZ', 'abc'],
    ['with bits too many', 'YR==', 'a'],
  ])('is read %s', (_, base64, plain) => {
    expect(decodeBase64(base64)).toBe(plain)
    for (const { codec } of known) expect(decodeWith(codec, base64)).toBe(plain)
  })

  it.each([
    ['words', 'see the attachment.'],
    ['letters of elsewhere', 'YWJjä'],
    ['bytes that are no text', '/9j/4AAQ'],
    ['half a character', 'w7w'.slice(0, 2)],
  ])('is not found in %s', (_, base64) => {
    expect(decodeBase64(base64)).toBeUndefined()
    for (const { codec } of known) expect(decodeWith(codec, base64)).toBeUndefined()
  })

  it.each(known)('is the same by every way: $name', ({ codec }) => {
    fc.assert(
      fc.property(text, (one) => {
        const whole = one.toWellFormed()
        expect(codec.ofText(whole)).toBe(encodeBase64(whole))
        expect(decodeWith(codec, codec.ofText(whole))).toBe(whole)
      }),
      cases(1000),
    )
    const long = 'Grüße, '.repeat(20_000)
    expect(decodeWith(codec, codec.ofText(long))).toBe(long)
  })
})

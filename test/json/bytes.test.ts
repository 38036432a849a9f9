import fc from 'fast-check'
import { expect, it } from 'vitest'
import { streamEncoder } from '../../src/json/bytes.ts'
import { cases } from '../cases.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(4000))
    .map(([unit, times]) => unit.repeat(times).slice(0, 12_000)),
)

it('encodes the texts of a stream, and leaves those alone that have been handed out', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      const encode = streamEncoder()
      const bytes = texts.map(encode)
      expect(bytes).toEqual(texts.map((each) => new TextEncoder().encode(each)))
    }),
    cases(200),
  )
})

it('shares no memory between streams', () => {
  const [one, other] = [streamEncoder()('one'), streamEncoder()('other')]
  expect(one.buffer).not.toBe(other.buffer)
})

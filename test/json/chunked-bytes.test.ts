import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkedBytes } from '../../src/json/chunked-bytes.ts'
import { cases } from '../cases.ts'

const QUOTE = 34
const byte = fc.constantFrom(QUOTE, 65, 66)
const piece = fc
  .uint8Array({ maxLength: 4 })
  .chain(({ length }) =>
    fc.array(byte, { minLength: length, maxLength: length }).map((bytes) => Uint8Array.from(bytes)),
  )

describe('bytes in pieces', () => {
  it('are looked at as if they were in one', () => {
    fc.assert(
      fc.property(fc.array(piece), fc.nat(30), fc.nat(30), (pieces, one, other) => {
        const whole = Uint8Array.from(pieces.flatMap((each) => [...each]))
        const bytes = new ChunkedBytes(pieces)
        const [from, to] = [Math.min(one, other), Math.max(one, other)]
        expect(bytes.length).toBe(whole.length)
        expect(bytes.indexOf(QUOTE, from)).toBe(whole.indexOf(QUOTE, from))
        const before = whole.subarray(0, to).indexOf(QUOTE, from)
        expect(bytes.indexOf(QUOTE, from, to)).toBe(before)
        expect(bytes.lastIndexOf(QUOTE, from)).toBe(whole.lastIndexOf(QUOTE, from))
        const parts = bytes.between(from, to).flatMap((each) => [...each])
        expect(parts).toEqual([...whole.subarray(from, to)])
      }),
      cases(1000),
    )
  })
})

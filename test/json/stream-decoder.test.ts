import fc from 'fast-check'
import { expect, it } from 'vitest'
import { streamDecoder } from '../../src/json/bytes.ts'

it('decodes pieces of bytes as the decoder of the platform does, with marks, halves of characters and broken bytes', () => {
  const text = fc.constantFrom('a', '{"text":" b"}\n\n', 'é', '€', '😀', '\u{feff}', '')
  const broken = fc.constantFrom(Uint8Array.of(0xff), Uint8Array.of(0xe2, 0x82))
  const part = fc.oneof(
    { weight: 5, arbitrary: text.map((each) => new TextEncoder().encode(each)) },
    { weight: 1, arbitrary: broken },
  )
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(9)), (parts, cuts) => {
      const bytes = Uint8Array.from(parts.flatMap((each) => [...each]))
      const decode = streamDecoder()
      const whole = new TextDecoder()
      let [said, expected] = ['', '']
      let at = 0
      for (const cut of [...cuts, bytes.length]) {
        const piece = bytes.subarray(at, at + cut)
        said += decode(piece)
        expected += whole.decode(piece, { stream: true })
        at += cut
      }
      expect(said + decode()).toBe(expected + whole.decode())
    }),
  )
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { streamDecoder } from '../../src/json/bytes.ts'
import { cases } from '../cases.ts'

// The whole is decoded at once: in pieces, the decoders of workerd and of Node 24 remove marks inside a text.
it('decodes pieces of bytes as the platform decodes the whole, with marks, halves of characters and broken bytes', () => {
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
      let said = ''
      let at = 0
      for (const cut of [...cuts, bytes.length]) {
        said += decode(bytes.subarray(at, at + cut))
        at += cut
      }
      expect(said + decode()).toBe(new TextDecoder().decode(bytes))
    }),
    cases(1000),
  )
})

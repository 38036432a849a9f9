import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wholeEventsIn } from '../../src/stream/whole-events.ts'
import { cases } from '../cases.ts'

const BLANK_LINES = ['\n\n', '\n\r\n', '\r\r']

test('a text is cut behind the last of all its blank lines', () => {
  const signs = fc.constantFrom('a', '\n', '\r', '\r\n', '\n\n', '\u2028')
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 12 }), (list) => {
      const text = list.join('')
      const ends = BLANK_LINES.map((line) => {
        const at = text.lastIndexOf(line)
        return at < 0 ? 0 : at + line.length
      })
      expect(wholeEventsIn(text)).toBe(text.slice(0, Math.max(...ends)))
    }),
    cases(2000),
  )
})

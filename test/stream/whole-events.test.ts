import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventShape } from '../../src/stream/whole-events.ts'
import { cases } from '../cases.ts'

/** CR LF is one line end, so a CR in front of it does not end a blank line by itself. */
const BLANK_LINE = /(?:\n\n|\n\r\n|\r\r(?!\n))/g

/** Behind the last of all, of which one may begin in the middle of another. */
function endOfLast(text: string): number {
  let end = 0
  for (let at = 0; at < text.length; at += 1) {
    BLANK_LINE.lastIndex = at
    const found = BLANK_LINE.exec(text)
    if (found) end = Math.max(end, found.index + found[0].length)
  }
  return end
}

test('the beginning of a stream is cut behind the last of all its blank lines', () => {
  const signs = fc.constantFrom('a', '\n', '\r', '\r\n', '\n\n', '\u2028')
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 12 }), (list) => {
      const text = list.join('')
      // A blank line, too, whose last sign may come behind it.
      fc.pre(!text.includes('\r\r\n'))
      const bytes = new TextEncoder().encode(text)
      const whole = new TextDecoder().decode(eventShape(Infinity).push(bytes))
      expect(whole).toBe(text.slice(0, endOfLast(text)))
    }),
    cases(2000),
  )
})

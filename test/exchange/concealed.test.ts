import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Event } from '../../src/model/events.ts'
import { concealer } from '../../src/exchange/concealed.ts'

const KEY = 'sk-secret-0123456789'
const OTHER = 'sk-secret-other-9876'

const textIn = (events: readonly Event[]): string =>
  events.map((event) => (event.type === 'block-delta' ? event.text : '')).join('')

/** The same text in pieces, with the end of its block. */
function concealed(pieces: readonly string[]): string {
  const conceal = concealer([KEY, OTHER])
  const events = pieces.flatMap((text) => [...conceal([{ type: 'block-delta', text }])])
  return textIn([...events, ...conceal([{ type: 'block-end', tail: {} }])])
}

describe('a key in a translated text', () => {
  it('is hidden in whatever pieces it comes', () => {
    const words = fc.constantFrom(KEY, OTHER, KEY.slice(0, 9), KEY.slice(4), 'sk-', ' and ', 's')
    fc.assert(
      fc.property(fc.array(words), fc.array(fc.nat(40)), (texts, cuts) => {
        const whole = texts.join('')
        const pieces: string[] = []
        let rest = whole
        for (const cut of cuts) {
          pieces.push(rest.slice(0, cut))
          rest = rest.slice(cut)
        }
        const shown = concealed([...pieces, rest])
        expect(shown).not.toContain(KEY)
        expect(shown).not.toContain(OTHER)
        if (!whole.includes(KEY) && !whole.includes(OTHER)) expect(shown).toBe(whole)
      }),
    )
  })

  it('is hidden letter by letter, but for its beginning', () => {
    expect(concealed([...`a ${KEY} b`])).toBe(`a ${KEY.slice(0, 5)}*** b`)
    expect(concealed([`a ${KEY} b`])).toBe('a *** b')
  })

  it('is hidden wherever else it stands', () => {
    const conceal = concealer([KEY])
    const start: Event = {
      type: 'block-start',
      block: { kind: 'tool-call', id: `call ${KEY}`, name: 'x', form: 'json', input: '' },
    }
    expect(JSON.stringify(conceal([start]))).not.toContain(KEY)
    const plain: Event = { type: 'block-start', block: { kind: 'text', text: '' } }
    expect(conceal([plain])[0]).toBe(plain)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Event } from '../../src/model/events.ts'
import { secretHider } from '../../src/exchange/reply/hide-secrets.ts'
import { secretForms } from '../../src/upstream/spellings.ts'
import { ODD, SPELLINGS } from '../upstream/spellings.ts'
import { cases } from '../cases.ts'

const KEY = 'sk-secret-0123456789'
const OTHER = 'sk-secret-other-9876'

const textIn = (events: readonly Event[]): string =>
  events.map((event) => (event.type === 'block-delta' ? event.text : '')).join('')

/** The same text in pieces, with the end of its block. */
function hidden(pieces: readonly string[], keys = [KEY, OTHER]): string {
  const conceal = secretHider(secretForms(keys))
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
        const shown = hidden([...pieces, rest])
        expect(shown).not.toContain(KEY)
        expect(shown).not.toContain(OTHER)
        if (!whole.includes(KEY) && !whole.includes(OTHER)) expect(shown).toBe(whole)
      }),
      cases(100),
    )
  })

  it('is hidden letter by letter, but for its beginning', () => {
    expect(hidden([...`a ${KEY} b`])).toBe(`a ${KEY.slice(0, 5)}*** b`)
    expect(hidden([`a ${KEY} b`])).toBe('a *** b')
  })

  it('is hidden wherever else it stands', () => {
    const conceal = secretHider(secretForms([KEY]))
    const start: Event = {
      type: 'block-start',
      block: { kind: 'tool-call', id: `call ${KEY}`, name: 'x', form: 'json', input: '' },
    }
    expect(JSON.stringify(conceal([start]))).not.toContain(KEY)
    const plain: Event = { type: 'block-start', block: { kind: 'text', text: '' } }
    expect(conceal([plain])[0]).toBe(plain)
  })

  it.each(['logprobs', 'citation'] as const)('is hidden where each piece has a %s', (type) => {
    const conceal = secretHider(secretForms([KEY]))
    const pieces = ['<sk', '-sec', 'ret-01', '234567', '89> ', 'behind']
    const added = (token: string): Event =>
      type === 'citation'
        ? { type, citation: { url: 'https://page.example' } }
        : { type, logprobs: [{ token, logprob: -0.1, top: [{ token, logprob: -0.1 }] }] }
    const told = pieces.flatMap((text) => [
      ...conceal([added(text)]),
      ...conceal([{ type: 'block-delta', text }]),
    ])
    expect(textIn(told)).toBe('<sk***> behind')
    const tokens = told.flatMap((event) => (event.type === 'logprobs' ? event.logprobs : []))
    expect(tokens.map(({ token }) => token).join('')).toBe(type === 'logprobs' ? '<skbehind' : '')
  })

  it('takes along what came with a text that was only held back', () => {
    const conceal = secretHider(secretForms([KEY]))
    const logprobs: Event = { type: 'logprobs', logprobs: [{ token: 'sk-secret', logprob: -1 }] }
    const start: Event = { type: 'block-delta', text: 'sk-secret' }
    const end: Event = { type: 'block-end', tail: {} }
    expect([...conceal([logprobs]), ...conceal([start])]).toEqual([])
    expect(conceal([end])).toEqual([logprobs, start, end])
  })

  it('is not whole where it goes on in another block', () => {
    const conceal = secretHider(secretForms([KEY]))
    const events = [KEY.slice(0, 12), KEY.slice(12)].flatMap((text): Event[] => [
      { type: 'block-start', block: { kind: 'text', text: '' } },
      { type: 'block-delta', text },
      { type: 'block-end', tail: {} },
    ])
    expect(textIn(events.flatMap((event) => [...conceal([event])]))).toBe('sk-secret-01***')
  })

  it.each(SPELLINGS)('is hidden however it is spelled: %s', (_, spell) => {
    const text = spell(ODD)
    const innocent = spell('sk-Ab+c/d=e&f"g\'h 0129876543 and on')
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 })), fc.boolean(), (cuts, isKey) => {
        const whole = `<${isKey ? text : innocent}> behind`
        const pieces: string[] = []
        let rest = whole
        for (const cut of cuts) {
          pieces.push(rest.slice(0, cut))
          rest = rest.slice(cut)
        }
        const shown = hidden([...pieces, rest], [ODD])
        if (isKey) {
          // Of what has been said before it could be told, a few letters may be left; and an ending.
          expect(shown).toContain('***')
          expect(shown.length).toBeLessThan('<***> behind'.length + 48)
          expect(shown.endsWith('> behind')).toBe(true)
          expect(shown).not.toContain(text.slice(-text.length / 2))
        } else expect(shown).toBe(whole)
      }),
      cases(30),
    )
    const start: Event = { type: 'block-start', block: { kind: 'text', text: `<${text}>` } }
    expect(JSON.stringify(secretHider(secretForms([ODD]))([start]))).toContain('***')
  })

  it('costs nothing in a text that holds none', () => {
    const events: Event[] = [{ type: 'block-delta', text: '100 % of a & b, C:\\dir, sk-' }]
    expect(secretHider(secretForms([KEY, OTHER]))(events)[0]).toBe(events[0])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { carrySeal, fingerprint, isCarrier, readCarrier } from '../../src/canonical/seal.ts'

const seal = fc.record({
  dialect: fc.stringMatching(/^[a-z0-9-]{1,20}$/),
  value: fc.string({ unit: 'binary' }),
})
const slot = fc.constantFrom('self', 'call', 'next', 'previous', 'redacted', 'empty')

describe('a carried proof', () => {
  it('comes home as it was', () => {
    fc.assert(
      fc.property(seal, slot, (one, place) => {
        expect(readCarrier(carrySeal(one, place))).toEqual({ seal: one, slot: place })
      }),
      cases(1000),
    )
  })

  it('is not read when anything of its value was lost or changed', () => {
    fc.assert(
      fc.property(seal, slot, fc.nat(), (one, place, where) => {
        const carrier = carrySeal(one, place)
        const start = carrier.length - one.value.length
        if (one.value === '') return
        const at = start + (where % one.value.length)
        const cut = carrier.slice(0, at) + carrier.slice(at + 1)
        expect(isCarrier(cut)).toBe(true)
        expect(readCarrier(cut)).toBeUndefined()
        const other = carrier[at] === 'x' ? 'y' : 'x'
        const changed = carrier.slice(0, at) + other + carrier.slice(at + 1)
        expect(readCarrier(changed)).toBeUndefined()
      }),
      cases(1000),
    )
  })

  it.each([
    '',
    'xseal1',
    'EqRkCkYIBhgC',
    'xseal1.a.self.1.00000000000000.b',
    'xseal1.',
    'xseal2.a',
  ])('is not found in %j', (value) => expect(readCarrier(value)).toBeUndefined())

  it('has a fingerprint that is the same everywhere', () => {
    expect(fingerprint('')).toMatch(/^[0-9a-f]{14}$/)
    expect(fingerprint('a')).not.toBe(fingerprint('b'))
    expect(fingerprint('dragoman')).toBe(fingerprint(['drag', 'oman'].join('')))
  })
})

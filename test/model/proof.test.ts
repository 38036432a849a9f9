import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { writeEnvelope, fingerprint, isEnvelope, readEnvelope } from '../../src/model/proof.ts'

const mark = fc.stringMatching(/^[0-9a-f]{14}$/)
const proof = fc.record(
  {
    dialect: fc.stringMatching(/^[a-z0-9-]{1,20}$/),
    value: fc.string({ unit: 'binary' }),
    account: mark,
    after: mark,
  },
  { requiredKeys: ['dialect', 'value'], noNullPrototype: true },
)
const slot = fc.constantFrom('self', 'call', 'next', 'previous', 'redacted', 'empty')

describe('a carried proof', () => {
  it('comes home as it was', () => {
    fc.assert(
      fc.property(proof, slot, (one, place) => {
        expect(readEnvelope(writeEnvelope(one, place))).toEqual({ proof: one, slot: place })
      }),
      cases(1000),
    )
  })

  it('is not read when anything of its value was lost or changed', () => {
    fc.assert(
      fc.property(proof, slot, fc.nat(), (one, place, where) => {
        const envelope = writeEnvelope(one, place)
        const start = envelope.length - one.value.length
        if (one.value === '') return
        const at = start + (where % one.value.length)
        const cut = envelope.slice(0, at) + envelope.slice(at + 1)
        expect(isEnvelope(cut)).toBe(true)
        expect(readEnvelope(cut)).toBeUndefined()
        const other = envelope[at] === 'x' ? 'y' : 'x'
        const changed = envelope.slice(0, at) + other + envelope.slice(at + 1)
        expect(readEnvelope(changed)).toBeUndefined()
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
  ])('is not found in %j', (value) => expect(readEnvelope(value)).toBeUndefined())

  it('has a fingerprint that is the same everywhere', () => {
    expect(fingerprint('')).toMatch(/^[0-9a-f]{14}$/)
    expect(fingerprint('a')).not.toBe(fingerprint('b'))
    expect(fingerprint('dragoman')).toBe(fingerprint(['drag', 'oman'].join('')))
  })
})

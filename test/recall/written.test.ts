import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify, Verbatim, type Json, type JsonObject } from '../../src/json/json.ts'
import { writeBody, type WrittenBody } from '../../src/json/written-body.ts'
import { cases } from '../cases.ts'

const SHORT = { minLength: 0, maxLength: 4 }
const anyPart: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>('a', '合計', '\ud800', true, null, 7),
  fc.constantFrom('{"b": 1.0}', '"é"').map((text) => new Verbatim(text)),
  fc.record({ role: fc.constantFrom('user', 'model'), text: fc.constantFrom('a', 'é', '\u007f0') }),
  // As long as what is encoded at once, and longer.
  fc.constantFrom('x'.repeat(21_846), 'é'.repeat(70_000)),
)
const anyValue = fc.oneof(anyPart, fc.array(anyPart, SHORT))
const anyBody: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(fc.constantFrom('model', 'turns', 'tools', 'é'), anyValue), SHORT)
  .map((members) => Object.fromEntries(members))

const textOf = ({ bytes }: WrittenBody): string => new TextDecoder().decode(bytes)

/** A text that is kept as it came, and tells how often it was written. */
class Counted extends Verbatim {
  count = 0
  override toJSON(): unknown {
    this.count += 1
    return super.toJSON()
  }
}

describe('a body that is written after another one', () => {
  it('is what it is when it is written alone', () => {
    fc.assert(
      fc.property(fc.array(anyBody, { minLength: 1, maxLength: 6 }), (bodies) => {
        let before: WrittenBody | undefined
        for (const body of bodies) {
          before = writeBody(body, before)
          expect(textOf(before)).toBe(stringify(body).toWellFormed())
        }
      }),
      cases(500),
    )
  })

  it('takes what stands behind a list that grew from the one before', () => {
    const tool = new Counted('{"type":"object"}')
    const bodyOf = (turns: readonly string[]) => ({ turns: [...turns], tools: [{ tool }], n: 1 })
    let before = writeBody(bodyOf(['a']))
    const once = tool.count
    for (const turns of [['a', 'é'], ['a', 'é', 'c'], ['b']]) {
      before = writeBody(bodyOf(turns), before)
      expect(textOf(before)).toBe(stringify(bodyOf(turns)))
      tool.count -= 1
    }
    expect(tool.count).toBe(once)
  })
})

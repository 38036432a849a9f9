import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStructure } from '../../src/gateway/scan.ts'
import { survey } from '../../src/gateway/survey.ts'

const LIMITS = { depth: 50, nodes: 10_000 }

const membersOf = (text: string): [string, unknown][] | undefined => {
  const found = survey(text, LIMITS)
  return (
    found && [...found].map(([key, { start, end }]) => [key, JSON.parse(text.slice(start, end))])
  )
}

const parsedObject = (text: string): [string, unknown][] | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? Object.entries(value) : undefined
  } catch {
    return undefined
  }
}

const sorted = (entries: [string, unknown][] | undefined) =>
  entries?.toSorted(([one], [other]) => (one < other ? -1 : 1))

const problem = (look: () => unknown): unknown => {
  try {
    look()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Changes outside of strings, which nobody looks into. */
const sign = fc.constantFrom(...'{}[],:"0-.e1 '.split(''), 'true', 'nul', '')

describe('a look over a body', () => {
  it('finds the members of every object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(sorted(membersOf(text))).toEqual(sorted(parsedObject(text)))
      }),
    )
  })
  it('takes for JSON what is JSON, and nothing else', () => {
    const stringUnit = fc.constantFrom('x', 'y')
    const inner = fc.jsonValue({ maxDepth: 3, stringUnit })
    const words = fc.dictionary(fc.constantFrom('a', 'b', 'c'), inner)
    fc.assert(
      fc.property(words, fc.array(fc.tuple(fc.nat(), sign), { maxLength: 3 }), (value, changes) => {
        let text = JSON.stringify(value)
        for (const [place, what] of changes) {
          const at = place % (text.length + 1)
          text = text.slice(0, at) + what + text.slice(at + 1)
        }
        expect(survey(text, LIMITS) === undefined).toBe(parsedObject(text) === undefined)
      }),
      { numRuns: 2000 },
    )
  })
  it('counts as the other look does', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.nat(12),
        fc.nat(5),
        (value, nodes, depth) => {
          const text = JSON.stringify(value)
          expect(problem(() => survey(text, { depth, nodes: Infinity }))).toBe(
            problem(() => checkStructure(text, { depth, nodes: Infinity })),
          )
          expect(problem(() => survey(text, { depth: 99, nodes }))).toBe(
            problem(() => checkStructure(text, { depth: 99, nodes })),
          )
        },
      ),
    )
  })
  it('takes the last of a member that comes twice, and any spelling of its name', () => {
    expect(membersOf('{"model":"a","x":[{"model":"b"}],"mod\\u0065l":"c"}')).toEqual([
      ['model', 'c'],
      ['x', [{ model: 'b' }]],
    ])
  })
  it.each([
    '',
    ' ',
    '[]',
    '"a"',
    '1',
    'null',
    '{',
    '{}}',
    '{} {}',
    '{"a":1,}',
    '{"a" 1}',
    "{'a':1}",
  ])('takes %j for no object', (text) => expect(survey(text, LIMITS)).toBeUndefined())
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../growth/cpu.ts'
import { parse, Verbatim, type Json } from '../../src/json/json.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import { scanStructure, StructureError } from '../../src/json/structure.ts'
import { cases } from '../cases.ts'

const LIMITS = { depth: 50, nodes: 10_000 }

const membersOf = (text: string): [string, unknown][] | undefined => {
  const found = scanStructure(text, LIMITS)
  return (
    found &&
    [...found.members].map(([key, { start, end }]) => [key, JSON.parse(text.slice(start, end))])
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

const refuses = (look: () => unknown): boolean => {
  try {
    look()
    return false
  } catch {
    return true
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const measureDepth = (value: unknown): number =>
  isContainer(value) ? 1 + Math.max(0, ...Object.values(value).map(measureDepth)) : 0

/** Nothing in a container counts like something. */
const nodesIn = (value: unknown): number =>
  isContainer(value)
    ? 1 +
      Math.max(
        1,
        Object.values(value).reduce<number>((sum, item) => sum + nodesIn(item), 0),
      )
    : 1

/** Changes outside of strings, which nobody looks into. */
const sign = fc.constantFrom(...'{}[],:"0-.e1 '.split(''), 'true', 'nul', '')

describe('a look over a body', () => {
  it('finds the members of every object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(sorted(membersOf(text))).toEqual(sorted(parsedObject(text)))
      }),
      cases(100),
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
        expect(scanStructure(text, LIMITS) === undefined).toBe(parsedObject(text) === undefined)
      }),
      cases(2000),
    )
  })
  it('refuses what is nested deeper or holds more than it may', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.nat(12),
        fc.nat(5),
        (value, nodes, depth) => {
          const text = JSON.stringify(value)
          expect(refuses(() => scanStructure(text, { depth, nodes: Infinity }))).toBe(
            measureDepth(value) > depth,
          )
          expect(refuses(() => scanStructure(text, { depth: 99, nodes }))).toBe(
            nodesIn(value) > nodes,
          )
        },
      ),
      cases(100),
    )
  })
  it('takes the last of a member that comes twice, and any spelling of its name', () => {
    expect(membersOf('{"model":"a","x":[{"model":"b"}],"mod\\u0065l":"c"}')).toEqual([
      ['model', 'c'],
      ['x', [{ model: 'b' }]],
    ])
  })
  it('does not count what is inside of strings', () => {
    const text = JSON.stringify({ text: '[[[[{{{{,,,,\\"' })
    expect(scanStructure(text, { depth: 1, nodes: 2 })).toBeDefined()
    expect(scanStructure('{"a":"unterminated', { depth: 1, nodes: 2 })).toBeUndefined()
  })
  it('is quick on large bodies', () => {
    const text = `{"a":"${'x'.repeat(20_000_000)}","b":[${'[],'.repeat(100_000)}1]}`
    const start = cpuMs()
    scanStructure(text, { depth: 10, nodes: 1_000_000 })
    expect(cpuMs() - start).toBeLessThan(1000)
  })
  it('refuses what is too deep also where it is no object and never ends', () => {
    expect(() => scanStructure('['.repeat(LIMITS.depth + 1), LIMITS)).toThrow(StructureError)
  })
  it('finds the very text of what stays text, and takes nothing else for it', () => {
    const paths = verbatimPaths('a.*.b|a.a', 'b.a|\\b', '*.a')
    const key = fc.constantFrom('a', 'b', '\\b', 'other')
    const { value: any } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(1, 'a', '"', '\\', null),
        fc.dictionary(key, tie('value')),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
    }))
    const within = (value: Json, node: typeof paths | undefined): Json => {
      if (node?.leaf) return new Verbatim(JSON.stringify(value))
      if (Array.isArray(value)) return value.map((item) => within(item, node?.element))
      if (typeof value !== 'object' || value === null) return value
      const entries = Object.entries(value).map(([name, member]): [string, Json] => [
        name,
        within(member, node?.members.get(name)),
      ])
      return Object.fromEntries(entries)
    }
    fc.assert(
      fc.property(any, (value) => {
        const text = JSON.stringify(value)
        expect(parse(text, paths)).toEqual(within(JSON.parse(text), paths))
      }),
      cases(1000),
    )
  })
  it('takes the last of what comes twice, and nothing of the first', () => {
    const paths = verbatimPaths('a.*.b')
    const parsed = parse(
      '{"a":[{"b":1},{"b":2}],"\\u0061":[{},{"b":3,"\\u0062":9007199254740993}]}',
      paths,
    )
    expect(parsed).toEqual({ a: [{}, { b: new Verbatim('9007199254740993') }] })
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
  ])('takes %j for no object', (text) => expect(scanStructure(text, LIMITS)).toBeUndefined())
})

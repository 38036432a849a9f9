import { describe, expect, it } from 'vitest'
import { Verbatim, type Json } from '../../src/json/json.ts'
import {
  all,
  byType,
  list,
  nullish,
  object,
  optional,
  record,
  shaped,
  textOrList,
  type Shape,
} from '../../src/check/shape.ts'
import {
  anything,
  filled,
  flag,
  integer,
  number,
  objectText,
  oneOf,
  sized,
  text,
} from '../../src/check/shape-values.ts'

/** What is wrong, with its place in front; undefined where nothing is. */
function wrong(shape: Shape, value: unknown): string | undefined {
  const issue = shape(value)
  return issue && [...issue.path, issue.message].join(': ')
}

describe('values', () => {
  it.each<[Shape, ...unknown[]]>([
    [anything, undefined, null, {}],
    [text, '', 'x'],
    [filled, 'x'],
    [sized(1, 3), 'x', 'xxx'],
    [flag, true, false],
    [oneOf('a', 'b'), 'a', 'b'],
    [number(), 0, -1.5, 1e300],
    [number(0, 1), 0, 1, -0],
    [integer(), 0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    [integer(1), 1, 2],
    [objectText, {}, new Verbatim(' {"a":1}')],
  ])('pass where they are as expected', (shape, ...values) => {
    expect(values.map((value) => wrong(shape, value))).toEqual(values.map(() => undefined))
  })

  it.each<[Shape, unknown, string]>([
    [text, undefined, 'is missing; expected a string'],
    [text, null, 'expected a string, got null'],
    [text, 12, 'expected a string, got 12'],
    [text, [1, 2], 'expected a string, got an array of 2'],
    [filled, '', 'expected a string that is not empty, got an empty string'],
    [sized(1, 3), 'xxxx', 'expected a string of 1 to 3 characters, got 4'],
    [sized(0, 3), 'xxxx', 'expected a string of at most 3 characters, got 4'],
    [sized(0, 3), {}, 'expected a string of at most 3 characters, got an object'],
    [flag, 'secret', 'expected true or false, got a string'],
    [oneOf('a'), 'secret', 'expected "a", got another string'],
    [oneOf('a', 'b'), 1, 'expected one of "a", "b", got 1'],
    [number(), Infinity, 'expected a number, got Infinity'],
    [number(), '1', 'expected a number, got a string'],
    [number(0, 1), 1.01, 'expected a number from 0 to 1, got 1.01'],
    [integer(), 1.5, 'expected an integer, got 1.5'],
    [integer(), 2 ** 53, 'expected an integer, got 9007199254740992'],
    [integer(1), 0, 'expected an integer of at least 1, got 0'],
    [integer(1, 50), 51, 'expected an integer from 1 to 50, got 51'],
    [objectText, new Verbatim('[1]'), 'expected an object, got an array of 1'],
  ])('are told apart in words', (shape, value, said) => {
    expect(wrong(shape, value)).toBe(said)
  })
})

describe('structures', () => {
  const shape = object({
    name: filled,
    tags: optional(list(text, 2)),
    note: nullish(text),
    labels: optional(record(sized(0, 3), text, 2)),
  })

  it.each<[string, string | undefined]>([
    ['{"name":"x"}', undefined],
    ['{"name":"x","tags":[],"note":null,"labels":{},"other":[{}]}', undefined],
    ['{"name":"x","tags":["a","b"],"note":"","labels":{"a":"","b":""}}', undefined],
    ['[]', 'expected an object, got an array of 0'],
    ['{}', 'name: is missing; expected a string that is not empty'],
    ['{"__proto__":{"name":"x"}}', 'name: is missing; expected a string that is not empty'],
    ['{"name":"x","tags":null}', 'tags: expected an array, got null'],
    ['{"name":"x","tags":["a",1]}', 'tags: 1: expected a string, got 1'],
    ['{"name":"x","tags":[1,2,3]}', 'tags: expected at most 2 elements, got 3'],
    ['{"name":"x","note":1,"labels":1}', 'note: expected a string, got 1'],
    ['{"name":"x","labels":{"a":1}}', 'labels: a: expected a string, got 1'],
    [
      '{"name":"x","labels":{"long":""}}',
      'labels: long: expected a string of at most 3 characters, got 4',
    ],
    ['{"name":"x","labels":{"a":"","b":"","c":""}}', 'labels: expected at most 2 pairs, got 3'],
    ['{"name":"x","labels":{"a":"","b":"","__proto__":1}}', undefined],
  ])('%s', (json, said) => {
    expect(wrong(shape, JSON.parse(json))).toBe(said)
  })

  it('know no inherited member', () => {
    expect(wrong(object({ toString: text }), {})).toBe('toString: is missing; expected a string')
    expect(wrong(byType({ text: object({ text }) }), { type: 'constructor' })).toBeUndefined()
  })

  it('have the shape of their type', () => {
    const block = byType({ text: object({ text }) })
    for (const value of [{ type: 'text', text: '' }, { type: 'future' }, { type: 1 }, {}, 'x'])
      expect(wrong(block, value)).toBeUndefined()
    expect(wrong(block, { type: 'text' })).toBe('text: is missing; expected a string')
    const content = textOrList(all(object({ type: text }), block))
    expect(wrong(content, 'x')).toBeUndefined()
    expect(wrong(content, [{ type: 'text', text: '' }, 1])).toBe('1: expected an object, got 1')
    expect(wrong(content, [{}])).toBe('0: type: is missing; expected a string')
    expect(wrong(content, {})).toBe('expected a string or an array, got an object')
  })
})

describe('shaped', () => {
  const body: Json = { a: [{ b: 1 }] }

  it('hands back the value itself', () => {
    expect(shaped(object({ a: list(object({ b: integer() })) }), body)).toBe(body)
  })

  it('refuses with the path of what is wrong', () => {
    const problem = {
      kind: 'invalid-request',
      message: 'a.0.b: expected a string, got 1',
      param: 'a.0.b',
    }
    expect(() => shaped(object({ a: list(object({ b: text })) }), body)).toThrow(
      expect.objectContaining({ problem }),
    )
    expect(() => shaped(text, body)).toThrow(
      expect.objectContaining({
        problem: { kind: 'invalid-request', message: 'body: expected a string, got an object' },
      }),
    )
  })
})

import { expect, it } from 'vitest'
import { byPattern, rooted } from '../../src/schema/root.ts'

it('leaves the text of a schema alone that every service takes', () => {
  const schema = '{ "type":"object", "properties":{"2":{"type":"array","items":{}},"1":{}} }'
  expect(rooted(schema)).toEqual({ schema, lost: [] })
})

it.each([
  ['', '{"type":"object","properties":{}}'],
  ['null', '{"type":"object","properties":{}}'],
  ['{}', '{"type":"object","properties":{}}'],
  ['{"type":"object"}', '{"properties":{},"type":"object"}'],
  ['{"properties":{"a":{}}}', '{"type":"object","properties":{"a":{}}}'],
])('makes the root an object that says which members it has: %s', (schema, expected) => {
  expect(rooted(schema)).toEqual({ schema: expected, lost: [] })
})

it('says of every list what it consists of, and of no example', () => {
  const list = { type: ['array', 'null'] }
  const whole = (items: object) => ({
    type: 'object',
    properties: {
      a: { type: 'array', ...items },
      b: { anyOf: [{ type: 'array', items: { type: 'array', ...items } }] },
      c: { ...list, ...items, default: { type: 'array' } },
      type: { type: 'string', enum: ['array'] },
    },
  })
  expect(JSON.parse(rooted(JSON.stringify(whole({}))).schema)).toEqual(whole({ items: {} }))
})

it('does not mind how deep a schema is', () => {
  const deep = `{"items":`.repeat(20_000) + '{}' + '}'.repeat(20_000)
  expect(rooted(`{"type":"object","properties":{"a":${deep}}}`).schema).toContain('"items"')
})

const A = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const AB = { properties: { a: {}, b: { type: 'number' } }, required: ['b', 'a'] }

/** One of a union that is told apart by its type. */
const variant = (type: string, member: string) => ({
  properties: { kind: { const: 'k' }, type: { const: type }, [member]: {} },
  required: ['type', member],
})

it.each([
  [{ type: 'string', description: 'words' }, ['type'], { description: 'words', properties: {} }],
  [[], ['type'], { properties: {} }],
  [false, ['type'], { properties: {} }],
  [{ ...A, type: ['object', 'null'] }, ['type'], { properties: A.properties, required: ['a'] }],
  [
    { anyOf: [A, AB] },
    ['anyOf'],
    { properties: { a: { anyOf: [{ type: 'string' }, {}] }, b: AB.properties.b }, required: ['a'] },
  ],
  [
    {
      properties: { kind: { type: 'string' } },
      oneOf: [variant('one', 'x'), variant('two', 'y'), variant('two', 'z')],
    },
    ['oneOf'],
    {
      properties: {
        kind: { type: 'string' },
        type: { anyOf: [{ const: 'one' }, { const: 'two' }] },
        x: {},
        y: {},
        z: {},
      },
      required: ['type'],
    },
  ],
  [
    { allOf: [A, AB] },
    ['allOf'],
    { properties: { ...AB.properties, ...A.properties }, required: ['a', 'b'] },
  ],
  [{ type: 'object', not: {}, enum: [{}] }, ['enum', 'not'], { properties: {} }],
  [
    { oneOf: [{ $ref: '#/$defs/x' }, { $ref: '#/$defs/x' }], $defs: { x: A } },
    ['oneOf'],
    { $defs: { x: A }, properties: A.properties, required: ['a'] },
  ],
])('makes one object of a root that services refuse, and says so: %j', (schema, lost, expected) => {
  const root = rooted(JSON.stringify(schema))
  expect(root.lost).toEqual(lost)
  expect(JSON.parse(root.schema)).toEqual({ type: 'object', ...expected })
  // The model fills in the members in their order.
  expect(Object.keys(JSON.parse(root.schema).properties)).toEqual(Object.keys(expected.properties))
})

it('names by a pattern what services of messages do not take among the properties of the root', () => {
  const inner = { type: 'object', properties: { 'a b': {} } }
  const whole = { type: 'object', properties: { 'a.b-c_1': inner }, required: ['a.b-c_1'] }
  const fine = JSON.stringify(whole, undefined, 1)
  expect(byPattern(fine)).toBe(fine)
  const odd = ['filter[id]', '$top', 'with space', '', 'größe', 'a/b-c', 'x'.repeat(65)]
  const properties = Object.fromEntries(odd.map((name, at) => [name, { const: at }]))
  const [from, required] = [{ '^x-': {} }, ['filter[id]']]
  const schema = {
    ...whole,
    properties: { ...whole.properties, ...properties },
    required,
    patternProperties: from,
  }
  const { patternProperties, ...rest } = JSON.parse(byPattern(JSON.stringify(schema)))
  expect(rest).toEqual({ ...whole, required })
  expect(patternProperties).toMatchObject(from)
  for (const [at, name] of odd.entries()) {
    const fits = Object.keys(patternProperties).filter((one) => new RegExp(one, 'u').test(name))
    const own = fits.filter((one) => one !== '^x-')
    expect(own.map((one) => patternProperties[one])).toEqual([{ const: at }])
  }
  expect(byPattern('nonsense')).toBe('nonsense')
})

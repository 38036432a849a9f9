import { expect, it } from 'vitest'
import { rooted } from '../../src/canonical/schema-root.ts'

it('leaves the text of a schema alone that every service takes', () => {
  const schema = '{ "type":"object", "properties":{"2":{"type":"array","items":{}},"1":{}} }'
  expect(rooted(schema)).toBe(schema)
})

it.each([
  ['', '{"type":"object","properties":{}}'],
  ['null', '{"type":"object","properties":{}}'],
  ['{}', '{"type":"object","properties":{}}'],
  ['{"type":"object"}', '{"properties":{},"type":"object"}'],
  ['{"properties":{"a":{}}}', '{"type":"object","properties":{"a":{}}}'],
])('makes the root an object that says which members it has: %s', (schema, expected) => {
  expect(rooted(schema)).toBe(expected)
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
  expect(JSON.parse(rooted(JSON.stringify(whole({}))))).toEqual(whole({ items: {} }))
})

it('does not mind how deep a schema is', () => {
  const deep = `{"items":`.repeat(20_000) + '{}' + '}'.repeat(20_000)
  expect(rooted(`{"type":"object","properties":{"a":${deep}}}`)).toContain('"items"')
})

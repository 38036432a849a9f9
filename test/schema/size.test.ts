import { describe, expect, it } from 'vitest'
import { close } from '../../src/schema/close.ts'
import { narrow } from '../../src/schema/narrow.ts'

const narrowed = (schema: unknown) => narrow(JSON.stringify(schema))
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('schemas that must hold together', () => {
  it('are one, however many they are', () => {
    const parts = numbers(500).map((index) => ({
      type: 'object',
      properties: { shared: { type: 'string', minLength: index }, [`own_${index}`]: {} },
      required: [`own_${index}`],
    }))
    const { schema } = narrowed({ allOf: parts })
    expect(Object.keys(schema['properties'] ?? {})).toHaveLength(501)
    expect(schema['required']).toHaveLength(500)
    expect(schema).toMatchObject({ properties: { shared: { type: 'STRING', minLength: 499 } } })
  })

  it('allow what all of them allow, in the order of the first', () => {
    const values = [{ enum: ['c', 'b', 'a'] }, { enum: ['a', 'c', 'x'] }, { enum: ['a', 'y', 'c'] }]
    expect(narrowed({ allOf: values }).schema['enum']).toEqual(['c', 'a'])
  })

  it('keep the first type where they exclude each other, and say so', () => {
    expect(narrowed({ allOf: [{ type: 'string' }, { type: 'integer' }] })).toEqual({
      schema: { type: 'STRING' },
      lost: ['type'],
    })
  })
})

describe('what a small schema asks to be written many times', () => {
  const long = { type: 'string', description: 'words '.repeat(2000) }
  it.each([
    [
      'by references',
      {
        type: 'object',
        properties: Object.fromEntries(
          numbers(2000).map((index) => [`p${index}`, { $ref: '#/$defs/long' }]),
        ),
        $defs: { long },
      },
    ],
    [
      'beside alternatives',
      { ...long, anyOf: numbers(2000).map((index) => ({ pattern: String(index) })) },
    ],
  ])('has an end, and it is said: %s', (_, schema) => {
    const { schema: written, lost } = narrowed(schema)
    expect(JSON.stringify(written).length).toBeLessThan(2_000_000)
    expect(lost).toContain('depth')
  })

  it('is written as far as anybody means it', () => {
    const few = numbers(40).map((index) => [`p${index}`, { $ref: '#/$defs/long' }])
    const schema = { type: 'object', properties: Object.fromEntries(few), $defs: { long } }
    expect(narrowed(schema).lost).toEqual([])
  })
})

it('words about a keyword do not grow with every level', () => {
  const nested = numbers(60).reduce<object>((inner) => ({ not: inner }), { type: 'string' })
  expect(close(JSON.stringify(nested)).schema.length).toBeLessThan(2000)
})

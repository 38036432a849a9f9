import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'

const point: JsonObject = {
  type: 'object',
  description: 'A place.',
  properties: { x: { type: 'number', minimum: 0 }, y: { type: 'number' } },
  required: ['x', 'y'],
}
const named = (name: string): JsonObject => ({
  type: 'object',
  properties: { [name]: { type: 'string', enum: [`${name}_one`, `${name}_two`] } },
  required: [name],
})

/** Every keyword under which a schema holds a list or other schemas. */
const SCHEMA: JsonObject = {
  type: 'object',
  title: 'Everything',
  description: 'All that a schema can say.',
  properties: {
    word: { type: 'string', enum: ['first', 'second'], pattern: '^[a-z]+$', default: 'first' },
    several: { type: ['string', 'integer', 'null'], format: 'date-time' },
    any: { anyOf: [point, { type: 'null' }, named('left')] },
    one: { oneOf: [{ const: 'north' }, { const: 'south' }] },
    kinds: { oneOf: [named('right'), { $ref: '#/$defs/place' }] },
    both: { allOf: [point, named('inner'), { $ref: '#/$defs/place' }] },
    shared: { allOf: [named('shared'), named('shared')] },
    values: { allOf: [{ enum: ['alpha', 'beta'] }, { enum: ['alpha', 'beta'] }] },
    types: { allOf: [{ type: ['string', 'integer'] }, { type: ['string', 'integer'] }] },
    united: { anyOf: [{ type: 'string' }, { type: 'integer' }], description: 'Beside.' },
    pair: { type: 'array', prefixItems: [point, named('second')], items: { type: 'string' } },
    old: { type: 'array', items: [point, { type: 'string' }] },
    place: { $ref: '#/$defs/place', description: 'Where.' },
    negated: { not: { type: 'string' }, contains: point },
    open: { type: 'object', additionalProperties: point, patternProperties: { '^x': point } },
    depends: { dependentRequired: { open: ['pair'] }, dependentSchemas: { open: point } },
    shown: { type: 'string', examples: ['shown', 'seen'], deprecated: true },
  },
  required: ['word', 'several', 'place'],
  additionalProperties: false,
  $defs: { place: point, list: { type: 'array', items: { $ref: '#/$defs/place' } } },
}

/** A root that is one of several, and one that is many at once. */
const SCHEMAS: JsonObject[] = [
  SCHEMA,
  { anyOf: [named('this'), named('that')] },
  { allOf: [named('this'), named('that')], type: 'object', properties: { own: point } },
  { $ref: '#/$defs/place', $defs: { place: point } },
]

/** Requests of a dialect with such schemas at every place for one. */
export const schemaRequests = (dialect: Dialect): JsonObject[] =>
  SCHEMAS.map((schema) => ({ ...kits[dialect].ask.everySchema(schema) }))

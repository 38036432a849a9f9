import { describe, expect, it } from 'vitest'
import { isObject, type Json } from '../../src/json/json.ts'
import { narrow, narrowParameters, widen } from '../../src/schema/narrow.ts'
import { SCHEMA_MEMBERS } from '../../src/schema/types.ts'

const narrowed = (schema: unknown) => narrow(JSON.stringify(schema))
const parameters = (schema: unknown) => narrowParameters(JSON.stringify(schema))
const widened = (schema: unknown): unknown => JSON.parse(widen(JSON.stringify(schema)))

/** Every member name at every place where a schema stands. */
function members(schema: Json): string[] {
  if (!isObject(schema)) return []
  const { properties, items, anyOf } = schema
  const inner = isObject(properties) ? Object.values(properties) : []
  const branches = Array.isArray(anyOf) ? anyOf : []
  return [...Object.keys(schema), ...[...inner, ...branches, items ?? null].flatMap(members)]
}

const text = { type: 'string' }
/** Every keyword of draft 2020-12, and those of older drafts that are still met. */
const KEYWORDS: Record<string, unknown> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://example.com/a',
  $anchor: 'here',
  $dynamicAnchor: 'there',
  $vocabulary: { 'https://example.com/v': true },
  $comment: 'a comment',
  $defs: { a: text },
  definitions: { a: text },
  prefixItems: [text],
  items: text,
  contains: text,
  additionalProperties: text,
  properties: { a: text },
  patternProperties: { '^a': text },
  dependentSchemas: { a: text },
  propertyNames: text,
  ...Object.fromEntries(['if', 'then', 'else'].map((key) => [key, text])),
  not: text,
  unevaluatedItems: text,
  unevaluatedProperties: false,
  type: 'object',
  const: { a: 1 },
  enum: ['a', 1, null, ''],
  multipleOf: 2,
  maximum: 9,
  exclusiveMaximum: 9,
  minimum: 1,
  exclusiveMinimum: 1,
  maxLength: 9,
  minLength: 1,
  pattern: '^a',
  maxItems: 9,
  minItems: 1,
  uniqueItems: true,
  maxContains: 2,
  minContains: 1,
  maxProperties: 9,
  minProperties: 1,
  required: ['a', 'b'],
  dependentRequired: { a: ['b'] },
  title: 'A',
  description: 'An A.',
  default: 'a',
  deprecated: true,
  readOnly: true,
  writeOnly: true,
  examples: ['a'],
  format: 'uri',
  contentEncoding: 'base64',
  contentMediaType: 'image/png',
  contentSchema: text,
  strict: true,
}

const nested = (schema: unknown) => ({
  type: 'object',
  properties: {
    deep: { type: 'array', items: { type: 'object', properties: { deeper: schema } } },
  },
})

describe('JSON Schema towards the Schema of content generation', () => {
  it.each(Object.entries(KEYWORDS))(
    'writes nothing that is refused for %s, three deep',
    (key, value) => {
      for (const type of [undefined, 'string', 'integer', 'number', 'array', 'object', 'boolean']) {
        const schema = { ...(type !== undefined && { type }), [key]: value }
        const { schema: written } = parameters(nested(schema))
        expect(members(written ?? null).filter((name) => !SCHEMA_MEMBERS.has(name))).toEqual([])
      }
    },
  )

  it('writes nothing that is refused for all of them at once', () => {
    const { schema, lost } = parameters(nested(KEYWORDS))
    expect(members(schema ?? null).filter((name) => !SCHEMA_MEMBERS.has(name))).toEqual([])
    expect(lost).toContain('patternProperties')
  })

  it('puts a lost constraint where the model reads it', () => {
    const { schema, lost } = narrowed({ type: 'string', pattern: '^a+$', description: 'An A.' })
    expect(schema).toEqual({ type: 'STRING', description: 'An A. (pattern: ^a+$)' })
    expect(lost).toEqual(['pattern'])
  })

  it('keeps a title and a default as words, without counting them as lost', () => {
    const { schema, lost } = narrowed({ type: 'integer', title: 'Days', default: 3 })
    expect(schema).toEqual({ type: 'INTEGER', description: 'Days (default: 3)' })
    expect(lost).toEqual([])
  })

  it.each([
    [{ type: ['string', 'null'] }, { type: 'STRING', nullable: true }],
    [{ type: 'null' }, { type: 'STRING', description: '(always null)', nullable: true }],
    [
      { type: ['string', 'integer'], description: 'Either.' },
      {
        anyOf: [
          { type: 'STRING', description: 'Either.' },
          { type: 'INTEGER', description: 'Either.' },
        ],
      },
    ],
    [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, { type: 'STRING', enum: ['a', 'b'] }],
    [
      { oneOf: [{ type: 'object', properties: { a: text } }, { type: 'null' }] },
      { type: 'OBJECT', nullable: true, properties: { a: { type: 'STRING' } } },
    ],
    [{ const: 'a' }, { type: 'STRING', enum: ['a'] }],
    [
      { enum: ['a', '', null] },
      { type: 'STRING', description: '(one of: ["a",""])', enum: ['a'], nullable: true },
    ],
    [
      { type: 'integer', enum: [1, 2] },
      { type: 'INTEGER', description: '(one of: [1,2])' },
    ],
    [
      { type: 'string', enum: [''] },
      { type: 'STRING', description: '(one of: [""])' },
    ],
    [
      { type: 'integer', exclusiveMinimum: 0 },
      { type: 'INTEGER', minimum: 1 },
    ],
    [
      { type: 'integer', maximum: 9, exclusiveMaximum: true },
      { type: 'INTEGER', maximum: 8 },
    ],
    [
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'NUMBER', description: '(greater than 0)', minimum: 0 },
    ],
    [
      { type: 'string', format: 'date-time' },
      { type: 'STRING', format: 'date-time' },
    ],
    [
      { type: 'string', format: 'uri' },
      { type: 'STRING', description: '(format: uri)' },
    ],
    [{ type: 'string', format: 'enum' }, { type: 'STRING' }],
    [{ type: 'array' }, { type: 'ARRAY', items: { type: 'STRING' } }],
    [
      { type: 'array', items: { type: 'array' } },
      { type: 'ARRAY', items: { type: 'ARRAY', items: { type: 'STRING' } } },
    ],
    [{ type: 'STRING' }, { type: 'STRING' }],
    [
      { allOf: [{ properties: { a: text } }, { required: ['a'] }] },
      {
        type: 'OBJECT',
        properties: { a: { type: 'STRING' } },
        required: ['a'],
      },
    ],
  ])('writes %j', (schema, written) => {
    expect(narrowed(schema).schema).toEqual(written)
  })

  it('drops a required name that has no property', () => {
    const { schema, lost } = parameters({
      type: 'object',
      properties: { a: text, b: false },
      required: ['a', 'b'],
    })
    expect(schema).toEqual({
      type: 'OBJECT',
      properties: { a: { type: 'STRING' } },
      required: ['a'],
    })
    expect(lost).toEqual(['required'])
  })

  it('keeps properties that are named like keywords', () => {
    const names = ['format', 'const', '$schema', 'type', 'default', 'enum', '__proto__', '$ref']
    const properties = Object.fromEntries(names.map((name) => [name, text]))
    const { schema } = parameters({ type: 'object', properties })
    expect(Object.keys(schema?.['properties'] ?? {})).toEqual(names)
  })

  it('has nothing to say of a tool without parameters', () => {
    expect(parameters({ type: 'object', properties: {} })).toEqual({ lost: [] })
    expect(parameters({ type: 'object' }).schema).toBeUndefined()
    expect(narrowParameters('not JSON').schema).toBeUndefined()
  })

  it('allows in parameters what any alternative allows', () => {
    const one = { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'] }
    const other = { type: 'object', properties: { a: text }, required: ['a'] }
    const { schema, lost } = parameters({ anyOf: [one, other] })
    expect(schema).toMatchObject({ type: 'OBJECT', required: ['a'] })
    expect(Object.keys(schema?.['properties'] ?? {}).toSorted()).toEqual(['a', 'b'])
    expect(lost).toEqual(['anyOf'])
  })

  it('puts references in place, with what stands beside them', () => {
    const $defs = { Street: { type: 'object', properties: { name: text } }, 'a/b~c': text }
    const { schema, lost } = parameters({
      $defs,
      type: 'object',
      properties: {
        home: { $ref: '#/$defs/Street', description: 'Where.' },
        odd: { $ref: '#/$defs/a~1b~0c' },
      },
    })
    expect(schema?.['properties']).toEqual({
      home: { type: 'OBJECT', description: 'Where.', properties: { name: { type: 'STRING' } } },
      odd: { type: 'STRING' },
    })
    expect(lost).toEqual([])
  })

  it('cuts a schema that refers to itself, and says so', () => {
    const Tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
    }
    const { schema, lost } = narrowed({ $ref: '#/$defs/Tree', $defs: { Tree } })
    expect(JSON.stringify(schema).length).toBeLessThan(300)
    expect(lost).toEqual(['$ref'])
    expect(narrowed({ $ref: '#' }).lost).toContain('$ref')
    expect(narrowed({ $ref: 'https://example.com/elsewhere' }).lost).toContain('$ref')
  })

  it.each([
    { anyOf: [{ $ref: '#/$defs/list' }, { type: 'null' }], description: 'The rest.' },
    { $ref: '#/$defs/list', nullable: true, description: 'The rest.' },
  ])('leaves an end to a schema that refers to itself: %j', (rest) => {
    const list = { type: 'object', properties: { rest }, required: ['rest'] }
    const { schema } = narrowed({ $ref: '#/$defs/list', $defs: { list } })
    expect(schema).toMatchObject({
      properties: {
        rest: { nullable: true, description: 'The rest. (again as described above: list)' },
      },
    })
  })

  it('bounds what a small text of references unfolds to', () => {
    const $defs: Record<string, unknown> = {}
    for (let index = 0; index < 30; index += 1) {
      const next = { $ref: `#/$defs/d${index + 1}` }
      $defs[`d${index}`] = { allOf: [next, next], properties: { x: next, y: next } }
    }
    const { schema } = narrowed({ $ref: '#/$defs/d0', $defs })
    expect(JSON.stringify(schema).length).toBeLessThan(500_000)
  })
})

describe('the Schema of content generation as JSON Schema', () => {
  it('spells types, null, counts and examples as JSON Schema does', () => {
    expect(
      widened({
        type: 'OBJECT',
        properties: {
          type: { type: 'STRING', nullable: true, enum: ['A', 'OBJECT'], format: 'enum' },
          count: { type: 'INTEGER', example: 4 },
          list: { type: 'ARRAY', items: { type: 'NUMBER' }, minItems: '1' },
          either: { anyOf: [{ type: 'STRING' }, { type: 'BOOLEAN' }], nullable: true },
          none: { type: 'TYPE_UNSPECIFIED', description: 'Any.' },
        },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        type: { type: ['string', 'null'], enum: ['A', 'OBJECT', null] },
        count: { type: 'integer', examples: [4] },
        list: { type: 'array', items: { type: 'number' }, minItems: 1 },
        either: { anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }] },
        none: { description: 'Any.' },
      },
    })
  })

  it('knows the types by their numbers, and passes on what is none', () => {
    const typed = [0, 1, 6, 7, 99].map((type) => widened({ type }))
    expect(typed).toEqual([
      {},
      { type: 'string' },
      { type: 'object' },
      { type: 'null' },
      { type: 99 },
    ])
  })

  it('keep their order also where they look like numbers, or have it reported', () => {
    const properties = { a: { type: 'STRING' }, 2: { type: 'STRING' }, 1: { type: 'STRING' } }
    const source = JSON.stringify({ type: 'OBJECT', properties, propertyOrdering: ['a', '2'] })
    expect(widen(source).match(/"(a|1|2)"/g)).toEqual(['"a"', '"2"', '"1"'])
    expect(narrow(widen(source)).lost).toEqual(['order'])
  })

  it('puts the properties into the order that is asked for', () => {
    const properties = { a: { type: 'STRING' }, b: { type: 'STRING' }, c: { type: 'STRING' } }
    const schema = widened({ type: 'OBJECT', properties, propertyOrdering: ['c', 'a'] })
    expect(JSON.stringify(schema)).toMatch(/"c".*"a".*"b"/)
  })

  it('leaves JSON Schema as it came, to the last blank', () => {
    const source =
      '{ "type" : "object", "properties": {"2": {"const": 12345678901234567890}, "1": true} }'
    expect(widen(source)).toBe(source)
    expect(widen('not JSON')).toBe('not JSON')
  })

  it('reads members in snake_case too, as ProtoJSON does, but not the names of properties', () => {
    const schema = {
      properties: {
        any_of: { any_of: [{ type: 'STRING', min_length: '2' }, { type: 'NULL' }] },
        list: { type: 'ARRAY', items: { type: 'INTEGER' }, max_items: 3 },
      },
      property_ordering: ['list', 'any_of'],
    }
    const properties = {
      list: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
      any_of: { anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] },
    }
    expect(JSON.stringify(widened(schema))).toBe(JSON.stringify({ properties }))
  })

  it('is undone by narrowing', () => {
    const schema = {
      type: 'OBJECT',
      properties: {
        unit: { type: 'STRING', description: 'A unit.', enum: ['c', 'f'], nullable: true },
        days: { type: 'INTEGER', format: 'int32', minimum: 1, maximum: 7 },
        tags: { type: 'ARRAY', items: { type: 'STRING', minLength: 1 }, maxItems: 3 },
      },
      required: ['unit'],
    }
    const again = narrow(widen(JSON.stringify(schema)))
    expect(again).toEqual({ schema, lost: [] })
  })
})

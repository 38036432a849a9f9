import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../../src/json/json.ts'
import { close } from '../../src/schema/close.ts'
import { narrow, narrowParameters, widen } from '../../src/schema/narrow.ts'
import { rooted } from '../../src/schema/root.ts'
import { closed, objectSchema, strictSchema } from '../../src/schema/strict.ts'
import { cases } from '../cases.ts'

const KEYWORDS =
  'type properties items required description title enum const default format examples nullable ' +
  'anyOf oneOf allOf not if then $ref $defs definitions prefixItems additionalProperties minimum ' +
  'maxItems minLength pattern patternProperties dependentRequired propertyOrdering'
const VALUES =
  'string object array null #/$defs/a # date-time STRING constructor __proto__ toString'
/** `String` and `Number` throw on it. */
const NO_PRIMITIVE: Json = { toString: 1, valueOf: 1 }

const wild = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<Json>(null, true, false, 0, 1, 1.5, -1, '', NO_PRIMITIVE),
    fc.constantFrom(...VALUES.split(' ')),
    fc.array(tie('schema'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYWORDS.split(' '), 'a', '__proto__'), tie('schema'), {
      maxKeys: 5,
    }),
  ),
})).schema

function staysAsWritten(value: Json): void {
  const source = JSON.stringify(value)
  const once = close(source).schema
  expect(close(once)).toMatchObject({ schema: once, changed: [] })
  const { schema } = rooted(source)
  expect(rooted(schema)).toEqual({ schema, lost: [] })
  const strict = closed(source)
  expect(closed(strict)).toBe(strict)
  expect(() => [narrowParameters(source), objectSchema(source), strictSchema(source)]).not.toThrow()
  expect(narrow(JSON.stringify(narrow(source).schema)).lost).toEqual([])
  expect(() => JSON.parse(widen(source))).not.toThrow()
}

it('writes any JSON as a schema that its service takes as it is', () => {
  fc.assert(fc.property(wild, staysAsWritten), cases(1000))
})

it('closes a schema whose description is no text', () => {
  const source = JSON.stringify({ type: 'string', description: NO_PRIMITIVE, minLength: 1 })
  expect(close(source)).toMatchObject({ changed: ['minLength'] })
  expect(JSON.parse(close(source).schema)).toEqual({
    type: 'string',
    description: '(minLength: 1)',
  })
})

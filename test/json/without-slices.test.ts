import { expect, it } from 'vitest'
import { withoutSlices } from '../../src/json/without-slices.ts'
import { parseObject, stringify, Verbatim, type JsonObject } from '../../src/json/json.ts'

it('says the same as before', () => {
  const schema = '{ "type" : "object", "required": ["a"] }'
  const origin = { dialect: 'd', facts: { parameters: new Verbatim(schema), isOld: true } }
  const tools = [{ kind: 'function', name: 'f', schema, origin }, { kind: 'text' }]
  const request = { model: 'm', tools, limits: { maxOutputTokens: 1 }, none: undefined, nil: null }
  const copy = withoutSlices(request)
  expect(copy).toEqual(request)
  expect(copy.tools[0]?.origin?.facts.parameters.text).toBe(schema)
  expect(copy.tools).not.toBe(request.tools)
})

it('keeps a member with the name of a prototype', () => {
  const odd = parseObject('{"__proto__":{"schema":"a schema of its own"}}') as JsonObject
  expect(stringify(withoutSlices(odd))).toBe('{"__proto__":{"schema":"a schema of its own"}}')
  expect(Object.getPrototypeOf(withoutSlices(odd))).toBe(Object.prototype)
})

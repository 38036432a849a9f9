import { describe, expect, it } from 'vitest'
import { translator } from '../../src/named-translator.ts'
import { lossesOf, sent } from './translate.ts'

/** Requests that ask for an answer that keeps to its schema. */
const bodies = {
  messages: (schema: object) => ({
    model: 'm',
    max_tokens: 99,
    messages: [{ role: 'user', content: 'q' }],
    output_config: { format: { type: 'json_schema', schema } },
  }),
  'generate-content': (schema: object) => ({
    contents: [{ parts: [{ text: 'q' }] }],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
  }),
  'chat-completions': (schema: object) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'q' }],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'response', strict: true, schema },
    },
  }),
}

const object = (properties: object, others = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...others,
})
const name = { type: 'string', title: 'N' }
const inner = (others: object) => object({ n: { type: ['integer', 'null'] } }, others)
const whole = (others = {}) =>
  object({ name, list: { type: 'array', items: inner(others) } }, others)
const closing = { additionalProperties: false }

describe.each(['messages', 'generate-content', 'chat-completions'] as const)(
  'an answer in the schema of %s',
  (dialect) => {
    const ask = (schema: object) => sent([dialect, 'responses'], bodies[dialect](schema))
    const writeFormat = (schema: object) => JSON.parse(ask(schema).text).text.format

    it('is kept to strictly, and closed for it', () => {
      const strict = { type: 'json_schema', name: 'response', schema: whole(closing), strict: true }
      expect(writeFormat(whole())).toEqual(strict)
      expect(writeFormat(whole(closing))).toEqual(strict)
      expect(lossesOf(ask(whole())).join()).not.toContain('format')
    })
    it('is sent as it came when it is closed', () => {
      const members = '"properties":{"2":{"type":"string"},"1":{"type":"string"}}'
      const schema = `{"type":"object",${members},"required":["2","1"],"additionalProperties":false}`
      const text = JSON.stringify(bodies[dialect]({ x: 1 })).replace('{"x":1}', schema)
      const written = translator({ from: dialect, to: 'responses' }).request(text)
      expect(written.text).toContain(`${schema},"strict":true`)
    })
    it.each([
      ['a list', { type: 'array', items: { type: 'string' } }],
      ['words', { enum: ['a', 'b'] }],
      ['alternatives', { anyOf: [object({ name }), object({})] }],
    ])('is asked for in words where it is not said to be an object: %s', (_, schema) => {
      const { input, text } = JSON.parse(ask(schema).text)
      expect(text).toBeUndefined()
      expect(input[0]).toMatchObject({ role: 'developer' })
      expect(input[0].content).toContain(JSON.stringify(schema))
      expect(lossesOf(ask(schema))).toContain('approximated format')
    })
    it('is that of the object which it names, as pydantic writes what holds itself', () => {
      const node = object({ name, next: { anyOf: [{ $ref: '#/$defs/N' }, { type: 'null' }] } })
      const schema = { ...node, $defs: { N: node } }
      expect(writeFormat({ $ref: '#/$defs/N', $defs: { N: node } })).toMatchObject({
        schema,
        strict: true,
      })
    })
    it.each([
      ['an optional member', object({ name }, { required: [] })],
      ['any other members', object({ name }, { additionalProperties: { type: 'string' } })],
      ['anything', object({ name: {} })],
      ['a list of anything', object({ list: { type: 'array' } })],
      ['a keyword that is refused', object({ name: { ...name, not: { const: 'x' } } })],
      ['a default', object({ name: { ...name, default: 'x' } })],
      ['a format that is refused', object({ name: { ...name, format: 'uri' } })],
    ])('is not kept to strictly where it could not be: %s', (what, schema) => {
      const { strict } = writeFormat(schema)
      expect(strict, what).toBeUndefined()
      expect(lossesOf(ask(schema))).toContain('dropped format.strict')
    })
  },
)

it('speaks of JSON where it is asked for, without which it is refused', () => {
  const contents = [{ role: 'user', parts: [{ text: 'q' }] }]
  const body = { contents, generationConfig: { responseMimeType: 'application/json' } }
  const request = sent(['generate-content', 'responses'], body)
  const { input, text } = JSON.parse(request.text)
  expect(text.format).toEqual({ type: 'json_object' })
  expect(input).toHaveLength(2)
  expect(input[0]).toMatchObject({ role: 'developer', content: expect.stringContaining('JSON') })
  expect(lossesOf(request)).toEqual(['defaulted format'])
})

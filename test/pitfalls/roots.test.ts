import { describe, expect, it } from 'vitest'
import { lossesOf, PAIRS, sent, type Dialect } from './translate.ts'

const said: Record<Dialect, object> = {
  messages: { messages: [{ role: 'user', content: 'q' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'q' }] }] },
  responses: { input: 'q' },
}
const offering: Record<Dialect, (schema: unknown) => object> = {
  messages: (input_schema) => ({ tools: [{ name: 'f', input_schema }] }),
  'generate-content': (parametersJsonSchema) => ({
    tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema }] }],
  }),
  responses: (parameters) => ({
    tools: [{ type: 'function', name: 'f', parameters, strict: false }],
  }),
}
const asking: Record<Dialect, (schema: unknown) => object> = {
  messages: (schema) => ({ output_config: { format: { type: 'json_schema', schema } } }),
  'generate-content': (responseJsonSchema) => ({
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema },
  }),
  responses: (schema) => ({
    text: { format: { type: 'json_schema', name: 'r', schema, strict: false } },
  }),
}

const OBJECT = { type: 'object', properties: { a: { type: 'string' } } }
const ROOTS = [
  { type: 'string' },
  { type: 'array', items: { type: 'string' } },
  { enum: ['a', 'b'] },
  { $ref: '#/$defs/s', $defs: { s: { type: 'string' } } },
  { anyOf: [{ type: 'string' }, OBJECT] },
  { oneOf: [{ type: 'string' }, { type: 'number' }] },
]

describe.each(PAIRS)('%s to %s', (...pair) => {
  const [from] = pair
  it.each(ROOTS)('says what becomes of arguments that are %j', (schema) => {
    const request = sent(pair, { ...said[from], ...offering[from](schema) })
    expect(lossesOf(request)).toContain('approximated tools.f.schema')
  })

  it('says nothing of arguments that are an object', () => {
    const request = sent(pair, { ...said[from], ...offering[from](OBJECT) })
    expect(lossesOf(request).filter((loss) => loss.includes('schema'))).toEqual([])
  })

  it.each(ROOTS)('has an answer that is %j in its request, or says that it has not', (schema) => {
    const request = sent(pair, { ...said[from], ...asking[from](schema) })
    const isReported = lossesOf(request).some((loss) => loss.includes(' format'))
    expect(isReported || JSON.stringify(request.body).includes('chema')).toBe(true)
  })
})

import { describe, expect, it } from 'vitest'
import { kits } from '../dialects/index.ts'
import { lossesOf, PAIRS, sent } from './translate.ts'

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
  const { ask } = kits[from]
  const offering = (schema: object) => ask.offer([{ name: 'f', schema, strict: false }])
  it.each(ROOTS)('says what becomes of arguments that are %j', (schema) => {
    const request = sent(pair, { ...ask.text('q'), ...offering(schema) })
    expect(lossesOf(request)).toContain('approximated tools.f.schema')
  })

  it('names no member of the arguments as a service of messages does not take it', () => {
    const odd = { ...OBJECT.properties, 'filter[id]': { type: 'string' }, 'größe in m²': {} }
    const body = { ...ask.text('q'), ...offering({ ...OBJECT, properties: odd }) }
    const text = JSON.stringify(sent(pair, body).body)
    if (pair[1] !== 'messages') return expect(text).toContain('"filter[id]":')
    expect(text).not.toContain('"filter[id]":')
    expect(text).toContain('"^größe in m²$":{}')
  })

  it('says nothing of arguments that are an object', () => {
    const request = sent(pair, { ...ask.text('q'), ...offering(OBJECT) })
    expect(lossesOf(request).filter((loss) => loss.includes('schema'))).toEqual([])
  })

  it.each(ROOTS)('has an answer that is %j in its request, or says that it has not', (schema) => {
    const request = sent(pair, { ...ask.text('q'), ...ask.answerIn(schema) })
    const isReported = lossesOf(request).some((loss) => loss.includes(' format'))
    expect(isReported || JSON.stringify(request.body).includes('chema')).toBe(true)
  })
})

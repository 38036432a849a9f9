import { describe, expect, it } from 'vitest'
import { translator } from '../../src/named-translator.ts'

/** An object that cannot be made a text. */
const ODD = { toString: 1 }
const ASKED = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }
const said = (change: object, more = {}) => ({
  candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP', ...change }],
  ...more,
})

describe('an object where a word should be', () => {
  it.each(['format', 'minItems'])('does not hinder a request: %s', (keyword) => {
    const properties = { a: { type: 'string', [keyword]: ODD } }
    const schema = { type: 'object', properties, required: ['a'], additionalProperties: false }
    const format = { type: 'json_schema', schema }
    const body = { ...ASKED, output_config: { format } }
    const { text } = translator({ from: 'messages', to: 'responses' }).request(body)
    expect(text).toContain('toString')
  })
  it.each([
    said({}, { usageMetadata: { promptTokensDetails: [{ modality: ODD }] } }),
    said({ groundingMetadata: { groundingSupports: [{ groundingChunkIndices: [ODD] }] } }),
  ])('does not hinder a reply', (reply) => {
    const both = translator({ from: 'messages', to: 'generate-content' })
    both.request(ASKED)
    expect(both.reply(reply).text).toContain('"text":"a"')
  })
})

import { describe, expect, it } from 'vitest'
import { writeEnvelope } from '../../src/model/proof.ts'
import { lossesOf, sent } from './translate.ts'

const SIGNATURE = 'CtwBAVSoXO7c8mB1'
const proof = writeEnvelope({ dialect: 'generate-content', value: SIGNATURE }, 'previous')
const [question, more] = ['q', 'b'].map((content) => ({ role: 'user', content }))

/** genai 0.7.2 for Rust brings all reasoning of a reply back in front of its text, whatever stood where. */
const BODIES = {
  messages: {
    max_tokens: 100,
    messages: [
      question,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: proof },
          { type: 'text', text: 'a' },
        ],
      },
      more,
    ],
  },
  responses: {
    input: [
      question,
      { type: 'reasoning', summary: [], encrypted_content: proof },
      { role: 'assistant', content: 'a' },
      more,
    ],
  },
}

describe.each(['messages', 'responses'] as const)('the proof of a text, from %s', (from) => {
  it('finds its text again where a client has moved it to the front', () => {
    const request = sent([from, 'generate-content'], BODIES[from])
    expect(request.body['contents']).toMatchObject([
      {},
      { role: 'model', parts: [{ text: 'a', thoughtSignature: SIGNATURE }] },
      {},
    ])
    expect(lossesOf(request)).toEqual([])
  })
})

describe('the proof of a text, from responses', () => {
  const moved = { type: 'reasoning', summary: [], encrypted_content: proof }
  const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] }

  it('finds its text again behind thoughts too', () => {
    const input = [question, thought, moved, { role: 'assistant', content: 'a' }, more]
    const request = sent(['responses', 'generate-content'], { input })
    expect(request.body['contents']).toMatchObject([
      {},
      {
        parts: expect.arrayContaining([
          expect.objectContaining({ text: 'a', thoughtSignature: SIGNATURE }),
        ]),
      },
      {},
    ])
    expect(lossesOf(request)).toEqual([])
  })

  it.each([
    ['no text follows', [question, moved, more]],
    [
      'another waits for the same text',
      [question, moved, moved, { role: 'assistant', content: 'a' }, more],
    ],
  ])('is reported where %s', (_, input) => {
    expect(lossesOf(sent(['responses', 'generate-content'], { input }))).toEqual([
      expect.stringMatching(/^dropped turns\.\d\.seal$/),
    ])
  })
})

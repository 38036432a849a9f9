import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { encodeBase64 } from '../../src/json/base64.ts'
import { lossesOf, sent } from './translate.ts'

/** An envelope whose sum is not that of what is in it. */
const damaged = 'xseal1.another.self.5.00000000000000.abcde'
const [question, more] = ['q', 'b'].map((content) => ({ role: 'user', content }))

/** A conversation with a thought whose proof came back changed. */
const BODIES: Record<Dialect, object> = {
  messages: {
    max_tokens: 100,
    messages: [
      question,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: damaged },
          { type: 'text', text: 'a' },
        ],
      },
      more,
    ],
  },
  'generate-content': {
    contents: [
      { role: 'user', parts: [{ text: 'q' }] },
      {
        role: 'model',
        parts: [
          { text: 'Hm', thought: true, thoughtSignature: encodeBase64(damaged) },
          { text: 'a' },
        ],
      },
      { role: 'user', parts: [{ text: 'b' }] },
    ],
  },
  responses: {
    input: [
      question,
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Hm' }],
        encrypted_content: damaged,
      },
      { role: 'assistant', content: 'a' },
      more,
    ],
  },
  'chat-completions': {
    messages: [
      question,
      {
        role: 'assistant',
        content: 'a',
        reasoning_details: [
          {
            type: 'reasoning.text',
            text: 'Hm',
            signature: damaged,
            id: 'thought_0_0_0',
            format: 'unknown',
            index: 0,
          },
        ],
      },
      more,
    ],
  },
}

describe.each(DIALECTS)('a proof that came back damaged from a caller of %s', (from) => {
  it.each(DIALECTS.filter((to) => to !== from))('is reported once, as a proof: %s', (to) => {
    const request = sent([from, to], BODIES[from])
    expect(lossesOf(request).filter((loss) => /seal|proof/i.test(loss))).toEqual([
      expect.stringMatching(/^dropped turns\.1(?:\.blocks\.0)?\.seal$/),
    ])
    expect(request.losses.map(({ detail }) => detail)).toContain('came back damaged')
  })
})

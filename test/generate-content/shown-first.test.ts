import { describe, expect, it } from 'vitest'
import { PICTURE } from '../dialects/wild-session.ts'
import { kits } from '../dialects/index.ts'
import { DIALECTS, lossesOf, sent } from '../pitfalls/translate.ts'

const others = DIALECTS.filter((dialect) => dialect !== 'generate-content')

/** What a tool brought besides words stands before its result in one and the same turn. */
const asked = (...before: object[]) => ({
  contents: [
    { role: 'user', parts: [{ text: 'look' }] },
    { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'see', args: {} } }] },
    {
      role: 'user',
      parts: [
        ...before,
        { functionResponse: { id: 'call_1', name: 'see', response: { output: 'seen' } } },
        { text: 'and now?' },
      ],
    },
  ],
})

describe.each(others)('what is shown before the result of a call, over %s', (to) => {
  const image = { inlineData: { mimeType: 'image/png', data: PICTURE } }

  it.each([
    ['a picture, by langchain-google-genai 4.4.3 (Python)', [image]],
    ['words and a picture, by @tanstack/ai-gemini 0.32.0', [{ text: 'here' }, image]],
  ])('comes behind the result: %s', (_, before) => {
    const request = sent(['generate-content', to], asked(...before))
    const turns = kits[to].scripted.hear(request.body).turns
    const kinds = turns.at(-1)?.pieces.map(({ kind }) => kind)
    const shown = before.map((part) => ('text' in part ? 'text' : 'image'))
    expect(kinds).toEqual(['result', ...shown, 'text'])
    expect(lossesOf(request)).toContain('reordered turns.2.blocks')
  })
})

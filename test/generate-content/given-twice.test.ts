import { describe, expect, it } from 'vitest'
import { DIALECTS, lossesOf, sent } from '../pitfalls/translate.ts'

const ID = 'call_07a19fe7052b37'
const others = DIALECTS.filter((dialect) => dialect !== 'generate-content')

/** A session that Gemini CLI 0.61.0 has resumed: the result of a call stands there twice. */
const resumed = (...results: string[]) => ({
  contents: [
    { role: 'user', parts: [{ text: 'look' }] },
    { role: 'model', parts: [{ functionCall: { id: ID, name: 'list', args: {} } }] },
    {
      role: 'user',
      parts: results.map((output) => ({
        functionResponse: { id: ID, name: 'list', response: { output } },
      })),
    },
    { role: 'model', parts: [{ text: 'done' }] },
    { role: 'user', parts: [{ text: 'and now?' }] },
  ],
})

/** How often a text names the result of the call as such. */
const RESULT = new RegExp(
  `"(?:tool_use_id|tool_call_id)":"${ID}"|call_output","call_id":"${ID}"`,
  'g',
)

describe.each(others)('a result that is given twice, over %s', (to) => {
  const ask = (...results: string[]) => {
    const request = sent(['generate-content', to], resumed(...results))
    return { text: JSON.stringify(request.body), losses: lossesOf(request) }
  }

  it('goes on once where it says the same again', () => {
    const { text, losses } = ask('a.txt', 'a.txt')
    expect(text.match(RESULT)).toHaveLength(1)
    expect(text.match(/a\.txt/g)).toHaveLength(1)
    expect(losses.filter((loss) => loss.startsWith('dropped turns.2.'))).toHaveLength(1)
  })

  it('goes on in words where it says something else', () => {
    const { text, losses } = ask('a.txt', 'b.txt')
    expect(text.match(RESULT)).toHaveLength(1)
    expect(text.match(/[ab]\.txt/g)).toEqual(['a.txt', 'b.txt'])
    expect(losses.filter((loss) => loss.startsWith('approximated turns.2.'))).toHaveLength(1)
  })
})

import { describe, expect, it } from 'vitest'
import { type Dialect, DIALECTS } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { translator } from '../../src/named-translator.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits } from '../dialects/index.ts'

const ITEM = { type: 'program', id: 'p_1', call_id: 'c_1', code: '1', fingerprint: 'f' }

/** What asks for more than a member by itself. */
const ASKED: Record<string, JsonObject> = {
  max_tokens: { max_tokens: 0 },
  program: { input: [ITEM] },
  program_output: { input: [{ type: 'program_output', call_id: 'c_1', result: '1' }] },
  programmatic_tool_calling: { tools: [{ type: 'programmatic_tool_calling' }] },
}

function makeBody(dialect: Dialect, word: string): JsonObject {
  const { ask } = kits[dialect]
  const said = ASKED[word] ?? { [word]: { x: 1 } }
  return { ...ask.needed, ...ask.text('Hi'), ...said }
}

const cases = DIALECTS.flatMap((from) =>
  [...(adapterOf(from).caller.mustKeep ?? [])].map((word) => ({ from, word })),
)

describe('what no other service can keep', () => {
  it.each(cases)(
    'is refused by its name before anything is sent: $word of $from',
    ({ from, word }) => {
      const body = makeBody(from, word)
      for (const to of DIALECTS) {
        const ask = () => translator({ from, to, model: 'm' }).request(body)
        if (to === from) {
          expect(ask().text).toContain(word)
          continue
        }
        expect(ask).toThrow(ProblemError)
        expect(ask).toThrow(word)
      }
    },
  )

  it.each<[object, boolean]>([
    [{ fileSearch: { fileSearchStoreNames: ['a'] } }, true],
    [{ retrieval: { vertexAiSearch: { datastore: 'a' } } }, true],
    [{ functionDeclarations: [{ name: 'f' }], fileSearch: {} }, true],
    [{ fileSearch: {}, googleSearch: {} }, false],
  ])('is a search of files that nothing stands beside: %j', (tool, isRefused) => {
    const body = { contents: [{ parts: [{ text: 'q' }] }], tools: [tool] }
    for (const to of DIALECTS) {
      const ask = () => translator({ from: 'generate-content', to, model: 'm' }).request(body)
      // A responses service searches files too, if not the same ones.
      if (isRefused && (to === 'messages' || to === 'chat-completions'))
        expect(ask).toThrow('only a service that speaks generate-content can do what it asks for')
      else expect(ask).not.toThrow()
    }
  })

  it('is refused of no dialect that says nothing by it', () => {
    const body = { ...makeBody('messages', 'max_tokens'), max_tokens: 99, safeguards: null }
    expect(translator({ from: 'messages', to: 'responses' }).request(body).losses).toEqual([])
    const alone = { model: 'm', input: 'x', store: false, multi_agent: { enabled: false } }
    const { losses } = translator({ from: 'responses', to: 'generate-content' }).request(alone)
    expect(losses).toEqual([])
  })
})

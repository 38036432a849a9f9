import { describe, expect, it } from 'vitest'
import { generateContent } from '../../adapters/generate-content/index.ts'
import type { ModelFacts } from '../../adapters/contract.ts'
import { objectIn, parse, stringify, type JsonObject } from '../../src/json/json.ts'
import { lossList } from '../../src/model/loss.ts'

/** What a caller of this dialect has the service sent. */
function ask(body: JsonObject, facts: ModelFacts, sentTo = 'm') {
  const { lose, losses } = lossList()
  const before = objectIn(parse(stringify(body), generateContent.caller.verbatim))
  const edits = { facts, foreign: true, sentTo }
  const sent: JsonObject = JSON.parse(stringify(generateContent.same.edit(before, edits, lose)))
  return { sent, losses: losses.map(({ code, path }) => `${code} ${path}`) }
}

const contents = [{ role: 'user', parts: [{ text: 'q' }] }]
const thinking = (thinkingConfig: JsonObject): JsonObject => ({
  contents,
  generationConfig: { thinkingConfig },
})
const calling = (functionCallingConfig: JsonObject): JsonObject => ({
  toolConfig: { functionCallingConfig },
})
const [one, two] = [{ name: 'one' }, { name: 'two' }]

describe('what is configured of a model holds for callers of its own dialect too', () => {
  it('an effort beyond the list becomes the nearest, in either spelling', () => {
    const efforts = ['low', 'medium'] as const
    const losses = ['approximated reasoning.effort']
    expect(ask(thinking({ thinkingLevel: 'HIGH', includeThoughts: true }), { efforts })).toEqual({
      sent: thinking({ thinkingLevel: 'MEDIUM', includeThoughts: true }),
      losses,
    })
    const low = { contents, generation_config: { thinking_config: { thinking_level: 'low' } } }
    expect(ask(low, { efforts })).toEqual({ sent: low, losses: [] })
    expect(ask(thinking({ thinkingLevel: 'HIGH' }), { efforts: [] })).toEqual({
      sent: { contents },
      losses: ['dropped reasoning.effort'],
    })
    expect(ask(thinking({ thinkingBudget: 5000 }), { efforts }).losses).toEqual([])
  })

  it('thinking that cannot be switched off is the least there is', () => {
    const facts = { thinkingOff: false, efforts: ['low', 'high'], thinking: 'level' } as const
    const { sent, losses } = ask(thinking({ thinkingBudget: 0 }), facts)
    expect(sent).toEqual(thinking({ thinkingLevel: 'LOW' }))
    expect(new Set(losses)).toEqual(new Set(['approximated reasoning.mode']))
    const off = thinking({ thinkingBudget: 0 })
    expect(ask(off, { thinkingOff: true })).toEqual({ sent: off, losses: [] })
  })

  it('a budget that says nothing as a level leaves nothing behind', () => {
    expect(ask(thinking({ thinkingBudget: -1 }), { thinking: 'level' }).sent).toEqual({ contents })
  })

  it('a temperature goes where there is none, and only an unusual one is told', () => {
    const body = { contents, generationConfig: { temperature: 0.5, top_p: 1, topK: 5, seed: 1 } }
    const sent = { contents, generationConfig: { seed: 1 } }
    const losses = ['dropped sampling.temperature', 'dropped sampling.topK']
    expect(ask(body, { sampling: 'never' })).toEqual({ sent, losses })
    expect(ask(body, { sampling: 'without-thinking' })).toEqual({ sent: body, losses: [] })
  })

  it('a function is not forced where none can be', () => {
    const tools = [{ functionDeclarations: [one, two] }]
    const losses = ['approximated toolChoice']
    const forced = { contents, tools, ...calling({ mode: 'any', allowedFunctionNames: ['two'] }) }
    expect(ask(forced, { forcedChoice: false })).toEqual({
      sent: { contents, tools: [{ functionDeclarations: [two] }], ...calling({ mode: 'AUTO' }) },
      losses,
    })
    const among = {
      contents,
      tools,
      ...calling({ mode: 'ANY', allowedFunctionNames: ['one', 'two'] }),
    }
    const free = { contents, tools, ...calling({ mode: 'AUTO' }) }
    expect(ask(among, { forcedChoice: false })).toEqual({ sent: free, losses })
    expect(ask(free, { forcedChoice: false })).toEqual({ sent: free, losses: [] })
  })

  it('functions for a screen are the caller’s, and no mix', () => {
    const tools = [{ functionDeclarations: [one] }, { computerUse: { environment: 'BROWSER' } }]
    for (const mixesTools of [true, false])
      expect(ask({ contents, tools }, { mixesTools })).toEqual({
        sent: { contents, tools },
        losses: [],
      })
  })
})

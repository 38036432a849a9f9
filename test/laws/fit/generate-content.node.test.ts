import { describe, expect, it } from 'vitest'
import type { ModelFacts, Target } from '../../../adapters/contract.ts'
import { fit } from '../../../adapters/generate-content/fit.ts'
import { generateContent } from '../../../adapters/generate-content/index.ts'
import { writeWhole } from '../../../adapters/generate-content/request.ts'
import { lossList } from '../../../src/model/loss.ts'
import { passed, translated, whole, type Halves } from './law.ts'
import { WISHES, type Named } from './wishes.ts'

const HALVES: Halves = { adapter: generateContent, fit, writeWhole }

/** Known and unknown ones, with budgets and levels, with and without tools of both kinds. */
const MODELS = ['m', 'gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-3.8-flash', 'gemini-4-neon']

const targetOf = (model: string, facts: ModelFacts): Target => ({
  model,
  defaultMaxOutputTokens: 8192,
  facts,
})

const HEEDED: readonly ModelFacts[] = [
  {},
  { thinking: 'budget' },
  { thinking: 'level' },
  { maxOutputTokens: 300 },
  { prefill: false },
  { efforts: ['low', 'medium'] },
  { efforts: [] },
  { thinkingOff: false },
  { sampling: 'never' },
  { sampling: 'without-thinking' },
  { forcedChoice: false },
  { mixesTools: true },
  { mixesTools: false },
  { drop: ['temperature', 'sampling.topP', 'topK'] },
  { drop: ['labels', 'tools', 'toolChoice', 'serviceTier'] },
  { drop: ['thinkingConfig', 'reasoning', 'systemInstruction', 'limits.stop', 'store'] },
]

const asked = ({ request }: Named): string => JSON.stringify(request)

/** Where callers of other dialects are sent what is known of a model by its name, and its own callers are not corrected. */
const EXCEPT: Readonly<Record<string, (wish: Named, facts: ModelFacts) => boolean>> = {
  'its own callers hold the proofs of its calls': (wish, { thinking }) =>
    thinking !== 'level' && asked(wish).includes('tool-call'),
  'its own callers know whether it goes on with its words': ({ name }, { prefill }) =>
    prefill !== false && name.startsWith('words of its own'),
  'what was asked for in one scale is not what was asked for in the other': (
    { request },
    { thinking, efforts, thinkingOff },
  ) =>
    request.reasoning !== undefined &&
    [thinking, efforts, thinkingOff].some((one) => one !== undefined),
  'a temperature is left out before, for a model that heeds none': ({ request }, { sampling }) =>
    sampling === 'without-thinking' && Object.keys(request.sampling).length > 0,
  'a caller that knows of no mix offers one kind of tools, and another asks for it itself': (
    wish,
    { mixesTools },
  ) => mixesTools !== undefined && asked(wish).includes('"hosted"'),
  'a free choice among some needs a mode that its own callers say where they know it': (
    wish,
    { mixesTools },
  ) => mixesTools !== undefined && asked(wish).includes('"auto","names"'),
}

const isExcepted = (wish: Named, facts: ModelFacts): boolean =>
  Object.values(EXCEPT).some((isMeant) => isMeant(wish, facts))

describe.each(HEEDED)('where %o is said', (facts) => {
  it.each(MODELS)('%s is sent the same by callers of every dialect', (model) => {
    for (const wish of WISHES)
      if (!isExcepted(wish, facts))
        expect(passed(HALVES, wish.request, model, facts), wish.name).toEqual(
          translated(HALVES, wish.request, model, facts),
        )
  })

  it.each(MODELS)('%s is asked to think in its own way', (model) => {
    const { thinking } = facts
    if (thinking === undefined) return
    const other = thinking === 'budget' ? 'thinkingLevel' : 'thinkingBudget'
    for (const { name, request } of WISHES) {
      expect(passed(HALVES, request, model, facts).body, name).not.toContain(other)
      expect(translated(HALVES, request, model, facts).body, name).not.toContain(other)
    }
  })

  it.each(MODELS)('%s is fitted to once', (model) => {
    const target = targetOf(model, facts)
    for (const { name, request } of WISHES) {
      const { lose } = lossList()
      const { body } = writeWhole(request, { target, lose })
      const once = fit(body, target, lose)
      expect(fit(once, target, lose), name).toBe(once)
    }
  })
})

it.each(MODELS)('what fits %s stays the same object', (model) => {
  const target = targetOf(model, {})
  for (const { name, request } of WISHES) {
    const { lose } = lossList()
    const { body } = writeWhole(request, { target, lose })
    expect(fit(body, target, lose), name).toBe(body)
  }
})

it.each(MODELS)('the writers for %s ask nothing of its server', (model) => {
  const server = new Proxy(
    {},
    { get: (_, member) => expect.unreachable(`a writer asks for ${String(member)}`) },
  )
  for (const { name, request } of WISHES)
    expect(whole(HALVES, request, targetOf(model, { server })), name).toEqual(
      whole(HALVES, request, targetOf(model, {})),
    )
})

/** What says no more than what holds anyway, or is for callers of other dialects, who have other words. */
const FOR_OTHERS: readonly ModelFacts[] = [
  { thinkingOff: true },
  { forcedChoice: true },
  { sampling: 'always' },
  { storesByDefault: true },
  { fetchesUrls: false },
  { prefill: true },
]

it.each(FOR_OTHERS)('%o leaves a body of the dialect as it is', (facts) => {
  for (const model of MODELS)
    for (const { name, request } of WISHES) {
      const { lose, losses } = lossList()
      const { body } = writeWhole(request, { target: targetOf(model, {}), lose: () => undefined })
      expect(generateContent.same.edit(body, { facts, foreign: true }, lose), name).toBe(body)
      expect(losses).toEqual([])
    }
})

import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'

/** The same wish in each dialect. */
type Wish = Readonly<Partial<Record<Dialect, JsonObject>>>

const hello = 'Hello'
const BEGUN: Record<Dialect, JsonObject> = {
  messages: { model: 'x', max_tokens: 4000, messages: [{ role: 'user', content: hello }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: hello }] }] },
  responses: { model: 'x', input: hello },
  'chat-completions': { model: 'x', messages: [{ role: 'user', content: hello }] },
}

const FORCED: Wish = {
  'generate-content': {
    tools: [{ functionDeclarations: [{ name: 'f' }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  },
  responses: {
    tools: [{ type: 'function', name: 'f', parameters: null, strict: false }],
    tool_choice: 'required',
  },
  'chat-completions': {
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
  },
}

/** Highly: the greatest effort that every dialect has a word for. */
const HIGHLY: Wish = {
  messages: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
  'generate-content': { generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH' } } },
  responses: { reasoning: { effort: 'high' } },
  'chat-completions': { reasoning_effort: 'high' },
}
const NOT: Wish = {
  messages: { thinking: { type: 'disabled' } },
  'generate-content': { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
  responses: { reasoning: { effort: 'none' } },
  'chat-completions': { reasoning_effort: 'none' },
}
const BARELY: Wish = {
  'generate-content': { generationConfig: { thinkingConfig: { thinkingLevel: 'MINIMAL' } } },
  responses: { reasoning: { effort: 'minimal' } },
  'chat-completions': { reasoning_effort: 'minimal' },
}
const UTTERLY: Wish = {
  messages: { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
  responses: { reasoning: { effort: 'max' } },
  'chat-completions': { reasoning_effort: 'max' },
}
const COLDLY: Wish = {
  messages: { temperature: 0.2 },
  'generate-content': { generationConfig: { temperature: 0.2, topP: 0.5 } },
  responses: { temperature: 0.2, top_p: 0.5 },
  'chat-completions': { temperature: 0.2, top_p: 0.5 },
}
const SO = 'So'
const GOING_ON: Wish = {
  'generate-content': {
    contents: [
      { role: 'user', parts: [{ text: hello }] },
      { role: 'model', parts: [{ text: SO }] },
    ],
  },
  responses: {
    input: [
      { role: 'user', content: hello },
      { role: 'assistant', content: SO },
    ],
  },
  'chat-completions': {
    messages: [
      { role: 'user', content: hello },
      { role: 'assistant', content: SO },
    ],
  },
}

function asked(to: Dialect, model: string, ...wishes: Wish[]) {
  const callers = (Object.keys(BEGUN) as Dialect[]).filter(
    (from) => from !== to && wishes.every((wish) => wish[from] !== undefined),
  )
  expect(callers.length).toBeGreaterThan(1)
  return callers.map((from) => {
    const body = Object.assign({}, BEGUN[from], ...wishes.map((wish) => wish[from])) as JsonObject
    const { body: sent, losses } = translator({ from, to, model }).request(body)
    return { sent, losses: losses.map(({ code, path }) => `${code} ${path}`) }
  })
}

describe('a model of messages that decides itself how much to think', () => {
  const models = [
    'claude-opus-4-7',
    'us.anthropic.claude-opus-4-8-v1',
    'claude-sonnet-5-5',
    'claude-fable-5',
  ]

  it.each(models)('is told an effort, no budget: %s', (model) => {
    for (const { sent, losses } of asked('messages', model, HIGHLY)) {
      expect(sent).toMatchObject({
        thinking: { type: 'adaptive' },
        output_config: { effort: 'high' },
      })
      expect(losses.filter((loss) => loss.includes('reasoning'))).toEqual([])
    }
  })

  it.each(models)('is sent no temperature: %s', (model) => {
    for (const { sent, losses } of asked('messages', model, COLDLY)) {
      expect(sent).not.toHaveProperty('temperature')
      expect(sent).not.toHaveProperty('top_p')
      expect(losses).toContain('dropped sampling.temperature')
      expect(losses).toContain('dropped sampling.topP')
    }
  })

  it('may think where a tool is forced, but for the first ones', () => {
    for (const { sent } of asked('messages', 'claude-opus-4-8', HIGHLY, FORCED))
      expect(sent).toMatchObject({ thinking: { type: 'adaptive' }, tool_choice: { type: 'any' } })
    for (const { sent, losses } of asked('messages', 'claude-opus-4-7', HIGHLY, FORCED)) {
      expect(sent).toMatchObject({ thinking: { type: 'adaptive' } })
      expect(sent['tool_choice'] ?? { type: 'auto' }).toMatchObject({ type: 'auto' })
      expect(losses).toContain('approximated toolChoice')
    }
  })

  it('is told not to think, or to think little where it always does', () => {
    for (const { sent } of asked('messages', 'claude-opus-5', NOT))
      expect(sent).toMatchObject({ thinking: { type: 'disabled' } })
    for (const { sent, losses } of asked('messages', 'claude-fable-5-1', NOT)) {
      expect(sent['thinking'] ?? { type: 'adaptive' }).toEqual({ type: 'adaptive' })
      expect(sent).toMatchObject({ output_config: { effort: 'low' } })
      expect(losses).toContain('approximated reasoning.mode')
    }
  })

  it('is one of a newer generation: an older one is told a budget', () => {
    for (const { sent } of asked('messages', 'claude-opus-4-5', HIGHLY))
      expect(sent).toMatchObject({ thinking: { type: 'enabled' } })
  })
})

it.each([
  ['claude-3-7-sonnet-20250219', 'enabled'],
  ['claude-sonnet-4-5', 'enabled'],
  ['claude-opus-4-6', 'adaptive'],
  ['model-1', 'adaptive'],
])('%s, which is left to decide itself, is told to think: %s', (model, type) => {
  const config = { thinkingConfig: { thinkingBudget: -1 } }
  const { body } = translator({ from: 'generate-content', to: 'messages', model }).request({
    ...BEGUN['generate-content'],
    generationConfig: config,
  })
  expect(body).toMatchObject({ thinking: { type } })
})

it.each([
  ['claude-sonnet-4-5', 2],
  ['claude-sonnet-4-6', 3],
  ['claude-opus-4-6', 3],
  ['claude-haiku-5', 3],
])('%s is sent %i messages where its words were to go on', (model, count) => {
  for (const { sent, losses } of asked('messages', model, GOING_ON)) {
    expect(sent['messages']).toHaveLength(count)
    expect(losses.includes('approximated turns.1')).toBe(count > 2)
  }
})

describe('a model of generate-content', () => {
  it.each([
    ['gemini-3-pro-preview', { thinkingLevel: 'HIGH' }],
    ['gemini-3.5-flash', { thinkingLevel: 'HIGH' }],
    ['models/gemini-4-argon', { thinkingLevel: 'HIGH' }],
    ['gemini-2.5-flash', { thinkingBudget: 16_384 }],
  ])('thinks by level since the third generation: %s', (model, thinkingConfig) => {
    for (const { sent } of asked('generate-content', model, HIGHLY))
      expect(sent).toMatchObject({ generationConfig: { thinkingConfig } })
  })

  it.each([
    ['gemini-3.1-pro-preview', { thinkingLevel: 'LOW' }, true],
    ['gemini-3.5-flash', { thinkingLevel: 'MINIMAL' }, true],
    ['gemini-2.5-pro', { thinkingBudget: 128 }, true],
    ['gemini-2.5-flash', { thinkingBudget: 0 }, false],
  ])('is told to think as little as it can: %s', (model, thinkingConfig, isLost) => {
    for (const { sent, losses } of asked('generate-content', model, NOT)) {
      expect(sent).toMatchObject({ generationConfig: { thinkingConfig } })
      expect(losses.includes('approximated reasoning.mode')).toBe(isLost)
    }
  })

  it('answers in a format beside functions since the third generation', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false }
    const format: Wish = {
      messages: {
        output_config: { format: { type: 'json_schema', schema } },
        tools: [{ name: 'f', input_schema: schema }],
      },
      responses: {
        ...FORCED['responses'],
        text: { format: { type: 'json_schema', name: 'n', schema } },
      },
      'chat-completions': {
        ...FORCED['chat-completions'],
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
      },
    }
    for (const { sent } of asked('generate-content', 'gemini-3-pro-preview', format))
      expect(sent).toMatchObject({ generationConfig: { responseMimeType: 'application/json' } })
    for (const { sent } of asked('generate-content', 'gemini-2.5-flash', format))
      expect(sent).not.toHaveProperty('generationConfig.responseMimeType')
  })
})

describe.each<[Dialect, (sent: JsonObject) => unknown]>([
  ['responses', (sent) => (sent['reasoning'] as JsonObject | undefined)?.['effort']],
  ['chat-completions', (sent) => sent['reasoning_effort']],
])('a model of OpenAI over %s', (to, effortIn) => {
  it.each([
    ['gpt-4.1', HIGHLY, undefined, 'dropped reasoning'],
    ['gpt-4o-mini', HIGHLY, undefined, 'dropped reasoning'],
    ['gpt-4o', NOT, undefined, undefined],
    ['gpt-5', NOT, 'minimal', 'approximated reasoning.mode'],
    ['gpt-5-mini', BARELY, 'minimal', undefined],
    ['gpt-5-codex', BARELY, 'low', 'approximated reasoning.effort'],
    ['o4-mini', NOT, 'low', 'approximated reasoning.mode'],
    ['gpt-5.1', NOT, 'none', undefined],
    ['gpt-5.1', BARELY, 'low', 'approximated reasoning.effort'],
    ['gpt-5.1', UTTERLY, 'high', 'approximated reasoning.effort'],
    ['gpt-5.4', UTTERLY, 'xhigh', 'approximated reasoning.effort'],
    ['openai/gpt-5.6', UTTERLY, 'max', undefined],
    ['gpt-oss-120b', UTTERLY, 'high', 'approximated reasoning.effort'],
  ])('is sent an effort that it takes: %s', (model, wish, effort, loss) => {
    for (const { sent, losses } of asked(to, model, wish)) {
      expect(effortIn(sent)).toBe(effort)
      // How a model decides itself is another matter.
      const told = losses.filter(
        (each) => each.includes('reasoning') && !each.endsWith('reasoning.mode'),
      )
      if (loss?.endsWith('.mode')) expect(losses).toContain(loss)
      else expect(told).toEqual(loss === undefined ? [] : [loss])
    }
  })

  it('loses no word about thoughts that nobody wanted', () => {
    const { losses } = translator({ from: 'messages', to, model: 'gpt-5' }).request({
      ...BEGUN['messages'],
      ...NOT['messages'],
    })
    expect(losses.map(({ path }) => path)).toEqual(['reasoning.mode'])
  })

  it('that reasons is sent no temperature, and one that does not is', () => {
    for (const { sent, losses } of asked(to, 'gpt-5', COLDLY)) {
      expect(sent).not.toHaveProperty('temperature')
      expect(losses).toContain('dropped sampling.temperature')
    }
    for (const { sent } of asked(to, 'gpt-4.1', COLDLY))
      expect(sent).toMatchObject({ temperature: 0.2 })
  })

  it('that does not reason is asked for no proofs', () => {
    for (const { sent } of asked(to, 'gpt-4.1', HIGHLY)) expect(sent).not.toHaveProperty('include')
  })
})

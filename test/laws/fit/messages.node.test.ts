import { describe, expect, it } from 'vitest'
import { knownAt, takesOutput } from '../../../adapters/messages/abilities.ts'
import { fit } from '../../../adapters/messages/fit.ts'
import { messages } from '../../../adapters/messages/index.ts'
import { PROFILES } from '../../../adapters/messages/profiles.ts'
import { writeWhole } from '../../../adapters/messages/request.ts'
import type { ModelFacts, ServerFacts, Target } from '../../../adapters/contract.ts'
import { lossList } from '../../../src/model/loss.ts'
import type { Block, Request, Tool, Turn } from '../../../src/model/request.ts'
import { emptyRequest } from '../../../src/rules/empty-request.ts'
import { passed, translated, whole, type Halves } from './law.ts'
import { WISHES, type Named } from './wishes.ts'

const HALVES: Halves = { adapter: messages, fit, writeWhole }

/** Known and unknown ones, that think in each of the ways, and of a service that has a profile. */
const MODELS = [
  'm',
  'claude-opus-5',
  'claude-opus-4-6',
  'claude-sonnet-4-5',
  'claude-fable-5-2',
  'deepseek-v4-pro',
  'kimi-k2.6',
  'glm-5',
]

/** A caller of the dialect has to give the bound that others leave to the proxy. */
const BOUNDED: readonly Named[] = WISHES.map(({ name, request }) => ({
  name,
  request: { ...request, limits: { maxOutputTokens: 4096, ...request.limits } },
}))

const targetOf = (model: string, facts: ModelFacts): Target => ({
  model,
  defaultMaxOutputTokens: 8192,
  facts,
})

/** The dialect's halves for a caller that knows which model it speaks to, and nothing of the server. */
const knowing = (facts: ModelFacts): Halves => ({
  ...HALVES,
  writeWhole: (request, context) =>
    writeWhole(request, context, knownAt({ ...context.target, facts })),
})

const said = (role: Turn['role'], text: string): Turn => ({
  role,
  blocks: [{ kind: 'text', text }],
})
const ASKED: Turn[] = [said('user', 'q'), said('assistant', 'a'), said('user', 'more')]
const tool = (name: string, more: object = {}): Tool => ({
  kind: 'function',
  name,
  description: name,
  schema: '{"type":"object","properties":{"a":{"type":"string"}}}',
  ...more,
})
const FOUND: Block = { kind: 'tool-change', change: 'add', tools: [{ name: 'two' }] }

/** What only a conversation of this dialect says in its middle. */
const IN_THE_MIDDLE: readonly Named[] = Object.entries<Partial<Request>>({
  'a tool that comes late': {
    tools: [tool('one'), tool('two', { late: true })],
    turns: [...ASKED, { role: 'developer', blocks: [FOUND] }],
  },
  'a tool that comes late, with words': {
    tools: [tool('one'), tool('two', { late: true })],
    turns: [...ASKED, { role: 'developer', blocks: [FOUND, { kind: 'text', text: 'Use two.' }] }],
  },
  'a tool that a search finds': {
    tools: [
      tool('one'),
      tool('two', { deferred: true }),
      { kind: 'hosted', capability: 'tool-search' },
    ],
    turns: ASKED,
  },
  'an effort for the rest': {
    turns: [...ASKED, { role: 'developer', blocks: [], effort: 'low' }],
  },
}).map(([name, wish]) => ({ name, request: { ...emptyRequest('m'), turns: ASKED, ...wish } }))

/** Where what a caller of the dialect says to a model is not what the proxy says to it at this server. */
const EXCEPT: Readonly<Record<string, (wish: Named, server: ServerFacts) => boolean>> = {
  'instructions stand where the dialect allows them, and stay behind the words that they stood behind':
    ({ name }) => name === 'instructions in between',
  'a schema has been made as the service enforces it': ({ request }, server) =>
    request.format?.type === 'json-schema' && (server.jsonSchema ?? takesOutput(server)) !== true,
  'an effort alone asks for no thoughts in this dialect': ({ name }) =>
    name === 'an effort for the rest',
  'neighbours of one role, and a list of one text, say what they say as one': ({ name }) =>
    name.endsWith('with words'),
  'a beta stands in a header, which a body alone does not have': ({ name }, server) =>
    server.betas !== undefined && name.startsWith('a tool that comes late'),
  'it would think by itself, and its callers know that': ({ request }, server) =>
    server.forcedWhileThinking === false && request.toolChoice?.mode === 'required',
}

describe.each(PROFILES)('$name', ({ facts: server }) => {
  it.each(MODELS)('gets %s the same from callers of every dialect', (model) => {
    const halves = knowing({ server })
    for (const { name, request } of WISHES)
      expect(passed(halves, request, model, { server }), name).toEqual(
        translated(halves, request, model, { server }),
      )
  })

  it.each(MODELS)('is fitted to once for %s', (model) => {
    const target = targetOf(model, { server })
    for (const { name, request } of WISHES) {
      const { lose } = lossList()
      const { body } = writeWhole(request, { target, lose })
      const once = fit(body, target, lose)
      expect(fit(once, target, lose), name).toBe(once)
    }
  })

  it.each(MODELS)('is not asked of by the writers for %s', (model) => {
    const unread = new Proxy(server, {
      get: (_, member) => expect.unreachable(`a writer asks for ${String(member)}`),
    })
    for (const { name, request } of WISHES) {
      const here = whole(HALVES, request, targetOf(model, { server: unread }))
      expect(here, name).toEqual(whole(HALVES, request, targetOf(model, {})))
    }
  })
})

describe.each(PROFILES)('$name, where nothing is known of it,', ({ facts: server }) => {
  it.each(['claude-opus-5', 'claude-opus-4-6', 'claude-sonnet-4-5'])(
    'gets %s as from callers who know it',
    (model) => {
      for (const wish of [...WISHES, ...IN_THE_MIDDLE])
        if (!Object.values(EXCEPT).some((isMeant) => isMeant(wish, server)))
          expect(passed(HALVES, wish.request, model, { server }), wish.name).toEqual(
            translated(HALVES, wish.request, model, { server }),
          )
    },
  )
})

it.each(MODELS)('what fits %s stays the same object', (model) => {
  const target = targetOf(model, {})
  for (const { name, request } of WISHES) {
    const { lose } = lossList()
    const { body } = writeWhole(request, { target, lose })
    expect(fit(body, target, lose), name).toBe(body)
  }
})

const HEEDED: readonly ModelFacts[] = [
  { thinking: 'budget' },
  { thinking: 'adaptive' },
  { thinking: 'level' },
  { maxOutputTokens: 300 },
  { maxOutputTokens: 3000 },
  { prefill: false },
  { efforts: ['low', 'medium'] },
  { efforts: [] },
  { thinkingOff: false },
  { thinkingOff: false, efforts: ['medium', 'high'] },
  { thinkingOff: 'between_tools' },
  { sampling: 'never' },
  { sampling: 'without-thinking' },
  { forcedChoice: false },
  { systemInPlace: false },
  { lateTools: false },
  { deferredTools: false },
  { drop: ['temperature', 'topP', 'top_k'] },
  { drop: ['thinking', 'tool_choice'] },
  { drop: ['limits.stop', 'user', 'output_config', 'tier', 'tools'] },
]

/** Where a caller of the dialect has said already what is made of a wish for a model that takes something else. */
const SAID_BEFORE: Readonly<Record<string, (facts: ModelFacts, wish: Named) => boolean>> = {
  'thoughts, in a way or by an effort of the model': (
    { thinking, maxOutputTokens, efforts, thinkingOff, forcedChoice },
    { request },
  ) =>
    request.reasoning !== undefined &&
    [thinking, maxOutputTokens, efforts, thinkingOff, forcedChoice].some(
      (one) => one !== undefined,
    ),
  'that it is not to think, so that it can be made to call a tool': (
    { thinkingOff, forcedChoice },
    { request },
  ) =>
    request.toolChoice?.mode === 'required' &&
    (thinkingOff !== undefined || forcedChoice !== undefined),
  'instructions, where the dialect allows them': ({ systemInPlace }, { name }) =>
    systemInPlace === false && name === 'instructions in between',
}

const isSaidBefore = (facts: ModelFacts, wish: Named): boolean =>
  Object.values(SAID_BEFORE).some((isMeant) => isMeant(facts, wish))

describe.each(HEEDED)('where %o is said', (facts) => {
  it.each(MODELS)('%s is sent the same by callers of every dialect', (model) => {
    for (const wish of BOUNDED) {
      if (isSaidBefore(facts, wish)) continue
      expect(passed(HALVES, wish.request, model, facts), wish.name).toEqual(
        translated(HALVES, wish.request, model, facts),
      )
    }
  })

  it.each(MODELS)('%s is asked to think in its own way', (model) => {
    const { thinking } = facts
    if (thinking === undefined) return
    const other = thinking === 'budget' ? '"type":"adaptive"' : '"type":"enabled"'
    for (const { name, request } of BOUNDED) {
      expect(passed(HALVES, request, model, facts).body, name).not.toContain(other)
      expect(translated(HALVES, request, model, facts).body, name).not.toContain(other)
    }
  })
})

/** What says no more than what holds anyway, or is for callers of other dialects, who have other words. */
const FOR_OTHERS: readonly ModelFacts[] = [
  { storesByDefault: true },
  { systemInPlace: true },
  { lateTools: true },
  { deferredTools: true },
  { computer: true },
  { fetchesUrls: false },
  { prefill: true },
]

it.each(FOR_OTHERS)('%o leaves a body of the dialect as it is', (facts) => {
  for (const model of MODELS)
    for (const { name, request } of WISHES) {
      const { lose, losses } = lossList()
      const { body } = writeWhole(request, { target: targetOf(model, {}), lose: () => undefined })
      expect(messages.same.edit(body, { facts, foreign: true }, lose), name).toBe(body)
      expect(losses).toEqual([])
    }
})

import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { fit } from '../../../adapters/chat-completions/fit.ts'
import { chatCompletions } from '../../../adapters/chat-completions/index.ts'
import { writeWhole } from '../../../adapters/chat-completions/request.ts'
import type { ModelFacts } from '../../../adapters/contract.ts'
import { objectIn, parse, stringify, type JsonObject } from '../../../src/json/json.ts'
import { lossList } from '../../../src/model/loss.ts'
import type { Block, Request, Turn } from '../../../src/model/request.ts'
import { knownModels, see } from '../../../src/models/see.ts'
import { emptyRequest } from '../../../src/rules/empty-request.ts'
import { codeOf, sources } from '../../sources.ts'
import { passed, translated, whole, type Halves } from './law.ts'
import { WISHES, type Named } from './wishes.ts'

const HALVES: Halves = { adapter: chatCompletions, writeWhole, fit }

const text = (words: string, more: object = {}): Block => ({ kind: 'text', text: words, ...more })
const thought: Block = { kind: 'reasoning', text: 'Hm.' }
const user = (...blocks: Block[]): Turn => ({ role: 'user', blocks })
const model = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks })
const called = (id: string, form: 'json' | 'text' = 'json'): Block => ({
  kind: 'tool-call',
  id,
  name: 'one',
  form,
  input: form === 'json' ? '{"a":"b"}' : 'free words',
})
const result = (callId: string, ...content: Block[]): Block => ({
  kind: 'tool-result',
  callId,
  name: 'one',
  form: 'json',
  content,
})
const one = { kind: 'function', name: 'one', schema: '{"type":"object"}' } as const
const free = { kind: 'text', name: 'one', description: 'Free.' } as const
const MARK = { cache: {} }
const ID = 'call_with_an_id_that_is_longer_than_forty_characters'

const wish = (name: string, more: Partial<Request>): Named => ({
  name,
  request: { ...emptyRequest('m'), turns: [user(text('q'))], ...more },
})

/** What is asked of this dialect alone. */
const OWN: readonly Named[] = [
  wish('thoughts before a call and behind it', {
    tools: [one],
    turns: [
      user(text('q')),
      model(thought, text('a')),
      user(text('more')),
      model(thought, called('call_1')),
      user(result('call_1', text('r'))),
      model(thought, text('a')),
      user(text('more')),
    ],
  }),
  wish('calls without thoughts', {
    tools: [one],
    turns: [
      user(text('q')),
      model(called('call_1')),
      user(result('call_1', text('r'), text('s'))),
      model(text('a')),
      user(text('more')),
    ],
  }),
  wish('thoughts alone', { turns: [user(text('q')), model(thought), user(text('more'))] }),
  wish('marks of what to cache', {
    system: [text('s', MARK), text('t')],
    tools: [{ ...one, ...MARK }],
    turns: [
      user(text('q', MARK)),
      model(text('a', MARK), text('b')),
      user(text('c'), text('d', MARK)),
    ],
  }),
  wish('marks in turns, with instructions between them', {
    system: [text('s', MARK)],
    turns: [
      user(text('q')),
      { role: 'developer', blocks: [text('d', MARK), text('e')] },
      user(text('more')),
    ],
  }),
  wish('pictures at an address', {
    tools: [one],
    turns: [
      user(
        { kind: 'media', mediaType: 'image/png', source: { url: 'https://a.example/b.png' } },
        text('q'),
      ),
      model(called('call_1')),
      user(
        result('call_1', text('r'), {
          kind: 'media',
          mediaType: 'image/png',
          source: { url: 'https://a.example/c.png' },
        }),
      ),
    ],
  }),
  wish('free text called', {
    tools: [free],
    toolChoice: { mode: 'required', names: ['one'] },
    turns: [user(text('q')), model(called(ID, 'text')), user(result(ID, text('r')))],
  }),
  wish('free text among the allowed', {
    tools: [free, { ...one, name: 'two' }, { ...one, name: 'three' }],
    toolChoice: { mode: 'auto', names: ['one', 'two'] },
  }),
  wish('tools with a grammar, in a namespace', {
    tools: [
      {
        ...free,
        namespace: 'n',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
      },
    ],
  }),
  wish('thinking that is not shown', { reasoning: { mode: 'on', effort: 'max', visible: false } }),
  wish('thinking of which nothing is said but that', { reasoning: { mode: 'on' } }),
  wish('an effort and a budget', { reasoning: { mode: 'on', effort: 'low', budget: 9000 } }),
  wish('no thinking, with an effort', { reasoning: { mode: 'off', effort: 'high' } }),
  wish('several forced while it thinks', {
    tools: [one, { ...one, name: 'two' }, { ...one, name: 'three' }],
    toolChoice: { mode: 'required', names: ['one', 'two'] },
    reasoning: { mode: 'on', effort: 'high' },
  }),
  wish('plain JSON, in words too', {
    format: { type: 'json' },
    turns: [user(text('Give JSON.'))],
  }),
  wish('a schema, behind marked instructions', {
    system: [text('s', MARK)],
    format: { type: 'json-schema', schema: '{"type":"object","properties":{}}', name: 'n' },
  }),
  wish('a schema that is no object', {
    format: { type: 'json-schema', schema: '{"type":"string"}' },
  }),
  wish('one of several words', { format: { type: 'choice', among: ['a', 'b'] } }),
  wish('everything that is sampled', {
    sampling: { temperature: 1, topP: 1, topK: 5, seed: 1, verbosity: 'high' },
    limits: { stop: ['a', 'b', 'c', 'd', 'e'], maxOutputTokens: 5 },
  }),
  wish('instructions of developers at the top', {
    turns: [{ role: 'developer', blocks: [text('d')] }, user(text('q'))],
  }),
]

const ALL = [...WISHES, ...OWN]
const { profiles: PROFILES = [] } = chatCompletions.upstream
/** Each model of the table at one server, and each server with some of them. */
const MODELS = knownModels().map((name, index) => ({
  name,
  profile: PROFILES[index % PROFILES.length] ?? { name: '', facts: {} },
}))

/** What the configuration may say of a model. */
const SAID: readonly ModelFacts[] = [
  { maxOutputTokens: 100 },
  { efforts: [] },
  { efforts: ['low'] },
  { efforts: ['high', 'max'], thinkingOff: false },
  { thinkingOff: false },
  { thinkingOff: 'between_tools' },
  { thinking: 'budget' },
  { thinking: 'level' },
  { prefill: false },
  { sampling: 'never' },
  { sampling: 'without-thinking' },
  { forcedChoice: false },
  { storesByDefault: true },
  { fetchesUrls: false },
  { drop: ['temperature', 'max_tokens', 'parallel_tool_calls', 'reasoning', 'labels'] },
]

interface Exception {
  readonly profile: RegExp
  readonly wish: RegExp
  /** `losses`: the same is sent, and something else is told. */
  readonly in: 'losses' | 'body'
  readonly why: string
  /** Where it holds for some models alone, and for some requests. */
  readonly isMet?: (about: { model: string; facts: ModelFacts; request: Request }) => boolean
}

/** Where the two ways may differ, and why. */
const EXCEPTIONS: readonly Exception[] = [
  {
    profile: /^(?:openai|azure)$/,
    wish: /^a hosted tool$/,
    in: 'body',
    why: 'whether it searches is for the model to say, and they have more models than the table',
  },
  {
    profile: /^/,
    wish: /json-schema|^a schema, behind/,
    in: 'body',
    isMet: ({ model: name, facts: { server } }) =>
      server?.jsonSchema === false || see(name).facts.chatSchema === false,
    why: 'the schema that is told in words is the caller’s, not the closed one that other servers keep to',
  },
  {
    profile: /^together$/,
    wish: /^a strict tool$/,
    in: 'body',
    why: 'where a schema is not kept to, it is the caller’s, not the closed one',
  },
  {
    profile: /^/,
    wish: /^/,
    in: 'body',
    isMet: ({ model: name, request: { tools } }) =>
      tools.length > 0 && see(name).facts.chatTools === 'without-thinking',
    why: 'that a model takes functions only without thinking its service says to callers of this dialect',
  },
  {
    profile: /^/,
    wish: /^(?!store)/,
    in: 'losses',
    isMet: ({ facts: { storesByDefault, server } }) =>
      storesByDefault ?? server?.storesByDefault === true,
    why: 'it keeps what comes; a caller of this dialect who says nothing of that knows its service',
  },
  {
    profile: /^/,
    wish: /in a namespace$|developers at the top$/,
    in: 'losses',
    why: 'a tool, and what is a turn or an instruction, is called as its caller calls it',
  },
  {
    profile: /^/,
    wish: /^pictures at an address$/,
    in: 'losses',
    why: 'the picture of a result is told where its caller has it',
  },
  {
    profile: /^litellm$/,
    wish: /^sampling\.topK|^limits\.max|^everything that is sampled|names|^free text among|^reasoning|^thinking|^thoughts before|budget$|with an effort$|while it thinks$|^store|^a hosted tool|instructions/,
    in: 'body',
    why: 'what else it takes is for the model behind it to say, which a caller of this dialect may know',
  },
]

function exceptedIn(profile: string, asked: Named, model: string, facts: ModelFacts) {
  const { name, request } = asked
  const found = EXCEPTIONS.filter((row) => row.profile.test(profile) && row.wish.test(name))
  const met = found.filter(({ isMet = () => true }) => isMet({ model, facts, request }))
  return met.some((row) => row.in === 'body') ? 'body' : met[0]?.in
}

/** Which wishes are answered in two ways, and how. */
function differences(profile: string, name: string, facts: ModelFacts): object[] {
  return ALL.flatMap((asked) => {
    const excepted = exceptedIn(profile, asked, name, facts)
    const same = passed(HALVES, asked.request, name, facts)
    const other = translated(HALVES, asked.request, name, facts)
    const isAlike =
      excepted === 'losses' ? same.body === other.body : isDeepStrictEqual(same, other)
    return isAlike || excepted === 'body' ? [] : [{ wish: asked.name, model: name, same, other }]
  })
}

const targetOf = (facts: ModelFacts, name = 'm') => ({
  model: name,
  defaultMaxOutputTokens: 8192,
  facts,
})

/** A wish in a body of a caller of this dialect. */
function bodyOf({ request }: Named): JsonObject {
  const { body } = writeWhole(request, { target: targetOf({}), lose: lossList().lose })
  return objectIn(parse(stringify(body), chatCompletions.caller.verbatim))
}

describe('a body is written at its widest', () => {
  it('whatever the server takes', () => {
    for (const { facts: server } of PROFILES)
      for (const { name, request } of ALL) {
        const widest = whole(HALVES, request, targetOf({}))
        expect(whole(HALVES, request, targetOf({ server })), name).toEqual(widest)
      }
  })

  it('by writers that ask for no fact about a server', () => {
    const writers = sources.filter(({ path }) =>
      /^adapters\/chat-completions\/(?:blocks|calls|dialect|fields|history|media|proofs|reasoning|tools)\.ts$/.test(
        path,
      ),
    )
    expect(writers).toHaveLength(9)
    for (const source of writers) expect(codeOf(source), source.path).not.toMatch(/\bserver\b/)
  })
})

describe('a body that fits', () => {
  it('stays the same object, also where nothing is known of its server', () => {
    for (const wished of ALL) {
      const body = bodyOf(wished)
      const { lose, losses } = lossList()
      expect(fit(body, targetOf({}), lose), wished.name).toBe(body)
      for (const { name, facts } of PROFILES) {
        const once = fit(body, targetOf({ server: facts }), () => undefined)
        expect(fit(once, targetOf({ server: facts }), lose), `${name}: ${wished.name}`).toBe(once)
      }
      expect(losses, wished.name).toEqual([])
    }
  })

  it('is bounded, and without what the configuration says the model refuses', () => {
    const { lose, losses } = lossList()
    const facts = { maxOutputTokens: 5, drop: ['top_k'] }
    const body = { model: 'm', messages: [], max_completion_tokens: 9, top_k: 1 }
    const sent = { model: 'm', messages: [], max_completion_tokens: 5 }
    expect(fit(body, targetOf(facts), lose)).toEqual(sent)
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'approximated limits.maxOutputTokens',
      'dropped sampling.topK',
    ])
  })
})

describe('a server gives one answer, in whatever words it is asked', () => {
  it.each(PROFILES)('$name', ({ name, facts }) => {
    expect(differences(name, 'm', { server: facts })).toEqual([])
  })

  it('whichever model is asked for', () => {
    for (const { name, profile } of MODELS)
      expect(differences(profile.name, name, { server: profile.facts })).toEqual([])
  })

  it('whatever the configuration says of the model', () => {
    const { facts: server = {} } = PROFILES.find(({ name }) => name === 'vllm') ?? {}
    for (const said of SAID) expect(differences('vllm', 'm', { ...said, server })).toEqual([])
  })
})

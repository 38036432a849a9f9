import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { responses } from '../../../adapters/responses/index.ts'
import type { ModelFacts, ServerFacts } from '../../../adapters/contract.ts'
import { fit } from '../../../adapters/responses/fit.ts'
import { writeWhole } from '../../../adapters/responses/request.ts'
import { objectIn, parse, stringify, type JsonObject } from '../../../src/json/json.ts'
import { lossList } from '../../../src/model/loss.ts'
import type { Request, Tool, Turn } from '../../../src/model/request.ts'
import { knownModels } from '../../../src/models/see.ts'
import { EFFORTS } from '../../../src/rules/effort.ts'
import { emptyRequest } from '../../../src/rules/empty-request.ts'
import { codeOf, sources } from '../../sources.ts'
import { passed, translated, whole, type Halves } from './law.ts'
import { WISHES, type Named } from './wishes.ts'

const HALVES: Halves = { adapter: responses, writeWhole, fit }

const SCHEMA = '{"type":"object","properties":{"a":{"type":"string"}}}'
const tool = (name: string, more: Partial<Tool> = {}): Tool =>
  ({ kind: 'function', name, description: name, schema: SCHEMA, ...more }) as Tool
const asked: Turn = { role: 'user', blocks: [{ kind: 'text', text: 'q' }] }
const wish = (name: string, more: Partial<Request>): Named => ({
  name,
  request: { ...emptyRequest('m'), turns: [asked], ...more },
})
const said = (...blocks: Turn['blocks']): Turn[] => [
  asked,
  { role: 'assistant', blocks: [...blocks, { kind: 'text', text: 'a' }] },
  asked,
]
const found: Turn['blocks'] = [
  { kind: 'tool-search', id: 'ts_1', input: '{"query":"two"}' },
  { kind: 'tool-change', change: 'add', tools: [{ name: 'two' }], searchId: 'ts_1' },
]

/** What is asked of this dialect alone. */
const OWN: readonly Named[] = [
  wish('a thought without a proof', { turns: said({ kind: 'reasoning', text: 't' }) }),
  wish('a thought with a proof', {
    turns: said({ kind: 'reasoning', text: 't', proof: { dialect: 'responses', value: 'v' } }),
  }),
  wish('a thought with a proof of another service', {
    turns: said({ kind: 'reasoning', text: 't', proof: { dialect: 'messages', value: 'v' } }),
  }),
  wish('tools that come later', {
    tools: [tool('one'), tool('two', { late: true })],
    turns: [
      ...said(),
      {
        role: 'system',
        blocks: [{ kind: 'tool-change', change: 'add', tools: [{ name: 'two' }] }],
      },
      asked,
    ],
  }),
  wish('tools that a search finds', {
    tools: [
      tool('one'),
      tool('two', { deferred: true }),
      { kind: 'hosted', capability: 'tool-search' },
    ],
    turns: said(...found),
  }),
  wish('another effort on the way', {
    turns: [...said(), { role: 'developer', blocks: [], effort: 'high' }, asked],
  }),
  wish('tools in a namespace', {
    tools: [tool('one', { namespace: 'n' }), { kind: 'text', name: 'free', namespace: 'n' }],
    toolChoice: { mode: 'required', names: ['one'] },
  }),
  wish('a mark of what to cache', {
    turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'q', cache: {} }] }, ...said()],
  }),
  wish('JSON, in words as well', {
    turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'Say it in JSON.' }] }],
    format: { type: 'json' },
  }),
  wish('a screen', { tools: [tool('computer', { screen: { words: 'single' } })] }),
  wish('a schema that is no object', {
    format: { type: 'json-schema', schema: '{"type":"string"}' },
  }),
  wish('one of several words', { format: { type: 'choice', among: ['a', 'b'] } }),
]

const ALL = [...WISHES, ...OWN]
const PROFILES = responses.upstream.profiles ?? []
/** The service itself. */
const SERVER = PROFILES.find(({ name }) => name === 'openai')?.facts ?? {}
const MODELS = ['m', ...knownModels().filter((_, index) => index % 12 === 0)]

/** What the configuration may say that a model does not take. */
const LACKS: readonly ModelFacts[] = [
  { maxOutputTokens: 100 },
  { thinkingOff: false },
  { thinkingOff: 'between_tools' },
  { efforts: [] },
  { efforts: ['low'] },
  { efforts: ['high', 'max'], thinkingOff: false },
  { forcedChoice: false },
  { sampling: 'never' },
  { sampling: 'without-thinking' },
  { prefill: false },
  { storesByDefault: true },
  { mixesTools: false },
  { systemInPlace: false },
  { cacheBreakpoints: false },
  { lateTools: false },
  { deferredTools: false },
  { effortUpdates: false },
  { computer: false },
  { drop: ['temperature', 'max_output_tokens', 'parallel_tool_calls'] },
  { drop: ['text', 'reasoning', 'user', 'labels', 'tier'] },
]

/** What it may say that a model takes. */
const TAKES: ModelFacts = {
  efforts: EFFORTS,
  thinkingOff: true,
  forcedChoice: true,
  sampling: 'always',
  prefill: true,
  storesByDefault: false,
  cacheBreakpoints: true,
  systemInPlace: true,
  lateTools: true,
  deferredTools: true,
  effortUpdates: true,
  computer: true,
}

interface Exception {
  readonly wish: RegExp
  readonly isMet: (about: { facts: ModelFacts; server: ServerFacts }) => boolean
  readonly why: string
}

/** Where the two ways may differ, and why. */
const EXCEPTIONS: readonly Exception[] = [
  {
    wish: /^store .*true/,
    isMet: ({ server }) => server.state === false,
    why: 'the proxy keeps what a caller of this dialect asks it to keep',
  },
  {
    wish: /^a thought without a proof$|proof of another service$/,
    isMet: ({ server }) => server.unprovenThoughts === undefined,
    why: 'such thoughts are its own, and it is not known whether it reads those of others',
  },
  {
    wish: /"mode":"off"/,
    isMet: ({ facts }) => facts.thinkingOff === false,
    why: 'a caller of this dialect says itself whether it wants proofs of thoughts (`include`)',
  },
  {
    wish: /"budget"/,
    isMet: ({ facts }) => facts.efforts !== EFFORTS,
    why: 'a number of tokens becomes an effort that the model takes, and is told once',
  },
  {
    wish: /^a screen/,
    isMet: ({ facts, server }) => server.hostedTools === false || facts.computer === false,
    why: 'its own callers know the tool by its type alone; that of others is a function and stays one',
  },
  {
    wish: /^tools that a search finds/,
    isMet: ({ facts }) => facts.deferredTools === false,
    why: 'without a search they come once the conversation names them, which its writer alone can tell',
  },
  {
    wish: /^instructions before/,
    isMet: ({ facts }) => facts.cacheBreakpoints === false,
    why: 'where marks are taken, instructions are written where they can have one, and stay there',
  },
]

const isExcepted = (name: string, facts: ModelFacts): boolean =>
  EXCEPTIONS.some((one) => one.wish.test(name) && one.isMet({ facts, server: facts.server ?? {} }))

const targetOf = (model: string, facts: ModelFacts) => ({
  model,
  defaultMaxOutputTokens: 8192,
  facts,
})

/** Each wish in a body of a caller of this dialect. */
const BODIES = ALL.map(({ name, request }): [string, JsonObject] => {
  const { body } = writeWhole(request, { target: targetOf('m', TAKES), lose: lossList().lose })
  return [name, objectIn(parse(stringify(body), responses.caller.verbatim))]
})

/** Which wishes are answered in two ways, and how. */
function differences(model: string, facts: ModelFacts, known: ModelFacts = {}): object[] {
  return ALL.filter(({ name }) => !isExcepted(name, facts)).flatMap(({ name, request }) => {
    const one = passed(HALVES, request, model, facts, known)
    const other = translated(HALVES, request, model, facts)
    return isDeepStrictEqual(one, other) ? [] : [{ name, model, one, other }]
  })
}

describe('a server gives one answer, in whatever words it is asked', () => {
  it.each(PROFILES)('$name', ({ facts: server }) => {
    expect(differences('m', { server })).toEqual([])
  })

  it.each(PROFILES)('$name, by models of the table', ({ facts: server }) => {
    expect(MODELS.flatMap((model) => differences(model, { server }))).toEqual([])
  })

  it.each(LACKS.map((facts) => [JSON.stringify(facts), facts] as const))(
    'whose model is said to lack %s',
    (_, facts) => {
      expect(
        MODELS.flatMap((model) =>
          differences(model, { ...TAKES, ...facts, server: SERVER }, TAKES),
        ),
      ).toEqual([])
    },
  )
})

describe('a body is fitted', () => {
  const lose = lossList().lose

  it('to nothing where nothing is said of its model and its server', () => {
    for (const [name, body] of BODIES)
      for (const facts of [{}, TAKES])
        expect(fit(body, { model: 'm', facts }, lose), name).toBe(body)
  })

  it('to a server of which nothing is lacking, and stays the same object', () => {
    for (const [name, body] of BODIES.filter(([name]) => !/^format .*"json"/.test(name)))
      for (const server of [{}, SERVER]) {
        const heard = lossList()
        const sent = fit(body, { model: 'm', facts: { server } }, heard.lose)
        if (heard.losses.length === 0) expect(sent, name).toBe(body)
      }
  })

  it.each([...PROFILES.map(({ facts: server }) => ({ server })), ...LACKS])(
    'once and for all: %j',
    (facts) => {
      for (const [name, body] of BODIES) {
        const once = fit(body, { model: 'm', facts }, lose)
        expect(fit(once, { model: 'm', facts }, lose), name).toBe(once)
      }
    },
  )

  it.each(PROFILES)('after it was written as if there were no $name', ({ facts: server }) => {
    for (const { name, request } of ALL)
      expect(whole(HALVES, request, targetOf('m', { server })), name).toEqual(
        whole(HALVES, request, targetOf('m', {})),
      )
  })
})

it('is fitted in one place: what writes a body asks for no fact of a server', () => {
  const places = /(?:^|\/)(?:fit|fit-history|fit-model|abilities|same|profiles)\.ts$/
  const asking = sources
    .filter(({ path }) => path.startsWith('adapters/responses/') && !places.test(path))
    .filter((source) =>
      /[fF]acts\??\.server\b|\{[^{}]*\bserver\b[^{}]*\}\s*[:=][^;\n]*[fF]acts/.test(codeOf(source)),
    )
  expect(asking.map(({ path }) => path)).toEqual([])
})

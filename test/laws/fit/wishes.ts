import type { Place } from '../../../src/model/places.ts'
import type { Request, Tool, Turn } from '../../../src/model/request.ts'
import { emptyRequest } from '../../../src/rules/empty-request.ts'

type Wish = Partial<Request>

const SCHEMA = '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}'
const tool = (name: string, more: object = {}): Tool => ({
  kind: 'function',
  name,
  description: name,
  schema: SCHEMA,
  ...more,
})
const [one, two] = [tool('one'), tool('two')]

const said = (role: Turn['role'], text: string): Turn => ({
  role,
  blocks: [{ kind: 'text', text }],
})
const ASKED: Turn[] = [said('user', 'q')]
const CALLED: Turn[] = [
  ...ASKED,
  {
    role: 'assistant',
    blocks: [{ kind: 'tool-call', id: 'call_1', name: 'one', form: 'json', input: '{"a":"b"}' }],
  },
]
const result = (content: Turn['blocks']): Turn => ({
  role: 'user',
  blocks: [{ kind: 'tool-result', callId: 'call_1', name: 'one', form: 'json', content }],
})

/** A value for each place that a request may ask for something at; several where they are different questions. */
const AT: Readonly<Record<Place, readonly Wish[]>> = {
  'sampling.temperature': [{ sampling: { temperature: 0.5 } }],
  'sampling.topP': [{ sampling: { topP: 0.5 } }],
  'sampling.topK': [{ sampling: { topK: 5 } }],
  'sampling.seed': [{ sampling: { seed: 5 } }],
  'sampling.presencePenalty': [{ sampling: { presencePenalty: 0.5 } }],
  'sampling.frequencyPenalty': [{ sampling: { frequencyPenalty: 0.5 } }],
  'sampling.candidateCount': [{ sampling: { candidateCount: 2 } }],
  'sampling.logprobs': [{ sampling: { logprobs: 2 } }],
  'sampling.verbosity': [{ sampling: { verbosity: 'low' } }],
  'limits.maxOutputTokens': [{ limits: { maxOutputTokens: 500 } }],
  'limits.stop': [{ limits: { stop: ['END'] } }],
  toolChoice: [
    { tools: [one, two], toolChoice: { mode: 'auto' } },
    { tools: [one, two], toolChoice: { mode: 'none' } },
    { tools: [one, two], toolChoice: { mode: 'required' } },
    { tools: [one, two], toolChoice: { mode: 'required', names: ['two'] } },
    { tools: [one, two, tool('three')], toolChoice: { mode: 'auto', names: ['one', 'two'] } },
    { tools: [one, two, tool('three')], toolChoice: { mode: 'required', names: ['one', 'two'] } },
    {
      tools: [one, two],
      toolChoice: { mode: 'required', names: ['two'] },
      reasoning: { mode: 'on', effort: 'high' },
    },
  ],
  parallelToolCalls: [{ tools: [one, two], parallelToolCalls: false }],
  reasoning: [
    { reasoning: { mode: 'off' } },
    { reasoning: { mode: 'adaptive' } },
    { reasoning: { mode: 'on', effort: 'low' } },
    { reasoning: { mode: 'on', effort: 'high' } },
    { reasoning: { mode: 'on', budget: 2048 }, limits: { maxOutputTokens: 4096 } },
  ],
  forgetful: [{ forgetful: true }],
  compact: [],
  caching: [],
  format: [
    { format: { type: 'json' } },
    { format: { type: 'json-schema', schema: SCHEMA, name: 'answer' } },
    { format: { type: 'json-schema', schema: SCHEMA, name: 'answer', strict: true } },
  ],
  previous: [],
  store: [{ store: true }, { store: false }],
  user: [{ user: 'u-1' }],
  labels: [{ labels: { a: 'b' } }],
  tier: [{ tier: 'flex' }, { tier: 'priority' }],
  cacheKey: [{ cacheKey: 'k' }],
}

const PICTURE = { kind: 'media', mediaType: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const
const PAPER = {
  kind: 'media',
  mediaType: 'application/pdf',
  name: 'a.pdf',
  source: { data: 'JVBERi0=' },
} as const

/** What is asked for at no place: tools and turns. */
const BESIDE: Readonly<Record<string, Wish>> = {
  'a strict tool': { tools: [tool('one', { strict: true }), two] },
  'a tool that is not strict': { tools: [tool('one', { strict: false })] },
  'a tool of free text': { tools: [{ kind: 'text', name: 'free', description: 'f' }] },
  'a hosted tool': { tools: [one, { kind: 'hosted', capability: 'web-search' }] },
  'a picture': { turns: [{ role: 'user', blocks: [PICTURE, { kind: 'text', text: 'q' }] }] },
  'a document': { turns: [{ role: 'user', blocks: [PAPER, { kind: 'text', text: 'q' }] }] },
  'a picture from a tool': {
    tools: [one],
    turns: [...CALLED, result([{ kind: 'text', text: 'r' }, PICTURE])],
  },
  'a result and words': {
    tools: [one],
    turns: [...CALLED, result([{ kind: 'text', text: 'r' }]), said('user', 'more')],
  },
  'instructions before': { system: [{ kind: 'text', text: 's' }] },
  'instructions in between': {
    turns: [...ASKED, said('assistant', 'a'), said('developer', 'd'), said('user', 'more')],
  },
  'words of its own at the end': { turns: [...ASKED, said('assistant', 'So')] },
}

export interface Named {
  readonly name: string
  readonly request: Request
}

const requestWith = (wish: Wish): Request => ({ ...emptyRequest('m'), turns: ASKED, ...wish })

/** One request for each wish. */
export const WISHES: readonly Named[] = [
  ...Object.entries(AT).flatMap(([place, wishes]) =>
    wishes.map((wish) => ({
      name: `${place} ${JSON.stringify(wish)}`,
      request: requestWith(wish),
    })),
  ),
  ...Object.entries(BESIDE).map(([name, wish]) => ({ name, request: requestWith(wish) })),
]

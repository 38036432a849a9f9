import { expect, it } from 'vitest'
import type { Place } from '../../src/model/places.ts'
import type { Request } from '../../src/model/request.ts'
import { readRequest, writeRequest } from './exchange.ts'
import { fail, forEachAdapter } from './law.ts'
import { unreported } from './requests.ts'

const PLAIN: Request = {
  model: 'model-1',
  stream: false,
  system: [],
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello.' }] }],
  tools: [{ kind: 'function', name: 'f' }],
  limits: {},
  sampling: {},
}

/** What is no default anywhere. */
const ASKED: Readonly<Record<Place, Partial<Request>>> = {
  'sampling.temperature': { sampling: { temperature: 0.4 } },
  'sampling.topP': { sampling: { topP: 0.8 } },
  'sampling.topK': { sampling: { topK: 7 } },
  'sampling.seed': { sampling: { seed: 11 } },
  'sampling.presencePenalty': { sampling: { presencePenalty: 0.3 } },
  'sampling.frequencyPenalty': { sampling: { frequencyPenalty: 0.2 } },
  'sampling.candidateCount': { sampling: { candidateCount: 2 } },
  'sampling.logprobs': { sampling: { logprobs: 0 } },
  'sampling.verbosity': { sampling: { verbosity: 'low' } },
  'limits.maxOutputTokens': { limits: { maxOutputTokens: 3000 } },
  'limits.stop': { limits: { stop: ['END'] } },
  toolChoice: { toolChoice: { mode: 'required' } },
  parallelToolCalls: { parallelToolCalls: false },
  reasoning: { reasoning: { mode: 'on', effort: 'high' } },
  forgetful: { forgetful: true },
  compact: { compact: { above: 70_000 } },
  format: { format: { type: 'json' } },
  previous: { previous: 'resp_1' },
  store: { store: true },
  user: { user: 'u-1' },
  labels: { labels: { team: 'a' } },
  tier: { tier: 'flex' },
  cacheKey: { cacheKey: 'key-1' },
  caching: { caching: { comparedWith: 'reply-1' } },
}

forEachAdapter((adapter) => {
  it.each(Object.entries(ASKED))('carries %s or reports it', (_, asked) => {
    const request = { ...PLAIN, ...asked }
    const { text, losses } = writeRequest(adapter, request)
    const arrived = readRequest(adapter, text.slice(text.indexOf('\n') + 1))
    fail(unreported(request, arrived, losses))
  })

  it('reports nothing where nothing is asked for', () => {
    const { losses } = writeRequest(adapter, { ...PLAIN, limits: { stop: [] } })
    expect(losses.filter(({ code }) => code !== 'defaulted')).toEqual([])
  })
})

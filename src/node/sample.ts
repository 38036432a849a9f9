import type { Adapter, Outgoing } from '../../adapters/adapter.ts'

const SAMPLE_TOKENS = 200

/** A smallest request in a dialect's own words, written by its own adapter. */
export function sampleOf(adapter: Adapter, model: string, stream = false): Outgoing {
  return adapter.upstream.writeRequest(
    {
      model,
      stream,
      system: [],
      turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello!' }] }],
      tools: [],
      limits: { maxOutputTokens: SAMPLE_TOKENS },
      sampling: {},
    },
    {
      target: { model, defaultMaxOutputTokens: SAMPLE_TOKENS, facts: {} },
      lose: () => undefined,
    },
  )
}

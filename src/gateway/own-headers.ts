import type { Adapter, Lookup } from '../../adapters/adapter.ts'
import { MAX_OUTPUT_TOKENS } from './defaults.ts'

/** The headers that a request in this dialect has at least, for requests that came without any. */
export function ownHeaders({ upstream }: Adapter): Lookup {
  const { headers } = upstream.writeRequest(
    {
      model: 'model',
      stream: false,
      system: [],
      turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'text' }] }],
      tools: [],
      limits: {},
      sampling: {},
    },
    {
      target: { model: 'model', defaultMaxOutputTokens: MAX_OUTPUT_TOKENS, facts: {} },
      lose: () => undefined,
    },
  )
  return new Headers(headers)
}

import { describe, expect, it } from 'vitest'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import type { JsonObject } from '../../src/json/json.ts'
import type { Request } from '../../src/model/request.ts'
import { probe } from './silent.ts'

const body: JsonObject = {
  model: 'model-1',
  max_tokens: 1000,
  temperature: 0.5,
  top_k: 5,
  metadata: { user_id: 'user-1' },
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Ulm', days: 2 } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sun', is_error: true }],
    },
  ],
  tools: [
    {
      name: 'f',
      description: 'Weather',
      input_schema: { type: 'object', properties: { city: { type: 'string' } } },
    },
  ],
}

const [caller, ...others] = adapters.toSorted((one) => (one.dialect === 'messages' ? -1 : 1))

/** An adapter whose upstream half is given another request, or nobody to report to. */
function careless(adapter: Adapter, forget: (request: Request) => Request, mute = false): Adapter {
  const { upstream } = adapter
  return {
    ...adapter,
    upstream: {
      ...upstream,
      writeRequest: (request, context) =>
        upstream.writeRequest(forget(request), {
          ...context,
          lose: mute ? () => undefined : context.lose,
        }),
    },
  }
}

const silent = (upstream: Adapter): string[] =>
  caller ? (probe(caller, upstream, body, 1000)?.silent.map(({ path }) => path) ?? []) : []

/** Mistakes of a writer, and a place where the mistake must be found. */
const MISTAKES: [string, (request: Request) => Request, string][] = [
  ['system', (request) => ({ ...request, system: [] }), 'system.0.text'],
  ['sampling', (request) => ({ ...request, sampling: {} }), 'temperature'],
  ['limits', (request) => ({ ...request, limits: {} }), 'max_tokens'],
  [
    'descriptions',
    (request) => ({
      ...request,
      tools: request.tools.map((tool) =>
        tool.kind === 'function' ? { ...tool, description: 'A tool' } : tool,
      ),
    }),
    'tools.0.description',
  ],
  [
    'inputs',
    (request) => blocks(request, 'tool-call', { input: '{}' }),
    'messages.1.content.1.input.city',
  ],
  [
    'results',
    (request) => blocks(request, 'tool-result', { content: [] }),
    'messages.2.content.0.content',
  ],
  [
    'failures',
    (request) => blocks(request, 'tool-result', { isError: false }),
    'messages.2.content.0.is_error',
  ],
  [
    'first words',
    (request) => blocks(request, 'text', { text: 'Hello' }),
    'messages.0.content.0.text',
  ],
]

function blocks(request: Request, kind: string, change: object): Request {
  const turns = request.turns.map((turn) => ({
    ...turn,
    blocks: turn.blocks.map((block) => (block.kind === kind ? { ...block, ...change } : block)),
  }))
  return { ...request, turns }
}

describe.each(others.map((adapter) => ({ adapter, dialect: adapter.dialect })))(
  'a search for silent losses towards $dialect',
  ({ adapter }) => {
    it('finds none where all is reported', () => expect(silent(adapter)).toEqual([]))

    it.each(MISTAKES)('finds a writer that forgets %s', (_, forget, path) => {
      expect(silent(careless(adapter, forget))).toContain(path)
    })

    it('finds a writer that reports nothing', () => {
      const found = silent(careless(adapter, (request) => request, true))
      expect(found).toContain('messages.1.content.0.signature')
      expect(found).toContain('system.0.cache_control')
    })
  },
)

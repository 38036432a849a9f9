import { describe, expect, it } from 'vitest'
import { reportForeign } from '../../src/canonical/foreign.ts'
import { lossList } from '../../src/canonical/loss.ts'
import type { Request } from '../../src/canonical/model.ts'

const ext = { a: { own: 1, nothing: null, none: [], empty: {} } }
const request: Request = {
  model: 'm',
  stream: false,
  system: [{ kind: 'text', text: 's', ext }],
  turns: [
    {
      role: 'user',
      ext,
      blocks: [
        { kind: 'text', text: 't', citations: [{ url: 'u', ext }] },
        {
          kind: 'tool-result',
          callId: '1',
          name: 'f',
          form: 'json',
          content: [{ kind: 'text', text: 'r', ext }],
        },
        { kind: 'opaque', dialect: 'a', value: { type: 'future' } },
        { kind: 'opaque', dialect: 'b', value: {} },
      ],
    },
  ],
  tools: [
    { kind: 'function', name: 'f', ext },
    { kind: 'hosted', capability: 'web-search', ext },
    { kind: 'opaque', dialect: 'a', name: 'bash', value: {} },
  ],
  toolChoice: { mode: 'auto', ext },
  reasoning: { mode: 'on', ext },
  format: { type: 'json-schema', schema: '{}', ext },
  limits: {},
  sampling: {},
  ext,
}

const paths = (target: string): string[] => {
  const { lose, losses } = lossList()
  reportForeign(request, target, lose)
  expect(losses.every((loss) => loss.code === 'dropped')).toBe(true)
  return losses.map((loss) => loss.path)
}

describe('what only one dialect knows', () => {
  it('is reported towards every other dialect, wherever it stands', () => {
    expect(paths('c')).toEqual([
      'own',
      'reasoning.own',
      'toolChoice.own',
      'format.own',
      'system.0.own',
      'turns.0.own',
      'turns.0.blocks.0.citations.own',
      'turns.0.blocks.1.content.0.own',
      'turns.0.blocks.2.future',
      'turns.0.blocks.3.block',
      'tools.f.own',
      'tools.web-search.own',
      'tools.bash',
    ])
  })

  it('is nothing to report towards its own', () => {
    expect(paths('a')).toEqual(['turns.0.blocks.3.block'])
  })
})

import { describe, expect, it } from 'vitest'
import type { Event } from '../../src/model/events.ts'
import { replyReporter, reportForeign } from '../../src/rules/foreign.ts'
import { lossList } from '../../src/model/loss.ts'
import type { Request } from '../../src/model/request.ts'

/** Of a request an empty object asks for something as it is; in a reply it says nothing. */
const ext = { a: { own: {}, nothing: null, none: [] } }
const left = { a: { own: 1, nothing: null, none: [], empty: {} } }
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

describe('what only one dialect says in a reply', () => {
  const said: Event[] = [
    { type: 'start', id: 'r', model: 'm', ext: { a: { first: 1 } } },
    {
      type: 'block-start',
      block: {
        kind: 'search',
        id: 's',
        queries: [],
        sources: [{ url: 'u', ext: left }],
        ext: left,
      },
    },
    { type: 'block-end', tail: {} },
    { type: 'block-start', block: { kind: 'text', text: '' } },
    { type: 'block-delta', text: 't' },
    { type: 'citation', citation: { url: 'u', ext: left } },
    { type: 'block-end', tail: { ext: { a: { late: 1 } } } },
    { type: 'block-start', block: { kind: 'opaque', dialect: 'a', value: { toolCall: {} } } },
    { type: 'block-end', tail: {} },
    { type: 'usage', usage: { ext: left } },
    {
      type: 'finish',
      reason: 'stop',
      ext: { a: { last: 1, tier: 'standard', none: { zero: 0 } } },
    },
  ]
  const heard = (caller: string): string[] => {
    const { lose, losses } = lossList()
    const report = replyReporter(caller, lose)
    for (const event of said) report(event)
    return losses.map(({ path }) => path)
  }

  it('is reported to every other, unless it is nothing out of the ordinary', () => {
    expect(heard('b')).toEqual([
      'reply.first',
      'reply.search.own',
      'reply.search.sources.own',
      'reply.citations.own',
      'reply.text.late',
      'reply.toolCall',
      'reply.usage.own',
      'reply.last',
    ])
    expect(heard('a')).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { lossesOf, sent } from './translate.ts'
import { translator } from '../../src/named-translator.ts'

/** Tools that are never there, which clients send so that deferring others changes no prompt. */

const empty = { type: 'object', properties: {} }
const PLACEHOLDERS = [
  // Claude Code 2.1.257
  {
    name: 'DeferredToolPlaceholder',
    description:
      'Reserved placeholder that keeps deferred tool loading active; never call this tool.',
    input_schema: empty,
  },
  { name: 'DeferredToolPlaceholder', input_schema: { type: 'object' } },
  // pi 0.87.1
  {
    name: '__pi_deferred_placeholder__',
    description: 'Reserved placeholder. Never available. Never call this.',
    input_schema: { ...empty, required: [] },
  },
  { name: 'reserved', description: 'A placeholder; never call it.', input_schema: empty },
]
const bash = { name: 'Bash', description: 'Runs a command', input_schema: empty }
const messages = [{ role: 'user', content: 'Go.' }]
const OTHERS = DIALECTS.filter((dialect) => dialect !== 'messages')
const deferred = (tool: object) => ({ ...tool, defer_loading: true })

describe.each(OTHERS)('over %s', (to) => {
  it.each(PLACEHOLDERS)('$name is offered nowhere, and nothing is lost with it', (tool) => {
    for (const more of [
      [],
      [{ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }],
    ]) {
      const tools = [bash, ...more]
      const together = sent(['messages', to], { messages, tools: [...tools, deferred(tool)] })
      const alone = sent(['messages', to], { messages, tools })
      expect(together.text).toBe(alone.text)
      expect(lossesOf(together)).toEqual(lossesOf(alone))
    }
  })

  it.each([
    ['that is on offer', PLACEHOLDERS[0] ?? {}],
    [
      'with arguments',
      deferred({
        name: 'fill_placeholder',
        description: 'Fills a placeholder. Never call it twice.',
        input_schema: { type: 'object', properties: { a: { type: 'string' } } },
      }),
    ],
    ['that says nothing of the kind', deferred({ ...bash, name: 'get_placeholder' })],
  ])('a tool %s is none', (_, tool) => {
    const { text } = sent(['messages', to], { messages, tools: [tool] })
    expect(text).toContain('laceholder')
  })
})

it('passes to its own service, and is left out for a server that shows all tools', () => {
  const tools = [bash, ...PLACEHOLDERS.map(deferred)]
  const asked = { model: 'm', max_tokens: 9, messages, tools }
  const own = translator({ from: 'messages', to: 'messages' }).request(asked)
  expect(own.body).toMatchObject({ tools })
  const profile = { hostedTools: false }
  const shown = translator({ from: 'messages', to: 'messages', profile }).request(asked)
  expect(shown.body).toMatchObject({ tools: [bash] })
})

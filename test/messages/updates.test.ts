import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { translator } from '../../src/named-translator.ts'

const BETA = 'thinking-display-updates-2026-08-18'
const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }]

function sent(model: string, asked: object, from: Dialect = 'responses') {
  const { body, headers } = translator({ from, to: 'messages', model }).request(
    JSON.stringify({ model: 'm', input: 'x', ...asked }),
  )
  return { thinking: body['thinking'], beta: headers['anthropic-beta'] ?? '' }
}

describe('what a model says between calls', () => {
  it('is asked for where a foreign caller has tools and says nothing of thoughts', () => {
    for (const model of ['claude-opus-5-5', 'claude-fable-5-2', 'claude-sonnet-5-5']) {
      const updates = { type: 'adaptive', display: 'updates' }
      expect(sent(model, { tools })).toEqual({ thinking: updates, beta: BETA })
      expect(sent(model, { tools, reasoning: { effort: 'high' } }).thinking).toEqual(updates)
    }
  })

  it('is left alone where the caller says what it wants of thoughts, or has no tools', () => {
    const summary = sent('claude-opus-5-5', { tools, reasoning: { summary: 'auto' } })
    expect(summary).toEqual({ thinking: { type: 'adaptive', display: 'summarized' }, beta: '' })
    expect(sent('claude-opus-5-5', {})).toEqual({ thinking: undefined, beta: '' })
    const between = sent('claude-sonnet-5-5', { tools, reasoning: { effort: 'none' } })
    expect(between).toEqual({ thinking: { type: 'between_tools' }, beta: '' })
  })

  it('is not asked of models that say it as text, and of other platforms', () => {
    for (const model of ['claude-opus-5', 'my-deployment', 'us.anthropic.claude-opus-5-5-v1:0'])
      expect(sent(model, { tools })).toEqual({ thinking: undefined, beta: '' })
  })

  it('is not asked for by a caller of the same dialect', () => {
    const asked = { max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }
    const own = { ...asked, tools: [{ name: 'f', input_schema: { type: 'object' } }] }
    expect(sent('claude-opus-5-5', own, 'messages').thinking).toBeUndefined()
  })
})

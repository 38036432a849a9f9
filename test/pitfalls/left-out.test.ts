import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { translator } from '../../src/named-translator.ts'

const tool = (name: string) => ({ type: 'function', name, parameters: {}, strict: false })
const ask = (mode: string, allowed: string[]) => ({
  model: 'm',
  max_output_tokens: 99,
  input: 'x',
  tools: [tool('f'), tool('g'), tool('h')],
  tool_choice: { type: 'allowed_tools', mode, tools: allowed.map(tool) },
})

describe('a tool that the choice leaves out', () => {
  it.each<[Dialect, string]>([
    ['messages', 'auto'],
    ['messages', 'required'],
    ['generate-content', 'auto'],
    ['chat-completions', 'required'],
  ])('stays on offer to %s (%s), as part of the prompt, and that is reported', (to, mode) => {
    const { text, losses } = translator({ from: 'responses', to }).request(ask(mode, ['f', 'g']))
    expect(text).toContain('"g"')
    expect(text).toContain('"h"')
    expect(losses).toContainEqual(
      expect.objectContaining({ code: 'approximated', path: 'toolChoice' }),
    )
  })

  it('is declared where the wire has a list of those allowed', () => {
    const { request } = translator({ from: 'responses', to: 'generate-content' })
    const { text, losses } = request(ask('required', ['f']))
    expect(text).toContain('"h"')
    expect(losses.map(({ path }) => path)).not.toContain('tools.h')
  })
})

import { expect, it } from 'vitest'
import { estimateTokens } from '../../src/rules/estimate.ts'
import { assistant, call, request, result, text, user } from './help.ts'

it('counts the text of instructions, conversation and tools at four characters a token', () => {
  const full = request({
    system: [text('abcd')],
    turns: [user('abcdefgh'), assistant(call('t1', '{"a":1}', 'f')), user(result('t1', 'abcd'))],
    tools: [{ kind: 'function', name: 'f', description: 'abc', schema: '{}' }],
  })
  expect(estimateTokens(full)).toBe(Math.ceil((4 + 8 + 8 + 4 + 6) / 4))
  expect(estimateTokens(request({ turns: [] }))).toBe(0)
})

it('counts a picture as something', () => {
  const picture = { kind: 'media', mediaType: 'image/png', source: { data: 'AA' } } as const
  expect(estimateTokens(request({ turns: [user(picture)] }))).toBe(1500)
})

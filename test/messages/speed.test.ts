import { expect, it } from 'vitest'
import { translator } from '../../src/named-translator.ts'

const asked = (model: string, service_tier: string) => {
  const request = translator({ from: 'responses', to: 'messages', model }).request({
    model: 'm',
    input: 'a',
    service_tier,
  })
  return { ...request, paths: request.losses.map(({ code, path }) => `${code} ${path}`) }
}
const BETA = 'fast-mode-2026-02-01'

it('a fast tier is the fast mode of a model that has it', () => {
  const fast = asked('claude-opus-5', 'fast')
  expect(fast.body['speed']).toBe('fast')
  expect(fast.headers['anthropic-beta']).toBe(BETA)
  expect(fast.paths).not.toContain('dropped tier')
  const newer = asked('claude-opus-5-5', 'ultrafast')
  expect(newer.body['speed']).toBe('fast')
  expect(newer.headers['anthropic-beta']).toBeUndefined()
  expect(newer.paths).toContain('approximated tier')
})

it('a fast tier is left out where there is none, which is told', () => {
  for (const model of ['claude-sonnet-5-5', 'anthropic.claude-opus-5-v1', 'claude-opus-4-6']) {
    const { body, paths } = asked(model, 'fast')
    expect(body['speed']).toBeUndefined()
    expect(paths).toContain('dropped tier')
  }
})

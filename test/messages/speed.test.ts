import { expect, it } from 'vitest'
import { translator } from '../../src/translator.ts'

const asking = (more: object) => ({
  model: 'm',
  max_tokens: 99,
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
})

it.each(['responses', 'chat-completions'] as const)('asks %s for a fast answer', (to) => {
  const { body, losses } = translator({ from: 'messages', to }).request(asking({ speed: 'fast' }))
  expect(body['service_tier']).toBe('fast')
  expect(losses).toEqual([])
})

it('says what a tier beside it has become', () => {
  const body = asking({ speed: 'fast', service_tier: 'standard_only' })
  const { losses } = translator({ from: 'messages', to: 'responses' }).request(body)
  expect(losses).toEqual([{ code: 'dropped', path: 'service_tier' }])
})

it('reports a fast one that a service may not have', () => {
  const body = { model: 'm', input: 'Hi', service_tier: 'fast' }
  const { losses } = translator({ from: 'responses', to: 'messages' }).request(body)
  expect(losses).toContainEqual({ code: 'dropped', path: 'tier' })
})

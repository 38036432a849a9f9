import { describe, expect, it } from 'vitest'
import { knownOf, type ModelFacts } from '../../adapters/contract.ts'

const CAREFUL = { efforts: ['low', 'high'] as const }

const known = (model: string, facts: ModelFacts = {}, service?: string) =>
  knownOf({ model, facts, ...(service !== undefined && { service }) }, CAREFUL)

describe('what is known of a model', () => {
  it('trap 8: what is configured beats is, is beats the name, the name beats the newest one', () => {
    expect(known('gpt-5.5', { is: 'claude-opus-4-5', prefill: false })).toMatchObject({
      prefill: false,
      thinking: 'budget',
      maxOutputTokens: 64_000,
    })
    expect(known('gpt-5.5').efforts).not.toContain('max')
    expect(known('gpt-5.9').efforts).toContain('max')
  })

  it('is what every current model takes, where the name says nothing', () => {
    expect(known('my-deployment')).toMatchObject(CAREFUL)
    expect(known('my-deployment', { efforts: [] }).efforts).toEqual([])
    expect(known('my-deployment', { is: 'gpt-5.5' }).efforts).toContain('xhigh')
  })

  it('is told by the service too', () => {
    expect(known('claude-opus-4-8', {}, 'bedrock').structured).toBe(false)
    expect(known('arn:aws:bedrock:r:1:x/y', { is: 'claude-opus-4-8' }, 'bedrock').strict).toBe(
      false,
    )
  })
})

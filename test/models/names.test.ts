import { describe, expect, it } from 'vitest'
import { knownModels, see } from '../../src/models/see.ts'

const modelOf = (name: string) => {
  const { how, model } = see(name)
  return how === 'model' ? model : how
}

describe('a name is seen through what clouds and routers put round it', () => {
  it.each([
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['global.anthropic.claude-opus-5-v1', 'claude-opus-5'],
    [
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-5-v1:0',
      'claude-opus-5',
    ],
    ['anthropic/claude-opus-5.5:beta', 'claude-opus-5-5'],
    ['~anthropic/claude-opus-5.5', 'claude-opus-5-5'],
    ['claude-5.5-opus', 'claude-opus-5-5'],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    ['claude-opus-5-5[1m]', 'claude-opus-5-5'],
    ['claude-sonnet-4-20250514', 'claude-sonnet-4-0'],
    ['publishers/google/models/gemini-3.8-flash', 'gemini-3.8-flash'],
    ['models/gemini-3.8-flash:streamGenerateContent', 'gemini-3.8-flash'],
    ['google.gemini-4-argon', 'gemini-4-argon'],
    ['us.openai.gpt-6.1-sol', 'gpt-6.1-sol'],
    ['databricks-gpt-5-5', 'gpt-5.5'],
    ['ft:gpt-5.4-mini:org::id', 'gpt-5.4-mini'],
    ['gpt-5-5', 'gpt-5.5'],
    ['gpt-6-sol-2026-09-22', 'gpt-6-sol'],
    ['gpt-oss:20b', 'gpt-oss-20b'],
    ['accounts/fireworks/models/glm-5p3', 'glm-5.3'],
    ['moonshotai/Kimi-K2-6', 'kimi-k2.6'],
    ['gemini-2.5-flash-preview-09-2025', 'gemini-2.5-flash'],
  ])('%s is %s', (name, model) => expect(modelOf(name)).toBe(model))

  it('trap 1: a name is not the one that it begins with', () => {
    expect(modelOf('claude-opus-5-5')).toBe('claude-opus-5-5')
    expect(modelOf('gpt-5')).toBe('gpt-5')
    expect(modelOf('claude-sonnet-5-5')).toBe('claude-sonnet-5-5')
    for (const name of ['claude-opus-55', 'gpt-6.2-solar', 'gpt-5.55'])
      expect(modelOf(name)).toBe('family')
  })

  it('traps 2 and 3: a day is no generation', () => {
    expect(modelOf('claude-opus-5-20260801')).toBe('claude-opus-5')
    expect(modelOf('gpt-5-2025-08-07')).toBe('gpt-5')
    expect(modelOf('gpt-5.4-2026-03-05')).toBe('gpt-5.4')
  })

  it('trap 6: an application profile has no name in it', () =>
    expect(
      modelOf('arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2'),
    ).toBe('unknown'))

  it('the wrapping tells of a cloud', () => {
    expect(see('us.anthropic.claude-opus-5-v1:0').facts.structured).toBe(false)
    expect(see('claude-opus-5').facts.structured).toBe(true)
    expect(see('claude-opus-5').service).toBeUndefined()
    expect(see('gpt-6-astra', 'azure').facts.efforts).not.toContain('max')
  })

  it('each model of the table is found by its own name', () => {
    for (const name of knownModels()) expect(see(name, undefined, '2026-11-28').how).toBe('model')
  })
})

describe('an unknown model', () => {
  it('of a known family has the facts of the newest one of its line', () => {
    expect(see('claude-opus-6')).toMatchObject({ how: 'family', model: 'claude-opus-5-5' })
    expect(see('claude-nova-1')).toMatchObject({ how: 'family', model: 'claude-fable-5-2' })
    expect(see('gpt-7-luna')).toMatchObject({ how: 'family', model: 'gpt-6-luna' })
    expect(see('gemini-5-flash').facts.thinking).toBe('level')
  })

  it('is not looked at where its name is a text without an end', () => {
    for (const piece of ['[', '@', ':', '-exp', '-1', 'us.', '5-'])
      expect(see(piece.repeat(1_000_000)).how).toBe('unknown')
  })

  it('of no family has none', () =>
    expect(see('my-deployment')).toEqual({ how: 'unknown', facts: {} }))

  it.each(['chat', 'chat-model', 'chat-1', 'labs-7b'])(
    'is of no family by a word that anybody uses: %s',
    (name) => expect(see(name)).toEqual({ how: 'unknown', facts: {} }),
  )
})

describe('names that move', () => {
  it('an alias has the facts of its model', () =>
    expect(modelOf('gemini-flash-latest')).toBe('gemini-3.8-flash'))

  it('trap 32: from the day on which another model answers, its facts hold', () => {
    expect(see('gemini-2.5-pro', undefined, '2026-11-30').facts.thinking).toBe('budget')
    expect(see('gemini-2.5-pro', undefined, '2026-12-01')).toMatchObject({
      model: 'gemini-3.8-flash',
      facts: { thinking: 'level' },
    })
  })
})

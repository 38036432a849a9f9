import { describe, expect, it } from 'vitest'
import { examined } from '../../src/config/config.ts'
import { objectSource } from '../../src/config/source.ts'

const wordsFor = (upstream: Record<string, unknown>): string[] =>
  examined(objectSource({ upstreams: { a: upstream } }, 'my.json'), { PIN: 'secret' }).faults.map(
    ({ place, expected }) => `${place}: ${expected}`,
  )

const PROJECT = 'https://aiplatform.googleapis.com/v1/projects/p/locations/global'
const BEDROCK = 'https://bedrock-runtime.us-east-1.amazonaws.com'
const MANTLE = 'https://bedrock-mantle.us-east-1.api.aws'
const AZURE = 'https://r.openai.azure.com'
const FOUNDRY = 'https://r.services.ai.azure.com'

const instead = (right: string): string =>
  `upstreams.a.url: nothing is at what this becomes; expected ${right}`

describe('wrong paths of clouds', () => {
  it.each([
    ['generate-content', PROJECT, `${PROJECT}/publishers/google`],
    ['generate-content', `${PROJECT}/publishers/`, `${PROJECT}/publishers/google`],
    ['generate-content', `${PROJECT}/publishers/google/models`, `${PROJECT}/publishers/google`],
    ['messages', PROJECT, `${PROJECT}/publishers/anthropic`],
    ['messages', `${PROJECT}/publishers/anthropic/models`, `${PROJECT}/publishers/anthropic`],
    ['responses', `${PROJECT}/publishers/openai`, `${PROJECT}/publishers/openai/v1`],
    ['chat-completions', PROJECT, `${PROJECT}/endpoints/openapi`],
    [
      'messages',
      'http://127.0.0.1:1/v1beta1/projects/p/locations/l',
      'http://127.0.0.1:1/v1beta1/projects/p/locations/l/publishers/anthropic',
    ],
    [
      'generate-content',
      'https://aiplatform.googleapis.com',
      'https://aiplatform.googleapis.com/publishers/google',
    ],
    ['messages', MANTLE, `${MANTLE}/anthropic`],
    ['messages', `${FOUNDRY}/openai/v1`, `${FOUNDRY}/anthropic`],
  ])('%s at %s', (dialect, url, right) => {
    expect(wordsFor({ dialect, url })).toContain(instead(right))
  })

  it('what else may be meant is named', () => {
    const words = wordsFor({ dialect: 'messages', url: BEDROCK })
    expect(words[0]).toContain(`${BEDROCK}/anthropic`)
    expect(words[0]).toContain('"profile": "bedrock-invoke"')
    for (const dialect of ['responses', 'chat-completions'])
      for (const url of [AZURE, `${AZURE}/openai`])
        expect(wordsFor({ dialect, url })[0]).toContain(`expected ${AZURE}/openai/v1; `)
  })

  it('a dated version of Azure is asked for', () => {
    const url = `${AZURE}/openai/responses`
    expect(wordsFor({ dialect: 'responses', url })[0]).toContain('"api-version"')
    const query = { 'api-version': '2025-04-01-preview' }
    expect(wordsFor({ dialect: 'responses', url, query })).toEqual([])
  })

  it.each([
    ['generate-content', `${PROJECT}/publishers/google`],
    ['generate-content', 'https://aiplatform.googleapis.com/v1/publishers/google'],
    ['messages', `${PROJECT}/publishers/anthropic/`],
    ['responses', `${PROJECT}/publishers/openai/v1`],
    ['chat-completions', `${PROJECT}/endpoints/openapi`],
    ['chat-completions', `${PROJECT}/endpoints/openapi/chat/completions`],
    ['messages', `${BEDROCK}/anthropic`],
    ['responses', `${BEDROCK}/openai/v1`],
    ['messages', `${MANTLE}/anthropic`],
    ['responses', `${MANTLE}/v1`],
    ['responses', `${MANTLE}/openai/v1`],
    ['messages', `${FOUNDRY}/anthropic`],
    ['chat-completions', `${FOUNDRY}/openai/v1`],
    ['responses', `${AZURE}/openai/v1`],
    ['messages', 'https://aws-external-anthropic.us-east-1.api.aws'],
    [
      'messages',
      'https://claude.googleapis.com/v1/projects/p/locations/global/workspaces/wrkspc_1/invoke',
    ],
  ])('nothing is said of %s at %s', (dialect, url) => {
    expect(wordsFor({ dialect, url })).toEqual([])
  })

  it('nothing is said where the profile has a form of its own', () => {
    expect(wordsFor({ dialect: 'messages', url: BEDROCK, profile: 'bedrock-invoke' })).toEqual([])
  })

  it('a parameter that cannot stand in an address is a fault', () => {
    const url = 'https://x.example'
    expect(
      wordsFor({ dialect: 'messages', url, query: { 'a b': 'c', d: 'e f', g: 'env:NO_SUCH' } }),
    ).toHaveLength(3)
    expect(wordsFor({ dialect: 'messages', url, query: { a: 'env:PIN' } })).toEqual([])
  })
})

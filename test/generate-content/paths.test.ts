import { describe, expect, it } from 'vitest'
import { generateContent } from '../../adapters/generate-content/index.ts'

const match = (path: string, alt: string | null = null, method = 'POST') =>
  generateContent.caller.match({ method, path, query: { get: () => alt } })

const pass = (path: string, model?: string) =>
  generateContent.same.path({ method: 'POST', path, query: { get: () => null } }, model)

describe('paths', () => {
  it.each([
    ['/v1beta/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
    ['/v1/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
    ['/v1beta/models/gemini-2.5-pro%3AgenerateContent', 'gemini-2.5-pro'],
    ['/v1beta/models/org/model:generateContent', 'org/model'],
    ['/v1beta/models/org%2Fmodel:generateContent', 'org/model'],
    ['/v1beta/models/model:tag:generateContent', 'model:tag'],
    ['/v1beta/tunedModels/mine:generateContent', 'tunedModels/mine'],
    // Claude Code's variants, and claude-code-router's PROVIDER,MODEL.
    ['/v1beta/models/x[1m]:generateContent', 'x[1m]'],
    ['/v1beta/models/x%5B1m%5D:generateContent', 'x[1m]'],
    ['/v1beta/models/provider,model:generateContent', 'provider,model'],
    ['/v1beta/models/provider%2Corg%2Fmodel:generateContent', 'provider,org/model'],
    ['/v1beta/models/my%20model:generateContent', 'my model'],
    ['/v1beta/models/a+b:generateContent', 'a+b'],
    ['/v1beta/models/a%2Bb:generateContent', 'a+b'],
    ['/v1beta/models/mod%C3%A8le:generateContent', 'modèle'],
  ])('%s asks %s', (path, model) => {
    expect(match(path)).toEqual({ operation: 'create', model, stream: false })
  })

  it('knows how a stream leaves', () => {
    const path = '/v1beta/models/m:streamGenerateContent'
    expect(match(path, 'sse')).toMatchObject({ stream: true, framing: 'sse' })
    expect(match(path)).toMatchObject({ stream: true, framing: 'json-array' })
    expect(match(path, 'json')).toMatchObject({ stream: true, framing: 'json-array' })
    expect(match('/v1/models/m:countTokens')).toEqual({ operation: 'count-tokens', model: 'm' })
  })

  it.each([
    '/v1beta/models/m:embedContent',
    '/v1beta/models/:generateContent',
    '/v1beta/models/m',
    '/v1beta/models/../m:generateContent',
    '/v1beta/models/a%2F%2E%2E%2Fb:generateContent',
    '/v1beta/models/a//b:generateContent',
    '/v1beta/models/a%252Fb:generateContent',
    '/v1beta/models/a%3Fkey=b:generateContent',
    '/v1beta/models/a%0d%0ab:generateContent',
    '/v1beta/models/%zz:generateContent',
    '/v1beta/models/%C3:generateContent',
    '/v1beta/models/m%:generateContent',
    '/v1beta/models/a%00b:generateContent',
    '/v1beta/models/a%5C..%5Cb:generateContent',
    '/v1beta/models/a/..%3B/b:generateContent',
    '/v1beta/models/a/%20../b:generateContent',
    '/v1beta/models/a%23b:generateContent',
    '/v2/models/m:generateContent',
    `/v1beta/models/${'m'.repeat(257)}:generateContent`,
  ])('refuses %s', (path) => {
    expect(match(path)).toBeUndefined()
  })

  it('answers POST only', () => {
    expect(match('/v1beta/models/m:generateContent', null, 'GET')).toBeUndefined()
  })

  it('keeps version and action when it replaces the model for an upstream of its own', () => {
    const path = '/v1/models/alias:streamGenerateContent'
    expect(pass(path, 'gemini-3-pro')).toBe('/v1/models/gemini-3-pro:streamGenerateContent')
    expect(pass(path, 'models/x')).toBe('/v1/models/x:streamGenerateContent')
    expect(pass(path, 'tunedModels/x')).toBe('/v1/tunedModels/x:streamGenerateContent')
    expect(pass('/v1beta/models/org%2Fm:countTokens')).toBe('/v1beta/models/org/m:countTokens')
    expect(pass('/v1/models/a[1m],b+c d:countTokens')).toBe(
      '/v1/models/a%5B1m%5D%2Cb%2Bc%20d:countTokens',
    )
  })
})

describe('lists of models', () => {
  it('names models with their bounds', () => {
    const model = { id: 'm', contextWindow: 1000, maxOutputTokens: 100 }
    const one = {
      name: 'models/m',
      displayName: 'm',
      inputTokenLimit: 1000,
      outputTokenLimit: 100,
      supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    }
    expect(generateContent.caller.writeModel(model, 0)).toEqual(one)
    expect(generateContent.caller.writeModels([model], 0)).toEqual({ models: [one] })
  })
})

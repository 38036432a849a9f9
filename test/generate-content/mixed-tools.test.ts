import { describe, expect, it } from 'vitest'
import type { Request } from '../../src/model/request.ts'
import { generateContent } from '../../adapters/generate-content/index.ts'
import { assistant, call, read, result, send, text, user } from './help.ts'

const tools: Request['tools'] = [
  { kind: 'function', name: 'f', schema: '{"type":"object","properties":{}}' },
  { kind: 'hosted', capability: 'web-search' },
]
const both = [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }]
const alone = both.slice(0, 1)
const NEW = 'gemini-3-flash-preview'

describe('web search beside functions', () => {
  it.each([NEW, 'gemini-3.6-pro', 'models/gemini-10'])('reaches %s', (model) => {
    const { body, losses } = send({ tools }, {}, model)
    expect(body.tools).toEqual(both)
    expect(body.toolConfig).toEqual({ includeServerSideToolInvocations: true })
    expect(losses).toEqual([])
  })

  it.each(['gemini-2.5-pro', 'my-deployment', 'gemma-4'])('is left out for %s', (model) => {
    const { body, losses } = send({ tools }, {}, model)
    expect(body.tools).toEqual(alone)
    expect(body).not.toHaveProperty('toolConfig')
    expect(losses).toEqual(['dropped tools.web-search'])
  })

  it('follows what the configuration says of the model', () => {
    expect(send({ tools }, { mixesTools: true }).body.tools).toEqual(both)
    expect(send({ tools }, { mixesTools: false }, NEW).body.tools).toEqual(alone)
  })

  it('leaves a request with one kind of tools as it is', () => {
    for (const tool of tools)
      expect(send({ tools: [tool] }, {}, NEW).body).not.toHaveProperty('toolConfig')
    expect(send({ tools, toolChoice: { mode: 'none' } }, {}, NEW).body.toolConfig).toEqual({
      functionCallingConfig: { mode: 'NONE' },
    })
  })

  it.each([
    [{ mode: 'auto' as const }, undefined],
    [
      { mode: 'required' as const, names: ['f'] },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
  ])('does not say in the plain word what the service then refuses: %j', (toolChoice, config) => {
    const { toolConfig } = send({ tools, toolChoice }, {}, NEW).body
    expect(toolConfig.functionCallingConfig).toEqual(config)
    expect(toolConfig.includeServerSideToolInvocations).toBe(true)
  })

  it('matches results by ids, as the service gave them', () => {
    const turns = [user(text('a')), assistant(call('id1', 'f')), user(result('id1', text('b')))]
    const [, asked, answered] = send({ turns, tools }, {}, NEW).body.contents
    expect(asked.parts[0].functionCall).toEqual({ id: 'id1', name: 'f', args: {} })
    expect(answered.parts[0].functionResponse).toMatchObject({ id: 'id1', name: 'f' })
    const [, plain] = send({ turns, tools }).body.contents
    expect(plain.parts[0].functionCall).toEqual({ name: 'f', args: {} })
  })

  it('is left to a caller of this dialect that asks for it in its own words', () => {
    const toolConfig = {
      functionCallingConfig: { mode: 'AUTO' },
      includeServerSideToolInvocations: true,
    }
    const request = read({ contents: [{ parts: [{ text: 'a' }] }], tools: both, toolConfig })
    const target = { model: NEW, defaultMaxOutputTokens: 9, facts: {} }
    const { body } = generateContent.upstream.writeRequest(request, {
      target,
      lose: () => undefined,
    })
    expect(body).toMatchObject({ tools: both, toolConfig })
  })
})

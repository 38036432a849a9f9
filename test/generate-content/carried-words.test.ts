import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { readRequest, writeRequest } from '../laws/exchange.ts'

function sent(from: Dialect, to: Dialect, body: JsonObject) {
  const request = readRequest(adapterOf(from), stringify(body))
  const written = writeRequest(adapterOf(to), request)
  return { body: written.body, lost: written.losses.map(({ path }) => path) }
}

const hello = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }
const offering = (behavior: string) => ({
  ...hello,
  tools: [{ functionDeclarations: [{ name: 'f', behavior }] }],
})

describe('a function whose result the model does not wait for', () => {
  it('goes both ways between generate-content and responses', () => {
    const there = sent('generate-content', 'responses', offering('NON_BLOCKING'))
    expect(there.body).toMatchObject({ tools: [{ name: 'f', async: true }] })
    const tools = [{ type: 'function', name: 'f', async: true }]
    const back = sent('responses', 'generate-content', { model: 'm', input: 'Hi', tools })
    expect(back.body).toMatchObject(offering('NON_BLOCKING'))
    expect([...there.lost, ...back.lost]).not.toContain('tools.f.async')
  })

  it.each(['messages', 'chat-completions'] as const)('is reported over %s', (to) => {
    const { lost } = sent('generate-content', to, offering('NON_BLOCKING'))
    expect(lost).toContain('tools.f.async')
  })

  it.each(['messages', 'responses', 'chat-completions'] as const)(
    'is nothing to report over %s where it is waited for',
    (to) =>
      expect(sent('generate-content', to, offering('BLOCKING')).lost.join()).not.toMatch(
        /async|behavior/,
      ),
  )
})

const PNG = { inlineData: { mimeType: 'image/png', data: 'aGk=' } }
const PDF = { inlineData: { mimeType: 'application/pdf', data: 'aGk=' } }
const LOW = { mediaResolution: 'MEDIA_RESOLUTION_LOW' }
const HIGH = { mediaResolution: { level: 'MEDIA_RESOLUTION_HIGH' } }
const shown = (...parts: JsonObject[]) => ({
  contents: [{ role: 'user', parts }],
  generationConfig: LOW,
})

describe('how closely to look at all pictures', () => {
  it('goes on with each picture that says nothing itself', () => {
    const { body, lost } = sent('generate-content', 'responses', shown(PNG, { ...PNG, ...HIGH }))
    expect(body['input']).toMatchObject([{ content: [{ detail: 'low' }, { detail: 'high' }] }])
    expect(lost.join()).not.toContain('mediaResolution')
  })

  it('is reported for other media', () => {
    const { lost } = sent('generate-content', 'responses', shown(PNG, PDF))
    expect(lost).toContain('generationConfig.mediaResolution')
  })

  it('stays where it was for its own dialect', () => {
    expect(sent('generate-content', 'generate-content', shown(PNG)).body).toEqual(shown(PNG))
  })
})

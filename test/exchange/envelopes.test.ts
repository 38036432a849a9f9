import { describe, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { writeEnvelope } from '../../src/model/proof.ts'
import { jsonReply, proxyOf } from './proxy.ts'

/** Of a kind that is sent for no other caller. */
const DATA = { mimeType: 'application/x-own', data: 'AAAA' }

/** With a schema that is completed for no caller of the dialect. */
const BARE = { name: 'f', input_schema: { type: 'object' } }

const bodies = {
  messages: (signature: string) => ({
    model: 'own',
    max_tokens: 10,
    tools: [BARE],
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature },
          { type: 'text', text: 'yes' },
        ],
      },
      { role: 'user', content: 'go on' },
    ],
  }),
  'generate-content': (proof: string) => ({
    contents: [
      { role: 'user', parts: [{ text: 'hi' }, { inlineData: DATA }] },
      { role: 'model', parts: [{ text: 'yes', thoughtSignature: btoa(proof) }] },
      { role: 'user', parts: [{ text: 'go on' }] },
    ],
  }),
  responses: (encrypted_content: string) => ({
    model: 'own',
    input: [
      { role: 'user', content: 'hi' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content },
      { role: 'assistant', content: 'yes' },
      { role: 'user', content: 'go on' },
    ],
  }),
}
const paths = {
  messages: '/v1/messages',
  'generate-content': '/v1beta/models/own:generateContent',
  responses: '/v1/responses',
}
const headers = { 'anthropic-version': '2023-06-01' }

describe.each(['messages', 'generate-content', 'responses'] as const)('%s', (dialect) => {
  const foreign = writeEnvelope(
    { dialect: dialect === 'messages' ? 'responses' : 'messages', value: 'p' },
    'self',
  )
  const change = {
    routes: [{ model: '*', upstream: 'plain' }],
    upstream: { dialect },
  }
  const sentFor = async (body: unknown) => {
    const proxy = proxyOf(() => jsonReply({}), change, { dialects })
    const response = await proxy.fetch(paths[dialect], { body, headers })
    const text = new TextDecoder().decode(proxy.sent[0]?.body as Uint8Array)
    return { text, losses: response.headers.get('x-dragoman-losses') }
  }
  it('sends a conversation of its own as it came', async () => {
    // Words may begin like the ids of tools that another upstream has run.
    const body = { ...bodies[dialect]('its own proof'), hosted_by: { id: 'hosted_zone' } }
    expect((await sentFor(body)).text).toBe(JSON.stringify(body))
  })
  it("sends no other dialect's proofs, and says so", async () => {
    const { text, losses } = await sentFor(bodies[dialect](foreign))
    expect(text).not.toMatch(/xseal1|eHNlYWwx/)
    expect(text).toContain('yes')
    if (dialect === 'messages') expect(text).toContain(JSON.stringify(BARE))
    if (dialect === 'generate-content') expect(text).toContain(JSON.stringify(DATA))
    expect(text).toContain('go on')
    expect(losses).toContain('seal')
  })
})

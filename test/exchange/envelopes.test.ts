import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { writeEnvelope } from '../../src/model/proof.ts'
import { kits, othersThan } from '../dialects/index.ts'
import { jsonReply, proxyOf } from './proxy.ts'

const headers = { 'anthropic-version': '2023-06-01' }

describe.each(DIALECTS)('%s', (dialect) => {
  const { http, ask } = kits[dialect]
  const { body: bodyOf, own } = ask.proven
  const foreign = writeEnvelope({ dialect: othersThan(dialect)[0] ?? dialect, value: 'p' }, 'self')
  const change = {
    routes: [{ model: '*', upstream: 'plain' }],
    upstream: { dialect },
  }
  const sentFor = async (body: unknown) => {
    const proxy = proxyOf(() => jsonReply({}), change, { dialects })
    const response = await proxy.fetch(http.path('own', false), { body, headers })
    const text = new TextDecoder().decode(proxy.sent[0]?.body as Uint8Array)
    return { text, losses: response.headers.get('x-dragoman-losses') }
  }
  it('sends a conversation of its own as it came', async () => {
    // Words may begin like the ids of tools that another upstream has run.
    const body = { ...bodyOf('its own proof'), hosted_by: { id: 'hosted_zone' } }
    expect((await sentFor(body)).text).toBe(JSON.stringify(body))
  })
  it("sends no other dialect's proofs, and says so", async () => {
    const { text, losses } = await sentFor(bodyOf(foreign))
    expect(text).not.toMatch(/xseal1|eHNlYWwx/)
    expect(text).toContain('yes')
    if (own) expect(text).toContain(JSON.stringify(own))
    expect(text).toContain('go on')
    expect(losses).toContain('seal')
  })
})

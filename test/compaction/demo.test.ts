import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/index.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import { DEMO_ORIGIN } from '../../src/config/defaults.ts'
import type { Wire } from '../sdk/script.ts'

const app = createApp({
  upstreams: Object.fromEntries(
    DIALECTS.map((dialect) => [dialect, { dialect, url: `${DEMO_ORIGIN}/${dialect}` }]),
  ),
  routes: DIALECTS.map((dialect) => ({ model: `demo-${dialect}`, upstream: dialect })),
  callers: 'open',
})

async function ask(path: string, json: Wire): Promise<Wire> {
  const response = await app.fetch(
    new Request(`http://proxy.example${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(json),
    }),
  )
  expect(response.status).toBe(200)
  return (await response.json()) as Wire
}

describe.each(DIALECTS)('a first try of a summary, over the demo of %s', (dialect) => {
  const model = `demo-${dialect}`

  it('is answered in each form', async () => {
    const path = await ask('/v1/responses/compact', { model, input: 'Weigh it.' })
    expect(path).toMatchObject({ object: 'response.compaction' })
    const input = [{ role: 'user', content: 'Weigh it.' }, { type: 'compaction_trigger' }]
    const item = await ask('/v1/responses', { model, input })
    expect(item).toMatchObject({ status: 'completed', output: [{ type: 'compaction' }] })
    const messages = [{ role: 'user', content: 'Weigh it.' }]
    const body = { model, max_tokens: 99, messages, compaction: { type: 'summarize' } }
    const block = await ask('/v1/messages', body)
    expect(block).toMatchObject({ content: [{ type: 'compaction' }], stop_reason: 'compaction' })
    const output = path['output'] as Wire[]
    await ask('/v1/responses', { model, input: [...output, { role: 'user', content: 'So?' }] })
  })
})

import { describe, expect, it } from 'vitest'
import { demoConfig } from '../../src/config/config.ts'
import { createApp } from '../../src/index.ts'

/** Long data of a body stays bytes while it is translated; what a reply repeats of its request has it again. */
describe('what a response repeats of its request', () => {
  const { fetch } = createApp(demoConfig())
  const long = 'QUJD'.repeat(10_000)
  const schema = { type: 'object', properties: { a: { type: 'string', enum: [long] } } }
  const body = {
    instructions: long,
    input: 'Hello',
    tools: [{ type: 'function', name: 'f', parameters: schema, strict: false }],
    text: { format: { type: 'json_schema', name: 'n', schema, strict: false } },
  }

  it.each(['demo-messages', 'demo-generate-content'])('is whole over %s', async (model) => {
    const ask = (stream: boolean) =>
      fetch('http://localhost/v1/responses', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, model, stream }),
      })
    const reply: { tools?: unknown } = JSON.parse(await (await ask(false)).text())
    expect(reply).toMatchObject({ instructions: long, text: body.text })
    expect(JSON.stringify(reply.tools)).toContain(JSON.stringify(schema))
    const events = await (await ask(true)).text()
    expect(events).not.toContain('\u0080')
    expect(events.split(long).length - 1).toBe(3 * 3)
  })
})

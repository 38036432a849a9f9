import { describe, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import type { ModelFacts } from '../../adapters/contract.ts'
import { jsonReply, proxyOf, sseReply, streamOf } from '../exchange/proxy.ts'
import { kits } from '../dialects/index.ts'
import { writeEnvelope } from '../../src/model/proof.ts'
import { DIALECTS, type Dialect } from './translate.ts'

const headers = { 'anthropic-version': '2023-06-01' }

const request = (dialect: Dialect, temperature: number, tokens: number) => {
  const { http, ask } = kits[dialect]
  const said = { ...ask.text('hi'), ...ask.bounds(temperature, tokens), future: 1 }
  return http.body('own', false, said)
}
const pathOf = (dialect: Dialect, stream: boolean) => kits[dialect].http.path('own', stream)

const events = (dialect: Dialect) =>
  kits[dialect].say.hello.events.map((event) => `data: ${JSON.stringify(event)}\n\n`)

const settings = (dialect: Dialect, facts?: ModelFacts) => ({
  routes: [{ model: '*', upstream: 'plain' }],
  upstream: { dialect, ...(facts && { models: new Map([['own', facts]]) }) },
})

const sentFor = async (dialect: Dialect, body: object, known: ModelFacts) => {
  const proxy = proxyOf(() => jsonReply(kits[dialect].say.hello.body), settings(dialect, known), {
    dialects,
  })
  const response = await proxy.fetch(pathOf(dialect, false), { body, headers })
  return {
    text: new TextDecoder().decode(proxy.sent[0]?.body as Uint8Array),
    losses: response.headers.get('x-dragoman-losses'),
  }
}

describe.each(DIALECTS)('%s on both sides', (dialect) => {
  const ask = (stream: boolean) => ({
    ...kits[dialect].http.body('own', stream, request(dialect, 1, 50)),
  })

  it('gives one body to a caller that asked for no stream, though the upstream sends one', async () => {
    const proxy = proxyOf(() => sseReply(events(dialect)), settings(dialect), { dialects })
    const response = await proxy.fetch(pathOf(dialect, false), { body: ask(false), headers })
    expect(response.headers.get('content-type')).toBe('application/json')
    const body = JSON.stringify(await response.json())
    expect(body).toContain('"hello"')
    expect(body).toContain('7')
  })

  it('gives a stream to a caller that asked for one, though the upstream sends a body', async () => {
    const proxy = proxyOf(() => jsonReply(kits[dialect].say.hello.body), settings(dialect), {
      dialects,
    })
    const response = await proxy.fetch(pathOf(dialect, true), { body: ask(true), headers })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(await response.text()).toMatch(/data: .*hello/)
  })

  it('passes what is as it was asked for, byte by byte', async () => {
    const text = JSON.stringify(kits[dialect].say.hello.body, undefined, 1)
    const proxy = proxyOf(() => ({ ...jsonReply({}), body: streamOf([text]) }), settings(dialect), {
      dialects,
    })
    const response = await proxy.fetch(pathOf(dialect, false), { body: ask(false), headers })
    expect(await response.text()).toBe(text)
  })

  it('calls a stream one, though the upstream does not say what it sends', async () => {
    const untyped = () => sseReply(events(dialect), { 'content-type': '' })
    const proxy = proxyOf(untyped, settings(dialect), { dialects })
    const response = await proxy.fetch(pathOf(dialect, true), { body: ask(true), headers })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(await response.text()).toBe(events(dialect).join(''))
  })

  const askRefused = async (text: string) => {
    const proxy = proxyOf(() => jsonReply(text, 400), settings(dialect), { dialects })
    const response = await proxy.fetch(pathOf(dialect, false), { body: ask(false), headers })
    expect(response.status).toBe(400)
    return response.text()
  }

  it.each([
    '{"detail":"no such field"}',
    '{"message":"no such field"}',
    '{"error":"no such field"}',
    '[{"error":{"message":"no such field"}}]',
    'no such field\n',
  ])("puts the words of somebody else's error into its own: %s", async (text) => {
    const body: unknown = JSON.parse(await askRefused(text))
    expect(body).toMatchObject({ error: { message: 'no such field' } })
  })
  it('passes its own error', async () => {
    const error = { ...kits[dialect].say.failure('no').body, future: 1 }
    const text = ` ${JSON.stringify(error)} `
    expect(await askRefused(text)).toBe(text)
  })
  it.each(['<html>no</html>', '\u0001\u0002', '\ufffd\ufffd'])(
    'shows no rubbish: %j',
    async (text) => {
      expect(await askRefused(text)).not.toContain(text)
    },
  )

  describe('with a model that is known', () => {
    const facts = { drop: ['temperature'], maxOutputTokens: 100, contextWindow: 1000 }
    it('leaves out what the model does not take and keeps to its bound, and says so', async () => {
      const { text, losses } = await sentFor(dialect, request(dialect, 0.5, 5000), facts)
      expect(text).not.toContain('temperature')
      expect(text).not.toContain('5000')
      expect(text).toContain('100')
      expect(text).toContain('"future":1')
      expect(losses).toContain('dropped sampling.temperature')
      expect(losses).toContain('approximated limits.maxOutputTokens')
    })
    it('passes the bytes where that makes no difference', async () => {
      const body = request(dialect, 0.5, 50)
      const { text, losses } = await sentFor(dialect, body, {
        maxOutputTokens: 100,
        contextWindow: 1000,
      })
      expect(text).toBe(JSON.stringify(body))
      expect(losses).toBeNull()
    })
  })
})

it.each(['/v1/messages', '/v1/messages/count_tokens', '/explain/v1/messages'])(
  'the version of messages is demanded where the bytes pass, too: %s',
  async (path) => {
    const proxy = proxyOf(() => jsonReply(kits.messages.say.hello.body), settings('messages'), {
      dialects,
    })
    const body = request('messages', 1, 50)
    const refused = await proxy.fetch(path, { body })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
    expect(proxy.sent).toHaveLength(0)
    const other = { 'provider-version': '2023-06-01' }
    expect((await proxy.fetch(path, { body, headers: other })).status).toBe(200)
  },
)

it('what another upstream has run is not passed to one that would look for it', async () => {
  const proxy = proxyOf(() => jsonReply(kits.messages.say.hello.body), settings('messages'), {
    dialects,
  })
  const ran = [
    { type: 'server_tool_use', id: 'hosted_ws_1', name: 'web_search', input: { query: 'cats' } },
    { type: 'web_search_tool_result', tool_use_id: 'hosted_ws_1', content: [] },
  ]
  const body = {
    ...request('messages', 1, 50),
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [...ran, { type: 'text', text: 'Cats.' }] },
      { role: 'user', content: 'And?' },
    ],
  }
  const response = await proxy.fetch(pathOf('messages', false), { body, headers })
  const text = new TextDecoder().decode(proxy.sent[0]?.body as Uint8Array)
  expect(text).not.toContain('hosted_')
  expect(text).toContain('Cats.')
  expect(text).toContain('"future":1')
  expect(response.headers.get('x-dragoman-losses')).toBe('1; dropped turns.1.blocks.0')
})

it('a call whose proof was of another service goes on with the stand-in, by the model in the path', async () => {
  const dialect = 'generate-content'
  const proxy = proxyOf(() => jsonReply(kits[dialect].say.hello.body), settings(dialect), {
    dialects,
  })
  const thoughtSignature = btoa(writeEnvelope({ dialect: 'responses', value: 'p' }, 'previous'))
  const ask = async (model: string) => {
    const body = {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f' }, thoughtSignature }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      ],
    }
    await proxy.fetch(kits[dialect].http.path(model, false), { body })
    const sent = JSON.parse(new TextDecoder().decode(proxy.sent.at(-1)?.body as Uint8Array))
    return sent.contents[1].parts[0].thoughtSignature
  }
  expect(await ask('gemini-3-pro')).toBe('skip_thought_signature_validator')
  expect(await ask('gemini-2.5-pro')).toBeUndefined()
})

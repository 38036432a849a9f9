import { describe, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { contentReply } from '../dialects/generate-content/reply.ts'
import {
  jsonReply,
  KEY,
  proxyOf,
  sse,
  sseReply,
  type Script,
  type SettingsChange,
} from './proxy.ts'

const reply = contentReply('Blue.', { avgLogprobs: -0.25 })
const change = {
  routes: [{ model: '*', upstream: 'plain' }],
  upstream: { dialect: 'generate-content' },
}

const ask = async (script: Script, stream: boolean) => {
  const proxy = proxyOf(script, change, { dialects })
  const body = { model: 'm', max_tokens: 10, stream, messages: [{ role: 'user', content: 'hi' }] }
  const headers = { 'anthropic-version': '2023-06-01' }
  const response = await proxy.fetch('/v1/messages', { body, headers })
  await response.text()
  return {
    header: response.headers.get('x-dragoman-losses'),
    logged: proxy.log.flatMap(({ losses = [] }) => losses.map(({ path }) => path)),
  }
}

describe('what of a reply its caller cannot be told', () => {
  it('is in the header of a whole reply, and in the log', async () => {
    const { header, logged } = await ask(() => jsonReply(reply), false)
    expect(header).toBe('1; dropped reply.avgLogprobs')
    expect(logged).toEqual(['reply.avgLogprobs'])
  })
  it('is in the log of a stream, whose header has gone before', async () => {
    const { header, logged } = await ask(() => sseReply(sse(reply)), true)
    expect(header).toBeNull()
    expect(logged).toEqual(['reply.avgLogprobs'])
  })
  it('is named without the key that its upstream puts into a name', async () => {
    const spelled = Buffer.from(`user:${KEY}`).toString('base64')
    const strange = { ...reply, [KEY]: 1, [spelled]: 1 }
    const { header, logged } = await ask(() => jsonReply(strange), false)
    expect(header).toContain('dropped reply.***')
    const streamed = await ask(() => sseReply(sse(strange)), true)
    const core = spelled.slice(-20, -2)
    for (const told of [header, ...logged, ...streamed.logged])
      for (const secret of [KEY, core]) expect(told).not.toContain(secret)
  })
})

const trailing = (change: SettingsChange, script: Script) =>
  proxyOf(script, { ...change, lossTrailer: true }, { dialects })

describe('a stream with a trailer', () => {
  const headers = { 'anthropic-version': '2023-06-01' }
  const frames = 'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}'
  const hello = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }

  it('says what was lost in a comment before its last events', async () => {
    const proxy = trailing(change, () => sseReply(sse(reply)))
    const body = { ...hello, stream: true, top_k: 5, service_tier: 'auto' }
    const text = await (await proxy.fetch('/v1/messages', { body, headers })).text()
    const comment = text.split('\n\n').find((frame) => frame.startsWith(':'))
    expect(comment).toMatch(/^: x-dragoman-losses: \d; .*dropped reply\.avgLogprobs/)
    expect(text.indexOf(': x-dragoman')).toBeLessThan(text.indexOf('message_stop'))
  })
  it('says nothing where nothing was lost', async () => {
    const { avgLogprobs: _, ...candidate } = reply.candidates[0] ?? {}
    const whole = { ...reply, candidates: [candidate] }
    const proxy = trailing(change, () => sseReply(sse(whole)))
    const body = { ...hello, stream: true }
    const text = await (await proxy.fetch('/v1/messages', { body, headers })).text()
    expect(text).toContain('message_stop')
    expect(text).not.toContain('x-dragoman-losses')
  })
  it('says in a passing stream what was taken from its request', async () => {
    const proxy = trailing(
      {
        routes: [{ model: '*', upstream: 'plain' }],
        upstream: { dialect: 'chat-completions', server: { drop: ['logit_bias'] } },
      },
      () => sseReply(`${frames}\n\ndata: [DONE]`),
    )
    const body = { model: 'm', stream: true, logit_bias: { 1: 2 }, messages: hello.messages }
    const text = await (await proxy.fetch('/v1/chat/completions', { body })).text()
    expect(text).toMatch(/\n\n: x-dragoman-losses: 1; dropped .*\n\ndata: \[DONE\]\n\n$/)
  })
  // @google/genai 1.30 (Gemini CLI 0.61) and @google/generative-ai 0.24 end the whole stream at a comment.
  it.each([
    ['chat-completions', `${frames}\n\ndata: [DONE]\n\n`],
    ['generate-content', sse(reply)],
  ])(
    'says nothing to clients of generate-content over %s, which bear no comment',
    async (dialect, events) => {
      const upstream = { dialect, models: new Map([['*', { drop: ['topK'] }]]) }
      const routes = [{ model: '*', upstream: 'plain' }]
      const proxy = trailing({ routes, upstream }, () => sseReply(events))
      const body = { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { topK: 3 } }
      const path = '/v1beta/models/m:streamGenerateContent?alt=sse'
      const response = await proxy.fetch(path, { body })
      const text = await response.text()
      expect(response.headers.get('x-dragoman-losses')).toContain('topK')
      expect(text).toContain('STOP')
      expect(text).not.toMatch(/^:/m)
    },
  )
})

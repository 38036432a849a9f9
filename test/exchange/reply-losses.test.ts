import { describe, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { jsonReply, proxyOf, sse, sseReply, type Script } from './proxy.ts'

const reply = {
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'Blue.' }] },
      finishReason: 'STOP',
      index: 0,
      avgLogprobs: -0.25,
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: 'm',
  responseId: 'r',
}
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
})

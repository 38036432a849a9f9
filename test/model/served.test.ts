import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { type Json, type JsonObject, toText } from '../../src/json/json.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { readBody, readFrames, readRequest, writeReply } from '../laws/exchange.ts'

const REQUESTS: Record<Dialect, object> = {
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  responses: { model: 'm', input: 'hi', service_tier: 'flex' },
  'chat-completions': { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
}

const REPLIES: Record<Dialect, (tier: string) => Json> = {
  messages: (tier) => ({
    id: 'a',
    type: 'message',
    content: [{ type: 'text', text: 'b' }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: 1,
      output_tokens: 1,
      service_tier: tier,
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
    },
  }),
  responses: (tier) => ({
    id: 'a',
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'b' }] }],
    service_tier: tier,
    tool_usage: { image_gen: { input_tokens: 0 }, web_search: { num_requests: 2 } },
  }),
  'chat-completions': (tier) => ({
    id: 'a',
    choices: [{ index: 0, message: { content: 'b' }, finish_reason: 'stop' }],
    service_tier: tier,
  }),
  'generate-content': (tier) => ({
    candidates: [{ content: { parts: [{ text: 'b' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, totalTokenCount: 2, trafficType: tier },
  }),
}

function replyTo(caller: Dialect, upstream: Dialect, tier: string) {
  const request = readRequest(adapterOf(caller), toText(REQUESTS[caller] as Json))
  const { events } = readBody(adapterOf(upstream), request, REPLIES[upstream](tier))
  const { body, frames, losses } = writeReply(adapterOf(caller), request, events)
  return {
    body: JSON.parse(body ?? 'null'),
    frames: JSON.stringify(frames),
    losses: losses.map(({ path }) => path),
  }
}

describe('how a reply was served', () => {
  it('reaches callers by the names of their dialect, in one piece and in a stream', () => {
    expect(replyTo('messages', 'responses', 'priority').body).toMatchObject({
      usage: { service_tier: 'priority', server_tool_use: { web_search_requests: 2 } },
    })
    expect(replyTo('messages', 'generate-content', 'ON_DEMAND_PRIORITY').body).toMatchObject({
      usage: { service_tier: 'priority' },
    })
    expect(replyTo('responses', 'messages', 'priority').body).toMatchObject({
      service_tier: 'priority',
      tool_usage: { image_gen: { total_tokens: 0 }, web_search: { num_requests: 2 } },
    })
    expect(replyTo('chat-completions', 'responses', 'flex').body).toMatchObject({
      service_tier: 'flex',
    })
    expect(replyTo('generate-content', 'chat-completions', 'flex').body).toMatchObject({
      usageMetadata: { serviceTier: 'flex' },
    })
    expect(replyTo('messages', 'responses', 'priority').frames).toContain('priority')
    expect(replyTo('responses', 'messages', 'priority').frames).toContain('num_requests')
    expect(replyTo('chat-completions', 'responses', 'flex').frames).toContain('flex')
  })

  it('says that it was served as usual to a caller who asked for something else', () => {
    expect(replyTo('responses', 'messages', 'standard').body).toMatchObject({
      service_tier: 'default',
    })
    expect(replyTo('messages', 'responses', 'default').body).not.toHaveProperty(
      'usage.service_tier',
    )
  })

  it('is reported where the caller has no word for it', () => {
    expect(replyTo('messages', 'chat-completions', 'flex').losses).toEqual(['reply.service_tier'])
    expect(replyTo('responses', 'messages', 'batch').losses).toEqual([
      'reply.service_tier',
      'reply.usage.fetches',
    ])
    expect(replyTo('generate-content', 'responses', 'priority').losses).toEqual([
      'reply.usage.searches',
    ])
  })
})

describe('searches that a server of chat completions counts', () => {
  it.each<[string, JsonObject]>([
    [
      'OpenRouter',
      { server_tool_use_details: { web_search_requests: 3, tool_calls_requested: 4 } },
    ],
    ['OpenRouter, before', { server_tool_use: { web_search_requests: 3 } }],
    ['Perplexity', { num_search_queries: 3 }],
  ])('reach callers who have a word for them: %s', (_, counts) => {
    const upstream = adapterOf('chat-completions')
    for (const caller of ['messages', 'responses', 'generate-content'] as const) {
      const request = readRequest(adapterOf(caller), toText(REQUESTS[caller] as Json))
      const body = {
        id: 'a',
        choices: [{ index: 0, message: { content: 'b' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, ...counts },
      }
      const { events, losses } = readBody(upstream, request, body)
      const told = writeReply(adapterOf(caller), request, events)
      const word = caller === 'responses' ? '"num_requests":3' : '"web_search_requests":3'
      const paths = [...losses, ...told.losses].map(({ path }) => path)
      expect(told.body?.includes(word)).toBe(caller !== 'generate-content')
      expect(paths.includes('reply.usage.searches')).toBe(caller === 'generate-content')
    }
  })
})

describe('a stream of chat completions that says only that it is over', () => {
  const request = readRequest(adapterOf('messages'), JSON.stringify(REQUESTS.messages))
  const end = (chunk: Json) =>
    readFrames(adapterOf('chat-completions'), request, [
      { data: JSON.stringify(chunk) },
      { data: '[DONE]' },
    ]).events.at(-1)

  it('fails without a choice, and has ended well where something was said', () => {
    expect(end({ id: 'a', choices: [] })).toMatchObject({ type: 'error' })
    const choices = [{ index: 0, delta: { content: 'b' } }]
    expect(end({ id: 'a', choices })).toMatchObject({ type: 'finish', reason: 'stop' })
  })

  // An agent would take it for the end of its task. What a server says of itself is no word of the reply.
  it('fails without a word and a reason, and has ended where there is a reason', () => {
    const choice = { index: 0, delta: { role: 'assistant', content: '' } }
    expect(end({ id: 'a', provider: 'b', choices: [choice] })).toMatchObject({ type: 'error' })
    const ended = { ...choice, finish_reason: 'stop' }
    expect(end({ id: 'a', choices: [ended] })).toMatchObject({ type: 'finish', reason: 'stop' })
    const strange = { index: 0, delta: { content: '', of_tomorrow: 'c' } }
    expect(end({ id: 'a', choices: [strange] })).toMatchObject({ type: 'finish' })
  })
})

describe('a reply in one piece without a word', () => {
  const request = readRequest(adapterOf('messages'), JSON.stringify(REQUESTS.messages))
  const message = { role: 'assistant', content: '' }
  const choices = [{ index: 0, message, finish_reason: null }]
  const whole = (dialect: Dialect, body: JsonObject) =>
    readBody(adapterOf(dialect), request, { id: 'a', ...body }).events.at(-1)

  it.each<[Dialect, JsonObject, JsonObject]>([
    [
      'chat-completions',
      { provider: 'b', choices },
      { choices: [{ index: 0, message, finish_reason: 'stop' }] },
    ],
    ['messages', { content: [], stop_reason: null }, { content: [], stop_reason: 'end_turn' }],
    ['responses', { output: [] }, { output: [], status: 'completed' }],
  ])('fails without a reason: %s', (dialect, silent, ended) => {
    expect(whole(dialect, silent)).toMatchObject({ type: 'error' })
    expect(whole(dialect, ended)).toMatchObject({ type: 'finish', reason: 'stop' })
  })
})

import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/index.ts'
import { answer, cloudSite, type Answers, type CloudSite, type Upstream } from './site.ts'
import { examined } from '../../src/config/config.ts'
import { objectSource } from '../../src/config/source.ts'

const OPENAI: Upstream = {
  dialect: 'responses',
  url: 'https://one.example/v1',
  key: 'key-of-one-0123456789',
  passthrough: ['/v1/embeddings', '/v1/rerank'],
}
const OTHER: Upstream = { ...OPENAI, url: 'https://two.example', key: 'key-of-two-0123456789' }

const REPLY =
  '{"object":"list", "data":[{"embedding":[0.1, 2E-3]}],"model":"m","usage":{"total_tokens":2}}'

const siteOf = (
  upstreams: Record<string, Upstream>,
  config: Parameters<typeof cloudSite>[2] = {},
  answers: Answers = () => answer(REPLY),
): CloudSite => cloudSite(upstreams, answers, config)

const BODY =
  '{ "model":"text-embedding-3-large", "input": "h\\u00e9 é \u2028", "n": 12345678901234567890 }'

describe('other endpoints of an upstream', () => {
  it('pass as bytes in both directions, with the key of the upstream', async () => {
    const site = siteOf({ one: OPENAI })
    const reply = await site.fetch('/v1/embeddings?x=1&key=mine', BODY, {
      authorization: 'Bearer caller-key',
    })
    expect(reply.status).toBe(200)
    expect(await reply.text()).toBe(REPLY)
    expect(site.sent).toHaveLength(1)
    expect(site.sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://one.example/v1/embeddings?x=1',
      text: BODY,
      headers: { authorization: 'Bearer key-of-one-0123456789' },
    })
    expect(site.log.at(-1)).toMatchObject({
      status: 200,
      upstream: 'one',
      model: 'text-embedding-3-large',
      operation: 'task',
    })
  })

  it('go by the route of their model, whose name alone is replaced', async () => {
    const routes = [
      { model: 'small', upstream: 'two', as: 'bge-m3' },
      { model: '*', upstream: 'one' },
    ]
    const site = siteOf({ one: OPENAI, two: OTHER }, { routes })
    await site.fetch(
      '/v1/rerank',
      '{"query": "a",\n "model" : "small", "documents":[{"model":"small"}]}',
    )
    expect(site.sent[0]?.url).toBe('https://two.example/v1/rerank')
    expect(site.sent[0]?.text).toBe(
      '{"query": "a",\n "model" : "bge-m3", "documents":[{"model":"small"}]}',
    )
  })

  it.each([
    ['a path that nobody lists', '/v1/images/generations'],
    ['a path that another upstream lists', '/v1/audio'],
  ])('%s is 404 as ever', async (_, path) => {
    const upstreams = { one: OPENAI, two: { ...OTHER, passthrough: ['/v1/audio'] } }
    const site = siteOf(upstreams, { routes: [{ model: '*', upstream: 'one' }] })
    const reply = await site.fetch(path, BODY)
    expect(reply.status).toBe(404)
    expect(await reply.text()).toContain(`There is nothing at POST ${path}`)
    expect(site.sent).toEqual([])
  })

  it.each(['{}', '{"model":1}', '{"model":"a","model":"b"}', 'no json', '[]'])(
    'a body without one model is refused: %s',
    async (body) => {
      const site = siteOf({ one: OPENAI })
      expect((await site.fetch('/v1/embeddings', body)).status).toBe(400)
      expect(site.sent).toEqual([])
    },
  )

  it('are under the keys and limits of everything else', async () => {
    const key = 'caller-key-0123456789'
    const callers = {
      keys: [{ name: 'a', key, models: ['text-*'], limits: { requestsPerMinute: 2 } }],
    }
    const site = siteOf({ one: OPENAI }, { callers })
    expect((await site.fetch('/v1/embeddings', BODY)).status).toBe(401)
    const mine = { authorization: `Bearer ${key}` }
    expect((await site.fetch('/v1/embeddings', '{"model":"other"}', mine)).status).toBe(404)
    expect((await site.fetch('/v1/embeddings', BODY, mine)).status).toBe(200)
    expect((await site.fetch('/v1/embeddings', BODY, mine)).status).toBe(429)
    expect(site.sent).toHaveLength(1)
    const small = siteOf({ one: OPENAI }, { limits: { bodyBytes: 10 } })
    expect((await small.fetch('/v1/embeddings', BODY)).status).toBe(413)
  })

  it('a refusal passes, without the key in it', async () => {
    const site = siteOf({ one: OPENAI }, {}, ({ headers }) =>
      answer({ error: { message: `not with ${headers['authorization']}` } }, 400),
    )
    const reply = await site.fetch('/v1/embeddings', BODY)
    expect(reply.status).toBe(400)
    expect(await reply.text()).toBe('{"error":{"message":"not with Bearer ***"}}')
    const refused = siteOf({ one: OPENAI }, {}, () => answer({}, 401))
    expect((await refused.fetch('/v1/embeddings', BODY)).status).toBe(502)
  })

  it.each([
    ['is throttled', () => answer({}, 429, { 'retry-after': '60' })],
    ['is overloaded', () => answer({}, 503)],
    ['refuses its key', () => answer({}, 401)],
  ])('another member is asked where one %s', async (_, fail) => {
    const site = siteOf(
      { one: OPENAI, two: OTHER },
      { routes: [{ model: '*', upstream: ['one', 'two'] }] },
      (sent) => (sent.url.includes('one.example') ? fail() : answer(REPLY)),
    )
    const reply = await site.fetch('/v1/embeddings', BODY)
    expect(await reply.text()).toBe(REPLY)
    expect(site.sent.map(({ url }) => new URL(url).host)).toEqual(['one.example', 'two.example'])
  })

  it('members that do not list the path are not asked', async () => {
    const { passthrough: _, ...plain } = OPENAI
    const site = siteOf(
      { one: plain, two: OTHER },
      { routes: [{ model: '*', upstream: ['one', 'two'] }] },
    )
    await site.fetch('/v1/embeddings', BODY)
    expect(site.sent.map(({ url }) => url)).toEqual(['https://two.example/v1/embeddings'])
  })

  it('models that conversations cannot use are not listed', async () => {
    const app = createApp(
      {
        callers: 'open',
        upstreams: { one: OPENAI },
        routes: [
          { model: 'gpt-5.4', upstream: 'one' },
          { model: 'mine', upstream: 'one' },
          { model: 'text-embedding-3-large', upstream: 'one' },
          { model: 'cohere/rerank-v4', upstream: 'one' },
        ],
      },
      {},
      {},
    )
    const reply = await app.fetch('http://proxy.example/v1/models')
    const { data } = (await reply.json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual(['gpt-5.4', 'mine'])
  })

  it.each([
    ['embeddings', 'expected a path'],
    ['/v1/../x', 'expected a path'],
    ['/v1/x?y', 'expected a path'],
    ['/v1/messages', 'conversations are served here'],
    ['/v1/models', 'conversations are served here'],
  ])('a path that cannot be one is a fault: %s', (path, words) => {
    const upstreams = { one: { ...OPENAI, key: 'k-0123456789', passthrough: [path] } }
    const { faults } = examined(objectSource({ upstreams }, 'my.json'), {})
    expect(faults[0]?.expected).toContain(words)
  })
})

import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createFetchHandler } from '../../src/http/app.ts'
import { joinBytes, piecesIn, type Bytes } from '../../src/json/bytes.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { createObserver } from '../../src/observe/observer.ts'
import { randomId } from '../../src/ports.ts'

const CI = 'ci-key-0123456789abcdef'

const chunk = (more: string) =>
  `data: {"id":"c1","object":"chat.completion.chunk","model":"m",${more}}\n\n`
const COUNT = chunk(
  '"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}',
)
const saying = (words: string) =>
  chunk(`"choices":[{"index":0,"delta":{"content":"${words}"},"finish_reason":null}],"usage":null`)
const SAID = [
  chunk('"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":null'),
  // Azure sends a chunk without choices first.
  chunk('"choices":[],"prompt_filter_results":[]'),
  ...['One', ' two', ' three', ' four'].map(saying),
  chunk('"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null'),
]
const DONE = 'data: [DONE]\n\n'
const COUNTED = [...SAID, COUNT, DONE].join('')
const UNCOUNTED = [...SAID, DONE].join('')

const whole = (text: string) => [text]
const bytewise = (text: string) => text.split('')

interface Site {
  limits?: object
  upstream?: object
  route?: object
  metrics?: unknown
  pieces?: (text: string) => string[]
  reply?: string
}

function siteOf({ limits, upstream, route, metrics, pieces = whole, reply = COUNTED }: Site = {}) {
  const log: LogEntry[] = []
  const sent: string[] = []
  const settings = readSettings(
    {
      upstreams: {
        up: { dialect: 'chat-completions', url: 'http://up.example', key: 'none', ...upstream },
      },
      routes: [{ model: '*', upstream: 'up', ...route }],
      callers: { keys: [{ name: 'ci', key: CI, ...(limits && { limits }) }] },
      ...(metrics !== undefined && { metrics }),
    },
    {},
  )
  const answer = createFetchHandler(settings, {
    async send({ body }) {
      sent.push(new TextDecoder().decode(joinBytes(piecesIn(body as Bytes))))
      return {
        status: 200,
        headers: new Headers({ 'content-type': 'text/event-stream' }),
        body: new ReadableStream<Uint8Array>({
          start(controller) {
            for (const piece of pieces(reply)) controller.enqueue(new TextEncoder().encode(piece))
            controller.close()
          },
        }),
      }
    },
    now: () => 0,
    randomId,
    log: (entry) => log.push(entry),
    observer: createObserver({ version: '1', runtime: 'test' }, () => 0),
  })
  const ask = (body: string, path = '/v1/chat/completions') =>
    answer(
      new Request(`http://proxy.example${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${CI}` },
        body,
      }),
    )
  return { ask, log, sent }
}

const asking = (more = '') =>
  `{"model":"m","stream":true${more},"messages":[{"role":"user","content":"Count"}]}`
const TOKENS = { limits: { tokensPerMinute: 1000 } }

describe('a chat upstream is asked to count a stream', () => {
  it.each<[string, Site]>([
    ['where tokens are limited', TOKENS],
    ['where dollars are limited', { limits: { usdPerDay: 1 } }],
    ['where metrics are on', { metrics: 'on' }],
    ['with another name of the model', { ...TOKENS, route: { as: 'other' } }],
    [
      'with facts about the model',
      { ...TOKENS, upstream: { models: { '*': { maxOutputTokens: 5 } } } },
    ],
    ['by a pool', { ...TOKENS, upstream: { key: ['none-1-of-two', 'none-2-of-two'] } }],
    ['and answers byte by byte', { ...TOKENS, pieces: bytewise }],
    ['and answers with CR LF', { ...TOKENS, reply: COUNTED.replaceAll('\n', '\r\n') }],
  ])('%s', async (_, site) => {
    const { ask, log, sent } = siteOf(site)
    const told = await (await ask(asking())).text()
    expect(JSON.parse(sent[0] ?? '')).toMatchObject({ stream_options: { include_usage: true } })
    const expected = site.reply ? UNCOUNTED.replaceAll('\n', '\r\n') : UNCOUNTED
    expect(told.replaceAll('"other"', '"m"')).toBe(expected)
    expect(log[0]).toMatchObject({ outcome: 'ok', usage: { input: 9, output: 4 } })
    expect(log[0]?.estimated).toBeUndefined()
  })

  it('and nothing else of the body changes', async () => {
    const { ask, sent } = siteOf(TOKENS)
    const body = ` {"model" : "m","stream":true ,"messages":[{"role":"user","content":"\\u00e9"}]}`
    await (await ask(body)).text()
    expect(sent[0]?.replace('"stream_options":{"include_usage":true},', '')).toBe(body)
  })

  it.each(['null', '{"include_usage":false}', '{"include_obfuscation":false}'])(
    'beside what its caller says of the stream: %s',
    async (options) => {
      const { ask, sent } = siteOf(TOKENS)
      const reply = await ask(asking(`,"stream_options":${options}`))
      expect(await reply.text()).toBe(UNCOUNTED)
      expect(JSON.parse(sent[0] ?? '').stream_options).toEqual({
        ...JSON.parse(options),
        include_usage: true,
      })
    },
  )
})

describe('a chat upstream is not asked to count', () => {
  it.each<[string, Site, string]>([
    ['where its caller has asked', TOKENS, asking(',"stream_options":{"include_usage":true}')],
    ['where nothing counts', {}, asking()],
    ['a body that is no stream', TOKENS, asking().replace('true', 'false')],
    [
      'where it does not know the word',
      { ...TOKENS, upstream: { models: { '*': { drop: ['stream_options'] } } } },
      asking(),
    ],
  ])('%s', async (_, site, body) => {
    const { ask, sent } = siteOf(site)
    const told = await (await ask(body)).text()
    expect(sent[0]).toBe(body)
    if (body.includes('true')) expect(told).toBe(COUNTED)
  })
})

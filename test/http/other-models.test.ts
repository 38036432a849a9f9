import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/type.ts'
import { parseObject } from '../../src/json/json.ts'
import type { Ports } from '../../src/ports.ts'
import { createRecall } from '../../src/extras/recall/recall.ts'
import { DIALECTS, good, key, siteOf, voiceOf } from '../pools/site.ts'

const LIMITED = 'limited-key-0123456789'
const FREE = 'free-key-0123456789'
const OTHER = 'dear-model'

function proxyOver(dialect: string, extra: Pick<Ports, 'recall'> = {}) {
  const config: Config = {
    upstreams: {
      one: { dialect: dialect as 'messages', url: 'https://one.example', key: key('one') },
    },
    routes: [{ model: '*', upstream: 'one' }],
    callers: { keys: [{ name: 'limited', key: LIMITED, models: ['m', 'm-*'] }, FREE] },
  }
  const site = siteOf(config, { one: good(dialect) }, extra)
  const ask = async (caller: string, said: object | string, who = LIMITED) => {
    const voice = voiceOf(caller)
    const whole = { ...(voice.request('m', false) as object), ...(said as object) }
    const response = await site.fetch(`http://127.0.0.1${voice.path('m', false)}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        authorization: `Bearer ${who}`,
      },
      body: typeof said === 'string' ? said : JSON.stringify(whole),
    })
    return { status: response.status, text: await response.text() }
  }
  return { site, ask, sentBody: () => site.sent.at(-1)?.body ?? '' }
}

const pairs = DIALECTS.flatMap((caller) => DIALECTS.map((upstream) => [caller, upstream] as const))

const NAMING: [string, object][] = [
  ['models', { models: [OTHER] }],
  ['Models', { Models: ['m', OTHER] }],
  ['the long s', { modelſ: [OTHER] }],
  ['fallbacks', { fallbacks: [{ model: OTHER }] }],
  ['FALLBACKS', { FALLBACKS: 'default' }],
  ['context_window_fallbacks', { context_window_fallbacks: [{ m: [OTHER] }] }],
  ['route', { route: 'fallback' }],
  ['preset', { preset: 'dear' }],
  ['draft_model', { draft_model: OTHER }],
  ['extra_body', { extra_body: { models: [OTHER] } }],
  ['extra_body.model', { extra_body: { model: OTHER } }],
  ['a tool', { tools: [{ type: 'advisor_20260301', name: 'advisor', Model: OTHER }] }],
  ['a plugin', { plugins: [{ id: 'auto-router', allowed_models: [OTHER] }] }],
]

describe.each(pairs)('a caller of %s with a list of models, over %s', (caller, dialect) => {
  it.each(NAMING)('names no other one by %s', async (_, said) => {
    const { site, ask } = proxyOver(dialect)
    const { status, text } = await ask(caller, said)
    expect(status, text).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(site.sent).toHaveLength(0)
    expect((await ask(caller, { models: null, Route: null })).status).toBe(200)
    expect(site.sent).toHaveLength(1)
  })
})

describe.each(DIALECTS)('between two of %s', (dialect) => {
  it('a caller without a list may name further models', async () => {
    const { ask, sentBody } = proxyOver(dialect)
    expect((await ask(dialect, { models: [OTHER], route: 'fallback' }, FREE)).status).toBe(200)
    expect(parseObject(sentBody())).toMatchObject({ models: [OTHER], route: 'fallback' })
  })
})

const NAMED = DIALECTS.filter((dialect) => dialect !== 'generate-content')

describe.each(NAMED)('the model of a body of %s', (dialect) => {
  it.each(['MODEL', 'Model', '\\u004dodel'])(
    'is the small one, for every caller: not %s',
    async (odd) => {
      const request = JSON.stringify(voiceOf(dialect).request('m', false))
      for (const who of [LIMITED, FREE])
        for (const body of [
          request.replace('{', `{"${odd}":"${OTHER}",`),
          request.replace(/\}$/, `,"${odd}":"${OTHER}"}`),
        ]) {
          const { ask, sentBody } = proxyOver(dialect)
          const { status, text } = await ask(dialect, body, who)
          expect(status, text).toBe(200)
          expect(parseObject(sentBody())).toMatchObject({ model: 'm' })
          expect(sentBody()).not.toContain(OTHER)
        }
    },
  )

  it('is none where only another case of it is there', async () => {
    const { site, ask } = proxyOver(dialect)
    const request = JSON.stringify(voiceOf(dialect).request('m', false))
    const { status } = await ask(dialect, request.replace('"model"', '"MODEL"'))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(site.sent).toHaveLength(0)
  })
})

it('a path with a model names it for its body too', async () => {
  const { site, ask } = proxyOver('generate-content')
  for (const name of ['model', 'MODEL'])
    expect((await ask('generate-content', { [name]: `models/${OTHER}` })).status).toBe(404)
  const counted = { generateContentRequest: { model: `models/${OTHER}` } }
  expect((await ask('generate-content', counted)).status).toBe(404)
  expect(site.sent).toHaveLength(0)
  expect((await ask('generate-content', { model: 'models/m-2' })).status).toBe(200)
})

it('a body that is mostly known is judged by what is new in it', async () => {
  const { ask, sentBody } = proxyOver('messages', {
    recall: createRecall({ bytes: 1_000_000, leastBytes: 0 }),
  })
  const messages = [{ role: 'user', content: 'Hello '.repeat(100) }]
  for (const more of ['One.', 'Two.', 'Three.']) {
    messages.push({ role: 'assistant', content: 'Yes.' }, { role: 'user', content: more })
    expect((await ask('messages', { messages }, FREE)).status).toBe(200)
  }
  messages.push({ role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'Four.' })
  expect((await ask('messages', { messages, MODEL: OTHER }, FREE)).status).toBe(200)
  expect(sentBody()).toContain('Four.')
  expect(sentBody()).not.toContain(OTHER)
  expect((await ask('messages', { messages, models: [OTHER] })).status).toBe(400)
})

import { describe, expect, test } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import { ALONE, KEYS, proxyOf, settings, type Proxy, type Upstream } from './proxy.ts'

const [ALICE = '', BOB = ''] = KEYS
const MINE = { id: 'resp_68af', object: 'response', status: 'completed' }
const ITEM = { type: 'message', id: 'msg_68af', role: 'assistant', content: [] }
const THOUGHT = { type: 'reasoning', id: 'rs_68af', summary: [] }
const PICTURE = { type: 'image_generation_call', id: 'ig_68af', status: 'completed' }

/** Keeps everything, and tells it to whoever has the one key. */
const keeps: Upstream = ({ method }) => ({
  body: method === 'POST' ? { ...MINE, output: [THOUGHT, PICTURE, ITEM] } : { ...MINE, output: [] },
})

const OPEN: Partial<Settings> = { callers: { kind: 'open' } }
const OFF = { store: 'off' } as const

/** The upstream takes the key that the caller has brought. */
function withOwnKeys(): Partial<Settings> {
  const upstreams = new Map(settings().upstreams)
  for (const [name, upstream] of upstreams)
    upstreams.set(name, { ...upstream, key: { kind: 'caller' } })
  return { upstreams }
}

/** Every way to get at a response that is kept there. */
async function ways(proxy: Proxy, key: string) {
  const json = { model: 'responses-x', input: 'x' }
  const reference = { type: 'item_reference', id: 'msg_68af' }
  const kept = '/v1/responses/resp_68af'
  const escaped = '{"model":"responses-x","input":"x","previous_response\\u005fid":"resp_68af"}'
  return [
    await proxy.ask(kept, { key }),
    await proxy.ask(`${kept}?stream=true`, { key }),
    await proxy.ask(`${kept}/input_items`, { key }),
    await proxy.ask('/v1/responses', { key, json: { ...json, previous_response_id: 'resp_68af' } }),
    await proxy.ask('/v1/responses', { key, method: 'POST', body: escaped }),
    await proxy.ask('/v1/responses', { key, json: { ...json, input: [reference] } }),
    await proxy.ask('/v1/responses', { key, json: { ...json, input: [{ id: 'msg_68af' }] } }),
    await proxy.ask('/v1/responses', { key, json: { ...json, input: [THOUGHT] } }),
    await proxy.ask('/v1/responses', { key, json: { ...json, input: [PICTURE] } }),
    await proxy.ask('/v1/responses/input_tokens', {
      key,
      json: { ...json, previous_response_id: 'resp_68af' },
    }),
    await proxy.ask(`${kept}/cancel`, { key, method: 'POST' }),
    await proxy.ask(kept, { key, method: 'DELETE' }),
  ]
}

const NONE = [404, 404, 404, 400, 400, 404, 404, 404, 404, 400, 404, 404]
const statuses = (answers: readonly Response[]) => answers.map(({ status }) => status)

const begun = async (options: Parameters<typeof proxyOf>[1]) => {
  const proxy = proxyOf(keeps, options)
  const json = { model: 'responses-x', input: 'x' }
  expect((await proxy.ask('/v1/responses', { key: ALICE, json })).status).toBe(200)
  return proxy
}

const twice = (name: string, first: string, last: string): string =>
  `{"model":"responses-x","input":"x","${name}":${first},"${name}":${last}}`

describe('one key of an upstream that keeps responses, and many callers', () => {
  test.each([
    ['several keys', {}],
    ['open doors', OPEN],
  ])('give nothing out where nothing is noted: %s', async (_, change) => {
    const proxy = await begun({ ...OFF, change })
    for (const key of [ALICE, BOB]) expect(statuses(await ways(proxy, key))).toEqual(NONE)
    expect(proxy.got).toHaveLength(1)
  })

  test('give nothing out to a reference that is hidden behind another', async () => {
    const proxy = await begun({})
    for (const body of [
      twice('previous_response_id', '"resp_68af"', 'null'),
      twice('conversation', '"resp_68af"', 'null'),
      twice('input', '[{"type":"item_reference","id":"resp_68af"}]', '"y"'),
    ])
      await proxy.ask('/v1/responses', { key: BOB, method: 'POST', body })
    expect(proxy.got).toHaveLength(4)
    expect(JSON.stringify(proxy.got)).not.toContain('resp_68af')
  })

  test('say then what to configure', async () => {
    const proxy = await begun(OFF)
    const answers = await ways(proxy, BOB)
    const messages = await Promise.all(answers.map(async (answer) => answer.text()))
    for (const message of messages)
      expect(message).toMatch(/not found\. All callers .* set state\.store/)
    expect(JSON.parse(messages[3] ?? '')).toMatchObject({
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    })
  })

  test.each([
    ['is kept', {}],
    ['is kept nowhere', OFF],
  ])('have no conversations of that service, whatever %s here', async (_, options) => {
    const proxy = await begun(options)
    for (const conversation of ['conv_68af', { id: 'conv_68af' }]) {
      const json = { model: 'responses-x', input: 'x', conversation }
      const answer = await proxy.ask('/v1/responses', { key: ALICE, json })
      expect(answer.status).toBe(404)
      expect(await answer.text()).toMatch(/'conv_68af' not found\. .*give the upstream/)
    }
    expect(proxy.got).toHaveLength(1)
  })

  // As `background: true` has it: what is given out first names no item.
  test.each([
    ['in one body', '', false],
    ['as a stream that goes on', '?stream=true&starting_after=1', false],
    ['of another key of the upstream', '', true],
  ])('give each the items of a reply that came later: %s', async (_, query, several) => {
    const whole = { ...MINE, output: [THOUGHT, ITEM] }
    const end = `data: ${JSON.stringify({ type: 'response.completed', response: whole })}\n\n`
    const upstreams = new Map(settings().upstreams)
    const own = upstreams.get('responses')
    const keys = ['one', 'two'].map((account) => ({
      key: { kind: 'literal' as const, value: `key-of-${account}-0123456789` },
      weight: 1,
      account,
    }))
    if (own && several) upstreams.set('responses', { ...own, keys })
    const proxy = proxyOf(
      ({ method, url }) => {
        if (method === 'POST') return { body: { ...MINE, status: 'queued', output: [] } }
        return url.search === '' ? { body: whole } : { events: [end] }
      },
      { change: { upstreams } },
    )
    const begin = { model: 'responses-x', input: 'x', background: true }
    await proxy.ask('/v1/responses', { key: ALICE, json: begin })
    const next = (key: string) =>
      Promise.all(
        [THOUGHT, { type: 'item_reference', id: ITEM.id }].map(async (item) => {
          const json = { model: 'responses-x', input: [item, { role: 'user', content: 'y' }] }
          return (await proxy.ask('/v1/responses', { key, json })).status
        }),
      )
    expect(await next(ALICE)).toEqual([404, 404])
    expect((await proxy.ask(`/v1/responses/${MINE.id}${query}`, { key: BOB })).status).toBe(404)
    const told = await proxy.ask(`/v1/responses/${MINE.id}${query}`, { key: ALICE })
    expect(await told.text()).toContain(ITEM.id)
    expect(await next(ALICE)).toEqual([200, 200])
    expect(await next(BOB)).toEqual([404, 404])
  })

  test('lets thoughts pass that bring their proof along', async () => {
    const proxy = await begun(OFF)
    const input = [{ ...THOUGHT, id: 'rs_other', encrypted_content: 'gAAA' }]
    const json = { model: 'responses-x', input, store: false }
    expect((await proxy.ask('/v1/responses', { key: BOB, json })).status).toBe(200)
  })

  test('give each its own behind open doors too, where it is noted', async () => {
    const proxy = await begun({ change: OPEN })
    expect(statuses(await ways(proxy, BOB))).toEqual(NONE)
    expect(proxy.got).toHaveLength(1)
    expect(new Set(statuses(await ways(proxy, ALICE)))).toEqual(new Set([200]))
  })

  test('are one where they come without a key: they share one memory', async () => {
    const proxy = proxyOf(keeps, { change: OPEN })
    const anonymous = (path: string, init?: RequestInit) =>
      proxy.fetch(`http://proxy.test${path}`, {
        ...init,
        headers: { 'content-type': 'application/json' },
      })
    const body = '{"model":"responses-x","input":"x"}'
    await anonymous('/v1/responses', { method: 'POST', body })
    expect((await anonymous('/v1/responses/resp_68af')).status).toBe(200)
    expect((await proxy.ask('/v1/responses/resp_68af', { key: BOB })).status).toBe(404)
  })

  test.each([
    ['there is one caller', ALONE],
    ['each has a key of its own', withOwnKeys()],
    ['each has a key of its own behind open doors', { ...OPEN, ...withOwnKeys() }],
  ])('are none where %s', async (_, change) => {
    const proxy = await begun({ ...OFF, change })
    expect(new Set(statuses(await ways(proxy, ALICE)))).toEqual(new Set([200]))
  })

  // LiteLLM 1.106 writes what it has to know of a response into its id, in base64.
  const LITELLM = 'litellm:custom_llm_provider:openai;model_id:5b0b;response_id:resp_68af'
  test.each([
    ['base64', `resp_${btoa(LITELLM.repeat(3))}`],
    ['signs of base64', 'resp_a+b-c=='],
    ['500 characters', `resp_${'x'.repeat(495)}`],
    ['dots and colons', 'gen.1:2~3'],
  ])('give each its own where ids are %s', async (_, id) => {
    const said = { type: 'message', id: `msg_${id}`, role: 'assistant', content: [] }
    const reply = { id, object: 'response', status: 'completed', output: [said] }
    const proxy = proxyOf(() => ({ body: reply }))
    const json = { model: 'responses-x', input: 'x' }
    await proxy.ask('/v1/responses', { key: ALICE, json })
    const path = `/v1/responses/${encodeURIComponent(id)}`
    const ask = async (key: string) => [
      (await proxy.ask('/v1/responses', { key, json: { ...json, previous_response_id: id } }))
        .status,
      (await proxy.ask(path, { key })).status,
      (await proxy.ask(`${path}/input_items?after=${encodeURIComponent(said.id)}`, { key })).status,
    ]
    expect(await ask(BOB)).toEqual([400, 404, 404])
    expect(proxy.got).toHaveLength(1)
    expect(await ask(ALICE)).toEqual([200, 200, 200])
    expect(proxy.got.at(-1)?.url.pathname).toBe(`${path}/input_items`)
    expect(proxy.got.at(-1)?.url.searchParams.get('after')).toBe(said.id)
  })

  test.each(['..', 'a..b', 'a%2fb', '..%2f..%2fadmin', '%2e%2e', 'a%00b', '%ff', 'x'.repeat(1025)])(
    'are asked for no id such as %s',
    async (id) => {
      const proxy = proxyOf(keeps, { change: ALONE })
      expect((await proxy.ask(`/v1/responses/${id}`)).status).toBe(404)
      expect(proxy.got).toHaveLength(0)
    },
  )

  test('let everything else pass to the byte', async () => {
    const routes = [{ model: 'responses-*', upstream: 'responses' }]
    const proxy = proxyOf(keeps, { ...OFF, routes })
    const body =
      '{"model":"responses-x" ,"input":[{"id":"msg_1","role":"user","content":"\\u0041"}]}'
    expect((await proxy.ask('/v1/responses', { method: 'POST', body })).status).toBe(200)
    expect(proxy.got[0]?.text).toBe(body)
  })
})

import { describe, expect, test } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import {
  ALONE,
  KEYS,
  proxyOf,
  settings,
  type Proxy,
  type ProxyOptions,
  type Upstream,
} from './proxy.ts'

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
async function ways(proxy: Proxy, key: string, beside = '') {
  const json = { model: 'responses-x', input: 'x' }
  const reference = { type: 'item_reference', id: 'msg_68af' }
  const kept = '/v1/responses/resp_68af'
  const escaped = '{"model":"responses-x","input":"x","previous_response\\u005fid":"resp_68af"}'
  return [
    await proxy.ask(kept, { key, beside }),
    await proxy.ask(`${kept}?stream=true`, { key, beside }),
    await proxy.ask(`${kept}/input_items`, { key, beside }),
    await proxy.ask('/v1/responses', {
      key,
      beside,
      json: { ...json, previous_response_id: 'resp_68af' },
    }),
    await proxy.ask('/v1/responses', { key, beside, method: 'POST', body: escaped }),
    await proxy.ask('/v1/responses', { key, beside, json: { ...json, input: [reference] } }),
    await proxy.ask('/v1/responses', {
      key,
      beside,
      json: { ...json, input: [{ id: 'msg_68af' }] },
    }),
    await proxy.ask('/v1/responses', { key, beside, json: { ...json, input: [THOUGHT] } }),
    await proxy.ask('/v1/responses', { key, beside, json: { ...json, input: [PICTURE] } }),
    await proxy.ask('/v1/responses/input_tokens', {
      key,
      beside,
      json: { ...json, previous_response_id: 'resp_68af' },
    }),
    await proxy.ask(`${kept}/cancel`, { key, beside, method: 'POST' }),
    await proxy.ask(kept, { key, beside, method: 'DELETE' }),
  ]
}

const NONE = [404, 404, 404, 400, 400, 404, 404, 404, 404, 400, 404, 404]
const statuses = (answers: readonly Response[]) => answers.map(({ status }) => status)

const all = (answers: readonly Response[]) => new Set(statuses(answers))

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

  // Servers written in Go read a member by any case of its letters.
  test.each(['PREVIOUS_RESPONSE_ID', 'Previous_Response_Id', 'previou\u017f_response_id'])(
    'give nothing out to a reference in other letters: %s',
    async (name) => {
      const proxy = await begun({})
      const json = { model: 'responses-x', input: 'x', [name]: 'resp_68af' }
      expect((await proxy.ask('/v1/responses', { key: BOB, json })).status).toBe(400)
      expect((await proxy.ask('/v1/responses', { key: ALICE, json })).status).toBe(200)
      const own = { ...json, previous_response_id: null }
      await proxy.ask('/v1/responses', { key: BOB, json: own })
      expect(JSON.stringify(proxy.got.slice(2))).not.toContain('resp_68af')
    },
  )

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

  test.each([
    ['is noted', {}],
    ['is noted nowhere', OFF],
  ])('give each its own behind one key, by what is beside it, whatever %s', async (_, options) => {
    const proxy = proxyOf(keeps, { ...options, change: ALONE })
    const json = { model: 'responses-x', input: 'x' }
    await proxy.ask('/v1/responses', { json, beside: 'of-alice-0123456789' })
    for (const beside of ['of-bob-0123456789', ''])
      expect(statuses(await ways(proxy, ALICE, beside))).toEqual(NONE)
    expect(proxy.got).toHaveLength(1)
    const own = statuses(await ways(proxy, ALICE, 'of-alice-0123456789'))
    expect(new Set(own)).toEqual('store' in options ? new Set(NONE) : new Set([200]))
  })

  test('give nothing unnoted to one of several behind one key, even to the first after a restart', async () => {
    const proxy = proxyOf(keeps, { change: ALONE })
    expect(statuses(await ways(proxy, ALICE, 'of-bob-0123456789'))).toEqual(NONE)
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

  const HERE = { kind: 'listener', host: '127.0.0.1' } as const

  test.each([
    ['in a memory that a restart has emptied', {}],
    ['nowhere', OFF],
  ])('are one as long as no second was seen here, though it is noted %s', async (_, options) => {
    const restarted = proxyOf(keeps, { ...options, change: OPEN, door: HERE })
    expect(all(await ways(restarted, ALICE))).toEqual(new Set([200]))
    // From the first request of a second one on, nobody is trusted, for good.
    expect(statuses(await ways(restarted, BOB))).toEqual(NONE)
    expect(all(await ways(restarted, ALICE))).not.toEqual(new Set([200]))
  })

  const ELSEWHERE = { web: { origins: [], hosts: ['proxy.example'] } }
  test.each<[string, ProxyOptions]>([
    ['others reach it', { door: { kind: 'listener', host: '0.0.0.0' } }],
    ['it has a name elsewhere', { change: ELSEWHERE }],
    ['other processes may have seen others', { door: { ...HERE, shared: true } }],
    ['isolates come and go', { door: { kind: 'isolate' } }],
    ['the store knows more than the process', { change: { state: 'sqlite:state.db' } }],
    ['there are several keys', { change: { callers: { kind: 'keys', keys: KEYS } } }],
  ])('are not taken for one where %s', async (_, { change, ...options }) => {
    const proxy = proxyOf(keeps, { door: HERE, ...options, change: { ...OPEN, ...change } })
    expect(statuses(await ways(proxy, ALICE))).toEqual(NONE)
  })

  const WORDS = { type: 'reasoning_text', text: 'Hm.' }
  const SPOKEN = { type: 'reasoning', id: 'rs_open', summary: [], content: [WORDS] }

  // Servers of open weights write no proof, and keep nothing.
  test.each<[string, ProxyOptions]>([
    ['several keys', {}],
    ['several keys, and no store', OFF],
    ['open doors', { change: OPEN }],
    ['open doors, and no store', { ...OFF, change: OPEN }],
  ])(
    'let thoughts go on with their words, and without an id that is nobody’s: %s',
    async (_, options) => {
      const reply = { ...MINE, output: [SPOKEN, ITEM] }
      const proxy = proxyOf(() => ({ body: reply }), options)
      const first = { model: 'responses-x', input: 'x', store: false }
      await proxy.ask('/v1/responses', { json: first })
      const input = [{ role: 'user', content: 'x' }, SPOKEN, { role: 'user', content: 'y' }]
      for (const key of [ALICE, BOB]) {
        const next = await proxy.ask('/v1/responses', { key, json: { ...first, input } })
        expect(next.status).toBe(200)
        const { id: _, ...nameless } = SPOKEN
        expect(proxy.got.at(-1)?.body['input']).toEqual([input[0], nameless, input[2]])
      }
    },
  )

  test('let the thoughts of a caller go on with the id that is noted, and only those', async () => {
    const proxy = proxyOf(() => ({ body: { ...MINE, output: [SPOKEN] } }))
    const json = { model: 'responses-x', input: 'x' }
    await proxy.ask('/v1/responses', { json })
    for (const [key, id] of [
      [ALICE, 'rs_open'],
      [BOB, undefined],
    ] as const) {
      expect(
        (await proxy.ask('/v1/responses', { key, json: { ...json, input: [SPOKEN] } })).status,
      ).toBe(200)
      expect(proxy.got.at(-1)?.body['input']).toEqual([{ ...SPOKEN, id }])
    }
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

import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { StoreUnavailableError, type Store, type StoreEntry } from '../../src/memory/store.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { said, text } from '../sdk/script.ts'
import { hear } from './heard.ts'
import { ALONE, KEYS, proxyOf, settings, type Proxy, type Upstream } from './proxy.ts'

const MODEL = 'messages-x'
const yes: Upstream = () => said([text('Yes.')])
const ONLY_MESSAGES = [{ model: '*', upstream: 'messages' }]

const down: Store = {
  get: () => Promise.reject(new StoreUnavailableError('away')),
  put: () => Promise.reject(new StoreUnavailableError('away')),
  delete: () => Promise.reject(new StoreUnavailableError('away')),
  close: async () => {},
}

/** Throws what quotes its address, and a value. */
const talkative: Store = {
  ...down,
  put: () => Promise.reject(new Error('could not reach redis://:secret@host with "words"')),
}

describe('a store that is down', () => {
  test('fails no request that does not need it, and the log says what was not kept', async () => {
    const proxy = proxyOf(yes, { store: down })
    const whole = await proxy.client().responses.create({ model: MODEL, input: 'x' })
    const stream = proxy.client().responses.stream({ model: MODEL, input: 'x' })
    expect([whole.output_text, (await stream.finalResponse()).output_text]).toEqual([
      'Yes.',
      'Yes.',
    ])
    for (const entry of proxy.log) {
      expect(entry.losses).toContainEqual({ code: 'dropped', path: 'store' })
      expect(entry.reason).toBe('away')
    }
    const raw = await proxy.ask('/v1/responses', { json: { model: MODEL, input: 'x' } })
    expect(raw.headers.get('x-dragoman-losses')).toContain('dropped store')
  })

  test.each(['messages', 'responses'])(
    'is told of behind a stream too, where losses are: over %s',
    async (dialect) => {
      const proxy = proxyOf(yes, { store: down, change: { lossTrailer: true } })
      const ask = async (stream: boolean) =>
        proxy.ask('/v1/responses', { json: { model: `${dialect}-x`, input: 'x', stream } })
      const streamed = await (await ask(true)).text()
      expect(streamed.match(/^: x-dragoman-losses: .*\bdropped store\b/gm)).toHaveLength(1)
      expect((await ask(false)).headers.get('x-dragoman-losses')).toContain('dropped store')
      for (const { losses } of proxy.log)
        expect(losses?.filter(({ path }) => path === 'store')).toHaveLength(1)
      // The one caller of an upstream that keeps the original has lost nothing.
      const alone = proxyOf(yes, { store: down, change: ALONE })
      const json = { model: 'responses-x', input: 'x' }
      const answer = await alone.ask('/v1/responses', { json })
      expect(answer.headers.get('x-dragoman-losses')).toBeNull()
    },
  )

  test('fails those that do, and says why and when to come back', async () => {
    const proxy = proxyOf(yes, { store: down })
    const id = 'resp_0123456789abcdef00000001'
    const continued = { model: MODEL, input: 'x', previous_response_id: id }
    const reference = { model: MODEL, input: [{ type: 'item_reference', id }] }
    const answers = [
      await proxy.ask('/v1/responses', { json: continued }),
      await proxy.ask('/v1/responses', { json: reference }),
      await proxy.ask('/v1/responses', { json: { ...continued, model: 'responses-x' } }),
      await proxy.ask(`/v1/responses/${id}`),
      await proxy.ask(`/v1/responses/${id}`, { method: 'DELETE' }),
      await proxy.ask(`/v1/responses/${id}/input_items`),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(await answer.json()).toMatchObject({ error: { code: 'state_unavailable' } })
    }
    expect(proxy.got).toHaveLength(0)
    expect(proxy.log.map(({ reason }) => reason)).toEqual(answers.map(() => 'away'))
  })

  test('is said in the log to be that, and no more, where it throws what no store may throw', async () => {
    const proxy = proxyOf(yes, { store: talkative })
    await proxy.client().responses.create({ model: MODEL, input: 'x' })
    expect(proxy.log[0]?.reason).toBe('the store has failed')
  })

  test('is not missed where the upstream keeps what it gave out', async () => {
    const proxy = proxyOf(yes, { store: down, change: ALONE })
    const json = { model: 'responses-x', input: 'x', previous_response_id: 'resp_68af' }
    expect((await proxy.ask('/v1/responses', { json })).status).toBe(200)
    expect((await proxy.ask('/v1/responses/resp_68af')).status).toBe(200)
  })
})

describe('bounds', () => {
  const big = 'word '.repeat(2000)

  test('an exchange that is too large is answered, and not kept', async () => {
    const store = memoryStore({ ...STORE_BOUNDS, entryBytes: 4096 })
    const proxy = proxyOf(yes, { store, routes: ONLY_MESSAGES })
    const { responses } = proxy.client()
    const small = await responses.create({ model: MODEL, input: 'x' })
    const large = await responses.create({ model: MODEL, input: big })
    expect(large.output_text).toBe('Yes.')
    expect(proxy.log.at(-1)?.losses).toContainEqual({ code: 'dropped', path: 'store' })
    expect((await responses.retrieve(small.id)).id).toBe(small.id)
    expect((await proxy.ask(`/v1/responses/${large.id}`)).status).toBe(404)
  })

  test('one body is kept as itself, however often its events would repeat it', async () => {
    const proxy = proxyOf(() => said([text('word '.repeat(2_400_000))]), { routes: ONLY_MESSAGES })
    const answer = await proxy.ask('/v1/responses', { json: { model: MODEL, input: 'x' } })
    const said12MB = await answer.text()
    expect(answer.headers.get('x-dragoman-losses') ?? '').not.toContain('store')
    const { id } = JSON.parse(said12MB) as { id: string }
    const kept = await proxy.ask(`/v1/responses/${id}`)
    expect(kept.status).toBe(200)
    expect((await kept.text()).length).toBe(said12MB.length)
  })

  test('a full store forgets the oldest, and fails nobody', async () => {
    const store = memoryStore({ ...STORE_BOUNDS, ownerBytes: 100_000 })
    const proxy = proxyOf(yes, { store, routes: ONLY_MESSAGES })
    const ids: string[] = []
    for (let index = 0; index < 12; index += 1)
      ids.push((await proxy.client().responses.create({ model: MODEL, input: big })).id)
    const statuses = await Promise.all(
      ids.map(async (id) => (await proxy.ask(`/v1/responses/${id}`)).status),
    )
    const firstKept = statuses.indexOf(200)
    expect(firstKept).toBeGreaterThan(0)
    expect(statuses).toEqual(ids.map((_, index) => (index < firstKept ? 404 : 200)))
  })

  test('a stream takes little more than its text', async () => {
    const sizes: number[] = []
    const kept = memoryStore(STORE_BOUNDS)
    const put = async (entry: StoreEntry) => {
      sizes.push(entry.value.length)
      await kept.put(entry)
    }
    const words = Array.from({ length: 2000 }, (_, index) => `word${index} "`).join('')
    const proxy = proxyOf(() => said([text(words)]), { store: { ...kept, put } })
    const body = { model: MODEL, input: 'x', stream: true }
    const streamed = await (await proxy.ask('/v1/responses', { json: body })).text()
    const id = /"id":"(resp_\w+)"/.exec(streamed)?.[1] ?? ''
    expect(await (await proxy.ask(`/v1/responses/${id}?stream=true`)).text()).toBe(streamed)
    expect(streamed.length).toBeGreaterThan(words.length * 20)
    // The text itself, its three repetitions in the stream, and its pieces.
    expect(sizes[0]).toBeLessThan(words.length * 8)
  })

  test('a chain keeps each turn once: it grows by what was said, not by its square', async () => {
    const sizes: number[] = []
    const kept = memoryStore(STORE_BOUNDS)
    const put = async (entry: StoreEntry) => {
      sizes.push(entry.value.length)
      await kept.put(entry)
    }
    const proxy = proxyOf(yes, { store: { ...kept, put } })
    const tools = Array.from({ length: 30 }, (_, index) => ({
      type: 'function' as const,
      name: `tool_${index}`,
      description: 'A tool with a description. '.repeat(20),
      parameters: { type: 'object' },
      strict: false,
    }))
    let previous: string | undefined
    for (let turn = 0; turn < 8; turn += 1) {
      const body = { model: MODEL, input: 'Say yes.', tools }
      const next = { ...body, ...(previous !== undefined && { previous_response_id: previous }) }
      previous = (await proxy.client().responses.stream(next).finalResponse()).id
    }
    const [first = 0] = sizes
    const toolBytes = JSON.stringify(tools).length
    // The tools are there once, although three events of the stream hold them.
    expect(first).toBeLessThan(toolBytes * 1.5)
    expect(Math.max(...sizes)).toBeLessThan(first + 500)
  })
})

/** Says again all that it was told, a while later. */
const echo: Upstream = async ({ body }) => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
  const { turns } = hear('messages', body)
  const words = turns.flatMap((turn) =>
    turn.pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : [])),
  )
  return said([text(words.join('|'))])
}

/** Asks for what one caller keeps with the keys of others, which do not open it. */
async function tryOtherKeys(proxy: Proxy, all: string[][]): Promise<void> {
  for (let index = 0; index < 300; index += 1) {
    const id = all[index % all.length]?.at(-1) ?? ''
    const key = KEYS[(index + 1 + (index % 19)) % KEYS.length] ?? ''
    const owner = KEYS[(index % all.length) % KEYS.length]
    if (key === owner) continue
    const json = { model: MODEL, input: 'x', previous_response_id: id }
    const answer = await proxy.ask('/v1/responses', { json, key })
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain('c0t0')
  }
}

describe('callers', () => {
  test('1,000 conversations of 20 callers at the same time: each hears its own', async () => {
    const CONVERSATIONS = 1000
    const TURNS = 3
    const proxy = proxyOf(echo)
    const talk = async (conversation: number): Promise<string[]> => {
      const client = proxy.client(KEYS[conversation % KEYS.length])
      const ids: string[] = []
      let heard = ''
      for (let turn = 0; turn < TURNS; turn += 1) {
        const input = `c${conversation}t${turn}`
        const body = {
          model: MODEL,
          input,
          ...(ids[0] && { previous_response_id: ids.at(-1) ?? '' }),
        }
        const stream = (conversation + turn) % 2 === 0
        const response = stream
          ? await client.responses.stream(body).finalResponse()
          : await client.responses.create(body)
        // Everything so far, and nothing else.
        const all = turn === 0 ? input : `${heard}|${input}`
        expect(response.output_text).toBe(all)
        heard = `${all}|${response.output_text}`
        ids.push(response.id)
      }
      return ids
    }
    const all = await Promise.all(Array.from({ length: CONVERSATIONS }, (_, index) => talk(index)))
    expect(new Set(all.flat()).size).toBe(CONVERSATIONS * TURNS)
    await tryOtherKeys(proxy, all)
  }, 120_000)

  test('are known by their keys, wherever these are put', async () => {
    const proxy = proxyOf(yes, { routes: ONLY_MESSAGES })
    const first = await proxy.client().responses.create({ model: MODEL, input: 'x' })
    const url = `http://proxy.test/v1/responses/${first.id}`
    const [key = '', other = ''] = KEYS
    const statusWith = async (headers: Record<string, string>, query = '') =>
      (await proxy.fetch(url + query, { headers })).status
    expect(await statusWith({ 'x-api-key': key })).toBe(200)
    expect(await statusWith({}, `?key=${key}`)).toBe(200)
    expect(await statusWith({ 'x-api-key': other })).toBe(404)
    expect(await statusWith({ 'x-api-key': 'nobody-knows-this-key' })).toBe(401)
    // A second key makes another caller: it may be one that an upstream knows.
    expect(await statusWith({ 'x-api-key': key, authorization: 'Bearer sk-upstream' })).toBe(404)
  })

  test('without a key share one memory, where callers are open', async () => {
    const change = { callers: { kind: 'open' } } as const
    const proxy = proxyOf(yes, { routes: ONLY_MESSAGES, change })
    const body = JSON.stringify({ model: MODEL, input: 'x' })
    const url = 'http://proxy.test/v1/responses'
    const headers = { 'content-type': 'application/json' }
    const first = await proxy.fetch(url, { method: 'POST', headers, body })
    const { id } = (await first.json()) as { id: string }
    expect((await proxy.fetch(`${url}/${id}`)).status).toBe(200)
    expect((await proxy.ask(`/v1/responses/${id}`)).status).toBe(404)
  })
})

describe('state: off', () => {
  test('keeps nothing and says so', async () => {
    const proxy = proxyOf(yes, { change: { state: 'off' }, store: 'off' })
    const first = await proxy.client().responses.create({ model: MODEL, input: 'x' })
    expect(first).toMatchObject({ store: false })
    const next = { model: MODEL, input: 'x', previous_response_id: first.id }
    const failure = await proxy
      .client()
      .responses.create(next)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError)
    expect(failure).toMatchObject({ code: 'previous_response_not_found' })
  })
})

describe('a long conversation', () => {
  test('may be as large as a body, no larger', async () => {
    const { limits } = settings()
    const change = { limits: { ...limits, bodyBytes: 30_000 } }
    const proxy = proxyOf(yes, { routes: ONLY_MESSAGES, change })
    let previous: string | undefined
    const statuses: number[] = []
    for (let turn = 0; turn < 5; turn += 1) {
      const json = { model: MODEL, input: 'word '.repeat(2000), previous_response_id: previous }
      const answer = await proxy.ask('/v1/responses', { json })
      statuses.push(answer.status)
      if (answer.ok) previous = ((await answer.json()) as { id: string }).id
    }
    expect(statuses).toEqual([200, 200, 200, 413, 413])
  })

  test('is counted as a whole', async () => {
    const proxy = proxyOf(
      ({ url, body }) =>
        url.pathname.endsWith('count_tokens')
          ? { body: { input_tokens: JSON.stringify(body).length } }
          : said([text('Yes.')]),
      { routes: ONLY_MESSAGES },
    )
    const { responses } = proxy.client()
    const first = await responses.create({ model: MODEL, input: 'First words.' })
    await responses.inputTokens.count({
      model: MODEL,
      input: 'More.',
      previous_response_id: first.id,
    })
    expect(proxy.got[1]?.text).toContain('First words.')
    expect(proxy.got[1]?.text).toContain('Yes.')
  })

  test('is explained as a whole, and nothing is sent or kept for that', async () => {
    const proxy = proxyOf(yes, { routes: ONLY_MESSAGES })
    const first = await proxy.client().responses.create({ model: MODEL, input: 'First words.' })
    const json = { model: MODEL, input: 'More.', previous_response_id: first.id }
    const answer = await proxy.ask('/explain/v1/responses', { json })
    expect(await answer.text()).toContain('First words.')
    expect(proxy.got).toHaveLength(1)
  })
})

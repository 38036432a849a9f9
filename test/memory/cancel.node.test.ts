import { describe, expect, test, vi } from 'vitest'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { KEYS, proxyOf } from './proxy.ts'
import { hear } from './heard.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { type Store, StoreUnavailableError } from '../../src/memory/store.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { said, text } from '../sdk/script.ts'
import { messagesEvents } from '../sdk/speak-messages.ts'

const MODEL = 'messages-x'
const ONLY_MESSAGES = [{ model: '*', upstream: 'messages' }]
const spoken = (words: string) => messagesEvents(said([text(words)]), 'dragon-1')

/** The first answer stops in the middle and waits; those after it are whole. */
function waiting(store?: Store) {
  const hold: { cancelled?: boolean } = {}
  const proxy = proxyOf(
    () =>
      proxy.got.length === 1
        ? { events: spoken('One two three four five six.').slice(0, -4), hold }
        : said([text('Yes.')]),
    { routes: ONLY_MESSAGES, ...(store && { store }) },
  )
  return { proxy, hold }
}

/** Reads until the first words have come. */
async function begun(proxy: ReturnType<typeof proxyOf>, more: object = {}) {
  const stream = await proxy
    .client()
    .responses.create({ model: MODEL, input: 'Count.', stream: true, ...more })
  const events = stream[Symbol.asyncIterator]()
  let id = ''
  for (;;) {
    const { value } = (await events.next()) as { value: ResponseStreamEvent }
    if (value.type === 'response.created') id = value.response.id
    if (value.type === 'response.output_text.delta') break
  }
  const rest = async () => {
    const types: string[] = []
    try {
      for (let next = await events.next(); !next.done; next = await events.next())
        types.push(next.value.type)
    } catch {
      types.push('error')
    }
    return types
  }
  return { id, rest }
}

describe('a response in progress', () => {
  test('is shown as far as it came', async () => {
    const { proxy } = waiting()
    const { id } = await begun(proxy)
    const shown = await proxy.client().responses.retrieve(id)
    expect(shown).toMatchObject({ id, status: 'in_progress', output: [] })
    expect((await proxy.ask(`/v1/responses/${id}`, { key: KEYS[1] ?? '' })).status).toBe(404)
    expect((await proxy.ask(`/v1/responses/${id}?stream=true`)).status).toBe(400)
  })

  test('is cancelled: its upstream is left, its stream ends, and its state stays', async () => {
    const { proxy, hold } = waiting()
    const { id, rest } = await begun(proxy)
    const other = await proxy.ask(`/v1/responses/${id}/cancel`, {
      method: 'POST',
      key: KEYS[1] ?? '',
    })
    expect(other.status).toBe(404)
    const cancelled = await proxy.client().responses.cancel(id)
    expect(cancelled).toMatchObject({ id, status: 'cancelled', error: null })
    await vi.waitFor(() => expect(hold.cancelled).toBe(true))
    expect((await rest()).at(-1)).toMatch(/error|response\.failed/)
    const { responses } = proxy.client()
    expect(await responses.retrieve(id)).toMatchObject({ status: 'cancelled' })
    // As often as one likes.
    expect(await responses.cancel(id)).toMatchObject({ status: 'cancelled' })
    await responses.create({ model: MODEL, input: 'Go on.', previous_response_id: id })
    expect(hear('messages', proxy.got[1]?.body).turns.flatMap((turn) => turn.pieces)).toMatchObject(
      [{ text: 'Count.' }, { text: 'Go on.' }],
    )
  })

  test('is cancelled also where that cannot be kept, and the log says so', async () => {
    const { proxy } = waiting({
      ...memoryStore(STORE_BOUNDS),
      put: () => Promise.reject(new StoreUnavailableError('away')),
    })
    const { id, rest } = await begun(proxy)
    expect(await proxy.client().responses.cancel(id)).toMatchObject({ id, status: 'cancelled' })
    await rest()
    expect(proxy.log.find(({ operation }) => operation === 'create')).toMatchObject({
      reason: 'away',
      losses: expect.arrayContaining([{ code: 'dropped', path: 'store' }]),
    })
  })

  test('lists what led to it', async () => {
    const { proxy } = waiting()
    const { id } = await begun(proxy)
    const list = async () => (await proxy.client().responses.inputItems.list(id)).data
    const listed = await list()
    expect(listed).toMatchObject([{ role: 'user', content: [{ text: 'Count.' }] }])
    expect(await list()).toEqual(listed)
  })

  test('lists the turns before it too, as long as they are there', async () => {
    const proxy = proxyOf(
      () => {
        const events = spoken('One two three four five six.')
        return proxy.got.length === 2 ? { events: events.slice(0, -4), hold: {} } : { events }
      },
      { routes: ONLY_MESSAGES },
    )
    const { responses } = proxy.client()
    const before = await responses.stream({ model: MODEL, input: 'Count.' }).finalResponse()
    const { id } = await begun(proxy, { previous_response_id: before.id })
    const { data } = await responses.inputItems.list(id, { order: 'asc' })
    expect(data.map(({ type }) => type)).toEqual(['message', 'message', 'message'])
    expect(data[1]?.id).toBe(before.output[0]?.id)
    await responses.delete(before.id)
    expect((await proxy.ask(`/v1/responses/${id}/input_items`)).status).toBe(404)
  })

  test('is deleted: it goes on for its caller, and nothing of it is kept', async () => {
    const proxy = proxyOf(() => ({ events: spoken('One two three.') }), { routes: ONLY_MESSAGES })
    const { id, rest } = await begun(proxy)
    const other = { method: 'DELETE', key: KEYS[1] ?? '' }
    expect((await proxy.ask(`/v1/responses/${id}`, other)).status).toBe(404)
    const gone = await proxy.ask(`/v1/responses/${id}`, { method: 'DELETE' })
    expect(await gone.json()).toEqual({ id, object: 'response', deleted: true })
    expect((await proxy.ask(`/v1/responses/${id}`)).status).toBe(404)
    expect((await rest()).at(-1)).toBe('response.completed')
    expect((await proxy.ask(`/v1/responses/${id}`)).status).toBe(404)
    const { losses } = proxy.log.find(({ operation }) => operation === 'create') ?? {}
    expect(losses).not.toContainEqual({ code: 'dropped', path: 'store' })
  })

  test('is there, or gone for good, also while a slow store takes it', async () => {
    const kept = memoryStore(STORE_BOUNDS)
    const taken = Promise.withResolvers<void>()
    const put: Store['put'] = async (entry) => taken.promise.then(() => kept.put(entry))
    const proxy = proxyOf(() => ({ events: spoken('One two three.') }), {
      routes: ONLY_MESSAGES,
      store: { ...kept, put },
    })
    const { id, rest } = await begun(proxy)
    const over = rest()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const answers = ['', '/input_items', '/cancel'].map((place) =>
      proxy.ask(`/v1/responses/${id}${place}`, { method: place === '/cancel' ? 'POST' : 'GET' }),
    )
    const gone = proxy.ask(`/v1/responses/${id}`, { method: 'DELETE' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    taken.resolve()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 400])
    expect((await gone).status).toBe(200)
    expect((await over).at(-1)).toBe('response.completed')
    expect((await proxy.ask(`/v1/responses/${id}`)).status).toBe(404)
  })

  test('is forgotten when its caller leaves', async () => {
    const { proxy } = waiting()
    const stream = await proxy.client().responses.create({ model: MODEL, input: 'x', stream: true })
    let id = ''
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id
      if (event.type === 'response.output_text.delta') break
    }
    await vi.waitFor(async () => {
      expect((await proxy.ask(`/v1/responses/${id}`)).status).toBe(404)
    })
  })
})

describe('a response that failed', () => {
  test('is kept, and what it left unfinished is not said again', async () => {
    const proxy = proxyOf(
      () =>
        proxy.got.length === 1
          ? { events: spoken('One two three four.').slice(0, -4), cut: true }
          : said([text('Yes.')]),
      { routes: ONLY_MESSAGES },
    )
    const answer = await proxy.ask('/v1/responses', {
      json: { model: MODEL, input: 'Count.', stream: true },
    })
    const sent = await answer.text()
    const id = /"id":"(resp_\w+)"/.exec(sent)?.[1] ?? ''
    expect(sent).toContain('response.failed')
    const { responses } = proxy.client()
    expect(await responses.retrieve(id)).toMatchObject({ id, status: 'failed' })
    expect(await (await proxy.ask(`/v1/responses/${id}?stream=true`)).text()).toBe(sent)
    await responses.create({ model: MODEL, input: 'Go on.', previous_response_id: id })
    expect(proxy.got[1]?.text).not.toContain('One')
  })
})

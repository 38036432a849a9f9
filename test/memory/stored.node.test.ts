import { describe, expect, test } from 'vitest'
import OpenAI from 'openai'
import type { InputItemListParams } from 'openai/resources/responses/input-items'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { pretty } from '../laws/spelling.ts'
import { framesIn } from '../line-reader.ts'
import { DIALECTS, said, text } from '../sdk/script.ts'
import { KEYS, proxyOf, type Proxy, type Upstream } from './proxy.ts'

const MODEL = 'messages-x'
const ONLY_MESSAGES = [{ model: '*', upstream: 'messages' }]
const answers: Upstream = ({ body }) => {
  const { messages = [] } = body as { messages?: unknown[] }
  return said([text(`Answer ${(messages.length + 1) / 2}.`)])
}

const catchError = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('an error was expected'),
    (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
  )

/** Two turns; the second continues the first. */
async function talked(proxy: Proxy, body: { stream?: true; store?: boolean } = {}) {
  const client = proxy.client()
  const { stream, ...rest } = body
  const say = async (input: string, previous?: string) => {
    const request = {
      model: MODEL,
      input,
      ...rest,
      ...(previous && { previous_response_id: previous }),
    }
    return stream
      ? client.responses.stream(request).finalResponse()
      : client.responses.create(request)
  }
  const first = await say('One.')
  const second = await say('Two.', first.id)
  return { client, first, second }
}

describe('a stored response', () => {
  test('is given back as it was', async () => {
    const proxy = proxyOf(answers)
    const { client, second } = await talked(proxy)
    const { output_text: _, ...sent } = second
    expect(await client.responses.retrieve(second.id)).toMatchObject(sent)
    expect(proxy.got).toHaveLength(2)
  })

  test('is streamed again byte by byte, from the beginning or from where it broke off', async () => {
    const proxy = proxyOf(answers)
    const streamed = await proxy.ask('/v1/responses', {
      json: { model: MODEL, input: 'One.', stream: true, instructions: 'Be brief. "\u2028"' },
    })
    const sent = await streamed.text()
    const id = /"id":"(resp_\w+)"/.exec(sent)?.[1] ?? ''
    const again = await proxy.ask(`/v1/responses/${id}?stream=true`)
    expect(again.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(await again.text()).toBe(sent)
    const frames = sent.split(/(?<=\n\n)/)
    const rest = await proxy.ask(`/v1/responses/${id}?stream=true&starting_after=3`)
    expect(await rest.text()).toBe(frames.slice(4).join(''))
    const stream = await proxy.client().responses.retrieve(id, { stream: true, starting_after: 2 })
    const numbers: number[] = []
    for await (const event of stream) numbers.push(event.sequence_number)
    expect(numbers).toEqual(frames.slice(3).map((_, index) => index + 3))
    const final = await proxy.client().responses.stream({ response_id: id }).finalResponse()
    expect(final.output_text).toBe('Answer 1.')
  })

  test.each(DIALECTS)('of a pretty-printed request is told line by line, over %s', async (name) => {
    // What passes untouched is the upstream's own.
    const proxy = proxyOf(() => said([text(name === 'responses' ? 'Yes.' : 'Yes.\u2028No.')]))
    const schema = { type: 'object', properties: { a: { type: 'string', description: '\u2029' } } }
    const tools = [{ type: 'function', name: 'f', strict: false, parameters: schema }]
    const asked = { model: `${name}-x`, tools, metadata: { a: '\u0085' }, stream: true }
    const say = (more: object) =>
      proxy.ask('/v1/responses', {
        method: 'POST',
        body: pretty(JSON.stringify({ ...asked, ...more })),
      })
    const first = await (await say({ input: 'One.' })).text()
    const id = /"id":"(resp_\w+)"/.exec(first)?.[1] ?? ''
    const second = await (await say({ input: 'Two.', previous_response_id: id })).text()
    const again =
      name === 'responses'
        ? first
        : await (await proxy.ask(`/v1/responses/${id}?stream=true`)).text()
    expect(again).toBe(first)
    for (const told of [first, second]) {
      const ends = framesIn(told).map(({ data }) => JSON.parse(data))
      expect(ends[0].type).toBe('response.created')
      expect(ends.at(-1).type).toBe('response.completed')
      if (name !== 'responses') expect(ends.at(-1).response.tools[0].parameters).toEqual(schema)
    }
  })

  test('is streamed too when it was asked for as JSON', async () => {
    const proxy = proxyOf(answers)
    const { client, first } = await talked(proxy)
    const final = await client.responses.stream({ response_id: first.id }).finalResponse()
    const { output_text: _, ...sent } = first
    expect(final).toMatchObject(sent)
  })

  test('lists its input: all that led to it, in both orders and by pages', async () => {
    const proxy = proxyOf(answers)
    const { client, first, second } = await talked(proxy)
    const list = async (query: InputItemListParams) => {
      const items = []
      for await (const item of client.responses.inputItems.list(second.id, query)) items.push(item)
      return items
    }
    const all = await list({ order: 'asc' })
    expect(all).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One.' }] },
      first.output[0],
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Two.' }] },
    ])
    expect(new Set(all.map(({ id }) => id)).size).toBe(3)
    expect(await list({})).toEqual(all.toReversed())
    expect(await list({ order: 'asc', limit: 1 })).toEqual(all)
    const page = await proxy.ask(`/v1/responses/${second.id}/input_items?limit=2`)
    expect(await page.json()).toMatchObject({
      has_more: true,
      first_id: all[2]?.id,
      last_id: all[1]?.id,
    })
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'order=up', 'after=msg_none'])
      expect((await proxy.ask(`/v1/responses/${second.id}/input_items?${query}`)).status).toBe(400)
  })

  test('lists an item once that its caller sent again, so that pages come to an end', async () => {
    const proxy = proxyOf(answers)
    const { client, second } = await talked(proxy)
    const input = [...second.output, { role: 'user', content: 'Three.' }]
    const json = { model: MODEL, input, previous_response_id: second.id }
    const { id } = (await (await proxy.ask('/v1/responses', { json })).json()) as { id: string }
    for (const order of ['asc', 'desc'] as const) {
      const ids: (string | undefined)[] = []
      for await (const item of client.responses.inputItems.list(id, { order, limit: 1 })) {
        ids.push(item.id)
        expect(ids.length).toBeLessThan(10)
      }
      expect(ids).toHaveLength(5)
      expect(new Set(ids).size).toBe(5)
    }
  })

  test('is deleted, and what followed it cannot be continued', async () => {
    const proxy = proxyOf(answers, { routes: ONLY_MESSAGES })
    const { client, first, second } = await talked(proxy)
    const gone = await proxy.ask(`/v1/responses/${first.id}`, { method: 'DELETE' })
    expect(await gone.json()).toEqual({ id: first.id, object: 'response', deleted: true })
    expect(await catchError(client.responses.retrieve(first.id))).toMatchObject({ status: 404 })
    expect(await catchError(client.responses.delete(first.id))).toMatchObject({ status: 404 })
    expect((await client.responses.retrieve(second.id)).id).toBe(second.id)
    const next = { model: MODEL, input: 'Three.', previous_response_id: second.id }
    expect(await catchError(client.responses.create(next))).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    })
  })

  test('cannot be cancelled when it is over', async () => {
    const proxy = proxyOf(answers)
    const { client, first } = await talked(proxy)
    expect(await catchError(client.responses.cancel(first.id))).toMatchObject({
      status: 400,
      error: { message: 'Cannot cancel a synchronous response.', code: null },
    })
  })

  test('may be continued more than once', async () => {
    const proxy = proxyOf(answers)
    const { client, first } = await talked(proxy)
    const body = { model: MODEL, input: 'Other.', previous_response_id: first.id }
    await Promise.all([client.responses.create(body), client.responses.create(body)])
    const [one, other] = proxy.got.slice(-2)
    expect(one?.text).toBe(other?.text)
    expect(one?.body['messages']).toHaveLength(3)
  })

  test('may have been cut off at its bound', async () => {
    const proxy = proxyOf(() => said([text('And then')], 'length'))
    const client = proxy.client()
    const first = await client.responses.create({ model: MODEL, input: 'Tell.' })
    expect(first.status).toBe('incomplete')
    const next = { model: MODEL, input: 'Go on.', previous_response_id: first.id }
    await client.responses.create(next)
    expect(proxy.got[1]?.text).toContain('And then')
  })

  test('takes only the methods that it has', async () => {
    const proxy = proxyOf(answers)
    const { first } = await talked(proxy)
    const path = `/v1/responses/${first.id}`
    for (const [method, at, allow] of [
      ['POST', path, 'GET, DELETE'],
      ['GET', `${path}/cancel`, 'POST'],
      ['DELETE', `${path}/input_items`, 'GET'],
    ] as const) {
      const refused = await proxy.ask(at, { method })
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, allow])
    }
    expect((await proxy.ask('/v1/responses/input_tokens')).status).toBe(405)
    expect((await proxy.ask(`${path}/else`)).status).toBe(404)
  })
})

describe('store: false', () => {
  test('leaves nothing behind, and may still continue what was kept', async () => {
    const proxy = proxyOf(answers, { routes: ONLY_MESSAGES })
    const { client, first } = await talked(proxy)
    const body = { model: MODEL, input: 'x', store: false, previous_response_id: first.id }
    const unkept = await client.responses.create(body)
    expect(proxy.got.at(-1)?.body['messages']).toHaveLength(3)
    expect(unkept).toMatchObject({ store: false })
    expect(await catchError(client.responses.retrieve(unkept.id))).toMatchObject({ status: 404 })
    const next = { model: MODEL, input: 'y', previous_response_id: unkept.id }
    expect(await catchError(client.responses.create(next))).toMatchObject({ status: 400 })
  })

  test('puts nothing into the store', async () => {
    const puts: string[] = []
    const proxy = proxyOf(answers, {
      store: {
        get: async () => undefined,
        put: async ({ key }) => void puts.push(key),
        delete: async () => false,
        close: async () => {},
      },
    })
    const body = { model: MODEL, input: 'x', store: false }
    await proxy.client().responses.create(body)
    await proxy.client().responses.stream(body).finalResponse()
    expect(puts).toEqual([])
    await proxy.client().responses.create({ ...body, store: true })
    expect(puts).toHaveLength(1)
  })
})

describe('an unknown id', () => {
  const UNKNOWN = 'resp_0123456789abcdef00000001'

  test.each([
    ['retrieve', UNKNOWN],
    ['retrieve', 'resp_689a'],
    ['delete', UNKNOWN],
    ['cancel', UNKNOWN],
  ] as const)('%s %s: not found, in the words of the service', async (action, id) => {
    const { responses } = proxyOf(answers, { routes: ONLY_MESSAGES }).client()
    expect(await catchError(responses[action](id))).toMatchObject({
      status: 404,
      error: {
        message: `Response with id '${id}' not found.`,
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    })
  })

  test('cannot be continued', async () => {
    const { responses } = proxyOf(answers).client()
    const body = { model: MODEL, input: 'x', previous_response_id: UNKNOWN }
    expect(await catchError(responses.create(body))).toMatchObject({
      status: 400,
      error: {
        message: `Previous response with id '${UNKNOWN}' not found.`,
        type: 'invalid_request_error',
        param: 'previous_response_id',
        code: 'previous_response_not_found',
      },
    })
    const reference = { type: 'item_reference' as const, id: 'msg_0123456789abcdef00000002' }
    const item = await catchError(responses.create({ model: MODEL, input: [reference] }))
    expect(item).toMatchObject({
      status: 404,
      error: { message: `Item with id '${reference.id}' not found.`, param: 'input' },
    })
  })

  test('is the same as one of another caller, and as one that is over', async () => {
    let now = Date.UTC(2026, 10, 21)
    const proxy = proxyOf(answers, {
      store: memoryStore(STORE_BOUNDS, () => now),
      routes: ONLY_MESSAGES,
      change: { retention: { ttlMs: 1000 } },
    })
    const { first } = await talked(proxy)
    const asked = async (key: string | undefined, id: string) => {
      const answer = await proxy.ask(`/v1/responses/${id}`, key === undefined ? {} : { key })
      const body = { model: MODEL, input: 'x', previous_response_id: id }
      const next = await proxy.ask('/v1/responses', { json: body, ...(key && { key }) })
      const told = [answer.status, await answer.text(), next.status, await next.text()]
      return told.map((each) => String(each).replaceAll(id, 'ID'))
    }
    const never = await asked(KEYS[0], UNKNOWN)
    expect([never[0], never[2]]).toEqual(['404', '400'])
    expect(await asked(KEYS[1], first.id)).toEqual(never)
    expect((await asked(KEYS[0], first.id))[0]).toBe('200')
    now += 1001
    expect(await asked(KEYS[0], first.id)).toEqual(never)
  })

  test('in a path that is no id leads nowhere', async () => {
    const proxy = proxyOf(answers)
    for (const id of ['..%2f..', 'a%00b', `resp_${'x'.repeat(200)}`])
      expect((await proxy.ask(`/v1/responses/${id}`)).status).toBe(404)
    const body = { model: MODEL, input: 'x', previous_response_id: 'not an id/../../x' }
    expect((await proxy.ask('/v1/responses', { json: body })).status).toBe(400)
  })

  test('of a message is no id of a response', async () => {
    const proxy = proxyOf(answers, { routes: ONLY_MESSAGES })
    const { client, first } = await talked(proxy)
    const id = first.output[0]?.id ?? ''
    expect((await proxy.ask(`/v1/responses/${id}`)).status).toBe(404)
    const body = { model: MODEL, input: 'x', previous_response_id: id }
    expect(await catchError(client.responses.create(body))).toMatchObject({ status: 400 })
  })
})

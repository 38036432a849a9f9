import { describe, expect, test } from 'vitest'
import { kits, PAIRS } from '../dialects/index.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { said, text, thinking, type Dialect } from '../sdk/script.ts'
import { hear } from './heard.ts'
import { ALONE, KEYS, proxyOf, settings, type Upstream } from './proxy.ts'

const talk: Upstream = ({ dialect, method, url, body }) => {
  if (dialect === 'responses' && method === 'GET')
    return { body: { id: url.pathname.split('/').at(-1), object: 'response', asked: true } }
  if (dialect === 'responses' && body['previous_response_id'] === 'resp_lost')
    return {
      status: 400,
      body: { error: { message: 'Gone.', code: 'previous_response_not_found' } },
    }
  return said([thinking('Hm.', kits[dialect].scripted.proofs[0]), text(`From ${dialect}.`)])
}

describe.each(PAIRS)('a conversation that began on %s', (from, to) => {
  test.each([false, true])(`goes on with ${to} (stream: %s)`, async (stream) => {
    const proxy = proxyOf(talk)
    const client = proxy.client()
    const say = (dialect: Dialect, input: string, previous?: string) => {
      const body = {
        model: `${dialect}-x`,
        input,
        ...(previous !== undefined && { previous_response_id: previous }),
      }
      return stream ? client.responses.stream(body).finalResponse() : client.responses.create(body)
    }
    const first = await say(from, 'One.')
    const second = await say(to, 'Two.', first.id)
    const third = await say(from, 'Three.', second.id)
    expect(third.previous_response_id ?? second.id).toBe(second.id)
    const turns = (index: number) =>
      hear(proxy.got[index]?.dialect ?? to, proxy.got[index]?.body).turns.map((turn) => [
        turn.role,
        turn.pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : [])).join(),
      ])
    expect(turns(1)).toEqual([
      ['user', 'One.'],
      ['assistant', `From ${from}.`],
      ['user', 'Two.'],
    ])
    expect(turns(2)).toHaveLength(5)
    expect(proxy.got[2]?.body['previous_response_id']).toBeUndefined()
    expect(proxy.got[1]?.text).not.toContain('xseal1')
  })
})

const reply = (id: string) => ({
  id,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'x',
  output: [
    {
      type: 'message',
      id: `msg_${id}`,
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: `From ${id}.`, annotations: [] }],
    },
  ],
})
const frames = (id: string) => {
  const opened = { type: 'response.created', response: { ...reply(id), status: 'in_progress' } }
  const ended = { type: 'response.completed', sequence_number: 1, response: reply(id) }
  return [opened, ended].map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`)
}

const PINGS = Array.from({ length: 50 }, () => `: ${'-'.repeat(1000)}\n\n`)
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const answerConversation = async (stream: boolean, forget: boolean) => {
  let count = 0
  const upstream: Upstream = ({ dialect, method }) => {
    if (dialect !== 'responses') return said([text('Elsewhere.')])
    if (method !== 'POST') return { body: {} }
    count += 1
    return stream ? { events: frames(`resp_${count}x`) } : { body: reply(`resp_${count}x`) }
  }
  const proxy = proxyOf(upstream, { change: ALONE })
  const say = async (model: string, input: unknown, previous?: string) => {
    const json = { model, input, stream, previous_response_id: previous }
    const answer = await proxy.ask('/v1/responses', { json })
    await answer.text()
    return answer.status
  }
  expect(await say('responses-x', 'One.')).toBe(200)
  expect(await say('responses-x', 'Two.', 'resp_1x')).toBe(200)
  if (forget) await proxy.ask('/v1/responses/resp_1x', { method: 'DELETE' })
  const again = [
    { type: 'item_reference', id: 'msg_resp_2x' },
    { role: 'user', content: 'Three.' },
  ]
  expect(await say('responses-x', again, 'resp_2x')).toBe(200)
  return { proxy, status: await say('messages-x', 'Four.', 'resp_3x') }
}

describe('a conversation that went on for some turns at an upstream that keeps it', () => {
  test.each([false, true])('goes on with another (stream: %s)', async (stream) => {
    const { proxy, status } = await answerConversation(stream, false)
    expect(status).toBe(200)
    const { turns } = hear('messages', proxy.got.at(-1)?.body)
    const words = turns.map(({ pieces }) =>
      pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : [])).join(),
    )
    expect(words).toEqual([
      'One.',
      'From resp_1x.',
      'Two.',
      'From resp_2x.',
      'Three.',
      'From resp_3x.',
      'Four.',
    ])
  })

  test.each([false, true])(
    'goes on there only if part of it is gone (stream: %s)',
    async (stream) => {
      const { proxy, status } = await answerConversation(stream, true)
      expect(status).toBe(400)
      expect(proxy.got.filter(({ dialect }) => dialect === 'messages')).toHaveLength(0)
    },
  )
})

describe('what was said in a conversation that only its service keeps', () => {
  test.each(['conv_68af', { id: 'conv_68af' }])(
    'is not continued elsewhere as if it had begun there: %j',
    async (conversation) => {
      const proxy = proxyOf(
        ({ dialect }) =>
          dialect === 'responses' ? { body: reply('resp_1x') } : said([text('Elsewhere.')]),
        { change: ALONE },
      )
      const say = async (json: object) => (await proxy.ask('/v1/responses', { json })).status
      expect(await say({ model: 'responses-x', input: 'Two.', conversation })).toBe(200)
      const next = { input: 'Three.', previous_response_id: 'resp_1x' }
      expect(await say({ model: 'messages-x', ...next })).toBe(400)
      expect(await say({ model: 'responses-x', ...next })).toBe(200)
      expect(proxy.got.map(({ dialect }) => dialect)).toEqual(['responses', 'responses'])
    },
  )
})

const NOTHING_THERE = { status: 404, body: { error: { message: 'No such endpoint.' } } }

describe('an upstream that keeps its own state', () => {
  test('is asked itself, and gets the bytes as they came', async () => {
    const proxy = proxyOf(talk, { change: ALONE })
    const body = '{"model":"responses-x" ,"input":"x","previous_response_id":"resp_68af_upstream"}'
    const routes = [{ model: 'responses-*', upstream: 'responses' }]
    const plain = proxyOf(talk, { routes, change: ALONE })
    for (const each of [proxy, plain]) {
      await each.ask('/v1/responses', { method: 'POST', body })
      expect(each.got[0]?.body).toMatchObject({ previous_response_id: 'resp_68af_upstream' })
    }
    expect(plain.got[0]?.text).toBe(body)
  })

  test('says itself what it does not know', async () => {
    const proxy = proxyOf(talk, { change: ALONE })
    const json = { model: 'responses-x', input: 'x', previous_response_id: 'resp_lost' }
    const answer = await proxy.ask('/v1/responses', { json })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { message: 'Gone.' } },
    ])
  })

  test('answers for what it gave out', async () => {
    const proxy = proxyOf(talk, { change: ALONE })
    const answer = await proxy.ask('/v1/responses/resp_68af?stream=false&include=x&evil=1')
    expect(await answer.json()).toMatchObject({ id: 'resp_68af', asked: true })
    const { url, method } = proxy.got[0] ?? {}
    expect([method, url?.pathname, url?.search]).toEqual([
      'GET',
      '/v1/responses/resp_68af',
      '?include=x&stream=false',
    ])
    await proxy.ask('/v1/responses/resp_68af', { method: 'DELETE' })
    await proxy.ask('/v1/responses/resp_68af/cancel', { method: 'POST' })
    expect(proxy.got.slice(1).map((got) => [got.method, got.url.pathname])).toEqual([
      ['DELETE', '/v1/responses/resp_68af'],
      ['POST', '/v1/responses/resp_68af/cancel'],
    ])
  })

  test('is not quoted when it has nothing: that is said in the same words everywhere', async () => {
    const proxy = proxyOf(() => NOTHING_THERE, { change: ALONE })
    for (const id of ['resp_68af', 'resp_0123456789abcdef00000001']) {
      const answer = await proxy.ask(`/v1/responses/${id}`)
      expect(await answer.json()).toMatchObject({
        error: { message: `Response with id '${id}' not found.`, code: null },
      })
    }
    expect(proxy.got).toHaveLength(2)
  })

  test('is answered for from the copy when it keeps nothing of what it gave out', async () => {
    const reply = { id: 'resp_68af', object: 'response', status: 'completed', output: [] }
    const proxy = proxyOf(({ method }) => (method === 'POST' ? { body: reply } : NOTHING_THERE), {
      change: ALONE,
    })
    await proxy.ask('/v1/responses', { json: { model: 'responses-x', input: 'hello' } })
    const kept = await proxy.ask('/v1/responses/resp_68af')
    expect(await kept.json()).toMatchObject(reply)
    const items = await proxy.ask('/v1/responses/resp_68af/input_items')
    expect(JSON.stringify(await items.json())).toContain('hello')
    const gone = await proxy.ask('/v1/responses/resp_68af', { method: 'DELETE' })
    expect(await gone.json()).toMatchObject({ id: 'resp_68af', deleted: true })
    expect((await proxy.ask('/v1/responses/resp_68af')).status).toBe(404)
  })

  test('is named where it fails', async () => {
    const proxy = proxyOf(() => ({ status: 500, body: 'Oops.' }), { change: ALONE })
    const answer = await proxy.ask('/v1/responses/resp_68af')
    expect(answer.status).toBe(500)
    expect(answer.headers.get('x-dragoman-upstream')).toMatch(/^responses; dialect=responses/)
  })

  test('is not interrupted within an event while a slow store keeps it', async () => {
    const slow = memoryStore(STORE_BOUNDS)
    slow.put = () => new Promise((resolve) => setTimeout(resolve, 70))
    const response = { id: 'resp_68af', object: 'response', status: 'completed', output: [] }
    const data = { type: 'response.completed', response: { ...response, user: '語'.repeat(200) } }
    const event = `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
    const { limits } = settings()
    const proxy = proxyOf(() => ({ events: [': hi\n\n', event.slice(0, -3), event.slice(-3)] }), {
      store: slow,
      change: { ...ALONE, limits: { ...limits, heartbeatMs: 20, eventBytes: 400 } },
    })
    const json = { model: 'responses-x', input: 'x', stream: true }
    const answer = await proxy.ask('/v1/responses', { json })
    expect(await answer.text()).toContain(event)
  })

  test.each([0, 30])('leaves no copy of what is deleted while it passes (%d)', async (ms) => {
    const kept = memoryStore(STORE_BOUNDS)
    const gone = new Set<string>()
    const proxy = proxyOf(
      ({ method, url }) => {
        if (method === 'POST')
          return {
            events: [...frames('resp_1x').slice(0, 1), ...PINGS, ...frames('resp_1x').slice(1)],
          }
        if (method === 'DELETE') gone.add(url.pathname)
        return gone.has(url.pathname) && method === 'GET'
          ? NOTHING_THERE
          : { body: reply('resp_1x') }
      },
      {
        change: ALONE,
        store: { ...kept, put: (entry) => sleep(ms).then(() => kept.put(entry)) },
      },
    )
    const json = { model: 'responses-x', input: 'hello', stream: true }
    const stream = (await proxy.ask('/v1/responses', { json })).body?.getReader()
    expect(new TextDecoder().decode((await stream?.read())?.value)).toContain('resp_1x')
    const rest = async () => {
      for (let read = await stream?.read(); !read?.done; read = await stream?.read());
    }
    // With a slow store, the copy is being put there when it is deleted.
    const over = ms > 0 ? rest() : undefined
    await sleep(ms / 2)
    expect((await proxy.ask('/v1/responses/resp_1x', { method: 'DELETE' })).status).toBe(200)
    await (over ?? rest())
    expect((await proxy.ask('/v1/responses/resp_1x')).status).toBe(404)
    const after = { model: 'messages-x', input: 'again', previous_response_id: 'resp_1x' }
    expect((await proxy.ask('/v1/responses', { json: after })).status).toBe(400)
  })

  test('streams again what it gave out', async () => {
    const end = { type: 'response.completed', response: { id: 'resp_68af', output: [] } }
    const events = [
      'event: response.created\ndata: {"type":"response.created"}\n\n',
      'data: {"type":"response.in_progress"}\n\n',
      `event: response.completed\ndata: ${JSON.stringify(end)}\n\n`,
    ]
    const proxy = proxyOf(() => ({ events }), { change: ALONE })
    const answer = await proxy.ask('/v1/responses/resp_68af?stream=true&starting_after=4')
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(await answer.text()).toBe(events.join(''))
    expect(proxy.got[0]?.url.searchParams.get('starting_after')).toBe('4')
  })

  test('is not asked where there are several: nobody knows which one', async () => {
    const upstreams = new Map(settings().upstreams)
    const own = upstreams.get('responses')
    if (own) upstreams.set('second', { ...own, name: 'second' })
    const several = proxyOf(talk, {
      routes: [
        { model: 'a', upstream: 'responses' },
        { model: 'b', upstream: 'second' },
      ],
      change: { upstreams },
    })
    expect((await several.ask('/v1/responses/resp_68af')).status).toBe(404)
    expect(several.got).toHaveLength(0)
  })
})

/** What one of the callers is told about what the first one got. */
const ask = async (proxy: ReturnType<typeof proxyOf>, index: number) => {
  const key = KEYS[index] ?? ''
  const next = (body: object) =>
    proxy.ask('/v1/responses', { key, json: { model: 'responses-x', input: 'x', ...body } })
  const answers = [
    await proxy.ask('/v1/responses/resp_68af', { key }),
    await proxy.ask('/v1/responses/resp_68af/input_items', { key }),
    await next({ previous_response_id: 'resp_68af' }),
    await next({ input: [{ type: 'item_reference', id: 'msg_68af' }] }),
  ]
  return answers.map(({ status }) => status)
}

describe('an upstream that knows many callers by one key', () => {
  const mine = { id: 'resp_68af', object: 'response', status: 'completed', output: [] }
  const item = { type: 'message', id: 'msg_68af', role: 'assistant', content: [] }
  const upstream: Upstream = ({ method }) => ({
    body: method === 'GET' ? mine : { ...mine, output: [item] },
  })
  test.each([STORE_BOUNDS.entryBytes, 300])(
    'tells each of them its own only',
    async (entryBytes) => {
      // An exchange that is too large to be kept is its caller's too.
      const store = memoryStore({ ...STORE_BOUNDS, entryBytes })
      const proxy = proxyOf(upstream, { store })
      const json = { model: 'responses-x', input: 'word '.repeat(100) }
      await proxy.ask('/v1/responses', { json })
      expect(await ask(proxy, 1)).toEqual([404, 404, 400, 404])
      expect(proxy.got).toHaveLength(1)
      expect(await ask(proxy, 0)).toEqual([200, 200, 200, 200])
      await proxy.ask('/v1/responses/resp_68af', { method: 'DELETE' })
      expect((await ask(proxy, 0)).slice(0, 3)).toEqual([404, 404, 400])
    },
  )

  test('tells of a reply as soon as its caller has heard of it', async () => {
    const created = {
      type: 'response.created',
      response: { ...mine, status: 'in_progress' },
      sequence_number: 0,
    }
    const events = [`event: response.created\ndata: ${JSON.stringify(created)}\n\n`]
    const hold = {}
    const proxy = proxyOf(({ method }) => (method === 'GET' ? { body: mine } : { events, hold }))
    const json = { model: 'responses-x', input: 'x', stream: true, background: true }
    const stream = (await proxy.ask('/v1/responses', { json })).body?.getReader()
    expect(new TextDecoder().decode((await stream?.read())?.value)).toContain('resp_68af')
    await stream?.cancel()
    expect((await proxy.ask('/v1/responses/resp_68af')).status).toBe(200)
    expect((await proxy.ask('/v1/responses/resp_68af', { key: KEYS[1] ?? '' })).status).toBe(404)
  })

  test('is asked again to delete what it could not', async () => {
    let busy = true
    const proxy = proxyOf((got) =>
      got.method === 'DELETE' && busy
        ? { status: 503, body: { error: { message: 'Busy.' } } }
        : upstream(got),
    )
    await proxy.ask('/v1/responses', { json: { model: 'responses-x', input: 'x' } })
    const gone = () => proxy.ask('/v1/responses/resp_68af', { method: 'DELETE' })
    expect((await gone()).status).toBe(503)
    busy = false
    expect((await gone()).status).toBe(200)
    expect((await proxy.ask('/v1/responses/resp_68af')).status).toBe(404)
  })

  test('keeps no claim on what is not to be kept', async () => {
    const proxy = proxyOf(upstream)
    await proxy.ask('/v1/responses', { json: { model: 'responses-x', input: 'x', store: false } })
    expect((await proxy.ask('/v1/responses/resp_68af')).status).toBe(404)
  })
})

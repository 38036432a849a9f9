import { describe, expect, it } from 'vitest'
import {
  bytewise,
  jsonReply,
  never,
  pathyStream,
  plainStream,
  proxyOf,
  silenceUntil,
  sleep,
  sse,
  sseReply,
  type Script,
} from './proxy.ts'

const PLAIN_TO_PATHY = { model: 'pathy-1', text: 'hi' }
const hello = [
  sse({ t: 'start', reply: { model: 'pathy-1' } }),
  sse({ t: 'text', text: 'Hel' }),
  sse({ t: 'text', text: 'lo' }),
  sse({ t: 'end' }),
].join('')

const ask = (script: Script, stream: boolean) =>
  proxyOf(script).fetch('/v1/plain', { body: { ...PLAIN_TO_PATHY, stream } })

describe('the four combinations of stream and body', () => {
  it('a body is answered with a body', async () => {
    const response = await ask(() => jsonReply({ modelName: 'x', text: 'Hello' }), false)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ model: 'pathy-1', text: 'Hello' })
  })
  it('a stream is answered with a stream', async () => {
    const response = await ask(() => sseReply(pathyStream()), true)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(await response.text()).toBe(hello)
  })
  it('a stream that nobody asked for is gathered', async () => {
    const response = await ask(() => sseReply(pathyStream()), false)
    expect(await response.json()).toEqual({ model: 'pathy-1', text: 'Hello' })
  })
  it('a body where a stream was asked for is unfolded', async () => {
    const response = await ask(() => jsonReply({ modelName: 'x', text: 'Hello' }), true)
    expect(await response.text()).toBe(
      [
        sse({ t: 'start', reply: { model: 'pathy-1' } }),
        sse({ t: 'text', text: 'Hello' }),
        sse({ t: 'end' }),
      ].join(''),
    )
  })
})

describe('what the upstream sends, whatever it says', () => {
  it.each(['text/plain', 'application/json', ''])('finds events labelled %j', async (type) => {
    const response = await ask(() => sseReply(pathyStream(), { 'content-type': type }), true)
    expect(await response.text()).toBe(hello)
  })
  it('finds a body labelled as events', async () => {
    const reply = jsonReply({ modelName: 'x', text: 'Hello' }, 200, {
      'content-type': 'text/event-stream',
    })
    expect(await (await ask(() => reply, false)).json()).toEqual({
      model: 'pathy-1',
      text: 'Hello',
    })
  })
  it.each([
    ['a page', '<html>Bad Gateway</html>'],
    ['plain words', 'Service Unavailable'],
    ['nothing', ''],
    ['half a body', '{"text":"Hel'],
  ])('refuses %s', async (_, text) => {
    for (const stream of [true, false]) {
      const response = await ask(() => jsonReply(text), stream)
      expect(response.status).toBe(502)
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(await response.json()).toMatchObject({ kind: 'bad-upstream' })
    }
  })
  it('reads a stream byte by byte as it reads it whole', async () => {
    const text = pathyStream(['Gr', 'üße 🙂']).join('')
    const whole = await (await ask(() => sseReply([text]), true)).text()
    const cut = await (await ask(() => sseReply(bytewise(text)), true)).text()
    expect(cut).toBe(whole)
    expect(whole).toContain('üße 🙂')
  })
  it('reads a last event without its blank line', async () => {
    const text = pathyStream().join('').trimEnd()
    expect(await (await ask(() => sseReply([text]), true)).text()).toBe(hello)
  })
  it('ends after the terminal event, whatever follows it', async () => {
    const reply = sseReply([...pathyStream(), sse({ t: 'text', text: 'more' }), never()])
    expect(await (await ask(() => reply, true)).text()).toBe(hello)
  })
})

const told = {
  'request-id': 'req_1',
  'x-ratelimit-remaining-tokens': '17',
  'pathy-rate-reset': '9',
}

describe('failures', () => {
  it('before the first event are a status', async () => {
    const reply = sseReply([sse({ modelName: 'x' }), sse({ error: 'too busy' })])
    const response = await ask(() => reply, true)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ plainError: 'too busy', kind: 'overloaded' })
  })
  it.each([
    ['a broken connection', new Error('reset'), 'The connection to the upstream broke.'],
    ['an error event', sse({ error: 'too busy' }), 'too busy'],
    ['an end too early', '', 'The upstream ended its stream before the reply was complete.'],
    [
      'an event cut in half',
      'data: {"t":"te',
      'The upstream ended its stream before the reply was complete.',
    ],
    ['words', 'data: oh no\n\n', 'The upstream sent an event that is no JSON: "oh no".'],
    [
      'a page',
      '<html><title>Bad</title>',
      'The upstream sent something that is not an event: a page of HTML, Bad.',
    ],
  ])('after it are an event: %s', async (_, chunk, message) => {
    const response = await ask(() => sseReply([...pathyStream().slice(0, 2), chunk]), true)
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text.endsWith(sse({ t: 'error', error: message }))).toBe(true)
    expect(text).not.toContain('"end"')
  })
  it.each([
    ['in place of a reply', jsonReply({ error: 'no' }, 400, told)],
    ['in a reply', sseReply([sse({ error: 'no' })], told)],
  ])(
    'name the upstream, its id of the exchange, its rates and the losses: %s',
    async (_, reply) => {
      const body = { ...PLAIN_TO_PATHY, stream: true, topK: 1 }
      const { status, headers } = await proxyOf(() => reply).fetch('/v1/plain', { body })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(headers.get('x-dragoman-upstream')).toBe('pathy; dialect=pathy; model=pathy-1')
      expect(headers.get('x-upstream-request-id')).toBe('req_1')
      expect(headers.get('x-dragoman-losses')).toBe('1; dropped sampling.topK')
      expect(headers.get('x-ratelimit-remaining-tokens')).toBe('17')
      expect(headers.get('pathy-rate-reset')).toBeNull()
    },
  )
  it('of a gathered stream are a status', async () => {
    const reply = sseReply([...pathyStream().slice(0, 2), new Error('reset')])
    const response = await ask(() => reply, false)
    expect(response.status).toBe(502)
  })
  it('of an event that is too large are told in the stream', async () => {
    const large = sse({ t: 'text', text: 'x'.repeat(5000) })
    const proxy = proxyOf(() => sseReply([...pathyStream().slice(0, 2), large]), {
      limits: { eventBytes: 4000 },
    })
    const response = await proxy.fetch('/v1/plain', { body: { ...PLAIN_TO_PATHY, stream: true } })
    expect(await response.text()).toContain('larger than the limit')
  })
  it('of a stream that is too long are told in the stream', async () => {
    const many = Array.from({ length: 50 }, () => sse({ t: 'text', text: 'x'.repeat(100) }))
    const proxy = proxyOf(() => sseReply([...pathyStream().slice(0, 2), ...many]), {
      limits: { streamBytes: 2000 },
    })
    const response = await proxy.fetch('/v1/plain', { body: { ...PLAIN_TO_PATHY, stream: true } })
    const text = await response.text()
    expect(text).toContain('larger than the limit')
    expect(text.length).toBeLessThan(4000)
  })
  it.each([
    [0, 200],
    [1, 502],
  ])('of a body %d bytes over the limit: %d', async (over, status) => {
    const body = JSON.stringify({ modelName: 'x', text: 'Hello' })
    const proxy = proxyOf(() => jsonReply(body), { limits: { replyBytes: body.length - over } })
    expect((await proxy.fetch('/v1/plain', { body: PLAIN_TO_PATHY })).status).toBe(status)
  })
  it('of a body that is nested too deep are a status', async () => {
    const deep = `{"text":"Hello","x":${'['.repeat(3000)}${']'.repeat(3000)}}`
    expect((await ask(() => jsonReply(deep), false)).status).toBe(502)
  })
})

describe('a silent upstream', () => {
  const quick = { limits: { heartbeatMs: 20 } }
  const body = { ...PLAIN_TO_PATHY, stream: true }
  it('does not hold back the status, and the stream is kept alive', async () => {
    const { silence, read } = silenceUntil(/(?:: ping\n\n){3}/)
    const proxy = proxyOf(() => sseReply([silence, ...pathyStream()]), quick)
    const text = await read(await proxy.fetch('/v1/plain', { body }))
    expect(text.split(': ping\n\n').length).toBeGreaterThan(3)
    expect(text.replaceAll(': ping\n\n', '')).toBe(hello)
  })
  it('is kept alive between frames and not after the end', async () => {
    const [first = '', ...rest] = pathyStream()
    const { silence, read } = silenceUntil(/: ping\n\n$/)
    const proxy = proxyOf(() => sseReply([first, rest[0] ?? '', silence, ...rest.slice(1)]), quick)
    const text = await read(await proxy.fetch('/v1/plain', { body }))
    expect(text).toContain('Hel"}\n\n: ping\n\n')
    expect(text.endsWith(sse({ t: 'end' }))).toBe(true)
  })
  it('gets no heartbeat where the dialect bears none', async () => {
    const proxy = proxyOf(() => sseReply([sleep(80), ...plainStream()]), quick)
    const response = await proxy.fetch('/v1beta/pathy/plain-1:stream?alt=sse', {
      body: { text: 'hi' },
    })
    expect(await response.text()).not.toContain('ping')
  })
  it('that fails after the status is out fails in the stream', async () => {
    const { silence, read } = silenceUntil(/: ping/)
    const proxy = proxyOf(() => sseReply([silence, sse({ error: 'too busy' })]), quick)
    const response = await proxy.fetch('/v1/plain', { body })
    expect(response.status).toBe(200)
    expect((await read(response)).replaceAll(': ping\n\n', '')).toBe(
      sse({ t: 'error', error: 'too busy' }),
    )
  })
})

const fetchArray = (script: Script) =>
  proxyOf(script).fetch('/v1beta/pathy/plain-1:stream', { body: { text: 'hi' } })

describe('a streamed array', () => {
  it('is framed as JSON', async () => {
    const response = await fetchArray(() => sseReply(plainStream()))
    expect(response.headers.get('content-type')).toBe('application/json')
    const text = await response.text()
    expect(text).toBe(
      '[{"modelName":"plain-1"},\n{"t":"text","text":"Hel"},\n{"t":"text","text":"lo"},\n{"t":"end"}]',
    )
  })
  it('is closed after a failure too', async () => {
    const response = await fetchArray(() =>
      sseReply([...plainStream().slice(0, 2), new Error('x')]),
    )
    expect(await response.json()).toHaveLength(3)
  })
})

describe('backpressure', () => {
  it('a caller that does not read stops the upstream from being read', async () => {
    let made = 0
    function* endless() {
      yield sse({ modelName: 'x' })
      for (;;) {
        made += 1
        yield sse({ t: 'text', text: 'x'.repeat(1000) })
      }
    }
    let cancelled = false
    const proxy = proxyOf(() =>
      sseReply(endless(), {}, () => {
        cancelled = true
      }),
    )
    const response = await proxy.fetch('/v1/plain', { body: { ...PLAIN_TO_PATHY, stream: true } })
    const reader = response.body?.getReader()
    await reader?.read()
    await sleep(30)
    expect(made).toBeLessThan(5)
    await reader?.cancel()
    expect(cancelled).toBe(true)
    expect(proxy.log).toHaveLength(1)
    expect(proxy.log[0]).toMatchObject({ status: 499 })
  })
})

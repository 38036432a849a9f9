import { describe, expect, it } from 'vitest'
import { TIMEOUTS } from '../../src/config/defaults.ts'
import {
  ConnectError,
  StaleConnectionError,
  type UpstreamRequest,
  randomId,
  type UpstreamResponse,
} from '../../src/ports.ts'
import { traceOf } from '../../src/observe/traceparent.ts'
import {
  jsonReply,
  KEY,
  never,
  pathyStream,
  plainStream,
  proxyOf,
  sleep,
  sse,
  sseReply,
  streamOf,
  type Script,
} from '../exchange/proxy.ts'

const cross = { model: 'pathy-1', text: 'hi' }
const same = { model: 'plain-1', text: 'hi' }
const bodies = [
  ['translated, one body', { ...cross, stream: false }],
  ['translated, a stream', { ...cross, stream: true }],
  ['passed, one body', { ...same, stream: false }],
  ['passed, a stream', { ...same, stream: true }],
] as const

const quick = (change: Partial<typeof TIMEOUTS>) => ({
  upstream: { timeouts: { ...TIMEOUTS, ...change } },
})

describe.each(bodies)('%s', (_, body) => {
  const ask = (script: Script, change = {}, signal?: AbortSignal) => {
    const proxy = proxyOf(script, change)
    return { proxy, response: proxy.fetch('/v1/plain', { body, ...(signal && { signal }) }) }
  }

  it('times out when nothing comes', async () => {
    let signal: AbortSignal | undefined
    const { proxy, response } = ask(
      (request) => {
        signal = request.signal
        return never()
      },
      quick({ firstByteMs: 30, jsonMs: 30 }),
    )
    const answer = await response
    expect(answer.status).toBe(504)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(signal?.aborted).toBe(true)
    expect(proxy.log).toHaveLength(1)
  })

  it('times out when nothing comes after the head', async () => {
    let cancelled = 0
    const reply = (): UpstreamResponse => ({
      ...jsonReply({}),
      body: streamOf([never()], () => (cancelled += 1)),
    })
    const { response } = ask(reply, quick({ firstByteMs: 30, jsonMs: 30 }))
    expect((await response).status).toBe(504)
    await sleep(5)
    expect(cancelled).toBe(1)
  })

  it('is not sent again once it was sent', async () => {
    const { proxy, response } = ask(() => Promise.reject(new Error('socket hang up')))
    const answer = await response
    expect(answer.status).toBe(502)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(proxy.sent).toHaveLength(1)
  })

  it.each([StaleConnectionError, ConnectError])(
    'keeps its trace when it is sent again: %o',
    async (Failure) => {
      const trace = traceOf(new Headers(), randomId, { ratio: 1, trust: false })
      const tracer = { begin: () => trace, finished: () => undefined }
      const script = () => Promise.reject(new Failure('closed'))
      const proxy = proxyOf(script, { upstream: { trace: true } }, { tracer })
      await proxy.fetch('/v1/plain', { body })
      const traceparent = `00-${trace.traceId}-${trace.calls[0]}-01`
      expect(proxy.sent.map(({ headers }) => headers['traceparent'])).toEqual([
        traceparent,
        traceparent,
      ])
    },
  )

  it('is sent again once when no connection came about', async () => {
    const { proxy, response } = ask(() => Promise.reject(new ConnectError('refused')))
    const answer = await response
    expect(answer.status).toBe(503)
    expect(answer.headers.get('x-should-retry')).toBeNull()
    expect(answer.headers.get('retry-after')).toBe('1')
    // The second time with more time for each address of its host.
    expect(proxy.sent.map(({ fresh }) => fresh)).toEqual([undefined, true])
    expect(await answer.text()).not.toContain('refused')
    expect(proxy.log).toMatchObject([{ status: 503, reason: 'refused' }])
  })

  it('says in the log alone why an answer broke', async () => {
    const pieces = [body.stream ? ': a comment\n\n' : '{', new Error('other side closed')]
    const { proxy, response } = ask(() => ({
      ...(body.stream ? sseReply('') : jsonReply({})),
      body: streamOf(pieces),
    }))
    const told = await (await response).text()
    expect(told).not.toContain('other side closed')
    expect(proxy.log).toMatchObject([
      { error: 'The connection to the upstream broke.', reason: 'other side closed' },
    ])
  })

  it('is not late as long as no connection came about', async () => {
    const { proxy, response } = ask(
      async ({ connection }) => {
        connection?.('sought')
        await sleep(90)
        throw new ConnectError('too slow')
      },
      quick({ firstByteMs: 30, jsonMs: 30 }),
    )
    expect((await response).status).toBe(503)
    expect(proxy.sent).toHaveLength(2)
  })

  it('is late from when it is sent', async () => {
    const { proxy, response } = ask(
      async ({ connection }) => {
        connection?.('sought')
        await sleep(60)
        connection?.('found')
        return never()
      },
      quick({ firstByteMs: 30, jsonMs: 30 }),
    )
    const answer = await response
    expect(answer.status).toBe(504)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(proxy.sent).toHaveLength(1)
  })

  it.each([301, 302, 303, 307, 308])('does not follow a redirection: %d', async (status) => {
    const { proxy, response } = ask(() =>
      jsonReply({}, status, { location: 'https://evil.example/' }),
    )
    const answer = await response
    expect(answer.status).toBe(502)
    expect(answer.headers.get('location')).toBeNull()
    expect(proxy.sent).toHaveLength(1)
  })

  it.each([401, 403])('does not blame the caller for the key of the proxy: %d', async (status) => {
    const { proxy, response } = ask(() => jsonReply({ error: `bad key ${KEY}` }, status))
    const answer = await response
    expect(answer.status).toBe(502)
    expect(await answer.text()).not.toMatch(new RegExp(`bad key|${KEY}`))
    expect(proxy.log).toMatchObject([{ status: 502, reason: `status ${status}: bad key ***` }])
  })

  it.each(['', '<html>Forbidden</html>', { error: { message: 'The caller lacks a scope' } }])(
    'takes a 403 that names the key, or nothing, for one of the key: %j',
    async (body) => {
      const { response } = ask(() => jsonReply(body, 403))
      expect((await response).status).toBe(502)
    },
  )

  it.each([
    'Generative Language API has not been used in project 7 before or it is disabled.',
    'Quota exceeded for requests per API key per minute.',
    'Country, region, or territory not supported',
    'Project 7 does not have access to the model.',
  ])('tells a 403 that is not about the key in its own words: %s', async (error) => {
    const { response } = ask(() => jsonReply({ error }, 403))
    const answer = await response
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain(error)
  })

  it.each([401, 403])('passes on what is wrong with the key of the caller: %d', async (status) => {
    const { response } = ask(() => jsonReply({ error: 'bad key' }, status), {
      upstream: { key: { kind: 'caller' } },
    })
    expect((await response).status).toBe(status)
  })

  it.each([400, 404, 413, 418, 422, 429, 500, 503, 529])(
    'passes on a refusal: %d',
    async (status) => {
      const { proxy, response } = ask(() => jsonReply({ error: `no, ${KEY}` }, status))
      const answer = await response
      expect(answer.status).toBe(status)
      expect(await answer.text()).toContain('no, ***')
      expect(proxy.sent).toHaveLength(1)
      expect(proxy.log).toHaveLength(1)
    },
  )

  it.each([204, 205, 304, 999, 600, 0])(
    'survives a status that makes no sense: %d',
    async (status) => {
      const reply = { status, headers: new Headers(), body: null }
      const { response } = ask(() => reply)
      expect((await response).status).toBeGreaterThanOrEqual(500)
    },
  )

  it.each([
    [{ 'retry-after': '7' }, '7', '7000'],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, '2', '1500'],
    [{ 'retry-after': '86400' }, '86400', '86400000'],
    [{ 'retry-after': '999999999999' }, '86400', '86400000'],
    [{ 'retry-after': '1.2' }, '2', '1200'],
    [{ 'retry-after': '0' }, '0', '0'],
    [{ 'retry-after': new Date(1_700_000_010_000).toUTCString() }, '10', '10000'],
    [{ 'retry-after': 'soon' }, null, null],
    [{ 'retry-after': '-3' }, null, null],
    [{ 'retry-after': '9e99' }, null, null],
  ])('keeps the time to wait: %o', async (headers, seconds, ms) => {
    const { response } = ask(() => jsonReply({ error: 'slow down' }, 429, headers as never))
    const answer = await response
    expect(answer.headers.get('retry-after')).toBe(seconds)
    expect(answer.headers.get('retry-after-ms')).toBe(ms)
  })

  it('stops the upstream when the caller leaves before its head', async () => {
    const leaving = new AbortController()
    let signal: AbortSignal | undefined
    const { proxy, response } = ask(
      (request) => {
        signal = request.signal
        return never()
      },
      {},
      leaving.signal,
    )
    setTimeout(() => leaving.abort(), 20)
    await response
    expect(signal?.aborted).toBe(true)
    expect(proxy.log).toHaveLength(1)
    expect(proxy.log[0]).toMatchObject({ status: 499, outcome: 'left' })
  })

  it('is left where the caller leaves while a stream comes, asked for or not', async () => {
    const leaving = new AbortController()
    const { proxy, response } = ask(
      () => sseReply([sse({ text: 'Hel' }), never()]),
      {},
      leaving.signal,
    )
    setTimeout(() => leaving.abort(), 20)
    await (await response).text()
    expect(proxy.log).toMatchObject([{ status: 499, outcome: 'left' }])
  })

  it('stops the upstream when the caller leaves before its first byte', async () => {
    const leaving = new AbortController()
    let cancelled = 0
    const reply = (): UpstreamResponse => ({
      ...jsonReply({}),
      body: streamOf([never()], () => (cancelled += 1)),
    })
    const { response } = ask(reply, {}, leaving.signal)
    setTimeout(() => leaving.abort(), 20)
    await response
    await sleep(5)
    expect(cancelled).toBe(1)
  })

  it('drops an answer that comes when nobody waits any more', async () => {
    let cancelled = 0
    const late = async (request: UpstreamRequest): Promise<UpstreamResponse> => {
      await sleep(40)
      expect(request.signal.aborted).toBe(true)
      return { ...jsonReply({}), body: streamOf([never()], () => (cancelled += 1)) }
    }
    const { response } = ask(late, quick({ firstByteMs: 20, jsonMs: 20 }))
    expect((await response).status).toBe(504)
    await sleep(50)
    expect(cancelled).toBe(1)
  })
})

function* endless(begun: readonly string[]) {
  yield* begun
  for (;;) {
    yield sleep(10)
    yield sse({ t: 'text', text: 'x' })
  }
}

describe.each([
  ['translated', cross, pathyStream()],
  ['passed', same, plainStream()],
] as const)('a stream that is %s', (_, body, chunks) => {
  const fetchStream = (script: Script, change = {}, extra = {}, signal?: AbortSignal) => {
    const proxy = proxyOf(script, change, extra)
    const init = { body: { ...body, stream: true }, ...(signal && { signal }) }
    return { proxy, response: proxy.fetch('/v1/plain', init) }
  }
  const begun = chunks.slice(0, 2)

  it('ends with an error when the upstream goes silent in the middle', async () => {
    let cancelled = 0
    const { proxy, response } = fetchStream(
      () => sseReply([...begun, never()], {}, () => (cancelled += 1)),
      quick({ idleMs: 30 }),
    )
    const text = await (await response).text()
    expect(text).toContain('went silent')
    expect(text).not.toContain('"end"')
    expect(cancelled).toBe(1)
    expect(proxy.log).toHaveLength(1)
    expect(proxy.log[0]?.error).toContain('went silent')
  })

  it('is not silent while it trickles', async () => {
    const trickle = chunks.flatMap((chunk) => [sleep(15), chunk])
    const { response } = fetchStream(() => sseReply(trickle), quick({ idleMs: 60 }))
    expect(await (await response).text()).toContain('"end"')
  })

  it('ends with an error when it takes too long', async () => {
    const { response } = fetchStream(() => sseReply(endless(begun)), quick({ totalMs: 60 }))
    expect(await (await response).text()).toContain('longer than an answer may take')
  })

  it('ends with an error when the process has to stop', async () => {
    const deadline = new AbortController()
    const { proxy, response } = fetchStream(
      () => sseReply([...begun, never()]),
      {},
      {
        deadline: deadline.signal,
      },
    )
    setTimeout(() => deadline.abort(), 20)
    expect(await (await response).text()).toContain('being restarted')
    // The upstream has done nothing wrong.
    expect(proxy.log).toMatchObject([{ outcome: 'proxy_error' }])
  })

  it('stops the upstream when the caller leaves in the middle', async () => {
    for (const byCancel of [true, false]) {
      const leaving = new AbortController()
      let cancelled = 0
      const script = () => sseReply([...begun, never()], {}, () => (cancelled += 1))
      const { proxy, response } = fetchStream(script, {}, {}, leaving.signal)
      const reader = (await response).body?.getReader()
      await reader?.read()
      const pending = reader?.read()
      await sleep(10)
      if (byCancel) await reader?.cancel()
      else leaving.abort()
      await pending
      expect(cancelled).toBe(1)
      expect(proxy.log).toHaveLength(1)
      expect(proxy.log[0]).toMatchObject({ status: 499, outcome: 'left' })
      expect(proxy.sent[0]?.signal.aborted).toBe(true)
    }
  })

  it('lets the upstream end by itself, so that its connection can be used again', async () => {
    let cancelled = 0
    const { proxy, response } = fetchStream(() =>
      sseReply([...chunks, sleep(10), ': bye\n\n'], {}, () => (cancelled += 1)),
    )
    await (await response).text()
    await sleep(30)
    expect(cancelled).toBe(0)
    expect(proxy.sent[0]?.signal.aborted).toBe(false)
  })
})

it('answers belong to their requests, also when half of the callers leave', async () => {
  const proxy = proxyOf(async (request) => {
    const { text } = JSON.parse(new TextDecoder().decode(request.body as Uint8Array))
    await sleep(Math.random() * 5)
    return sseReply(pathyStream([text, text, text]).flatMap((chunk) => [sleep(1), chunk]))
  })
  const exchange = async (index: number) => {
    const text = `canary-${index}-`
    const body = { model: 'pathy-1', text, stream: true }
    const response = await proxy.fetch('/v1/plain', { body })
    if (index % 2 === 0) {
      const reader = response.body?.getReader()
      await reader?.read()
      return reader?.cancel()
    }
    const canaries = (await response.text()).match(/canary-\d+-/g)
    expect(canaries).toEqual([text, text, text])
  }
  await Promise.all(Array.from({ length: 100 }, (_, index) => exchange(index)))
  expect(proxy.log).toHaveLength(100)
})

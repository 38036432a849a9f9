import { describe, expect, it } from 'vitest'
import { ConnectError } from '../../src/ports.ts'
import { never, silenceUntil, sse, sseReply, type Chunk } from '../exchange/proxy.ts'
import {
  DIALECTS,
  good,
  key,
  refusing,
  siteOf,
  twoKeys,
  voiceOf,
  type MemberScript,
} from './site.ts'

const unreachable: MemberScript = () => Promise.reject(new ConnectError('refused'))
const reset: MemberScript = () => Promise.reject(new Error('read ECONNRESET'))
const stillborn =
  (dialect: string): MemberScript =>
  () =>
    sseReply([voiceOf(dialect).failure.replace('server_error', 'server_is_overloaded')])

const pairs = DIALECTS.flatMap((caller) => DIALECTS.map((upstream) => [caller, upstream] as const))

describe.each(pairs)('%s over two keys of %s', (caller, upstream) => {
  const voice = voiceOf(caller)
  const ask = async (first: MemberScript, stream: boolean, failover = {}) => {
    const site = siteOf(twoKeys(upstream, { failover }), { one: first, two: good(upstream) })
    const response = await site.ask({ voice, stream })
    return { site, response, text: await response.text() }
  }
  const statuses = [408, 429, 500, 502, 503, 504, 529, 401] as const
  it.each(statuses)('goes on after %d', async (status) => {
    for (const stream of [false, true]) {
      const { site, response, text } = await ask(refusing(status), stream)
      expect(response.status, text).toBe(200)
      expect(response.headers.get('x-dragoman-upstream')).toContain('up#2; ')
      expect(response.headers.get('x-dragoman-attempts')).toBe(`up#1=${status}, up#2=200`)
      expect(site.sent).toHaveLength(2)
      expect(site.log).toHaveLength(1)
      expect(site.log[0]?.attempts?.map((each) => each.status)).toEqual([status, 200])
      expect(JSON.stringify([site.log, [...response.headers], text])).not.toContain('k-one')
    }
  })
  it('asks a locked member a second time, and then the next', async () => {
    const { response } = await ask(refusing(409), false)
    expect(response.headers.get('x-dragoman-attempts')).toBe('up#1=409, up#1=409, up#2=200')
  })
  it('goes on where no connection came about', async () => {
    const { site, response } = await ask(unreachable, true)
    expect(response.status).toBe(200)
    // Each member is tried twice.
    expect(site.sent.map((sent) => sent.key.slice(0, 5))).toEqual(['k-one', 'k-one', 'k-two'])
  })
  it('does not where the connection broke, unless it may (trap 4)', async () => {
    const { site, response } = await ask(reset, true)
    expect(response.status).toBe(502)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(response.headers.get('x-dragoman-attempts')).toBeNull()
    expect(site.sent).toHaveLength(1)
    expect((await ask(reset, true, { unknown: true })).response.status).toBe(200)
  })
  it('goes on after an overload within a stream that has shown nothing', async () => {
    const { site, response, text } = await ask(stillborn(upstream), true)
    expect(response.headers.get('x-dragoman-attempts')).toMatch(/^up#1=\w+, up#2=200$/)
    expect(text).toContain('Hel')
    expect(site.sent).toHaveLength(2)
  })
  it('does so where a piece ends in the middle of what fails', async () => {
    const comment = ': working\n\n'
    const failure = voiceOf(upstream).failure.replace('server_error', 'server_is_overloaded')
    const middle = failure.indexOf('{') + 5
    const torn = () => sseReply([comment + failure.slice(0, middle), failure.slice(middle)])
    const { site, text } = await ask(torn, true)
    expect(text).toContain('Hel')
    expect(site.sent).toHaveLength(2)
  })
  it('never goes on after something was shown (trap 1)', async () => {
    const { opening, failure } = voiceOf(upstream)
    const { site, response, text } = await ask(() => sseReply([opening, failure]), true)
    expect(response.status).toBe(200)
    expect(text).toContain('busy')
    expect(site.sent).toHaveLength(1)
    const cut = await ask(() => sseReply([opening, new Error('cut')]), true)
    expect(cut.site.sent).toHaveLength(1)
  })
  it('does not repeat what the request is at fault for', async () => {
    for (const status of [400, 404, 413, 422]) {
      const { site, response } = await ask(refusing(status), false)
      expect(response.status).toBe(status)
      expect(site.sent).toHaveLength(1)
    }
  })
  it('gives one member no other treatment than before (trap 11)', async () => {
    const alone = {
      ...twoKeys(upstream),
      upstreams: {
        up: { dialect: upstream as 'messages', url: 'https://up.example', key: key('one') },
      },
    }
    for (const script of [refusing(529), refusing(401), reset]) {
      const site = siteOf(alone, { one: script })
      for (let count = 0; count < 7; count += 1) await (await site.ask({ voice })).text()
      expect(site.sent).toHaveLength(7)
    }
  })
})

const askBoth = async (one: MemberScript, two: MemberScript) => {
  const site = siteOf(twoKeys('messages'), { one, two })
  return { site, response: await site.ask({}) }
}

describe('what is told when nothing is left', () => {
  it('is the shortest wait of all', async () => {
    const { response } = await askBoth(
      refusing(429, { 'retry-after': '30' }),
      refusing(429, { 'retry-after': '20' }),
    )
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('20')
  })
  it('is not to be repeated by the client on top (trap 6)', async () => {
    const { response } = await askBoth(refusing(500), refusing(529))
    expect(response.status).toBe(529)
    expect(response.headers.get('x-should-retry')).toBe('false')
  })
  it('is a refused key as one of the proxy', async () => {
    const { response } = await askBoth(refusing(401), refusing(402))
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('k-')
  })
  it.each([401, 429, 503])('is no longer true when the clock is set back (%d)', async (status) => {
    const out = refusing(status, status === 503 ? { 'retry-after': '10' } : {})
    const { site } = await askBoth(out, out)
    for (let count = 0; count < 6; count += 1) await site.ask({})
    const before = site.sent.length
    expect((await site.ask({})).status).toBe(503)
    expect(site.sent).toHaveLength(before)
    // As where a machine begins with a clock that is ahead, and is told the time.
    site.pass(-86_400_000)
    await site.ask({})
    expect(site.sent).toHaveLength(before + 2)
    expect((await site.ask({})).status).toBe(503)
    site.pass(3_600_000)
    await site.ask({})
    expect(site.sent).toHaveLength(before + 4)
  })
  it('is 503 with a wait where nobody can be asked', async () => {
    const { site } = await askBoth(
      refusing(429, { 'retry-after': '3600' }),
      refusing(429, { 'retry-after': '3600' }),
    )
    const response = await site.ask({})
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('60')
    expect(site.sent).toHaveLength(2)
    site.pass(3_599_000)
    expect((await site.ask({})).status).toBe(503)
    site.pass(2000)
    await site.ask({})
    expect(site.sent).toHaveLength(4)
  })
})

describe('the health of the proxy', () => {
  it('is its own, and not that of its upstreams (trap 33)', async () => {
    const site = siteOf(twoKeys('messages'), { one: refusing(401), two: refusing(402) })
    await site.ask({})
    expect((await site.ask({})).status).toBe(503)
    for (const path of ['/livez', '/readyz', '/healthz'])
      expect((await site.fetch(`http://127.0.0.1:8787${path}`)).status).toBe(200)
    expect(site.sent).toHaveLength(2)
  })
})

const upstreamWith = (name: string, contextWindow?: number) => ({
  dialect: 'messages' as const,
  url: 'https://up.example',
  key: key(name),
  ...(contextWindow && { models: { '*': { contextWindow } } }),
})

const eachWithOneKey = (failover: object) => ({
  upstreams: { a: upstreamWith('one'), b: upstreamWith('two') },
  routes: [{ model: '*', upstream: ['a', 'b'] }],
  failover,
})

describe('the way of a request through a pool', () => {
  it('stays committed once a heartbeat has gone out (trap 2)', async () => {
    const { silence, read } = silenceUntil(/./)
    const chunks: Chunk[] = [silence, voiceOf('messages').failure]
    const site = siteOf(twoKeys('messages', { limits: { heartbeatMs: 20 } }), {
      one: () => sseReply(chunks),
      two: good('messages'),
    })
    const response = await site.ask({ stream: true })
    expect(await read(response)).toContain('busy')
    expect(site.sent).toHaveLength(1)
  })
  it('ends where the caller leaves (trap 5)', async () => {
    const leaving = new AbortController()
    let aborted = false
    const site = siteOf(twoKeys('messages'), {
      one: ({ request }) => {
        request.signal.addEventListener('abort', () => (aborted = true))
        setTimeout(() => leaving.abort(), 10)
        return never()
      },
      two: good('messages'),
    })
    await site.ask({ signal: leaving.signal })
    expect(site.sent).toHaveLength(1)
    expect(aborted).toBe(true)
    expect(site.log[0]?.status).toBe(499)
  })
  it('leaves a key alone that is refused, for half an hour (trap 7)', async () => {
    const site = siteOf(twoKeys('messages'), { one: refusing(401), two: good('messages') })
    for (let count = 0; count < 3; count += 1) expect((await site.ask({})).status).toBe(200)
    expect(site.sent.filter((sent) => sent.key.startsWith('k-one'))).toHaveLength(1)
    site.pass(1_800_001)
    await site.ask({ headers: { 'session-id': 'another' } })
    expect(site.sent.filter((sent) => sent.key.startsWith('k-one'))).toHaveLength(2)
  })
  it.each(['-1', '1e9', 'Wed, 21 Oct 2099 07:28:00 GMT', '99999999999', ''])(
    'survives a wait of %j (trap 8)',
    async (wait) => {
      const site = siteOf(twoKeys('messages'), {
        one: refusing(429, { 'retry-after': wait }),
        two: good('messages'),
      })
      expect((await site.ask({})).status).toBe(200)
      site.pass(3_600_001)
      await site.ask({ headers: { 'session-id': 'new' } })
      expect(site.sent.length).toBeGreaterThan(2)
    },
  )
  it('cools a key for one model and not for another (trap 9)', async () => {
    const site = siteOf(twoKeys('messages', { routes: [{ model: '*', upstream: 'up' }] }), {
      one: ({ body }) =>
        body.includes('"model":"a"')
          ? refusing(429)({ key: '', body, request: {} as never }, 0)
          : good('messages')({ key: '', body, request: { headers: {} } as never }, 0),
      two: good('messages'),
    })
    await site.ask({ model: 'a' })
    const keys = async (model: string) => {
      await site.ask({ model, headers: { 'session-id': `${model}${site.sent.length}` } })
      return site.sent.at(-1)?.key.slice(0, 5)
    }
    expect(await keys('a')).toBe('k-two')
    site.sent.length = 0
    const { upstreams } = twoKeys('messages')
    const ordered = siteOf(
      {
        upstreams: {
          a: { ...(upstreams?.['up'] as object), key: key('one') } as never,
          b: { ...(upstreams?.['up'] as object), key: key('two') } as never,
        },
        routes: [{ model: '*', upstream: ['a', 'b'] }],
      },
      {
        one: (sent, nth) =>
          sent.body.includes('"model":"x"')
            ? refusing(429)(sent, nth)
            : good('messages')(sent, nth),
        two: good('messages'),
      },
    )
    await ordered.ask({ model: 'x' })
    await ordered.ask({ model: 'y' })
    expect(ordered.sent.map((sent) => sent.key.slice(0, 5))).toEqual(['k-one', 'k-two', 'k-one'])
  })
  it('tries an open member with one request at a time (trap 10)', async () => {
    const site = siteOf(twoKeys('messages', { failover: { sticky: 'off' } }), {
      one: async (_, nth) => {
        if (nth < 5) return refusing(500)({} as never, nth)
        await new Promise((resolve) => setTimeout(resolve, 20))
        return refusing(500)({} as never, nth)
      },
      two: good('messages'),
    })
    for (let count = 0; count < 6; count += 1) await site.ask({})
    expect(site.sent.filter((sent) => sent.key.startsWith('k-one'))).toHaveLength(5)
    site.pass(17_000)
    const answers = await Promise.all(Array.from({ length: 100 }, () => site.ask({})))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(site.sent.filter((sent) => sent.key.startsWith('k-one'))).toHaveLength(6)
  })
  it('begins no hop after its time is over', async () => {
    const site = siteOf(twoKeys('messages'), {
      one: () => {
        site.pass(30_001)
        return refusing(500)({} as never, 0)
      },
      two: good('messages'),
    })
    expect((await site.ask({})).status).toBe(500)
    expect(site.sent).toHaveLength(1)
  })
  it('leaves a slow member where the configuration says when', async () => {
    const site = siteOf(twoKeys('messages', { failover: { attemptMs: 30 } }), {
      one: () => never(),
      two: good('messages'),
    })
    expect((await site.ask({ stream: true })).status).toBe(200)
  })
  it('counts every attempt, and shows the first eight', async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
    const site = siteOf(
      {
        upstreams: Object.fromEntries(names.map((name) => [name, upstreamWith(name)])),
        routes: [{ model: '*', upstream: names }],
        failover: { hops: 8 },
      },
      {
        ...Object.fromEntries(names.map((name) => [name, refusing(500)])),
        nine: good('messages'),
      },
    )
    const response = await site.ask({})
    expect(response.headers.get('x-dragoman-attempts')?.split(', ')).toHaveLength(8)
    expect(site.log[0]?.attempts?.map(({ member }) => member)).toEqual(names)
  })
  it('makes as many hops as it may', async () => {
    const site = siteOf(twoKeys('messages', { failover: { hops: 0 } }), {
      one: refusing(529),
      two: good('messages'),
    })
    expect((await site.ask({})).status).toBe(529)
    expect(site.sent).toHaveLength(1)
  })
  it('waits for a member that is soon back, where it may', async () => {
    const started = performance.now()
    const site = siteOf(twoKeys('messages', { failover: { waitMs: 500 } }), {
      one: (sent, nth) =>
        nth === 0
          ? refusing(429, { 'retry-after-ms': '40' })(sent, nth)
          : good('messages')(sent, nth),
      two: refusing(429, { 'retry-after': '60' }),
    })
    const asked = site.ask({})
    setTimeout(() => site.pass(100), 20)
    expect((await asked).status).toBe(200)
    expect(performance.now() - started).toBeGreaterThanOrEqual(35)
  })
  it('asks a member a second time that wants no wait, and then another', async () => {
    const site = siteOf(eachWithOneKey({ waitMs: 500 }), {
      one: (sent, nth) => refusing(429, { 'retry-after': nth < 50 ? '0' : '60' })(sent, nth),
      two: good('messages'),
    })
    const response = await site.ask({})
    expect(response.headers.get('x-dragoman-attempts')).toBe('a=429, a=429, b=200')
  })
  it('waits for the probe of another request, and no longer than it may', async () => {
    const site = siteOf(eachWithOneKey({ waitMs: 60, sticky: 'off' }), {
      one: (sent, nth) => (nth < 1 ? refusing(401)(sent, nth) : never()),
      two: refusing(429, { 'retry-after': '3600' }),
    })
    await site.ask({})
    site.pass(1_800_001)
    const probe = new AbortController()
    const probing = site.ask({ signal: probe.signal })
    await new Promise((resolve) => setTimeout(resolve, 10))
    const response = await site.ask({})
    expect(response.status).toBe(503)
    expect(site.sent.filter((sent) => sent.key.startsWith('k-one'))).toHaveLength(2)
    probe.abort()
    await probing
  })
  it('asks a member with more room after a request was too long', async () => {
    const site = siteOf(
      {
        upstreams: {
          a: upstreamWith('one', 100_000),
          b: upstreamWith('two', 50_000),
          c: upstreamWith('three', 200_000),
        },
        routes: [{ model: '*', upstream: ['a', 'b', 'c'] }],
      },
      {
        one: refusing(400, {}, 'prompt is too long: 200000 tokens > 100000 maximum'),
        two: good('messages'),
        three: good('messages'),
      },
    )
    const response = await site.ask({})
    expect(response.headers.get('x-dragoman-attempts')).toBe('a=400, c=200')
  })
  it('shows one reply, of the member that answered (trap 14)', async () => {
    const site = siteOf(
      {
        upstreams: {
          a: { dialect: 'messages', url: 'https://a.example', key: key('one') },
          b: { dialect: 'responses', url: 'https://b.example', key: key('two') },
        },
        routes: [{ model: '*', upstream: ['a', { name: 'b', as: 'big' }] }],
      },
      { one: refusing(529), two: good('responses') },
    )
    const response = await site.ask({ body: { top_k: 5 } })
    expect(response.headers.get('x-dragoman-upstream')).toBe('b; dialect=responses; model=big')
    expect(response.headers.get('x-dragoman-losses')).toContain('sampling.topK')
    expect(await response.json()).toMatchObject({ model: 'm' })
    expect(site.log[0]).toMatchObject({ upstream: 'b', member: 'b', sentModel: 'big' })
  })
  it('passes members over that would lose something, where nothing may be lost (trap 15)', async () => {
    const config = {
      upstreams: {
        a: { dialect: 'responses', url: 'https://a.example', key: key('one') },
        b: { dialect: 'messages', url: 'https://b.example', key: key('two') },
      },
      losses: 'reject',
    } as const
    const scripts = { one: good('responses'), two: good('messages') }
    const both = siteOf({ ...config, routes: [{ model: '*', upstream: ['a', 'b'] }] }, scripts)
    const response = await both.ask({ body: { top_k: 5 } })
    expect(response.headers.get('x-dragoman-upstream')).toContain('b; ')
    expect(both.sent).toHaveLength(1)
    const others = siteOf(
      {
        ...config,
        upstreams: { ...config.upstreams, b: { ...config.upstreams.a, key: key('two') } },
        routes: [{ model: '*', upstream: ['a', 'b'] }],
      },
      scripts,
    )
    expect((await others.ask({ body: { top_k: 5 } })).status).toBe(400)
    expect(others.sent).toHaveLength(0)
  })
  it('says what would be lost where no other account may be asked', async () => {
    const upstream = { dialect: 'responses', url: 'https://a.example' } as const
    const site = siteOf(
      {
        upstreams: { a: { ...upstream, key: key('one') }, b: { ...upstream, key: key('two') } },
        routes: [{ model: '*', upstream: ['a', 'b'] }],
        failover: { sticky: 'strict' },
        losses: 'reject',
      },
      { one: good('responses') },
    )
    const headers = { 'session-id': 's' }
    expect((await site.ask({ headers })).status).toBe(200)
    expect((await site.ask({ headers, body: { top_k: 5 } })).status).toBe(400)
    expect(site.sent).toHaveLength(1)
  })
  it('explains the first choice and names the others', async () => {
    const site = siteOf(twoKeys('messages'), {})
    const explained: unknown = await (await site.ask({ path: '/explain/v1/messages' })).json()
    expect(explained).toMatchObject({ upstream: { name: 'up#1' }, others: ['up#2'] })
    expect(site.sent).toHaveLength(0)
  })
  it('does not share out what is refused to a key of the caller', async () => {
    const config = twoKeys('messages')
    const upstream = { dialect: 'messages', url: 'https://up.example', key: 'caller' } as const
    const site = siteOf(
      {
        ...config,
        upstreams: { a: upstream, b: upstream },
        routes: [{ model: '*', upstream: ['a', 'b'] }],
      },
      { mine: refusing(401) },
    )
    const response = await site.ask({ headers: { 'x-api-key': key('mine') } })
    expect(response.status).toBe(401)
    expect(site.sent).toHaveLength(1)
  })
  it('holds the first frames of a passing stream back until one shows something', async () => {
    const [start = ''] = voiceOf('messages').opening.split('event: content_block_start')
    const ping = sse({ type: 'ping' })
    const site = siteOf(twoKeys('messages'), {
      one: () => sseReply([start, ping, voiceOf('messages').failure]),
      two: good('messages'),
    })
    const text = await (await site.ask({ stream: true })).text()
    expect(text.match(/message_start/g)).toHaveLength(2)
    expect(text).not.toContain('busy')
    expect(site.sent).toHaveLength(2)
  })
})

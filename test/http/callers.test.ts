import { describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { demoConfig, readSettings } from '../../src/config/config.ts'
import { demoSend } from '../../src/extras/demo/demo.ts'
import { tasks } from '../../src/extras/tasks/tasks.ts'
import { writeSample } from '../../src/exchange/reply/sample.ts'
import type { OwnUse } from '../../src/http/admission/caller-use.ts'
import { shareUse } from '../../src/http/admission/shared-use.ts'
import type { AppPorts } from '../../src/http/app-context.ts'
import { createFetchHandler } from '../../src/http/app.ts'
import { stringify } from '../../src/json/json.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { randomId } from '../../src/ports.ts'
import { sha256Hex } from '../../src/json/sha256.ts'

const CI = 'ci-key-0123456789abcdef'
const DESK = 'desk-key-0123456789abcdef'
const PLAIN = 'plain-key-0123456789abcdef'
const START = Date.UTC(2026, 10, 22, 12)

interface Ask {
  path?: string
  method?: string
  key?: string
  model?: string
  stream?: boolean
  words?: string
  signal?: AbortSignal
}

/** A proxy in front of the demo, with a clock that is set by hand. */
function proxyFor(callers: unknown, extra: Partial<AppPorts> = {}, change: object = {}) {
  let now = START
  const log: LogEntry[] = []
  const settings = readSettings({ ...demoConfig(), ...change, callers }, {})
  const answer = createFetchHandler(settings, {
    send: demoSend(adapters, () => Promise.reject(new Error('not for the demo'))),
    now: () => now,
    randomId,
    tasks,
    log: (entry) => log.push(entry),
    ...extra,
  })
  return {
    log,
    pass: (ms: number) => (now += ms),
    ask({ path = '/v1/messages', key = CI, model = 'demo-responses', ...rest }: Ask = {}) {
      const { stream = false, words = 'Hello', method = 'POST', signal = null } = rest
      const body = stringify({
        model,
        max_tokens: 100,
        stream,
        messages: [{ role: 'user', content: words }],
      })
      const headers = {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'x-api-key': key,
      }
      const init =
        method === 'POST' ? { method, headers, body, signal } : { method, headers, signal }
      return answer(new Request(`http://proxy.example${path}`, init))
    },
  }
}

const ci = (change: object = {}) => ({ keys: [{ name: 'ci', key: CI, ...change }, PLAIN] })

describe('callers with names', () => {
  it('are named in the log, and are let in by a hash too', async () => {
    const { ask, log } = proxyFor({
      keys: [{ name: 'ci', key: CI }, { name: 'desk', key: `sha256:${sha256Hex(DESK)}` }, PLAIN],
    })
    for (const key of [CI, DESK, PLAIN]) await (await ask({ key })).text()
    expect(log.map(({ caller }) => caller)).toEqual(['ci', 'desk', 'key-3'])
    expect((await ask({ key: sha256Hex(DESK) })).status).toBe(401)
    expect(log.at(-1)?.caller).toBeUndefined()
  })

  it('lose their key on the day that it expires', async () => {
    const { ask, pass, log } = proxyFor(ci({ expires: '2026-11-23' }))
    expect((await ask()).status).toBe(200)
    pass(12 * 3_600_000)
    const answer = await ask()
    expect(answer.status).toBe(401)
    // Whoever reads the log learns whose key it was.
    expect(log.at(-1)).toMatchObject({ status: 401, caller: 'ci' })
    expect(await answer.json()).toMatchObject({ error: { type: 'authentication_error' } })
    expect((await ask({ key: PLAIN })).status).toBe(200)
  })

  it('have their models: any other is the 404 of one that does not exist, and is not listed', async () => {
    const { ask } = proxyFor(ci({ models: ['demo-m*'] }))
    expect((await ask({ model: 'demo-messages' })).status).toBe(200)
    const refused = await ask({ model: 'demo-responses' })
    expect(refused.status).toBe(404)
    const message = "No route leads to the model 'demo-responses'."
    expect(await refused.json()).toMatchObject({ error: { message } })
    expect((await ask({ path: '/explain/v1/messages' })).status).toBe(404)
    const list = await ask({ path: '/v1/models', method: 'GET' })
    expect(await list.json()).toMatchObject({ data: [{ id: 'demo-messages' }] })
    const unknown = await ask({ path: '/v1/models/demo-responses', method: 'GET' })
    expect(unknown.status).toBe(404)
    expect(await unknown.json()).toMatchObject({ error: { message } })
    expect(
      (await ask({ path: '/v1/models/demo-responses', method: 'GET', key: PLAIN })).status,
    ).toBe(200)
  })

  it.each(adapters)(
    'are refused in the words of $dialect, with a time to wait',
    async (adapter) => {
      const settings = readSettings(
        { ...demoConfig(), callers: ci({ limits: { requestsPerMinute: 1 } }) },
        {},
      )
      const answer = createFetchHandler(settings, {
        send: demoSend(adapters, () => Promise.reject(new Error('not for the demo'))),
        now: () => START,
        randomId,
        log: () => undefined,
      })
      const { path, headers, body } = writeSample(adapter, `demo-${adapter.dialect}`)
      const ask = () =>
        answer(
          new Request(`http://proxy.example${path}`, {
            method: 'POST',
            headers: {
              ...headers,
              'content-type': 'application/json',
              authorization: `Bearer ${CI}`,
            },
            body: stringify(body),
          }),
        )
      expect((await ask()).status).toBe(200)
      const refused = await ask()
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
      const text = await refused.text()
      expect(text).toContain('1 requests per minute')
      expect(text).not.toMatch(/"ci"|\bci\b/)
    },
  )
})

describe('limits of callers', () => {
  it('bound requests per minute, which come in steadily', async () => {
    const { ask, pass, log } = proxyFor(ci({ limits: { requestsPerMinute: 2 } }))
    const statuses = async (count: number) => {
      const all: number[] = []
      for (let at = 0; at < count; at += 1) all.push((await ask()).status)
      return all
    }
    expect(await statuses(3)).toEqual([200, 200, 429])
    expect(log.at(-1)).toMatchObject({ status: 429, outcome: 'shed', caller: 'ci' })
    pass(30_000)
    expect(await statuses(2)).toEqual([200, 429])
    expect((await ask({ key: PLAIN })).status).toBe(200)
  })

  it('are those of all for callers without their own', async () => {
    const callers = {
      ...ci({ limits: { requestsPerMinute: 5 } }),
      limits: { requestsPerMinute: 1 },
    }
    const { ask } = proxyFor(callers)
    expect((await ask({ key: PLAIN })).status).toBe(200)
    expect((await ask({ key: PLAIN })).status).toBe(429)
    for (let at = 0; at < 5; at += 1) expect((await ask()).status).toBe(200)
    expect((await ask()).status).toBe(429)
  })

  it('trap 29: bound tokens, where the request that overdraws goes on and the next is refused', async () => {
    const { ask, pass } = proxyFor(ci({ limits: { tokensPerMinute: 100 } }))
    const first = await ask({ words: 'word '.repeat(400), stream: true })
    expect(first.status).toBe(200)
    const second = await ask()
    expect(second.status).toBe(429)
    expect(await first.text()).toContain('message_stop')
    const third = await ask()
    expect(third.status).toBe(429)
    const wait = Number(third.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(1)
    // What costs no tokens is free of them.
    const count = await ask({ path: '/v1/messages/count_tokens' })
    expect(count.status).toBe(200)
    pass(wait * 1000)
    expect((await ask()).status).toBe(200)
  })

  it('give back what was reserved when the exchange used less, or came to nothing', async () => {
    const broken = { send: () => Promise.reject(new Error('broken')) }
    const { ask } = proxyFor(ci({ limits: { tokensPerMinute: 100 } }), broken)
    const long = { words: 'word '.repeat(4000) }
    for (let at = 0; at < 3; at += 1) expect((await ask(long)).status).toBe(502)
  })

  it('bound dollars per day, where prices are known', async () => {
    const demo = demoConfig()
    const { 'demo-responses': upstream } = demo.upstreams ?? {}
    const priced = { ...upstream, models: { '*': { price: { input: 1000, output: 1_000_000 } } } }
    const upstreams = { ...demo.upstreams, 'demo-responses': priced }
    const { ask, pass, log } = proxyFor(ci({ limits: { usdPerDay: 1 } }), {}, { upstreams })
    expect((await ask()).status).toBe(200)
    expect(log[0]?.cost).toBeGreaterThan(1)
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(12 * 3600)])
    pass(12 * 3_600_000)
    expect((await ask()).status).toBe(200)
  })

  it('are checked in order: key, path, concurrent, requests, body, models, tokens', async () => {
    const limits = { requestsPerMinute: 1, concurrent: 1, tokensPerMinute: 1 }
    const { ask, pass } = proxyFor(ci({ limits, models: ['demo-*'] }))
    const held = await ask({ stream: true })
    const status = async (request: Ask) => (await ask(request)).status
    expect(await status({ key: 'x'.repeat(20), path: '/nothing' })).toBe(401)
    expect(await status({ path: '/nothing' })).toBe(404)
    expect(await (await ask()).text()).toContain('1 requests underway')
    await held.text()
    expect(await (await ask()).text()).toContain('1 requests per minute')
    pass(60_000)
    expect(await status({ model: 'other' })).toBe(404)
    pass(60_000)
    expect(await (await ask()).text()).toContain('tokens per minute')
  })

  it('trap 29: count to nothing again after 1,000 streams that were left', async () => {
    const { ask, log } = proxyFor(ci({ limits: { concurrent: 2 } }))
    for (let at = 0; at < 1000; at += 1) {
      const answer = await ask({ stream: true })
      expect(answer.status).toBe(200)
      const reader = answer.body?.getReader()
      if (at % 2 === 0) await reader?.read()
      await reader?.cancel()
    }
    expect(log).toHaveLength(1000)
    const both = [await ask({ stream: true }), await ask({ stream: true })]
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect((await ask()).status).toBe(429)
    for (const answer of both) await answer.text()
    expect((await ask()).status).toBe(200)
  }, 60_000)
})

const reached = async () => ({ limit: 'requestsPerMinute', waitMs: 5000 }) as const
const nothing = async () => undefined
const unasked = () => Promise.reject(new Error('no upstream is asked'))

describe('limits that others count', () => {
  const counts = { leave() {}, settle() {}, close: async () => {} }
  const upstreams = {
    one: { dialect: 'responses', url: 'http://one.invalid', passthrough: ['/v1/embeddings'] },
  }
  const limits = { requestsPerMinute: 9, tokensPerMinute: 99_999 }

  it.each([
    ['before a request', { enter: reached, reserve: nothing }],
    ['before its tokens', { enter: nothing, reserve: reached }],
  ])('are reached at endpoints that pass, too, %s', async (_, asked) => {
    const others = {
      counts: { ...counts, ...asked },
      warn: () => undefined,
      now: Date.now,
      randomId,
    }
    const ports = { send: unasked, sharing: (own: OwnUse) => shareUse(own, others) }
    const { ask } = proxyFor(ci({ limits }), ports, { upstreams, routes: undefined })
    const answer = await ask({ path: '/v1/embeddings' })
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('5')
  })
})

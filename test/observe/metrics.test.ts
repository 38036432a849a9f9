import { describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { demoConfig, readSettings } from '../../src/config/config.ts'
import type { Settings } from '../../src/config/settings.ts'
import { demoSend } from '../../src/extras/demo/demo.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { operator } from '../../src/http/operator.ts'
import { toResponse } from '../../src/http/respond.ts'
import { stringify } from '../../src/json/json.ts'
import {
  CONNECTION_LOST,
  KEY_REFUSED,
  NO_FIRST_BYTE,
  NOT_JSON,
  REDIRECTED,
  TOOK_TOO_LONG,
  UNREACHABLE,
} from '../../src/problems/failures.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { createLog } from '../../src/observe/log.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { createModelNames } from '../../src/observe/model-names.ts'
import { knownModels } from '../../src/models/see.ts'
import { createObserver } from '../../src/observe/observer.ts'
import { costOf as costBy } from '../../src/observe/cost.ts'
import { listedPrice } from '../../src/observe/prices.ts'
import { randomId } from '../../src/ports.ts'

const NOW = Date.UTC(2026, 10, 22)
const CI = 'ci-key-0123456789abcdef'
const KEY = 'metrics-key-0123456789'
const LOCAL = { listens: { host: '127.0.0.1', port: 8787 } }

/** A process of which one can ask what it has counted. */
function processFor(change: object = {}, platform: object = LOCAL) {
  const settings = readSettings({ ...demoConfig(), ...change }, {}, platform)
  const observer = createObserver({ version: '1.2.3', runtime: 'node' }, () => NOW)
  const log: LogEntry[] = []
  const { answer } = createReplaceable(settings, {
    send: demoSend(adapters, () => Promise.reject(new Error('not for the demo'))),
    now: () => NOW,
    randomId,
    log: (entry) => log.push(entry),
    observer,
    operator,
  })
  const get = async (path: string, headers: Record<string, string> = {}) =>
    toResponse(await answer(new Request(`http://127.0.0.1:8787${path}`, { headers })))
  return {
    log,
    observer,
    settings,
    get,
    metrics: async (headers?: Record<string, string>) => (await get('/metrics', headers)).text(),
    usage: async () => JSON.parse(await (await get('/usage')).text()),
    async ask(model = 'demo-responses', change: object = {}, headers: Record<string, string> = {}) {
      const body = stringify({
        model,
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Hello' }],
        ...change,
      })
      const answered = await answer(
        new Request('http://127.0.0.1:8787/v1/messages', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'anthropic-version': '2023-06-01',
            ...headers,
          },
          body,
        }),
      )
      return toResponse(answered).text()
    },
  }
}

/** Series by their spelling. */
const seriesIn = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ')
        return [line.slice(0, at), Number(line.slice(at + 1))]
      }),
  )

const PRICED = {
  '*': { price: { input: 1, output: 2 } },
}

const nothing = () => 0

describe('GET /metrics', () => {
  it('is Prometheus text of what was asked', async () => {
    const { ask, get, log } = processFor()
    await ask()
    await ask('demo-messages')
    const response = await get('/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(
        /^# (?:HELP|TYPE) dragoman_\w+ .+$|^dragoman_\w+(?:\{(?:\w+="[^"]*",?)+\})? -?[\d.e+-]+$/,
      )
    const series = seriesIn(text)
    expect(series.get('dragoman_build_info{version="1.2.3",runtime="node"}')).toBe(1)
    const labels = 'dialect="messages",upstream="demo-responses",operation="create",outcome="ok"'
    expect(series.get(`dragoman_requests_total{${labels}}`)).toBe(1)
    const at = 'upstream="demo-responses",model="demo-responses",caller="open"'
    expect(series.get(`dragoman_tokens_total{${at},type="input"}`)).toBe(log[0]?.usage?.input)
    const first = 'dialect="messages",upstream="demo-responses"'
    expect(series.get(`dragoman_first_byte_seconds_count{${first}}`)).toBe(1)
    expect(series.get('dragoman_overhead_seconds_count{path="pass"}')).toBe(1)
    expect(series.get('dragoman_overhead_seconds_count{path="translate"}')).toBe(1)
    expect(
      series.get('dragoman_attempts_total{upstream="demo-responses",key="1",result="ok"}'),
    ).toBe(1)
    expect(series.get('dragoman_in_flight')).toBe(0)
    expect(series.get('dragoman_recall_bytes')).toBe(0)
    expect(series.get('dragoman_config_last_reload_success_timestamp_seconds')).toBe(NOW / 1000)
    for (const result of ['ok', 'error'])
      expect(series.get(`dragoman_config_reloads_total{result="${result}"}`)).toBe(0)
    // Whoever only looks is not counted, nor logged.
    expect(await (await get('/metrics')).text()).toBe(text)
    expect(log).toHaveLength(2)
  })

  it('tells what is remembered of sessions', () => {
    const readings = { open: nothing, held: nothing, streams: nothing, recalled: () => 4096 }
    const text = createMetrics({ version: '1', runtime: 'node' }, 0, createModelNames()).text(
      readings,
    )
    expect(seriesIn(text).get('dragoman_recall_bytes')).toBe(4096)
  })

  it('counts failures by what they are', async () => {
    const { ask, metrics } = processFor()
    await ask('nobody', { messages: 7 })
    const series = seriesIn(await metrics())
    expect([...series].filter(([name]) => name.includes('outcome="client_error"'))).toHaveLength(1)
  })

  it.each<[string, Partial<LogEntry>, string]>([
    ['answers', { status: 200 }, 'ok'],
    ['breaks off', { status: 200, error: CONNECTION_LOST.message, firstByteMs: 1 }, 'ok'],
    ['refuses the key', { status: 502, error: KEY_REFUSED.message }, 'refused_key'],
    ['redirects', { status: 502, error: REDIRECTED.message }, '4xx'],
    ['is silent', { status: 504, error: NO_FIRST_BYTE.message }, 'timeout'],
    ['takes too long', { status: 504, error: TOOK_TOO_LONG.message }, 'timeout'],
    ['is not there', { status: 503, error: UNREACHABLE.message, reason: 'EPROTO' }, 'connect'],
    ['hangs up', { status: 502, error: CONNECTION_LOST.message, reason: 'disconnected' }, 'reset'],
    ['says no JSON', { status: 502, error: NOT_JSON.message, firstByteMs: 1 }, 'reset'],
    ['is late for its caller', { status: 499, outcome: 'left' }, 'reset'],
    ['is left by its caller', { status: 499, outcome: 'left', firstByteMs: 1 }, 'ok'],
    ['says a status', { status: 529, error: 'busy' }, '5xx'],
    ['says that a limit is reached', { status: 429, error: 'slow down' }, '429'],
  ])('counts the attempt at an only upstream that %s', (_, entry, result) => {
    const { observer, settings } = processFor()
    observer.finished({ ...ENTRY, ...entry }, settings)
    const series = seriesIn(observer.metrics(NOTHING))
    expect([...series].filter(([name]) => name.startsWith('dragoman_attempts_total'))).toEqual([
      [`dragoman_attempts_total{upstream="demo-responses",key="1",result="${result}"}`, 1],
    ])
  })

  it('counts hops by the route that made them, also where several have one glob', () => {
    const routes = [
      { model: '*', class: ['subagent'], upstream: 'demo-messages' },
      { model: '*', upstream: ['demo-responses', 'demo-messages'] },
    ]
    const { observer, settings } = processFor({ routes })
    const attempts = [
      { member: 'demo-responses', status: 529, ms: 1 },
      { member: 'demo-messages', status: 200, ms: 1 },
    ]
    observer.finished({ ...ENTRY, route: '*', attempts }, settings)
    const name = 'dragoman_hops_total{route="1 *",reason="5xx"}'
    expect(seriesIn(observer.metrics(NOTHING)).get(name)).toBe(1)
  })

  it.each<[string, object, object, number, Record<string, string>]>([
    ['on a loopback address without callers', {}, LOCAL, 200, {}],
    ['nowhere else', { callers: { keys: [CI] } }, LOCAL, 404, { 'x-api-key': CI }],
    ['where it is switched off', { metrics: 'off' }, LOCAL, 404, {}],
    [
      'to a caller, where that is said',
      { callers: { keys: [CI] }, metrics: 'on' },
      LOCAL,
      200,
      { 'x-api-key': CI },
    ],
    ['to nobody without a key', { callers: { keys: [CI] }, metrics: 'on' }, LOCAL, 401, {}],
    ['to its own key', { metrics: { key: KEY } }, LOCAL, 200, { authorization: `Bearer ${KEY}` }],
    ['to no other key', { metrics: { key: KEY } }, LOCAL, 401, { authorization: `Bearer ${CI}` }],
    ['in no library', {}, {}, 404, {}],
  ])('answers %s', async (_, change, platform, status, headers) => {
    const { get } = processFor(change, platform)
    for (const path of ['/metrics', '/usage'])
      expect((await get(path, headers)).status).toBe(status)
  })

  it('is refused by check where others than this machine could ask without a key', () => {
    expect(read({ metrics: 'on' }, { exposed: true })).toThrow('metrics: expected {"key": ...}')
    expect(read({ metrics: 'on' }, { stores: 'isolate' })).toThrow('metrics: a Worker has none')
    expect(read({ metrics: { key: 'short' } }, {})).toThrow(
      'metrics.key: expected a key of at least 8',
    )
    expect(read({ metrics: 'yes' }, {})).toThrow('metrics: expected "off", "on" or {"key": ...}')
  })

  it('trap 22: has at most one more series per metric for 10,000 made-up names', async () => {
    const { observer, settings } = processFor()
    const count = () => seriesIn(observer.metrics(NOTHING)).size
    observer.finished(told('demo-responses'), settings)
    const before = count()
    for (let at = 0; at < 10_000; at += 1) observer.finished(told(`made-up-${at}`), settings)
    // One per metric that has the label: tokens by type, and cost.
    expect(count() - before).toBeLessThanOrEqual(3)
    expect(observer.metrics(NOTHING)).not.toContain('made-up')
    // And where the configuration itself has that many, there is an end to it.
    for (let at = 0; at < 2000; at += 1) observer.finished({ ...ENTRY, caller: `c${at}` }, settings)
    const tokens = [...seriesIn(observer.metrics(NOTHING)).keys()].filter((name) =>
      name.startsWith('dragoman_tokens_total'),
    )
    expect(tokens.length).toBeLessThanOrEqual(500)
  })

  it('has the name that was sent, the same in both tables, and tells the models of the table apart', () => {
    const { observer, settings } = processFor({
      routes: [
        { model: 'mine', upstream: 'demo-messages', as: 'deployed' },
        { model: 'ours', upstream: [{ name: 'demo-messages', as: 'pooled' }, 'demo-responses'] },
        { model: '*', upstream: 'demo-responses' },
      ],
    })
    const [first = '', second = ''] = knownModels()
    const dated = `${first}-20261101`
    const sent = { deployed: 'mine', pooled: 'ours', [first]: first, [second]: 'gone', [dated]: '' }
    for (const [sentModel, model] of Object.entries({ ...sent, unheard: 'mine', 'a b': first }))
      observer.finished({ ...ENTRY, model, sentModel, usage: { input: 1 } }, settings)
    const usageOf = () => (observer.usage() as { callers: { ci: { byModel: object } } }).callers
    const names = [...Object.keys(sent), 'other'].toSorted()
    expect(Object.keys(usageOf().ci.byModel).toSorted()).toEqual(names)
    expect(modelsIn(observer.metrics(NOTHING))).toEqual(names)
    // A caller may spell a known model in endless ways; both tables leave off at the same one.
    for (let at = 0; at < 300; at += 1)
      observer.finished(
        { ...ENTRY, sentModel: `host-${at}/${first}`, usage: { input: 1 } },
        settings,
      )
    const all = Object.keys(usageOf().ci.byModel)
    expect(all.length).toBeLessThan(210)
    expect(modelsIn(observer.metrics(NOTHING))).toEqual(all.toSorted())
  })

  it('trap 23: sums up to what the upstream counted', () => {
    const { observer, settings } = processFor()
    observer.finished(
      { ...ENTRY, usage: { input: 100, cacheRead: 60, cacheWrite: 30, output: 20, reasoning: 15 } },
      settings,
    )
    const series = [...seriesIn(observer.metrics(NOTHING))]
    const sum = (type: string) =>
      series.find(([name]) => name.includes(`type="${type}"`) && name.includes('tokens'))?.[1]
    expect((sum('input') ?? 0) + (sum('output') ?? 0)).toBe(120)
    expect([sum('cache_read'), sum('cache_write'), sum('reasoning')]).toEqual([60, 30, 15])
    const { callers } = observer.usage() as { callers: { ci: object } }
    expect(callers.ci).toMatchObject({ requests: 1, input: 100, cacheRead: 60, output: 20 })
  })

  it('trap 24: is read without a change', async () => {
    const { observer, settings } = processFor()
    observer.finished(ENTRY, settings)
    const first = observer.metrics(NOTHING)
    for (let at = 0; at < 100; at += 1) expect(observer.metrics(NOTHING)).toBe(first)
  })

  it('trap 27: holds nothing that a caller or an upstream wrote', async () => {
    const canary = 'canary-0123456789-canary'
    const { ask, metrics, usage } = processFor()
    await ask(
      'demo-responses',
      { system: canary, metadata: { user_id: canary } },
      { 'x-session-id': canary },
    )
    await ask(canary)
    await ask('x/../../y?q=1')
    expect(await metrics()).not.toContain(canary)
    expect(JSON.stringify(await usage())).not.toContain(canary)
  })
})

const modelsIn = (text: string): string[] =>
  [
    ...new Set(
      [...text.matchAll(/_tokens_total\{.*model="([^"]*)"/g)].map(([, name = '']) => name),
    ),
  ].toSorted()

const ENTRY: LogEntry = {
  id: 'x',
  method: 'POST',
  path: '/v1/messages',
  caller: 'ci',
  dialect: 'messages',
  upstream: 'demo-responses',
  upstreamDialect: 'responses',
  sentModel: 'demo-responses',
  status: 200,
  outcome: 'ok',
  operation: 'create',
  totalMs: 10,
  overheadMs: 1,
  usage: { input: 1, output: 2 },
}
const costOf = (...[upstream, model, tokens]: Parameters<typeof costBy>) =>
  costBy(upstream, model, tokens, listedPrice)

const read = (change: object, platform: object) => () =>
  readSettings({ ...demoConfig(), callers: 'open', ...change }, {}, platform)

const told = (model: string): LogEntry => ({
  ...ENTRY,
  model,
  sentModel: model,
  path: `/${model}`,
})

const NOTHING = { open: () => 0, held: () => 0, streams: () => 0 }

const upstreamWith = (price: unknown): ReturnType<Settings['upstreams']['get']> => {
  const demo = demoConfig()
  const { 'demo-responses': upstream } = demo.upstreams ?? {}
  const models = { 'local-*': { price }, ...PRICED }
  const upstreams = { ...demo.upstreams, 'demo-responses': { ...upstream, models } }
  return readSettings({ ...demo, upstreams }, {}).upstreams.get('demo-responses')
}

describe('prices', () => {
  const tokens = {
    input: 1_000_000,
    cacheRead: 400_000,
    cacheWrite: 100_000,
    output: 500_000,
    reasoning: 9,
  }

  it('are those of the list, for the name that fits best', () => {
    // 5 for input, 0.5 and 6.25 for caches, 25 for output.
    expect(costOf(undefined, 'claude-opus-4-8', tokens)).toBe(2.5 + 0.2 + 0.625 + 12.5)
    expect(costOf(undefined, 'claude-opus-4-8-20260901', { output: 1 })).toBe(0.000025)
    expect(costOf(undefined, 'claude-sonnet-4-5', { input: 200_000 })).toBe(0.6)
    expect(costOf(undefined, 'claude-sonnet-4-5', { input: 200_001 })).toBe(1.200006)
  })

  it('trap 28: of unknown models are no cost, and a price of 0 is a cost of 0', () => {
    expect(costOf(undefined, 'my-own-model', tokens)).toBeUndefined()
    expect(costOf(upstreamWith(0), 'local-1', tokens)).toBe(0)
    expect(costOf(upstreamWith({ input: 1, output: 0 }), 'local-1', tokens)).toBe(1)
    expect(costOf(upstreamWith(3), 'other', { input: 1_000_000, output: 1_000_000 })).toBe(3)
    expect(costOf(upstreamWith(0), 'local-1', undefined)).toBeUndefined()
  })

  it('stand in the log and in /usage', async () => {
    const demo = demoConfig()
    const { 'demo-responses': upstream } = demo.upstreams ?? {}
    const upstreams = { ...demo.upstreams, 'demo-responses': { ...upstream, models: PRICED } }
    const { ask, log, usage, metrics } = processFor({ upstreams })
    await ask()
    await ask('demo-messages')
    const { input = 0, output = 0 } = log[0]?.usage ?? {}
    const cost = (input + 2 * output) / 1e6
    expect(log[0]?.cost).toBe(cost)
    expect(log[1]?.cost).toBeUndefined()
    const said = await usage()
    expect(said).toMatchObject({
      since: new Date(NOW).toISOString(),
      callers: {
        open: { requests: 2, costUsd: cost, byModel: { 'demo-responses': { requests: 1 } } },
      },
    })
    // Of a model whose price nobody knows there is no cost, which is not the same as 0.
    expect(said).not.toHaveProperty(['callers', 'open', 'byModel', 'demo-messages', 'costUsd'])
    expect(await metrics()).toContain(`caller="open"} ${cost}`)
  })

  it('costs too small to be seen alone add up', () => {
    const upstreams = {
      cheap: {
        dialect: 'messages',
        url: 'http://cheap',
        key: 'none',
        models: { '*': { price: 0.01 } },
      },
    }
    const settings = readSettings({ upstreams, routes: [{ model: '*', upstream: 'cheap' }] }, {})
    const observer = createObserver({ version: '1', runtime: 'node' }, () => NOW)
    const usage = { input: 1, output: 1 }
    const cost = costBy(settings.upstreams.get('cheap'), 'small', usage)
    const entry = { id: '1', method: 'POST', path: '/', caller: 'open', status: 200, totalMs: 1 }
    for (let at = 0; at < 100_000; at += 1)
      observer.finished({ ...entry, usage, cost, sentModel: 'small' }, settings)
    expect(observer.usage()).toHaveProperty('callers.open.costUsd', 0.002)
    expect(Number(/cost_usd_total{.*} (.*)/.exec(observer.metrics())?.[1])).toBeCloseTo(0.002, 9)
    const lines: string[] = []
    createLog({ write: (line) => lines.push(line), now: () => NOW, secrets: [] })({
      ...entry,
      cost,
    })
    expect(JSON.parse(lines[0] ?? '')).toHaveProperty('cost', 2e-8)
  })

  it('0 is a cost in /usage, and none is none', async () => {
    const demo = demoConfig()
    const { 'demo-responses': upstream } = demo.upstreams ?? {}
    const models = { '*': { price: 0 } }
    const upstreams = { ...demo.upstreams, 'demo-responses': { ...upstream, models } }
    const { ask, usage } = processFor({ upstreams })
    await ask('demo-messages')
    expect(await usage()).not.toHaveProperty('callers.open.costUsd')
    await ask()
    expect(await usage()).toHaveProperty('callers.open.costUsd', 0)
  })
})

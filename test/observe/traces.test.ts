import { describe, expect, it, vi } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { demoConfig, readSettings } from '../../src/config/config.ts'
import { demoSend } from '../../src/extras/demo/demo.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { stringify } from '../../src/json/json.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import {
  createExporter,
  toAttributes,
  type Post,
  type Span,
  unixNano,
} from '../../src/observe/otlp.ts'
import { SEMCONV } from '../../src/observe/semconv.ts'
import { traceOf } from '../../src/observe/traceparent.ts'
import { createTracer, routeTemplate } from '../../src/observe/traces.ts'
import { randomId } from '../../src/ports.ts'

const NOW = Date.UTC(2026, 10, 22)
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const VALID = `00-${TRACE}-${PARENT}-01`
const headersWith = (traceparent: string, tracestate?: string) =>
  new Headers({ traceparent, ...(tracestate !== undefined && { tracestate }) })

describe('traceparent', () => {
  const all = { ratio: 1, trust: false }

  it('is gone on with where it is valid', () => {
    const trace = traceOf(headersWith(VALID, 'a=b'), randomId, all)
    expect(trace).toMatchObject({
      traceId: TRACE,
      parentId: PARENT,
      tracestate: 'a=b',
      sampled: true,
    })
    expect(trace.beginCall()).toEqual({
      traceparent: `00-${TRACE}-${trace.calls[0]}-01`,
      tracestate: 'a=b',
    })
    expect(traceOf(headersWith(VALID, 'x'.repeat(513)), randomId, all)).not.toHaveProperty(
      'tracestate',
    )
  })

  it.each([
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    VALID.toUpperCase(),
    `${VALID}x`,
    `${VALID}-x`,
    '',
  ])('trap 26: begins a new trace: %s', (text) => {
    const trace = traceOf(headersWith(text, 'a=b'), randomId, all)
    expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(trace.traceId).not.toBe(TRACE)
    expect(trace).not.toHaveProperty('parentId')
    expect(trace).not.toHaveProperty('tracestate')
  })

  it('trap 26: of a stranger decides nothing about what is sampled', () => {
    const none = { ratio: 0, trust: false }
    expect(traceOf(headersWith(VALID), randomId, none).sampled).toBe(false)
    expect(traceOf(headersWith(VALID), randomId, { ...none, trust: true }).sampled).toBe(true)
    const unwished = headersWith(VALID.replace(/01$/, '00'))
    expect(traceOf(unwished, randomId, all).sampled).toBe(true)
    expect(traceOf(unwished, randomId, { ...all, trust: true }).sampled).toBe(false)
    const tenth = Array.from({ length: 2000 }, () =>
      traceOf(new Headers(), randomId, { ratio: 0.1, trust: false }),
    )
    const share = tenth.filter(({ sampled }) => sampled).length / 2000
    expect(share).toBeGreaterThan(0.06)
    expect(share).toBeLessThan(0.15)
  })
})

interface Batch {
  resourceSpans: { resource: object; scopeSpans: { schemaUrl: string; spans: Span[] }[] }[]
}

/** A process that is traced, and what its collector was sent. */
function traced(telemetry: object = {}, answer?: Post, change: object = {}) {
  const batches: Batch[] = []
  const posts: { url: string; headers: Readonly<Record<string, string>> }[] = []
  const settings = readSettings(
    {
      ...demoConfig(),
      telemetry: {
        otlp: { endpoint: 'http://collector.example/', headers: { 'x-key': 'k' } },
        ...telemetry,
      },
      ...change,
    },
    { OTEL_SERVICE_NAME: 'mine' },
    { listens: { host: '127.0.0.1', port: 1 } },
  )
  if (!settings.telemetry) throw new Error('nothing is traced')
  const tracer = createTracer({
    telemetry: settings.telemetry,
    version: '1.2.3',
    now: () => NOW,
    randomId,
    post:
      answer ??
      (async (url, headers, body) => {
        posts.push({ url, headers })
        batches.push(JSON.parse(body))
        return { status: 200, headers: new Headers() }
      }),
  })
  const sent: Record<string, string>[] = []
  const log: LogEntry[] = []
  const demo = demoSend(adapters, () => Promise.reject(new Error('not for the demo')))
  const handler = createReplaceable(settings, {
    send(request) {
      sent.push(request.headers)
      return demo(request)
    },
    now: () => NOW,
    randomId,
    log: (entry) => log.push(entry),
    tracer,
  })
  const spans = () => batches.flatMap((batch) => batch.resourceSpans[0]?.scopeSpans[0]?.spans ?? [])
  return {
    tracer,
    batches,
    posts,
    sent,
    log,
    spans,
    async ask(headers: Record<string, string> = {}, words = 'Hello') {
      const body = stringify({
        model: 'demo-responses',
        max_tokens: 100,
        messages: [{ role: 'user', content: words }],
      })
      const request = new Request('http://127.0.0.1:1/v1/messages?key=secret-in-the-query', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'anthropic-version': '2023-06-01',
          ...headers,
        },
        body,
      })
      return toResponse(await handler.answer(request)).text()
    },
  }
}

const attributeOf = (span: Span | undefined, key: string) =>
  span?.attributes.find((attribute) => attribute.key === key)?.value

describe.each(['1.41', 'main'] as const)('a trace with the names of %s', (semconv) => {
  it('has a span for the exchange, one for the inference and one per attempt', async () => {
    const { ask, tracer, spans, batches, posts, log } = traced({ semconv })
    await ask({ traceparent: VALID })
    await tracer.exporter.stop(1000)
    expect(posts).toEqual([
      {
        url: 'http://collector.example/v1/traces',
        headers: { 'content-type': 'application/json', 'x-key': 'k' },
      },
    ])
    const [server, inference, call] = spans()
    expect(spans()).toHaveLength(3)
    expect(server).toMatchObject({
      name: 'POST /v1/messages',
      kind: 2,
      traceId: TRACE,
      parentSpanId: PARENT,
    })
    expect(inference).toMatchObject({
      name: 'chat demo-responses',
      kind: 3,
      parentSpanId: server?.spanId,
    })
    expect(call).toMatchObject({ name: 'POST', kind: 3, parentSpanId: inference?.spanId })
    expect(attributeOf(inference, 'gen_ai.usage.input_tokens')).toEqual({
      intValue: String(log[0]?.usage?.input),
    })
    expect(attributeOf(call, 'http.response.status_code')).toEqual({ intValue: '200' })
    expect(log[0]).toMatchObject({ traceId: TRACE })
    expect(log[0]?.trace).toBeUndefined()
    expect(batches[0]?.resourceSpans[0]?.scopeSpans[0]?.schemaUrl).toBe(SEMCONV[semconv].schemaUrl)
    expect(JSON.stringify(batches[0]?.resourceSpans[0]?.resource)).toContain('"stringValue":"mine"')
  })

  it('says how a reply has ended, and nothing of the end of one that never came', async () => {
    const gone = { dialect: 'messages', url: 'https://gone.example' }
    const routes = [{ model: '*', upstream: 'gone' }]
    for (const change of [{}, { upstreams: { gone }, routes }]) {
      const { ask, tracer, spans } = traced({ semconv }, undefined, change)
      await ask()
      await tracer.exporter.stop(1000)
      const told = attributeOf(spans()[1], 'gen_ai.response.finish_reasons')
      expect(told).toEqual(
        'routes' in change ? undefined : { arrayValue: { values: [{ stringValue: 'stop' }] } },
      )
    }
  })

  it('calls what is written to a cache as that version does', () => {
    expect(SEMCONV[semconv].cacheWriteTokens).toBe(
      semconv === 'main'
        ? 'gen_ai.usage.cache_write.input_tokens'
        : 'gen_ai.usage.cache_creation.input_tokens',
    )
  })
})

describe('what is traced', () => {
  it('trap 25: is OTLP JSON: ids in hexadecimal, times and whole numbers as text', async () => {
    const { ask, tracer, spans } = traced()
    await ask()
    await tracer.exporter.stop(1000)
    for (const span of spans()) {
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/)
      expect(span.spanId).toMatch(/^[0-9a-f]{16}$/)
      expect(span.startTimeUnixNano).toBe(`${NOW}000000`)
    }
    expect(unixNano(1.5)).toBe('1500000')
    expect(
      toAttributes([
        ['a', 2 ** 40],
        ['b', 0.5],
        ['c', true],
        ['d', undefined],
      ]),
    ).toEqual([
      { key: 'a', value: { intValue: '1099511627776' } },
      { key: 'b', value: { doubleValue: 0.5 } },
      { key: 'c', value: { boolValue: true } },
    ])
  })

  it('trap 25: costs no exchange anything when the collector refuses for ever, and bounded memory', async () => {
    let asked = 0
    const { ask, tracer } = traced({}, async () => {
      asked += 1
      return { status: 503, headers: new Headers({ 'retry-after': '1' }) }
    })
    for (let at = 0; at < 1000; at += 1) await ask()
    expect(tracer.exporter.waiting()).toBe(2048)
    expect(tracer.exporter.dropped()).toBe(3000 - 2048)
    // It is left alone in between.
    expect(asked).toBeLessThan(3)
  })

  it.each([
    ['120', 125_000],
    [new Date(NOW + 120_000).toUTCString(), 120_000],
    [new Date(NOW + 3_600_000).toUTCString(), 305_000],
    [new Date(NOW - 60_000).toUTCString(), 10_000],
    ['soon', 10_000],
  ])('waits for a collector that names a time: %s', async (header, again) => {
    vi.useFakeTimers({ now: NOW })
    try {
      const asked: number[] = []
      const exporter = createExporter({
        endpoint: 'http://collector.test',
        headers: {},
        resource: [],
        scope: { name: 's', version: '1' },
        schemaUrl: '',
        post: async () => {
          asked.push(Date.now() - NOW)
          return { status: 429, headers: new Headers({ 'retry-after': header }) }
        },
        now: Date.now,
      })
      const ids = { traceId: TRACE, spanId: TRACE.slice(16) }
      const times = { startTimeUnixNano: '0', endTimeUnixNano: '1' }
      exporter.add([{ ...ids, ...times, name: 'n', kind: 2, attributes: [], status: {} }])
      await vi.advanceTimersByTimeAsync(again)
      expect(asked).toEqual([5000, again])
      await exporter.stop(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('trap 25: is lost rather than waited for where the collector does not answer', async () => {
    const { ask, tracer } = traced({}, () => new Promise(() => undefined))
    await ask()
    const began = performance.now()
    await tracer.exporter.stop(50)
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  it('trap 27: holds no word, key, query or session', async () => {
    const { ask, tracer, batches } = traced()
    const canary = 'canary-0123456789-canary'
    await ask({ 'x-api-key': canary, 'x-session-id': canary, 'user-agent': canary }, canary)
    await tracer.exporter.stop(1000)
    expect(JSON.stringify(batches)).not.toMatch(new RegExp(`${canary}|secret-in-the-query|Hello`))
  })

  it('reaches an upstream that is to know it, and no other', async () => {
    const demo = demoConfig()
    const { 'demo-responses': upstream } = demo.upstreams ?? {}
    const upstreams = { ...demo.upstreams, 'demo-responses': { ...upstream, trace: true } }
    const { ask, sent } = traced({}, undefined, { upstreams })
    await ask({ traceparent: VALID, tracestate: 'a=b' })
    expect(sent[0]?.['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    expect(sent[0]?.['tracestate']).toBe('a=b')
    const other = traced()
    await other.ask({ traceparent: VALID, tracestate: 'a=b' })
    expect(other.sent[0]).not.toHaveProperty('traceparent')
    expect(other.sent[0]).not.toHaveProperty('tracestate')
  })

  it('is named by a template, never by a path', () => {
    expect(routeTemplate('/v1beta/models/my/own:streamGenerateContent')).toBe(
      '/v1beta/models/{model}:streamGenerateContent',
    )
    expect(routeTemplate('/v1/responses/resp_1/cancel')).toBe('/v1/responses/{id}/cancel')
    expect(routeTemplate('/v1/responses/input_tokens')).toBe('/v1/responses/input_tokens')
    expect(routeTemplate('/img/task/7/fetch')).toBe('/img/{path}')
    expect(routeTemplate('/v1/chat/completions')).toBe('/v1/chat/completions')
    expect(routeTemplate('/secret/place')).toBeUndefined()
  })
})

describe('the configuration of traces', () => {
  const listens = { listens: { host: '127.0.0.1', port: 1 } }
  const read = (telemetry: object | undefined, environment = {}, platform: object = listens) =>
    readSettings({ ...demoConfig(), ...(telemetry && { telemetry }) }, environment, platform)
      .telemetry

  it('comes from the variables of OpenTelemetry where the file says nothing', () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, x-team=blue',
      OTEL_SERVICE_NAME: 'gateway',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,service.name=other',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }
    expect(read(undefined, environment)).toEqual({
      endpoint: 'http://127.0.0.1:4318',
      headers: { authorization: 'Bearer x', 'x-team': 'blue' },
      sample: 0.25,
      semconv: '1.41',
      trust: false,
      resource: { 'deployment.environment': 'test', 'service.name': 'gateway' },
    })
    expect(read(undefined, { ...environment, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
    expect(read(undefined, environment, {})).toBeUndefined()
    expect(read(undefined)).toBeUndefined()
  })

  it('is checked', () => {
    expect(() => read({ otlp: { endpoint: 'collector' } })).toThrow(
      'telemetry.otlp.endpoint: expected the address',
    )
    expect(() => read({ sample: 2 })).toThrow('telemetry.sample: expected at most 1')
    expect(() => read({}, {}, { stores: 'isolate' })).toThrow(
      'telemetry: a Worker is traced by its platform',
    )
  })
})

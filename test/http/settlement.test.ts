import { describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { addressOf, type Adapter } from '../../adapters/contract.ts'
import { demoConfig, readSettings } from '../../src/config/config.ts'
import { demoSend } from '../../src/extras/demo/demo.ts'
import { writeSample } from '../../src/exchange/reply/sample.ts'
import { createFetchHandler } from '../../src/http/app.ts'
import { isObject, parse, stringify, type Json } from '../../src/json/json.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { ConnectError, randomId, type Send } from '../../src/ports.ts'
import { toSource } from '../../src/stream/source.ts'

const CI = 'ci-key-0123456789abcdef'
/** Words that the demo says again: about 50 tokens. */
const WORDS = 'And this? '.repeat(20)
const START = Date.UTC(2026, 10, 22, 12)

/** How an upstream counts: members of this name become another value; undefined takes them away. */
type Counting = (usage: Json) => Json | undefined

const COUNTS = new Set(['usage', 'usageMetadata'])

function recounted(value: Json, change: Counting): Json {
  if (Array.isArray(value)) return value.map((each) => recounted(each, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const said = COUNTS.has(name) && each !== null ? change(each) : recounted(each, change)
      return said === undefined ? [] : [[name, said]]
    }),
  )
}

const everyCount =
  (count: Json): Counting =>
  (usage) =>
    isObject(usage)
      ? Object.fromEntries(
          Object.entries(usage).map(([name, each]) => [
            name,
            typeof each === 'number' ? count : (everyCount(count)(each) ?? null),
          ]),
        )
      : usage

const inEach = (text: string, change: Counting): string =>
  text.startsWith('{')
    ? stringify(recounted(parse(text), change))
    : text.replace(
        /^data: (\{.*)$/gm,
        (_, json: string) => `data: ${stringify(recounted(parse(json), change))}`,
      )

async function allOf(body: Parameters<typeof toSource>[0]): Promise<string> {
  const source = toSource(body)
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = await source.read(); bytes; bytes = await source.read())
    text += decoder.decode(bytes, { stream: true })
  return text
}

/** The demo with other counts, as texts that are changed once more. */
function upstreamThat(change: Counting, edit: (text: string) => string | string[] = String): Send {
  const demo = demoSend(adapters, () => Promise.reject(new Error('not for the demo')))
  return async (request) => {
    const { status, headers, body } = await demo(request)
    const text = body ? await allOf(body) : ''
    const pieces = [edit(inEach(text, change))].flat()
    const sent = pieces.map((piece) => new TextEncoder().encode(piece))
    return {
      status,
      headers,
      body: new ReadableStream<Uint8Array>({
        pull(controller) {
          const next = sent.shift()
          if (next) controller.enqueue(next)
          else controller.close()
        },
      }),
    }
  }
}

const uncounted: Counting = () => undefined
const asItIs: Counting = (usage) => usage

interface Limits {
  tokensPerMinute?: number
  usdPerDay?: number
}

function proxy(send: Send, limits: Limits = {}, pool = false) {
  let now = START
  const log: LogEntry[] = []
  const demo = demoConfig()
  const price = { input: 1000, output: 1000 }
  const upstreams = Object.fromEntries(
    Object.entries(demo.upstreams ?? {}).flatMap(([name, upstream]) =>
      [name, `${name}-2`].map((each) => [each, { ...upstream, models: { '*': { price } } }]),
    ),
  )
  const routes = pool
    ? adapters.map(({ dialect }) => ({
        model: `demo-${dialect}`,
        upstream: [`demo-${dialect}`, `demo-${dialect}-2`],
        failover: { unknown: true },
      }))
    : demo.routes
  const settings = readSettings(
    {
      ...demo,
      ...(routes && { routes }),
      upstreams,
      callers: { keys: [{ name: 'ci', key: CI, limits }] },
    },
    {},
  )
  const answer = createFetchHandler(settings, {
    send,
    now: () => now,
    randomId,
    log: (entry) => log.push(entry),
  })
  const ask = (
    caller: Adapter,
    upstream: string,
    stream: boolean,
    change: object = {},
    signal?: AbortSignal,
  ) => {
    const sample = writeSample(caller, `demo-${upstream}`, stream)
    const { headers, body } = sample
    const { stream_options: _, ...asked } = body
    return answer(
      new Request(`http://proxy.example${addressOf(sample)}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${CI}` },
        body: stringify({ ...asked, ...change }).replace('Hello!', WORDS),
        ...(signal && { signal }),
      }),
    )
  }
  return { ask, log, pass: (ms: number) => (now += ms) }
}

const pairs = adapters.flatMap((caller) =>
  adapters.flatMap(({ dialect: upstream }) =>
    [false, true].map((stream) => ({ caller, name: caller.dialect, upstream, stream })),
  ),
)

const UNUSABLE = {
  'no count': uncounted,
  'negative counts': everyCount(-5),
  'counts that are no numbers': everyCount('NaN'),
  'counts beyond 2^53': everyCount(1e300),
  'more tokens than any exchange takes': everyCount(9e15),
} satisfies Record<string, Counting>

describe.each(Object.entries(UNUSABLE))('a reply with %s', (_, change) => {
  it.each(pairs)(
    'is settled by an estimate: $name over $upstream, stream $stream',
    async (pair) => {
      const { ask, log } = proxy(upstreamThat(change), { tokensPerMinute: 60 })
      const statuses: number[] = []
      for (let at = 0; at < 12; at += 1) {
        const reply = await ask(pair.caller, pair.upstream, pair.stream)
        await reply.text()
        statuses.push(reply.status)
      }
      expect(log[0]).toMatchObject({ status: 200, estimated: true })
      const { input = 0, output = 0 } = log[0]?.usage ?? {}
      expect(input).toBeGreaterThan(5)
      expect(input).toBeLessThan(100)
      expect(output).toBeGreaterThan(5)
      expect(output).toBeLessThan(100)
      expect(log[0]?.cost).toBeCloseTo((input + output) / 1000, 9)
      expect(statuses).toContain(429)
    },
  )
})

describe('a reply that is counted', () => {
  it.each(pairs)('is settled by its count: $name over $upstream, stream $stream', async (pair) => {
    const { ask, log } = proxy(upstreamThat(asItIs), { tokensPerMinute: 1000 })
    await (await ask(pair.caller, pair.upstream, pair.stream)).text()
    const { input = 0, output = 0 } = log[0]?.usage ?? {}
    expect(Math.min(input, output)).toBeGreaterThan(0)
    // A service of chat completions counts a stream when it is asked.
    expect(log[0]?.estimated).toBeUndefined()
  })
})

/** The first part of what the demo says, and then a reset. */
const broken: Send = async (request) => {
  const { body, ...head } = await upstreamThat(asItIs)(request)
  const text = body ? await allOf(body) : ''
  let isFirst = true
  return {
    ...head,
    body: new ReadableStream<Uint8Array>({
      pull(controller) {
        if (!isFirst) return controller.error(new Error('reset'))
        isFirst = false
        controller.enqueue(new TextEncoder().encode(text.slice(0, text.length * 0.6)))
      },
    }),
  }
}

const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)]

const streams = pairs.filter(({ stream }) => stream)

describe('a stream that is not whole', () => {
  it.each(streams)('counts when its caller leaves: $name over $upstream', async (pair) => {
    const { ask, log } = proxy(upstreamThat(asItIs, halves), { tokensPerMinute: 60 })
    const statuses: number[] = []
    for (let at = 0; at < 12; at += 1) {
      const reply = await ask(pair.caller, pair.upstream, true)
      const reader = reply.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      statuses.push(reply.status)
    }
    expect(log[0]).toMatchObject({ outcome: 'left', estimated: true })
    expect(log[0]?.usage?.input).toBeGreaterThan(5)
    expect(log[0]?.usage?.output).toBeGreaterThan(0)
    expect(statuses).toContain(429)
  })

  it.each(streams)('counts when it is cut: $name over $upstream', async (pair) => {
    const { ask, log } = proxy(upstreamThat(asItIs, (text) => text.slice(0, text.length * 0.6)))
    await (await ask(pair.caller, pair.upstream, true)).text()
    expect(log[0]).toMatchObject({ outcome: 'upstream_error', estimated: true })
    expect(log[0]?.usage?.input).toBeGreaterThan(5)
    expect(log[0]?.usage?.output).toBeGreaterThan(0)
  })

  it.each(pairs)('counts when it breaks: $name over $upstream, stream $stream', async (pair) => {
    for (const pool of [false, true]) {
      const { ask, log } = proxy(broken, {}, pool)
      await (await ask(pair.caller, pair.upstream, pair.stream)).text()
      expect(log[0]).toMatchObject({ outcome: 'upstream_error', estimated: true })
      expect(log[0]?.usage?.input).toBeGreaterThan(5)
      expect(log[0]?.usage?.output).toBeGreaterThan(0)
    }
  })

  it.each(pairs.filter(({ stream }) => !stream))(
    'counts beside the one that another member brings: $name over $upstream',
    async (pair) => {
      const whole = upstreamThat(asItIs)
      const alone = proxy(whole)
      await (await alone.ask(pair.caller, pair.upstream, false)).text()
      let tries = 0
      const { ask, log } = proxy(
        (request) => ((tries += 1) > 1 ? whole : broken)(request),
        {},
        true,
      )
      await (await ask(pair.caller, pair.upstream, false)).text()
      expect(tries).toBe(2)
      const { input = 0, output = 0 } = log[0]?.usage ?? {}
      expect(log[0]).toMatchObject({ outcome: 'ok', estimated: true })
      expect(input).toBeGreaterThan(alone.log[0]?.usage?.input ?? Infinity)
      expect(output).toBeGreaterThan(alone.log[0]?.usage?.output ?? Infinity)
    },
  )

  it.each(pairs)(
    'counts when its caller leaves behind its head: $name over $upstream, stream $stream',
    async (pair) => {
      const leaving = new AbortController()
      const send: Send = async () => {
        setTimeout(() => leaving.abort(), 1)
        const type = pair.stream ? 'text/event-stream' : 'application/json'
        const body = new ReadableStream<Uint8Array>()
        return { status: 200, headers: new Headers({ 'content-type': type }), body }
      }
      const { ask, log } = proxy(send)
      await ask(pair.caller, pair.upstream, pair.stream, {}, leaving.signal)
      expect(log[0]).toMatchObject({ outcome: 'left', estimated: true, usage: { output: 0 } })
      expect(log[0]?.usage?.input).toBeGreaterThan(5)
    },
  )

  it.each(adapters)('counts when its caller leaves before it begins: $dialect', async (caller) => {
    const log: LogEntry[] = []
    const leaving = new AbortController()
    const answer = createFetchHandler(readSettings(demoConfig(), {}), {
      send: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
          leaving.abort()
        }),
      now: () => START,
      randomId,
      log: (entry) => log.push(entry),
    })
    const sample = writeSample(caller, `demo-${caller.dialect}`, true)
    const { headers, body } = sample
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const url = `http://proxy.example${addressOf(sample)}`
    await answer(new Request(url, { ...init, body: stringify(body), signal: leaving.signal }))
    expect(log[0]).toMatchObject({ outcome: 'left', estimated: true, usage: { output: 0 } })
    expect(log[0]?.usage?.input).toBeGreaterThan(5)
  })
})

describe('nothing is counted', () => {
  const refusals: Record<string, Send> = {
    'that was refused': async () => ({
      status: 429,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: new Response('{"error":{"message":"slow down","type":"rate_limit_error"}}').body,
    }),
    'that did not reach its upstream': () => Promise.reject(new ConnectError('refused')),
    'that failed in place of a reply': async () => ({
      status: 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: new Response('{"error":{"message":"broken","type":"server_error"}}').body,
    }),
  }
  const all = Object.entries(refusals).flatMap(([what, send]) =>
    pairs.map((pair) => ({ what, send, ...pair })),
  )
  // What was not reached is tried again after a pause.
  it.concurrent.each(all)(
    'of a request $what: $name over $upstream, stream $stream',
    async (one) => {
      const asked = [false, true].map(async (pool) => {
        const { ask, log } = proxy(one.send, {}, pool)
        const reply = await ask(one.caller, one.upstream, one.stream)
        await reply.text()
        expect(reply.status).toBeGreaterThanOrEqual(400)
        expect(log[0]).not.toHaveProperty('usage.input')
      })
      await Promise.all(asked)
    },
  )
})

describe('a count that cannot be true', () => {
  it('locks nobody out for longer than an hour', async () => {
    const [caller] = adapters.filter(({ dialect }) => dialect === 'responses')
    if (!caller) throw new Error('no such dialect')
    for (const count of [9e15, 90_000_000]) {
      const { ask, pass } = proxy(upstreamThat(everyCount(count)), { tokensPerMinute: 10 })
      expect((await ask(caller, 'responses', false)).status).toBe(200)
      const refused = await ask(caller, 'responses', false)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
      pass(3_600_000)
      expect((await ask(caller, 'responses', false)).status).toBe(200)
    }
  })
})

describe('dollars per day', () => {
  it.each(adapters)('are reserved until an exchange is over: $dialect', async (caller) => {
    // The sample lets its reply have 200 tokens, which cost 0.2 dollars.
    const { ask } = proxy(upstreamThat(asItIs), { usdPerDay: 1 })
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => ask(caller, caller.dialect, true)),
    )
    const taken = replies.filter(({ status }) => status === 200)
    expect(taken.length).toBeGreaterThan(1)
    expect(taken.length).toBeLessThan(7)
    const refused = replies.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toBe('1')
    for (const reply of replies) await reply.text()
    expect((await ask(caller, caller.dialect, true)).status).toBe(200)
  })

  it('are reserved by what a model may say at most, where nobody bounds it', async () => {
    const [caller] = adapters.filter(({ dialect }) => dialect === 'responses')
    if (!caller) throw new Error('no such dialect')
    const { ask } = proxy(upstreamThat(asItIs), { usdPerDay: 1 })
    const unbound = { max_output_tokens: undefined }
    const all = [1, 2, 3].map(() => ask(caller, 'responses', true, unbound))
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 429, 429])
  })
})

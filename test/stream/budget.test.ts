import { describe, expect, it } from 'vitest'
import type { Adapter } from '../../adapters/contract.ts'
import { dialects } from '../../adapters/index.ts'
import { Budget, FREE_BYTES, weightOf, workOf } from '../../src/stream/budget.ts'
import { LONG_BYTES, ByteList, piecesIn, VALUE_BYTES, wholeBytes } from '../../src/json/bytes.ts'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import type { LimitSettings } from '../../src/config/settings.ts'
import { createLoad } from '../../src/http/admission/load.ts'
import { voices } from '../faults/voices.ts'
import { fakes } from '../exchange/fakes.ts'
import {
  jsonReply,
  proxyOf,
  sleep,
  sse,
  sseReply,
  streamOf,
  type Script,
} from '../exchange/proxy.ts'

/** What is in flight is counted wherever it is kept, refused in the middle, and nothing stays counted. */

const around = [-1, 0, 1]

describe('a lease', () => {
  it('has what there is, is given back once, and takes nothing any more', () => {
    const budget = new Budget(100)
    const [one, other] = [budget.lease(), budget.lease()]
    one.grow(60)
    expect(() => other.grow(41)).toThrow('at its limit')
    expect(other.fits(40)).toBe(true)
    expect(budget.held).toBe(100)
    // What is there already is counted beyond what there is room for.
    one.hold(70)
    expect([budget.held, one.size, other.fits(1)]).toEqual([110, 70, false])
    one.release()
    one.release()
    one.hold(5)
    expect(() => one.grow(1)).toThrow('The caller left')
    expect(budget.held).toBe(40)
    other.release()
    expect(budget.held).toBe(0)
  })
  it('counts what work needs apart, beyond what there is room for, and gives it back with the rest', () => {
    const budget = new Budget(100)
    const [one, other] = [budget.lease(), budget.lease()]
    one.grow(60)
    one.work(70)
    expect([budget.held, one.size, other.fits(1), one.fits(1)]).toEqual([130, 60, false, true])
    one.hold(20)
    one.work(30)
    expect([budget.held, one.size, other.fits(50)]).toEqual([50, 20, true])
    one.release()
    one.work(5)
    expect(budget.held).toBe(50)
  })
  it('has room for the values of one request, and for more where they fit', () => {
    const budget = new Budget(100)
    const [one, other] = [budget.lease(), budget.lease()]
    one.grow(10)
    expect([one.unfold(300), other.unfold(1), other.unfold(0), budget.held]).toEqual([
      true,
      false,
      true,
      310,
    ])
    // What comes is not refused for values, which are there for moments.
    expect(other.fits(90)).toBe(true)
    expect([one.unfold(0), other.unfold(50), one.unfold(1)]).toEqual([true, true, false])
    other.release()
    expect([one.unfold(80), budget.held]).toEqual([true, 90])
    one.release()
    expect([one.unfold(7), budget.held]).toEqual([true, 0])
  })
  it('counts a long body half as much again', () => {
    expect([LONG_BYTES, LONG_BYTES + 10].map(weightOf)).toEqual([LONG_BYTES, LONG_BYTES + 15])
  })
})

describe('bytes of unknown number', () => {
  it.each([1, 100, 5000, 20_000])(
    'are all there, in few pieces, when %d come at once',
    (length) => {
      const all = Uint8Array.from({ length: LONG_BYTES + 3 }, (_, index) => index % 251)
      const list = new ByteList()
      for (let at = 0; at < all.length; at += length) list.add(all.subarray(at, at + length))
      expect(list.size).toBe(all.length)
      const bytes = list.take()
      expect(piecesIn(bytes).length).toBeLessThan(100)
      expect(wholeBytes(bytes).every((byte, index) => byte === all[index])).toBe(true)
      expect(piecesIn(list.take()).every((piece) => piece.length === 0)).toBe(true)
    },
  )
})

const REQUEST = { model: 'pathy-1', text: 'hi' }
const text = JSON.stringify(REQUEST)

/** A proxy whose load can be looked at. */
function stand(script: Script, limits: Partial<LimitSettings> = {}, upstreams: string[] = []) {
  const load = createLoad({ ...PROCESS_LIMITS, ...limits })
  const change = {
    limits,
    upstreams,
    ...(upstreams.length > 0 && {
      routes: upstreams.map((upstream) => ({ model: `${upstream}-*`, upstream })),
    }),
  }
  const proxy = proxyOf(script, change, { load, ...(upstreams.length > 0 && { dialects }) })
  return { ...proxy, load }
}

const reply = () => jsonReply({ modelName: 'x', text: 'Hello' })

async function zipped(plain: string): Promise<Uint8Array> {
  const stream = new Blob([plain]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

describe('a body', () => {
  it.each(around)('in pieces, of what may be in flight and %d', async (over) => {
    const { fetch: send, load, sent } = stand(reply, { inFlightBytes: text.length - over })
    const response = await send('/v1/plain', { body: streamOf([...text]) })
    expect(response.status).toBe(over > 0 ? 503 : 200)
    if (over > 0) {
      expect(response.headers.get('retry-after')).toBe('1')
      expect(await response.json()).toMatchObject({ kind: 'unavailable' })
    }
    expect(sent).toHaveLength(over > 0 ? 0 : 1)
    expect(load.held()).toBe(0)
  })
  it('is counted before its end has come, and not any more when it is late', async () => {
    const { fetch: send, load } = stand(reply, { bodyMs: 60 })
    const answer = send('/v1/plain', { body: streamOf([text.slice(0, 20), sleep(200), '"}']) })
    await sleep(20)
    expect(load.held()).toBe(20)
    expect((await answer).status).toBe(408)
    expect(load.held()).toBe(0)
    await sleep(200)
    expect(load.held()).toBe(0)
  })
  it.each(around)('that unfolds to what may be in flight and %d', async (over) => {
    const plain = JSON.stringify({ ...REQUEST, text: 'x'.repeat(300_000) })
    const packed = await zipped(plain)
    const { fetch: send, load } = stand(reply, {
      inFlightBytes: packed.length + plain.length - over,
    })
    const headers = { 'content-encoding': 'gzip', 'content-length': String(packed.length) }
    const response = await send('/v1/plain', { body: packed, headers })
    expect(response.status).toBe(over > 0 ? 503 : 200)
    expect(load.held()).toBe(0)
  })
  it.each(['pathy-1', 'plain-1'])('is in flight until the stream of %s begins', async (model) => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const start =
      model === 'plain-1' ? sse({ t: 'start', reply: { model } }) : sse({ modelName: 'x' })
    const script = async () => {
      await gate
      return sseReply([start, sse({ t: 'text', text: 'Hel' }), new Promise(() => {})])
    }
    const { fetch: send, load, sent } = stand(script)
    const body = { model, text: 'x'.repeat(500_000), stream: true }
    const answer = send('/v1/plain', { body })
    await expect.poll(() => sent.length).toBe(1)
    expect(load.held()).toBeGreaterThanOrEqual(500_000)
    open()
    const reader = (await answer).body?.getReader()
    await reader?.read()
    expect(load.held()).toBe(0)
    await reader?.cancel()
    expect(load.held()).toBe(0)
  })
})

describe('a long text', () => {
  const body = { text: 'words '.repeat(LONG_BYTES / 4), model: 'pathy-1' }
  const bytes = JSON.stringify(body).length

  it.each([
    ['plain-1', 0],
    ['pathy-1', workOf(bytes)],
  ])('to %s weighs %d more while it is worked on', async (model, more) => {
    let held = 0
    const script = () => {
      held = load.held()
      return reply()
    }
    const { fetch: send, load } = stand(script)
    const response = await send('/v1/plain', { body: { ...body, model } })
    expect((await response.text()).length).toBeGreaterThan(0)
    expect(held).toBe(weightOf(bytes) + more)
    expect(load.held()).toBe(0)
  })
  it('has room for its reply as before, however long it is', async () => {
    const long = { modelName: 'x', text: 'y'.repeat(200_000) }
    const { fetch: send, load } = stand(() => jsonReply(long), {
      inFlightBytes: weightOf(bytes) + 200_000,
    })
    const response = await send('/v1/plain', { body })
    expect(response.status).toBe(200)
    expect((await response.text()).length).toBeGreaterThan(200_000)
    expect(load.held()).toBe(0)
  })
})

describe('a reply', () => {
  const long = { modelName: 'x', text: 'y'.repeat(200_000) }

  it.each([
    ['/v1/plain', REQUEST],
    ['/v1beta/pathy/pathy-1:run', { text: 'hi' }],
  ])('is in flight until it is taken: %s', async (path, body) => {
    const { fetch: send, load } = stand(() => jsonReply(long))
    const taken = await send(path, { body })
    expect(load.held()).toBeGreaterThanOrEqual(200_000)
    expect(taken.headers.get('content-length')).toBe(String(load.held()))
    expect((await taken.text()).length).toBeGreaterThanOrEqual(200_000)
    expect(load.held()).toBe(0)
    const left = await send(path, { body })
    expect(load.held()).toBeGreaterThanOrEqual(200_000)
    await left.body?.cancel()
    expect(load.held()).toBe(0)
  })
  it.each(around)('for which there is room and %d', async (over) => {
    const bytes = JSON.stringify(long).length
    for (const [path, body] of [
      ['/v1/plain', REQUEST],
      ['/v1beta/pathy/pathy-1:run', { text: 'hi' }],
    ] as const) {
      const room = JSON.stringify(body).length + bytes - FREE_BYTES
      const { fetch: send, load } = stand(() => jsonReply(long), { inFlightBytes: room - over })
      const response = await send(path, { body })
      expect(response.status).toBe(over > 0 ? 503 : 200)
      // It was carried out: nobody shall repeat it without a thought.
      if (over > 0) expect(response.headers.get('x-should-retry')).toBe('false')
      await response.text()
      expect(load.held()).toBe(0)
    }
  })
})

const askStream = (model: string) => ({ model, text: 'hi', stream: true })

describe('a stream', () => {
  const DELTAS = 200
  const script = (model: string) => () =>
    sseReply([
      ...(model === 'plain-1'
        ? [sse({ t: 'start', reply: { model } })]
        : [sse({ modelName: 'x' })]),
      ...Array.from({ length: DELTAS }, () =>
        sse(
          model === 'plain-1' ? { t: 'text', text: 'y'.repeat(1000) } : { text: 'y'.repeat(1000) },
        ),
      ),
      sse({ t: 'end' }),
    ])
  // What its writer gathers of it, beyond what is free.
  const gathered = DELTAS * 1000 - FREE_BYTES

  it.each([2000, -2000])('that is translated, for which there is room and %d', async (more) => {
    const { fetch: send, load } = stand(script('pathy-1'), { inFlightBytes: gathered + more })
    const text = await (await send('/v1/plain', { body: askStream('pathy-1') })).text()
    expect(text.includes('"t":"end"')).toBe(more > 0)
    expect(text.includes('no room for the reply')).toBe(more < 0)
    expect(load.held()).toBe(0)
  })
  it('of blocks without a text is gathered, too', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
    const blocks = Array.from({ length: 2000 }, (_, index) => [
      { type: 'content_block_start', index, content_block: call },
      { type: 'content_block_stop', index },
    ]).flat()
    const said = blocks.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    const [messages] = voices
    const opening = messages?.opening.split('event: content_block_start')[0] ?? ''
    const script = () => sseReply([opening, ...said, messages?.closing ?? ''])
    const ask = async (inFlightBytes: number) => {
      const { fetch: send, load } = stand(script, { inFlightBytes }, ['messages', 'responses'])
      const body = { model: 'messages-1', input: 'Hello', stream: true }
      const text = await (await send('/v1/responses', { body })).text()
      expect(load.held()).toBe(0)
      return text.includes('no room for the reply')
    }
    expect(await ask(10_000_000)).toBe(false)
    expect(await ask(100_000)).toBe(true)
  })
  it('that passes is not gathered', async () => {
    const { fetch: send } = stand(script('plain-1'), { inFlightBytes: 1000 })
    const text = await (await send('/v1/plain', { body: askStream('plain-1') })).text()
    expect(text).toContain('"t":"end"')
  })
})

const wholeReply = () => jsonReply(JSON.parse(voices[0]?.whole ?? ''))

describe('requests of many values', () => {
  it('are translated one after the other where there is no room for all of them', async () => {
    const values = 200_000
    const proxy = stand(wholeReply, { inFlightBytes: 32_000_000 }, ['messages', 'responses'])
    const body = { model: 'messages-1', input: 'Hello', many: Array(values).fill(123_456) }
    let peak = 0
    const over = new AbortController()
    const watch = async () => {
      for (; !over.signal.aborted; await sleep(0)) peak = Math.max(peak, proxy.load.held())
    }
    const watching = watch()
    const asked = Array.from({ length: 4 }, () => proxy.fetch('/v1/responses', { body }))
    const answers = await Promise.all(asked)
    over.abort()
    await watching
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(peak).toBeGreaterThan(values * VALUE_BYTES)
    expect(peak).toBeLessThan(2 * values * VALUE_BYTES)
  })
})

describe('a reply that grows in another dialect', () => {
  const said = 'word '.repeat(40_000)
  const [messages] = voices
  const script = () => sseReply([`${messages?.opening.replace('Hel', said)}${messages?.closing}`])
  const ask = { model: 'messages-1', input: 'Hello', stream: true }
  const told = async (limits: Partial<LimitSettings>) => {
    const { fetch: send, load } = stand(script, limits, ['messages', 'responses'])
    const answer = await (await send('/v1/responses', { body: ask })).text()
    expect(load.held()).toBe(0)
    return answer
  }

  it.each(around)('may become as long as a stream may be and %d', async (over) => {
    const whole = await told({})
    expect(whole).toContain('response.completed')
    const text = await told({ streamBytes: whole.length - FREE_BYTES - over })
    expect(text.includes('event: response.completed')).toBe(over <= 0)
    expect(text.includes('event: response.failed')).toBe(over > 0)
    if (over > 0) expect(text).toContain('larger than the limit')
  })
  it.each(around)('may become as long as a body may be and %d', async (over) => {
    const body = { text: 'é'.repeat(FREE_BYTES) }
    const bytes = new TextEncoder().encode(JSON.stringify(body)).length
    const swollen = fakes.list.map((adapter) => {
      const writer: Adapter['caller']['writer'] = (context) => ({
        push: (event) => adapter.caller.writer(context).push(event),
        body: () => body,
      })
      return { ...adapter, caller: { ...adapter.caller, writer } }
    })
    const of = (dialect: string) => swollen.find((adapter) => adapter.dialect === dialect)
    const limits = { replyBytes: bytes - FREE_BYTES - over }
    const match = { ...fakes, list: swollen, of }
    const response = await proxyOf(reply, { limits }, { dialects: match }).fetch('/v1/plain', {
      body: REQUEST,
    })
    expect(response.status).toBe(over > 0 ? 502 : 200)
    expect((await response.text()).includes('larger than the limit')).toBe(over > 0)
  })
})

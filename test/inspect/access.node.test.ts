import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BODY_BYTES, BODY_PIECES, KeptBody } from '../../src/extras/inspect/kept-body.ts'
import { Ring } from '../../src/extras/inspect/ring.ts'
import { createRecorder, RING_EXCHANGES } from '../../src/extras/inspect/recorder.ts'
import type { Ports } from '../../src/ports.ts'
import { isOwnPage, PAGE_HEADERS } from '../../src/extras/inspect/access.ts'
import { pageFiles } from '../../src/node/command/page-files.ts'
import { takeLeaks } from '../canary/watch.ts'
import { ask as askRaw } from '../web/place.ts'
import {
  CALLER_KEY,
  openPlace,
  QUESTION,
  REPLY,
  streamed,
  UPSTREAM_KEY,
  type Place,
} from './place.ts'

let place: Place
beforeAll(async () => {
  place = await openPlace((body) =>
    body.includes('"stream":true')
      ? { type: 'text/event-stream', pieces: streamed(['Good ', 'morning.']), gapMs: 5 }
      : { pieces: [JSON.stringify({ ...REPLY, echo: UPSTREAM_KEY })] },
  )
})
afterAll(() => place.close())

const port = () => Number(place.page.port)
const bearer = () => ({ authorization: `Bearer ${place.token}` })

describe('who may ask', () => {
  const PATHS = ['/feed', '/exchange/1', '/upstreams']

  it.each(PATHS)('trap 40: %s tells nothing without the token', async (path) => {
    for (const authorization of [
      '',
      'Bearer x',
      `Bearer ${place.token}x`,
      `Basic ${place.token}`,
    ]) {
      const heard = await askRaw(port(), path, { headers: { authorization } })
      expect([heard.status, heard.text]).toEqual([403, ''])
    }
    const inAddress = await askRaw(port(), `${path}?token=${place.token}`)
    expect([inAddress.status, inAddress.text]).toEqual([403, ''])
  })

  it.each(['/', '/page.js', ...PATHS])(
    'trap 40: %s answers to no foreign name and no foreign page, also with the token',
    async (path) => {
      const foreign = [
        { host: `rebind.test:${port()}` },
        { host: `127.0.0.1.evil.test:${port()}` },
        { host: '127.0.0.1' },
        { host: `0.0.0.0:${port()}` },
        { origin: 'http://evil.test' },
        { origin: 'null' },
        { origin: `http://127.0.0.1:${port() + 1}` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]
      for (const headers of foreign) {
        const heard = await askRaw(port(), path, { headers: { ...bearer(), ...headers } })
        expect([heard.status, heard.text], JSON.stringify(headers)).toEqual([403, ''])
      }
    },
  )

  it('answers under the names of this machine, and with headers that let nothing in', async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const headers = { host: `${host}:${port()}`, origin: `http://${host}:${port()}` }
      const heard = await askRaw(port(), '/', { headers })
      expect(heard.status).toBe(200)
      expect(heard.headers).toMatchObject(PAGE_HEADERS)
      expect(isOwnPage(new Headers(headers), port())).toBe(true)
      expect(isOwnPage(new Headers(headers), port() + 1)).toBe(false)
    }
  })

  it('serves each file that another asks for, as what it is', async () => {
    const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' }
    for (const [name, text] of Object.entries(pageFiles())) {
      const heard = await askRaw(port(), name === 'page.html' ? '/' : `/${name}`)
      const type = Object.entries(types).find(([end]) => name.endsWith(end))?.[1]
      expect([name, heard.status, heard.headers['content-type'], heard.text]).toEqual([
        name,
        200,
        `${type}; charset=utf-8`,
        text,
      ])
      expect(heard.headers).toMatchObject(PAGE_HEADERS)
      const asked = [...text.matchAll(/ from '\.\/([^']*)'| (?:src|href)="\/([^"]*)"/g)]
      const known = Object.keys(pageFiles())
      for (const [, module, other] of asked) expect(known).toContain(module ?? other)
    }
    expect((await askRaw(port(), '/page.html')).status).toBe(403)
    expect((await askRaw(port(), '/constructor')).status).toBe(403)
  })

  it('has plain files of at most 90 kB, without an inline script or an address elsewhere', () => {
    const files = Object.values(pageFiles())
    expect(Buffer.byteLength(files.join(''))).toBeLessThanOrEqual(90_000)
    expect(files[0]).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=|https?:/)
    expect(files.join('')).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/,
    )
  })
})

describe('what is kept', () => {
  it('is the body decoded, where it came packed', async () => {
    const own = await openPlace()
    const text = JSON.stringify(QUESTION)
    const answer = await fetch(`${own.proxy.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'anthropic-version': '2023-06-01',
        'x-api-key': CALLER_KEY,
      },
      body: gzipSync(text),
    })
    await answer.text()
    const { came } = await own.exchange(1)
    await own.close()
    expect(came.body.text).toBe(text)
  })

  it('is both sides of an exchange, what it cost in time and tokens, and what was lost', async () => {
    await place.send({ ...QUESTION, stream: true })
    const one = await place.exchange(1)
    expect(one).toMatchObject({
      isOver: true,
      dialect: 'messages',
      upstreamDialect: 'responses',
      status: 200,
      usage: { input: 100, cacheRead: 64, output: 7 },
      losses: [{ code: 'dropped', path: 'sampling.topK' }],
    })
    expect(JSON.parse(one.came.body.text)).toEqual({ ...QUESTION, stream: true })
    const [call] = one.calls
    expect(JSON.parse(call?.body.text ?? '')).toMatchObject({ model: 'm', stream: true })
    expect(call?.reply.text).toBe(streamed(['Good ', 'morning.']).join(''))
    expect(call?.reply.marks?.length ?? 0).toBeGreaterThan(2)
    const times = [one.readAt, call?.at, call?.headAt, call?.firstAt, call?.endAt]
    expect(times).toEqual(times.toSorted((a = 0, b = 0) => a - b))
    expect(one.told.body.text).toContain('event: message_stop')
  })

  it('has no key in it, wherever the key stood', async () => {
    const text = `my key is ${CALLER_KEY}, and ${encodeURIComponent(UPSTREAM_KEY)}`
    await place.send({ ...QUESTION, messages: [{ role: 'user', content: text }] })
    const all = await (await place.ask('/exchange/2')).text()
    expect(all).toContain('my key is ***')
    expect(all).not.toContain(CALLER_KEY)
    expect(all).not.toContain(UPSTREAM_KEY)
    expect(JSON.parse(all).calls[0].headers).toContainEqual(['authorization', '***'])
    // The caller itself has written them to its upstream.
    expect(takeLeaks()).toHaveLength(2)
  })

  it('goes with a word', async () => {
    expect((await place.ask('/clear', { method: 'POST', body: '{}' })).status).toBe(204)
    expect((await place.ask('/exchange/1')).status).toBe(404)
  })

  it('says what another upstream would have been sent, and sends nothing', async () => {
    await place.send(QUESTION)
    const body = JSON.stringify({ upstream: 'other', model: 'gem' })
    const heard = await (await place.ask('/explain/3', { method: 'POST', body })).json()
    expect(heard).toMatchObject({
      upstream: { name: 'other', body: { generationConfig: { topK: 5 } } },
      losses: [],
    })
  })

  it('comes to five viewers as it happens, and to no sixth one', async () => {
    const viewers = await Promise.all(Array.from({ length: 5 }, () => place.ask('/feed')))
    expect((await place.ask('/feed')).status).toBe(503)
    const [reader, ...others] = viewers.map((each) => each.body?.getReader())
    const line = async () => JSON.parse(new TextDecoder().decode((await reader?.read())?.value))
    expect((await line()).rows.map(({ number }: { number: number }) => number)).toEqual([3])
    void place.send(QUESTION)
    expect((await line()).rows.at(-1)).toMatchObject({ number: 4 })
    await Promise.all([reader, ...others].map((each) => each?.cancel()))
  })
})

it('says where in the reply of an upstream that stood which its caller could not be told', async () => {
  const picture = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' }
  const reply = { ...REPLY, output: [...REPLY.output, picture] }
  const place = await openPlace(() => ({ pieces: [JSON.stringify(reply)] }))
  try {
    await place.send(QUESTION)
    const body = JSON.stringify({ upstream: 'service', model: 'm' })
    const answer = await place.ask('/explain/1', { method: 'POST', body })
    const told = JSON.parse(await answer.text())
    expect(told.replied).toMatchObject([{ code: 'dropped', field: '/output/1' }])
    const other = JSON.stringify({ upstream: 'other', model: 'm' })
    const asked = await place.ask('/explain/1', { method: 'POST', body: other })
    expect(await asked.json()).not.toHaveProperty('replied')
  } finally {
    await place.close()
  }
})

it('says in which event of a stream that stood which its caller could not be told', async () => {
  const picture = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' }
  const pieces = [
    { type: 'response.created', response: { ...REPLY, status: 'in_progress', output: [] } },
    undefined,
    { type: 'response.output_item.done', output_index: 0, item: picture },
    { type: 'response.completed', response: { ...REPLY, output: [picture] } },
  ].map((event) => (event ? `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` : ': …\n\n'))
  const place = await openPlace(() => ({ type: 'text/event-stream', pieces }))
  try {
    await place.send({ ...QUESTION, stream: true })
    const body = JSON.stringify({ upstream: 'service', model: 'm' })
    const answer = await place.ask('/explain/1', { method: 'POST', body })
    const { replied } = JSON.parse(await answer.text())
    expect(replied).toMatchObject([{ code: 'dropped', event: 3, field: '/item' }])
  } finally {
    await place.close()
  }
})

it('says in which stored response a turn stands that was not sent again', async () => {
  const candidate = { content: { role: 'model', parts: [{ text: 'Yes.' }] }, finishReason: 'STOP' }
  const reply = { candidates: [candidate], responseId: 'r', modelVersion: 'm' }
  const place = await openPlace(() => ({ pieces: [JSON.stringify(reply)] }))
  try {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' }
    const ask = async (rest: object) =>
      JSON.parse(await place.send({ model: 'other-m', ...rest }, {}, '/v1/responses'))
    const { id } = await ask({ input: [{ role: 'user', content: [image] }] })
    await ask({ input: 'And now?', previous_response_id: id })
    const body = JSON.stringify({ upstream: 'other', model: 'm' })
    const answer = await place.ask('/explain/2', { method: 'POST', body })
    const { losses } = JSON.parse(await answer.text())
    expect(losses).toMatchObject([{ stored: id, storedAt: '/input/0/content/0/detail' }])
  } finally {
    await place.close()
  }
})

const small = 1_000_000
const recorder = () => createRecorder({ now: Date.now, secrets: () => [], ring: new Ring(small) })

describe('the memory', () => {
  const ports = {
    send: () => Promise.reject(new Error('none')),
    log: () => undefined,
  } as never as Ports
  const pass = (inspect: ReturnType<typeof recorder>, bytes: number) =>
    inspect.inspector.watch(
      new Request('http://x/v1/messages', { method: 'POST', body: '{}' }),
      ports,
      async () => ({ status: 200, headers: {}, body: new Uint8Array(bytes) }),
    )

  it('trap 40: stays within the ring after 10,000 exchanges, and the oldest go first', async () => {
    const kept = recorder()
    for (let count = 0; count < 10_000; count += 1) await pass(kept, 1000)
    expect(kept.list().length).toBe(RING_EXCHANGES)
    expect(kept.list()[0]?.number).toBe(10_001 - RING_EXCHANGES)
    for (let count = 0; count < 10; count += 1) await pass(kept, 300_000)
    expect(kept.list().map(({ number }) => number)).toEqual([10_008, 10_009, 10_010])
    kept.clear()
    expect(kept.list()).toEqual([])
  })

  it('is taken once, and what is overwritten is gone', () => {
    const ring = new Ring(10)
    const bodies = ['abcdef', 'ghijkl'].map((text) => {
      const body = new KeptBody(ring)
      body.hold(bytes(text))
      return body
    })
    expect(bodies.map(({ first = 0 }) => ring.holds(first))).toEqual([false, true])
    expect(bodies[1]?.shown((text) => text, null).text).toBe('ghijkl')
    expect(new Ring().size).toBe(33_554_432)
  })

  it('tells streams apart that are written in turn, however often the end of the memory comes', () => {
    const ring = new Ring(1001)
    let bodies: { body: KeptBody; text: string }[] = []
    for (let count = 0; count < 2000; count += 1) {
      if (count % 12 === 0) bodies = [0, 1, 2].map(() => ({ body: new KeptBody(ring), text: '' }))
      const one = bodies[count % 3]
      const text = `${count}, ${'ä'.repeat(count % 17)}`
      one?.body.add(bytes(text), count)
      if (one) one.text += text
      if (count % 12 === 11)
        for (const [index, { body, text }] of bodies.entries()) {
          const shown = body.shown((same) => same, 'text/event-stream')
          expect(shown.text).toBe(text)
          expect(shown.marks?.map(([at]) => at)).toEqual(
            [11, 8, 5, 2].map((ago) => count - ago + index),
          )
        }
    }
  })

  it('shows nothing of a stream whose beginning is overwritten', () => {
    const ring = new Ring(100)
    const body = new KeptBody(ring)
    body.add(bytes('first'), 1)
    body.add(bytes('last'), 2)
    new KeptBody(ring).hold(new Uint8Array(56))
    expect(body.shown((text) => text, null).text).toBe('firstlast')
    new KeptBody(ring).hold(new Uint8Array(1))
    expect(ring.holds(body.first ?? 0)).toBe(false)
    expect(body.shown((text) => text, null).text).toBe('')
  })

  it('keeps once what goes on as it came', async () => {
    const ring = new Ring(small)
    const kept = createRecorder({ now: Date.now, secrets: () => [], ring })
    const came = bytes('{"model":"m"}')
    const request = new Request('http://x/v1/messages', { method: 'POST' })
    const told = { status: 200, headers: {}, body: null }
    for (const went of [came, bytes('{"model":"n"}')])
      await kept.inspector.watch(
        request,
        { ...ports, send: answerNothing },
        async (_, { came: hear, send }) => {
          hear?.(came)
          await send({ method: 'POST', url: '', headers: {}, body: went } as never)
          return told
        },
      )
    const sent = kept.list().map(({ calls }) => calls[0]?.body.shown((text) => text, null).text)
    expect(sent).toEqual(['{"model":"m"}', '{"model":"n"}'])
    expect(ring.next).toBe(3 * came.length)
  })

  it('keeps the beginning of a long body and of a long stream, and says so', () => {
    const long = new KeptBody(new Ring(4_000_000))
    long.hold(new Uint8Array(BODY_BYTES + 5))
    expect(long.kept).toBe(BODY_BYTES)
    expect(long.shown((text) => text, null)).toMatchObject({ size: BODY_BYTES + 5, cut: true })
    const stream = new KeptBody(new Ring(4_000_000))
    for (let count = 0; count < BODY_PIECES + 10; count += 1)
      stream.add(new Uint8Array([97]), count)
    const shown = stream.shown((text) => text, 'text/event-stream')
    expect([shown.marks?.length, shown.text?.length, shown.cut]).toEqual([
      BODY_PIECES,
      BODY_PIECES,
      true,
    ])
  })

  it('hides a secret that came in two pieces, and knows when the others came', () => {
    const body = new KeptBody(new Ring(4_000_000))
    body.add(bytes('ein geheim'), 1)
    body.add(bytes('nis, ä'), 2)
    expect(body.shown(hide, null)).toMatchObject({ text: 'ein ***, ä' })
    const apart = new KeptBody(new Ring(4_000_000))
    apart.add(bytes('geheimnis '), 1)
    apart.add(bytes('offen'), 2)
    expect(apart.shown(hide, null).marks).toEqual([
      [1, 4],
      [2, 9],
    ])
  })
})

const answerNothing = async () => ({ status: 200, headers: new Headers(), body: null })
const bytes = (text: string) => new TextEncoder().encode(text)
const hide = (text: string) => text.replaceAll('geheimnis', '***')

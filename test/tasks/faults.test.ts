import { describe, expect, it } from 'vitest'
import { PROCESS_LIMITS, TIMEOUTS } from '../../src/config/defaults.ts'
import { ConnectError, type Send } from '../../src/ports.ts'
import { bytes, bytesOf, hangingSend, post, reply, streamOf, taskBench, TASK_KEY } from './bench.ts'

const MEBIBYTE = 1024 * 1024
const PIECE = new Uint8Array(65_536).fill(65)

/** Pieces that count how many of them were asked for. */
function counted(pieces: number): { stream: ReadableStream<Uint8Array>; asked(): number } {
  let asked = 0
  const source = (function* () {
    for (; asked < pieces;) {
      asked += 1
      yield PIECE
    }
  })()
  return { stream: streamOf(source), asked: () => asked }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const dead: Send = () => Promise.reject(new ConnectError('refused'))

const broken: Send = () => Promise.reject(new Error(`reset while sending ${TASK_KEY}`))

describe('a task service that fails', () => {
  it('is asked once more when nothing could have reached it', async () => {
    const { call, sent } = taskBench({ send: dead })
    const response = await call('/music/fetch/1')
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toEqual({
      code: 'unavailable',
      message: expect.any(String),
      data: null,
    })
    expect(sent).toHaveLength(2)
  })

  it('is asked once when a body was streamed to it', async () => {
    const { call, sent } = taskBench({ send: dead })
    const response = await call('/img/submit/imagine', post('{}'))
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({
      code: 23,
      description: expect.any(String),
      result: null,
    })
    expect(sent).toHaveLength(1)
  })

  const table: [string, Send, number][] = [
    ['breaks the connection', broken, 502],
    [
      'throws at once',
      () => {
        throw new Error(TASK_KEY)
      },
      502,
    ],
    ['never answers', hangingSend().send, 504],
    ...[301, 302, 303, 304, 307, 308].map((status): [string, Send, number] => [
      `redirects with ${status}`,
      async () => reply('', status, { location: 'https://evil.example' }),
      502,
    ]),
    ['switches protocols', async () => reply(null, 101, {}), 502],
    ['has a status of its own', async () => reply('{}', 999), 502],
    ['breaks off a short answer', async () => reply(cutOff(1)), 502],
    ['goes silent in a short answer', async () => reply(silent()), 504],
  ]
  it.each(table)('that %s is told of in its form', async (_, send, status) => {
    const { call, sent, log } = taskBench({ send })
    const response = await call('/img/submit/imagine', post('{}'))
    const text = await response.text()
    expect(response.status, text).toBe(status)
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(JSON.parse(text)).toEqual({ code: 23, description: expect.any(String), result: null })
    expect(text).not.toContain(TASK_KEY)
    expect(sent).toHaveLength(1)
    expect(log).toMatchObject([{ status }])
    expect(response.headers.get('x-should-retry')).toBe('false')
  })

  it('cannot make half of a long answer look like a whole one', async () => {
    const { call, log } = taskBench({ send: async () => reply(cutOff(10)) })
    const response = await call('/music/fetch/1')
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(log).toMatchObject([{ status: 200, error: expect.any(String) }])
  })

  it('cannot answer without end', async () => {
    const limits = { ...PROCESS_LIMITS, streamBytes: 3 * MEBIBYTE }
    const endless = counted(1000)
    const { call } = taskBench({ send: async () => reply(endless.stream), settings: { limits } })
    const response = await call('/music/fetch/1')
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(endless.asked()).toBeLessThan(60)
  })
})

/** So many pieces and then a broken connection. */
function cutOff(pieces: number): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if ((sent += 1) > pieces) controller.error(new Error('reset'))
      else controller.enqueue(pieces === 1 ? bytes('{"code":') : PIECE)
    },
  })
}

const silent = (): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (controller) => controller.enqueue(bytes('{"code":')) })

describe('large bodies of the task services', () => {
  it('are streamed to the service: it has the beginning while the end is not there', async () => {
    const total = (20 * MEBIBYTE) / PIECE.length
    const upload = counted(total)
    let furthest = 0
    let size = 0
    const send: Send = async ({ body }) => {
      if (!(body instanceof ReadableStream)) throw new Error('expected a stream')
      for await (const piece of body) {
        size += piece.length
        furthest = Math.max(furthest, upload.asked() - size / PIECE.length)
      }
      return reply('{"code":1}')
    }
    const { call } = taskBench({ send })
    const response = await call('/img/submit/blend', post(upload.stream))
    expect(await response.text()).toBe('{"code":1}')
    expect(size).toBe(20 * MEBIBYTE)
    expect(furthest).toBeLessThanOrEqual(4)
  })

  it('are streamed to the caller, as fast as it reads', async () => {
    const download = counted(320)
    const { call, log } = taskBench({ send: async () => reply(download.stream) })
    const response = await call('/music/fetch', post('{}'))
    await pause(50)
    expect(download.asked()).toBeLessThan(8)
    expect(await bytesOf(response.body ?? undefined)).toHaveLength(320 * PIECE.length)
    expect(log).toMatchObject([{ status: 200, bytesOut: 320 * PIECE.length }])
  })

  const limits = { ...PROCESS_LIMITS, bodyBytes: 100_000 }
  it.each([
    [99_999, 200],
    [100_000, 200],
    [100_001, 413],
  ])('of %s bytes get %s, announced or not', async (size, status) => {
    const body = new Uint8Array(size).fill(65)
    const pieces = Array.from({ length: Math.ceil(size / 1000) }, (_, index) =>
      body.slice(index * 1000, (index + 1) * 1000),
    )
    for (const request of [
      post(body, { 'content-length': String(size) }),
      post(streamOf(pieces)),
    ]) {
      let received = 0
      const send: Send = async ({ body }) => {
        received = (await bytesOf(body)).length
        return reply('{"code":1}')
      }
      const { call } = taskBench({ send, settings: { limits } })
      const response = await call('/img/submit/describe', request)
      expect(response.status).toBe(status)
      expect(received).toBe(status === 200 ? size : 0)
      if (status !== 200)
        expect(await response.json()).toEqual({
          code: 21,
          description: expect.any(String),
          result: null,
        })
    }
  })
})

describe('a caller of the task services who leaves', () => {
  it('is noticed while the service is silent', async () => {
    const { send, aborted } = hangingSend()
    const { call, log } = taskBench({ send, task: { timeouts: TIMEOUTS } })
    const leaving = new AbortController()
    const work = call('/img/submit/imagine', { ...post('{}'), signal: leaving.signal })
    await pause(20)
    leaving.abort()
    await aborted
    await work
    expect(log).toMatchObject([{ status: 499 }])
  })

  it('is noticed in the middle of an upload', async () => {
    const { send, aborted } = hangingSend()
    const { call } = taskBench({ send, task: { timeouts: TIMEOUTS } })
    const leaving = new AbortController()
    const body = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })
    const work = call('/img/submit/blend', { ...post(body), signal: leaving.signal })
    await pause(20)
    leaving.abort()
    await aborted
    await work
  })

  it('is noticed in the middle of an answer', async () => {
    let cancelled: (() => void) | undefined
    const cancel = new Promise<void>((resolve) => (cancelled = resolve))
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1
        controller.enqueue(PIECE)
      },
      cancel: () => cancelled?.(),
    })
    const { call, log } = taskBench({ send: async () => reply(endless) })
    const response = await call('/music/fetch/1')
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await cancel
    expect(sent).toBeLessThan(10)
    expect(log).toMatchObject([{ status: 499 }])
  })

  it('frees the place that the exchange had', async () => {
    const limits = { ...PROCESS_LIMITS, streams: 1 }
    const { call } = taskBench({ settings: { limits } })
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await call('/music/fetch/1')).status).toBe(200)
      expect((await call('/music/fetch/..%2f')).status).toBe(400)
      expect((await call('/music/nowhere')).status).toBe(404)
    }
  })
})

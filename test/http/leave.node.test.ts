import { createServer, request as httpRequest, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../src/http/hono-app.ts'
import { createSend } from '../../src/node/upstream/send.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { settingsWith, sleep, sse } from '../exchange/proxy.ts'
import { messagesStart } from '../dialects/messages/reply.ts'

/** Real sockets on both sides: a caller that leaves, an upstream that breaks. */

type Behaviour = (response: ServerResponse) => void

const log: LogEntry[] = []
const nodeSend = createSend()
let behaviour: Behaviour = () => {}
let arrived = () => {}
let closed: Promise<number> = Promise.resolve(0)
let upstream: Server
let proxy: ReturnType<typeof serve>
let proxyPort = 0

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port

beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume()
    const start = performance.now()
    closed = new Promise((resolve) =>
      response.on('close', () => resolve(performance.now() - start)),
    )
    arrived()
    behaviour(response)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const settings = settingsWith({
    routes: [{ model: '*', upstream: 'plain' }],
    upstream: { dialect: 'messages', base: `http://127.0.0.1:${portOf(upstream)}` },
  })
  const app = createApp(settings, {
    send: nodeSend.send,
    now: Date.now,
    randomId: () => crypto.randomUUID().replaceAll('-', ''),
    log: (entry) => log.push(entry),
  })
  await new Promise<void>((resolve) => {
    proxy = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      proxyPort = port
      resolve()
    })
  })
})

afterAll(async () => {
  nodeSend.destroy()
  await new Promise((resolve) => proxy.close(resolve))
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})

const messageStart = sse(messagesStart)
const blockStart = sse({
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'text', text: '' },
})
const delta = sse({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'Hello' },
})

const SSE = { 'content-type': 'text/event-stream' }
const phases: [string, Behaviour][] = [
  ['before the head', () => {}],
  [
    'after the head',
    (response) => {
      response.writeHead(200, SSE)
      response.flushHeaders()
    },
  ],
  [
    'in the middle of an event',
    (response) => {
      response.writeHead(200, SSE)
      response.write(messageStart + blockStart + delta + 'data: {"type":')
    },
  ],
  [
    'in the middle of a flood',
    (response) => {
      response.writeHead(200, SSE)
      response.write(messageStart + blockStart)
      const flood = () => {
        while (response.writable && response.write(delta.repeat(100))) continue
      }
      response.on('drain', flood)
      flood()
    },
  ],
]
const callers = [
  ['translated', '/v1/responses', (stream: boolean) => ({ model: 'm', input: 'hi', stream })],
  [
    'passed',
    '/v1/messages',
    (stream: boolean) => ({
      model: 'm',
      max_tokens: 9,
      stream,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  ],
] as const

function post(path: string, body: unknown) {
  const request = httpRequest({
    port: proxyPort,
    host: '127.0.0.1',
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
  })
  request.on('error', () => {})
  request.end(JSON.stringify(body))
  return request
}

describe.each(callers)('a caller whose reply is %s', (_, path, body) => {
  for (const stream of [true, false])
    it.each(phases)(
      `leaves %s (stream: ${stream}), and the upstream is left`,
      async (_phase, phase) => {
        behaviour = phase
        const received = new Promise<void>((resolve) => (arrived = resolve))
        const lines = log.length
        const request = post(path, body(stream))
        request.on('response', (response) => response.once('data', () => {}))
        await received
        await sleep(60)
        request.destroy()
        expect(await closed).toBeLessThan(1500)
        await sleep(30)
        expect(log.slice(lines).map(({ status }) => status)).toEqual([499])
      },
    )
})

describe.each(callers)('an upstream whose reply is %s', (_, path, body) => {
  const ask = (stream: boolean) =>
    fetch(`http://127.0.0.1:${proxyPort}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body(stream)),
    })
  it.each([
    ['is reset', (response: ServerResponse) => response.destroy()],
    ['ends', (response: ServerResponse) => response.end()],
    ['hangs up without a last chunk', (response: ServerResponse) => response.socket?.end()],
  ])('%s in the middle: the caller is told, and never of a success', async (_name, cut) => {
    for (const headers of [SSE, { ...SSE, connection: 'close' }]) {
      behaviour = (response) => {
        response.writeHead(200, headers)
        response.write(messageStart + blockStart + delta + 'data: {"type":')
        setTimeout(() => cut(response), 40)
      }
      const stream = await (await ask(true)).text()
      expect(stream).toContain('Hello')
      expect(stream).toMatch(/event: (?:error|response\.failed)/)
      expect(stream).not.toMatch(/response\.completed|message_stop/)
      if (path === '/v1/responses') expect((await ask(false)).status).toBe(502)
    }
  })
  it('is reset before its head: a status', async () => {
    behaviour = (response) => response.destroy()
    const response = await ask(true)
    expect(response.status).toBe(502)
    expect(response.headers.get('x-should-retry')).toBe('false')
  })
})

it('an upstream that is not there was not asked', async () => {
  const settings = settingsWith({
    routes: [{ model: '*', upstream: 'plain' }],
    upstream: { dialect: 'messages', base: 'http://127.0.0.1:1' },
  })
  const app = createApp(settings, {
    send: nodeSend.send,
    now: Date.now,
    randomId: () => '0'.repeat(32),
    log: () => {},
  })
  const response = await app.fetch(
    new Request('http://proxy.example/v1/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"m","input":"hi"}',
    }),
  )
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('1')
})

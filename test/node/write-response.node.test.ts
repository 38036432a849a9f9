import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ELLIPSIS } from '../../src/model/loss.ts'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import type { Answer } from '../../src/exchange/exchange.ts'
import { startServer, type RunningServer } from '../../src/node/server/server.ts'

const BODIES: Record<string, Answer['body']> = {
  '/text': '{"text":"Grüße …"}',
  '/bytes': new TextEncoder().encode('{"text":"Grüße …"}'),
  // Too long to leave in one piece with its headers.
  '/long': `{"text":"Grüße …${' and more'.repeat(4000)}"}`,
}
/** A stream that breaks off. */
function broken(): Answer['body'] {
  const pieces = ['{"half":']
  return {
    async read() {
      const piece = pieces.pop()
      if (piece !== undefined) return new TextEncoder().encode(piece)
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw new Error('the service is gone')
    },
    cancel: () => undefined,
  }
}
let server: RunningServer

beforeAll(async () => {
  server = await startServer({
    answer: async ({ url }) => {
      const { pathname } = new URL(url)
      return {
        status: 200,
        headers: { 'x-list': `3; one, two${ELLIPSIS}` },
        body: pathname === '/broken' ? broken() : (BODIES[pathname] ?? null),
      }
    },
    host: '127.0.0.1',
    port: 0,
    limits: PROCESS_LIMITS,
    breakOff: () => undefined,
  })
})
afterAll(() => server.stop(0))

it.each(Object.keys(BODIES))(
  'a header has the bytes that it is made of, before %s',
  async (path) => {
    const [header, body] = await new Promise<[string, string]>((resolve) => {
      get({ host: '127.0.0.1', port: server.port, path, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece) => (text += piece))
        response.on('end', () => resolve([String(response.headers['x-list']), text]))
      })
    })
    expect(Buffer.from(header, 'latin1').toString()).toBe('3; one, two…')
    expect(body.replaceAll(' and more', '')).toBe('{"text":"Grüße …"}')
  },
)

/** What is heard behind a head, and how the connection ended. */
const hearing = (head: string) =>
  new Promise<{ heard: string; failure: string | undefined }>((resolve) => {
    let heard = ''
    let failure: string | undefined
    const socket = connect(server.port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n`))
    socket.on('data', (data) => (heard += String(data)))
    socket.on('error', (error: NodeJS.ErrnoException) => (failure = error.code))
    socket.on('close', () => resolve({ heard, failure }))
  })
const statusOf = async (head: string) => (await hearing(head)).heard.split(' ')[1] ?? ''

it('a caller from before HTTP/1.1 may leave out the host, and no other', async () => {
  expect(await statusOf('GET /text HTTP/1.0')).toBe('200')
  expect(await statusOf('GET /text HTTP/1.1')).toBe('400')
})

it('a caller from before HTTP/1.1 can tell an answer that broke off from a whole one', async () => {
  const old = await hearing('GET /broken HTTP/1.0')
  expect(old.heard.endsWith('{"half":')).toBe(true)
  expect(old.failure).toBe('ECONNRESET')
  const { heard, failure } = await hearing('GET /broken HTTP/1.1\r\nHost: localhost')
  // Its last chunk is missing, and nothing that was sent before is lost with a reset.
  expect(heard.endsWith('8\r\n{"half":\r\n')).toBe(true)
  expect(failure).toBeUndefined()
})

/** A connection that has been answered, and for how many seconds it will be kept. */
async function idle(port: number): Promise<{ socket: Socket; seconds: number }> {
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('GET /text HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  )
  const heard = await new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
  return { socket, seconds: Number(/^keep-alive: timeout=(\d+)/im.exec(String(heard))?.[1]) }
}

it('an idle connection outlives the patience of balancers, and is kept in the memory of routers', async () => {
  const { socket, seconds } = await idle(server.port)
  expect(seconds).toBeGreaterThan(120)
  if (process.platform === 'linux')
    await expect.poll(() => timerOf(server.port, socket.localPort ?? 0)).toBe('02')
  socket.destroy()
})

it('an idle connection is kept shortly where few more may come', async () => {
  const small = await startServer({
    answer: async () => ({ status: 200, headers: {}, body: 'x' }),
    host: '127.0.0.1',
    port: 0,
    limits: { ...PROCESS_LIMITS, connections: 4 },
    breakOff: () => undefined,
  })
  const crowd: Awaited<ReturnType<typeof idle>>[] = []
  for (let count = 0; count < 4; count += 1) crowd.push(await idle(small.port))
  expect(crowd.map(({ seconds }) => seconds)).toEqual([125, 125, 125, 5])
  for (const { socket } of crowd) socket.destroy()
  const next = async () => {
    const { socket, seconds } = await idle(small.port)
    socket.destroy()
    return seconds
  }
  await expect.poll(next).toBe(125)
  await small.stop(0)
})

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')

/** The kind of timer that the system runs for the server's side of a connection; 02 is that of its probes. */
function timerOf(local: number, remote: number): string | undefined {
  const of = new RegExp(`:${hex(local)} \\w+:${hex(remote)} \\w+ \\w+:\\w+ (\\w+):`)
  return of.exec(readFileSync('/proc/net/tcp', 'utf8'))?.[1]
}

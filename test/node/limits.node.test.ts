import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import type { Answer } from '../../src/exchange/exchange.ts'
import { startServer } from '../../src/node/server/server.ts'
import { emptyFolder } from './command.ts'
import { undisturbed } from './undisturbed.ts'

/** The limits that only sockets know: how many there are, how slowly callers send and take. */

const folder = emptyFolder()
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(() => folder.remove())

const MODEL = 'm'
const BODY = JSON.stringify({
  model: MODEL,
  max_tokens: 9,
  messages: [{ role: 'user', content: 'Hello!' }],
})

/** The command with an upstream of its own in the same process. */
async function portWith(limits: object, through?: 'few-files'): Promise<number> {
  const upstreams = { demo: { dialect: 'messages', url: 'http://demo.invalid/messages' } }
  const config = JSON.stringify({ upstreams, limits })
  const command = folder.run(['--port', '0'], { DRAGOMAN_CONFIG: config }, through)
  return Number(new URL(await command.listening()).port)
}

/** A connection and what comes over it; `closed` when the other side has closed it. */
interface Line {
  socket: Socket
  heard: string
  closed: boolean
}

function line(port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const made: Line = { socket, heard: '', closed: false }
  socket.setEncoding('utf8').on('data', (text) => (made.heard += text))
  socket.on('error', () => undefined)
  socket.on('close', () => (made.closed = true))
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(made))
    socket.once('close', () => resolve(made))
  })
}

const head = (length: number, connection = 'keep-alive') =>
  'POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
  `Anthropic-Version: 2023-06-01\r\nConnection: ${connection}\r\nContent-Length: ${length}\r\n\r\n`

const statusOf = ({ heard }: Line) => /^HTTP\/1\.1 (\d+)/.exec(heard)?.[1]
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

describe('more connections than the system allows', () => {
  // A path with an escape is read by what is loaded with the first of its kind.
  const ODD = 'GET /v1/models/a%2Fb HTTP/1.1\r\nHost: localhost\r\n\r\n'

  it('end nothing, and are served again when there is room', async () => {
    const port = await portWith({}, 'few-files')
    const first = await line(port)
    first.socket.write(head(BODY.length) + BODY)
    await expect.poll(() => statusOf(first)).toBe('200')
    const crowd = await Promise.all(Array.from({ length: 100 }, () => line(port)))
    // Those that are not taken are closed.
    await expect.poll(() => crowd.filter(({ closed }) => closed).length).toBeGreaterThan(30)
    first.heard = ''
    first.socket.write(ODD)
    await expect.poll(() => statusOf(first)).toBe('500')
    for (const { socket } of crowd) socket.destroy()
    await expect
      .poll(async () => {
        const later = await line(port)
        later.socket.write(ODD)
        await pause(50)
        return statusOf(later)
      })
      .toBe('200')
  })
})

describe('as many connections as are allowed', () => {
  const CONNECTIONS = 4

  it('are served, one more is closed without a word, and whoever goes makes room', async () => {
    const port = await portWith({ connections: CONNECTIONS })
    const lines: Line[] = []
    for (let index = 0; index < CONNECTIONS; index += 1) {
      const one = await line(port)
      lines.push(one)
      one.socket.write(head(BODY.length) + BODY)
      await expect.poll(() => statusOf(one)).toBe('200')
    }
    const over = await line(port)
    over.socket.write(head(BODY.length) + BODY)
    await expect.poll(() => over.closed).toBe(true)
    expect(over.heard).toBe('')
    // Those that were there are none the worse for it.
    const [first, second] = lines as [Line, Line]
    expect(lines.map(({ closed }) => closed)).toEqual(lines.map(() => false))
    first.heard = ''
    first.socket.write(head(BODY.length) + BODY)
    await expect.poll(() => statusOf(first)).toBe('200')

    second.socket.destroy()
    const answered = async () => {
      const next = await line(port)
      next.socket.write(head(BODY.length) + BODY)
      await pause(200)
      return statusOf(next)
    }
    await expect.poll(answered).toBe('200')
  })
})

describe('a caller who sends slowly', () => {
  it('is told so when the body is late, and is served when it is just in time', async () => {
    const port = await portWith({ bodyMs: 800, headersMs: 800 })
    await undisturbed(async () => {
      const [late, punctual] = [await line(port), await line(port)]
      for (const { socket } of [late, punctual]) socket.write(head(BODY.length) + BODY.slice(0, 20))
      await pause(300)
      punctual.socket.write(BODY.slice(20))
      await expect.poll(() => statusOf(punctual)).toMatch(/./)
      expect(statusOf(punctual)).toBe('200')
      await expect.poll(() => statusOf(late)).toBe('408')
      expect(late.heard).toContain('"type":"error"')
    })
  })

  it('is cut off when the head is late', async () => {
    const port = await portWith({ bodyMs: 300, headersMs: 300 })
    const late = await line(port)
    late.socket.write('POST /v1/messages HTTP/1.1\r\nHost:')
    await expect.poll(() => late.closed).toBe(true)
    expect(late.heard).toMatch(/^HTTP\/1\.1 408|^$/)
  })
})

const said = (body: string): Answer => ({ status: 200, headers: {}, body })

describe('a caller who takes slowly', () => {
  const STALL_MS = 400
  const SIZE = 48 * 1024 * 1024

  const late = () => pause(STALL_MS * 3).then(() => said('late'))
  const large = async () => said('x'.repeat(SIZE))

  async function openPort(answer: () => Promise<Answer>): Promise<number> {
    const server = await startServer({
      answer,
      host: '127.0.0.1',
      port: 0,
      limits: PROCESS_LIMITS,
      stallMs: STALL_MS,
      breakOff: () => undefined,
    })
    stops.push(() => server.stop(0))
    return server.port
  }
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const stop of stops.splice(0)) await stop()
  })

  it('is cut off when it takes nothing, and never taken for served', () =>
    undisturbed(async () => {
      const { socket } = await line(await openPort(large))
      socket.pause()
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await pause(STALL_MS * 4)
      let size = 0
      socket.on('data', (text) => (size += text.length))
      const closed = new Promise((resolve) => socket.on('close', resolve))
      socket.resume()
      await closed
      expect(size).toBeGreaterThan(0)
      expect(size).toBeLessThan(SIZE)
    }))

  it('is not cut off while there is nothing to take', async () => {
    const one = await line(await openPort(late))
    one.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await expect.poll(() => statusOf(one)).toBe('200')
  })

  it('gets everything as long as it takes something now and then', async () => {
    const { socket } = await line(await openPort(large))
    let size = 0
    const start = performance.now()
    socket.on('data', (text) => {
      size += text.length
      // The system wakes a writer only when a good part of what it holds has been taken.
      if (performance.now() - start > STALL_MS * 3) return
      socket.pause()
      setTimeout(() => socket.resume(), 4)
    })
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await new Promise((resolve) => socket.on('close', resolve))
    expect(performance.now() - start).toBeGreaterThan(STALL_MS * 3)
    expect(size).toBeGreaterThan(SIZE)
  })
})

import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import type { Answer } from '../../src/exchange/exchange.ts'
import type { HttpRequest } from '../../src/ports.ts'
import { startServer } from '../../src/node/server/server.ts'

/** What one connection may do by sending more than it waits for. */

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function openPort(answer: (asked: HttpRequest) => Promise<Answer>): Promise<number> {
  return (await openServer(answer)).port
}

async function openServer(answer: (asked: HttpRequest) => Promise<Answer>) {
  const server = await startServer({
    answer,
    host: '127.0.0.1',
    port: 0,
    limits: PROCESS_LIMITS,
    breakOff: () => undefined,
  })
  stops.push(() => server.stop(0))
  return server
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function talk(port: number) {
  const socket = connect(port, '127.0.0.1')
  const line = { socket, heard: '', closed: false }
  socket.on('data', (bytes) => (line.heard += bytes.toString('latin1')))
  socket.on('error', () => undefined)
  socket.on('close', () => (line.closed = true))
  return line
}

const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** Answers with what was asked, and counts how many it is asked for at once. */
function counting(ms = 1) {
  const open = { now: 0, most: 0, begun: 0 }
  const answer = async (asked: HttpRequest): Promise<Answer> => {
    open.begun += 1
    open.now += 1
    open.most = Math.max(open.most, open.now)
    const { pathname } = new URL(asked.url)
    await asked.whole?.()
    await pause(ms)
    open.now -= 1
    return { status: 200, headers: {}, body: `<${pathname}>` }
  }
  return { open, answer }
}

describe('requests that are sent before the answers to former ones', () => {
  it('are begun one after the other, and answered in their order', async () => {
    const { open, answer } = counting()
    const line = talk(await openPort(answer))
    const paths = Array.from({ length: 300 }, (_, index) => `/${index}`)
    line.socket.write(paths.map((path) => post(path, 'x'.repeat(500))).join(''))
    await expect.poll(() => line.heard.includes('</299>')).toBe(true)
    expect(line.heard.match(/<\/\d+>/g)).toEqual(paths.map((path) => `<${path}>`))
    expect(open.most).toBe(1)
    line.socket.destroy()
  })
  it('are not begun when their caller has left', async () => {
    const { open, answer } = counting(50)
    const line = talk(await openPort(answer))
    line.socket.write(post('/0', 'x'))
    await expect.poll(() => line.heard.includes('</0>')).toBe(true)
    line.socket.write(Array.from({ length: 10 }, () => post('/1', 'x')).join(''))
    await expect.poll(() => open.begun).toBeGreaterThan(1)
    line.socket.destroy()
    await pause(300)
    expect(open.begun).toBeLessThan(5)
    expect(open.now).toBe(0)
  })
  it('do not keep other connections waiting', async () => {
    const { open, answer } = counting()
    const port = await openPort(answer)
    const lines = [1, 2, 3].map(() => talk(port))
    for (const { socket } of lines) socket.write(post('/x', 'x').repeat(20))
    await expect.poll(() => lines.every(({ heard }) => heard.split('</x>').length > 20)).toBe(true)
    expect(open.most).toBeGreaterThan(1)
    for (const { socket } of lines) socket.destroy()
  })
  it('hold a bounded memory, beyond which their connection is closed', async () => {
    let isFirst = true
    const answer = (): Promise<Answer> => {
      if (!isFirst) return Promise.resolve({ status: 200, headers: {}, body: '<served>' })
      isFirst = false
      return new Promise(() => undefined)
    }
    const server = await openServer(answer)
    const line = talk(server.port)
    line.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(40_000))
    await expect.poll(() => line.closed).toBe(true)
    expect(line.heard).toBe('')
    // Nothing of them is held any more, nor counted.
    await expect.poll(() => server.open()).toBe(0)
    const paths = Array.from({ length: 100 }, () => post('/', 'x'.repeat(50_000)))
    const other = talk(server.port)
    other.socket.write(paths.join(''))
    await expect.poll(() => other.heard.split('<served>').length).toBe(101)
    other.socket.destroy()
  })
  it('hold as much as their bodies, which are no shorter than they are read', async () => {
    const line = talk(await openPort(() => new Promise(() => undefined)))
    const much = post('/', 'x'.repeat(60_000))
    for (let index = 0; index < 1000; index += 1) line.socket.write(much)
    await expect.poll(() => line.closed).toBe(true)
  })
  it('wait behind a body of any length, which the request that is served holds', async () => {
    const { answer } = counting(20)
    const line = talk(await openPort(answer))
    line.socket.write(post('/long', 'x'.repeat(33 * 1024 * 1024)) + post('/next', 'x'))
    await expect.poll(() => line.heard.includes('</next>')).toBe(true)
    expect(line.heard).toContain('</long>')
    line.socket.destroy()
  })
  it('have a turn of the loop each, also when they are answered at once', async () => {
    const open = { begun: 0 }
    const answer = async (): Promise<Answer> => {
      open.begun += 1
      return { status: 200, headers: {}, body: '' }
    }
    const line = talk(await openPort(answer))
    line.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2000))
    const inTurns: number[] = []
    while (open.begun < 2000) {
      const before = open.begun
      await new Promise((resolve) => setImmediate(resolve))
      inTurns.push(open.begun - before)
    }
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(2)
    line.socket.destroy()
  })
  it('are open exchanges only when they are begun', async () => {
    const { answer } = counting(50)
    const server = await openServer(answer)
    const line = talk(server.port)
    line.socket.write(post('/', 'x').repeat(100))
    await expect.poll(() => server.open()).toBe(1)
    line.socket.destroy()
    await expect.poll(() => server.open()).toBe(0)
  })
})

const read = async (asked: HttpRequest): Promise<Answer> => {
  let size = 0
  const tooMuch = await asked
    .whole?.((bytes) => {
      size += bytes
      if (size > 1000) throw new Error('no room')
    })
    .catch((error: Error) => error.message)
  return { status: 503, headers: {}, body: String(tooMuch) }
}

describe('a refusal before the body has been read', () => {
  const refusal = JSON.stringify({ error: 'x'.repeat(1000) })
  const refuse = async (): Promise<Answer> => ({ status: 503, headers: {}, body: refusal })

  it.each(['keep-alive', 'close'])('is heard while it is still sent: %s', async (connection) => {
    const line = talk(await openPort(refuse))
    const size = 20_000_000
    line.socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: ${size}\r\n\r\n`,
    )
    await pause(20)
    for (let sent = 0; sent < size / 2; sent += 1_000_000)
      line.socket.write(Buffer.alloc(1_000_000))
    await expect.poll(() => line.closed).toBe(true)
    expect(line.heard).toMatch(/^HTTP\/1\.1 503 /)
    expect(line.heard).toMatch(/^connection: close\r$/im)
    expect(line.heard.endsWith(refusal)).toBe(true)
  })
  it('comes in the middle of a body without a length', async () => {
    const line = talk(await openPort(read))
    line.socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    const timer = setInterval(() => line.socket.write(`64\r\n${'x'.repeat(100)}\r\n`), 5)
    await expect.poll(() => line.heard.includes('no room')).toBe(true)
    await expect.poll(() => line.closed).toBe(true)
    clearInterval(timer)
  })
})

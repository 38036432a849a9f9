import { createServer, request, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Command, emptyFolder, type Folder } from './command.ts'
import { undisturbed } from './undisturbed.ts'
import { messagesStart } from '../dialects/messages/reply.ts'

const STREAMS = 20
/** Much sooner than at the end of a long drain, on any machine. */
const SOON_MS = 8000
const LONG_DRAIN_MS = 10_000
const PIECES = 6

let folder: Folder
let upstream: Server
/** The answers that the upstream has begun and not ended. */
let open: ServerResponse[]

/** An upstream that begins every answer and says the rest when it is told to. */
beforeEach(async () => {
  folder = emptyFolder()
  open = []
  upstream = createServer((incoming, response) => {
    incoming.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(piece(0))
    open.push(response)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  folder.remove()
  upstream.close().closeAllConnections()
})

const event = (name: string, data: object) =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`

const piece = (index: number): string => {
  if (index === 0)
    return (
      event('message_start', messagesStart) +
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    )
  return event('content_block_delta', {
    index: 0,
    delta: { type: 'text_delta', text: `${index} ` },
  })
}

const END =
  event('content_block_stop', { index: 0 }) +
  event('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 5 },
  }) +
  event('message_stop', {})

function started(drainMs: number, more = {}): Command {
  const { port } = upstream.address() as AddressInfo
  const config = {
    upstreams: { slow: { dialect: 'messages', url: `http://127.0.0.1:${port}` } },
    limits: { drainMs, ...more },
  }
  return folder.run(['--port', '0'], { DRAGOMAN_CONFIG: JSON.stringify(config) })
}

/** A stream through the translation, as a caller of another dialect has it. */
async function streamed(url: string): Promise<string> {
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', input: 'Hello', stream: true }),
  })
  return response.text()
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a signal to stop', () => {
  it('lets running streams end, takes no new connection and ends with 0', async () => {
    const command = started(LONG_DRAIN_MS)
    const url = await command.listening()
    const streams = Array.from({ length: STREAMS }, () => streamed(url))
    await expect.poll(() => open.length).toBe(STREAMS)

    command.child.kill('SIGTERM')
    const reached = () =>
      connected(Number(new URL(url).port)).then(
        (socket) => socket.destroy() && 'open',
        ({ code }) => code,
      )
    await expect.poll(reached).toBe('ECONNREFUSED')
    for (let index = 1; index <= PIECES; index += 1) {
      for (const response of open) response.write(piece(index))
      await pause(20)
    }
    for (const response of open) response.end(END)
    const ended = performance.now()
    for (const text of await Promise.all(streams)) {
      expect(text).toContain('"1 2 3 4 5 6 "')
      expect(text).toContain('event: response.completed')
    }
    expect((await command.finished).code).toBe(0)
    expect(performance.now() - ended).toBeLessThan(SOON_MS)
  })

  it('breaks off what is left at the end of the time, in the words of the dialect', async () => {
    const command = started(300)
    const url = await command.listening()
    const streams = Array.from({ length: STREAMS }, () => streamed(url))
    await expect.poll(() => open.length).toBe(STREAMS)
    command.child.kill('SIGINT')
    const stopped = performance.now()
    for (const text of await Promise.all(streams)) {
      expect(text).toContain('event: response.failed')
      expect(text).not.toContain('event: response.completed')
    }
    expect((await command.finished).code).toBe(0)
    expect(performance.now() - stopped).toBeLessThan(SOON_MS)
  })

  it('closes kept connections after their answer, and says that it is stopping', () =>
    undisturbed(async () => {
      open = []
      const command = started(LONG_DRAIN_MS)
      const url = await command.listening()
      const stream = streamed(url)
      await expect.poll(() => open.length).toBe(1)
      const idle = await connected(Number(new URL(url).port))
      idle.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n')
      await pause(50)
      command.child.kill('SIGTERM')
      await pause(150)
      const answer = new Promise<string>((resolve) => {
        let text = ''
        idle.on('data', (chunk) => (text += chunk))
        idle.on('close', () => resolve(text))
      })
      idle.write('\r\n')
      const told = await answer
      open[0]?.end(END)
      await stream
      expect((await command.finished).code).toBe(0)
      expect(told).toMatch(/^HTTP\/1\.1 503[^]*connection: close/i)
    }))

  it.each(['SIGINT', 'SIGTERM'] as const)('says what it waits for: %s', async (signal) => {
    const command = started(LONG_DRAIN_MS)
    const url = await command.listening()
    const streams = [streamed(url), streamed(url)]
    await expect.poll(() => open.length).toBe(2)
    command.child.kill(signal)
    await expect
      .poll(() => command.printed().error)
      .toMatch(/\ndragoman: waits for 2 open exchanges, at most 10 s .* a second signal ends it/)
    for (const response of open) response.end(END)
    for (const text of await Promise.all(streams)) expect(text).toContain('response.completed')
    expect((await command.finished).code).toBe(0)
  })

  it('is none where tools of Node ask for something else', async () => {
    const command = started(1000)
    const url = await command.listening()
    command.child.kill('SIGUSR2')
    await pause(150)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    command.child.kill('SIGTERM')
    expect((await command.finished).code).toBe(0)
  })

  it('is known before the port closes, where that is asked for', async () => {
    const command = started(10_000, { lingerMs: 2000 })
    const url = await command.listening()
    const health = async () =>
      Promise.all(
        ['/livez', '/readyz', '/healthz'].map(async (path) => {
          const { status } = await fetch(url + path)
          return status
        }),
      )
    expect(await health()).toEqual([200, 200, 200])
    const stopped = performance.now()
    command.child.kill('SIGTERM')
    await expect.poll(health).toEqual([200, 503, 503])
    const stream = streamed(url)
    await expect.poll(() => open.length).toBe(1)
    open[0]?.end(END)
    expect(await stream).toContain('response.completed')
    expect(await health()).toEqual([200, 503, 503])
    expect((await command.finished).code).toBe(0)
    expect(performance.now() - stopped).toBeGreaterThan(1900)
    expect(command.printed().error).toMatch(/stays open for 2 s \(limits\.lingerMs\)/)
  })

  it('ends at once at the second one', async () => {
    const command = started(LONG_DRAIN_MS)
    const url = await command.listening()
    const stream = streamed(url).catch(() => 'broken')
    await expect.poll(() => open.length).toBe(1)
    command.child.kill('SIGTERM')
    // Two that come at once are one.
    await expect.poll(() => command.printed().error).toContain('a second signal ends it')
    command.child.kill('SIGTERM')
    expect((await command.finished).code).toBe(130)
    await stream
  })

  it('ends at once when nothing runs, kept connections or not', async () => {
    const command = started(LONG_DRAIN_MS)
    const url = await command.listening()
    await (await fetch(`${url}/healthz`)).text()
    const stopped = performance.now()
    command.child.kill('SIGTERM')
    expect((await command.finished).code).toBe(0)
    expect(performance.now() - stopped).toBeLessThan(SOON_MS)
  })
})

describe('the end of npm', () => {
  it('is the end of what it started', async () => {
    const command = folder.run(
      ['--port', '0'],
      {
        npm_lifecycle_event: 'start',
        PATH: process.env['PATH'] ?? '',
      },
      'shell',
    )
    const url = await command.listening()
    command.child.kill('SIGTERM')
    const gone = () =>
      fetch(`${url}/healthz`).then(
        () => 'there',
        () => 'gone',
      )
    await expect.poll(gone).toBe('gone')
  })
})

describe('a slow or malformed caller', () => {
  it('is cut off when its request does not arrive in time', async () => {
    const config = { upstreams: { a: { dialect: 'messages', url: 'http://127.0.0.1:9' } } }
    const limits = { headersMs: 100, bodyMs: 200 }
    const command = folder.run(['--port', '0'], {
      DRAGOMAN_CONFIG: JSON.stringify({ ...config, limits }),
    })
    const port = Number(new URL(await command.listening()).port)
    const socket = await connected(port)
    const text = new Promise<string>((resolve) => {
      let answer = ''
      socket.on('data', (chunk) => (answer += chunk))
      socket.on('close', () => resolve(answer))
    })
    socket.write('POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n')
    expect(await text).toMatch(/^HTTP\/1\.1 408|^$/)
  })

  it('gets 431 for headers beyond 16 KiB', async () => {
    const url = await started(1000).listening()
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(`${url}/healthz`, { headers: { 'x-long': 'x'.repeat(20_000) } }, (response) =>
        resolve(response.resume().statusCode),
      )
        .on('error', reject)
        .end()
    })
    expect(status).toBe(431)
  })
})

function connected(port: number) {
  return new Promise<ReturnType<typeof connect>>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.once('error', reject)
  })
}

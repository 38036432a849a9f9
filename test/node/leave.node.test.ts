import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Command, emptyFolder, type Folder } from './command.ts'

let folder: Folder
let upstream: Server
let command: Command
let url: string
/** Paths and events of the upstream, as they happen. */
let seen: string[] = []

beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume()
    seen.push('asked')
    response.on('close', () => seen.push('closed'))
    if (request.url?.includes('silent')) return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const data = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] } }] }
    response.write(`data: ${JSON.stringify(data)}\r\n\r\ndata: {"half`)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  folder = emptyFolder()
  const { port } = upstream.address() as AddressInfo
  const upstreams = {
    slow: { dialect: 'generate-content', url: `http://127.0.0.1:${port}`, key: 'sk-upstream-0001' },
  }
  command = folder.run(['--port', '0'], { DRAGOMAN_CONFIG: JSON.stringify({ upstreams }) })
  url = await command.listening()
})
afterAll(() => {
  folder.remove()
  upstream.close().closeAllConnections()
})
beforeEach(() => {
  seen = []
})

const ask = (model: string, stream: boolean, signal: AbortSignal) =>
  fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: 'Hello', stream }),
    signal,
  })

describe('a caller who leaves', () => {
  it.each([
    ['before the first byte of a stream', 'silent', true],
    ['before the first byte of a body', 'silent', false],
    ['while a body is gathered', 'model', false],
  ])('%s takes the upstream along', async (_, model, stream) => {
    const controller = new AbortController()
    const pending = ask(model, stream, controller.signal)
    await expect.poll(() => seen).toEqual(['asked'])
    controller.abort()
    await expect(pending).rejects.toThrow()
    await expect.poll(() => seen).toEqual(['asked', 'closed'])
  })

  it('in the middle of a stream takes the upstream along', async () => {
    const controller = new AbortController()
    const response = await ask('model', true, controller.signal)
    await response.body?.getReader().read()
    controller.abort()
    await expect.poll(() => seen).toEqual(['asked', 'closed'])
  })

  it('leaves nothing in the log but its lines', async () => {
    const lines = () => command.printed().out.split('\n')
    await expect.poll(() => lines().length).toBeGreaterThan(3)
    const exchanges = lines().filter((line) => line.includes('"event":"exchange"'))
    expect(exchanges).toHaveLength(lines().filter(Boolean).length - 1)
    for (const line of exchanges) expect(JSON.parse(line)).toMatchObject({ status: 499 })
    expect(command.printed().error).toMatch(/^dragoman listens[^]*-d '.*'\n$/)
  })
})

describe('a caller who names two hosts', () => {
  it('is refused', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const answer = new Promise<string>((resolve) =>
      socket.once('data', (chunk) => resolve(String(chunk))),
    )
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')
    expect(await answer).toMatch(/^HTTP\/1\.1 400/)
    socket.destroy()
  })
})

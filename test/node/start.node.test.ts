import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCommand, PARTS } from '../../scripts/library.ts'
import { CLOSED_PORT } from '../ports.ts'
import { messagesReply } from '../dialects/messages/reply.ts'

const home = mkdtempSync(join(tmpdir(), 'dragoman-start-'))
beforeAll(async () => {
  await buildCommand(home)
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(home, { recursive: true }))

/** Says at its end which of Node's modules it has loaded. */
const TELLING =
  'data:text/javascript,process.on("exit",()=>console.error("loaded",process.moduleLoadList.join()))'

/** What Node loaded from the start of the built command to its end, with one exchange in between. */
async function loadedWith(url: string, variables: Record<string, string> = {}): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ['--import', TELLING, join(home, 'dragoman.js'), '--port', '0'],
    {
      cwd: home,
      env: {
        DRAGOMAN_WARM: 'off',
        DRAGOMAN_DIALECT: 'messages',
        DRAGOMAN_URL: url,
        DRAGOMAN_KEY: 'key',
        ...variables,
      },
    },
  )
  let said = ''
  const ended = new Promise((end) => child.once('close', end))
  child.stderr.on('data', (chunk) => (said += chunk))
  await expect.poll(() => said).toContain('Try it:')
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? ''
  const body = JSON.stringify({ model: 'm', input: 'Hello' })
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${address}/v1/responses`, { method: 'POST', headers, body })
  expect(status).toBe(200)
  child.kill('SIGTERM')
  await ended
  return (/^loaded (.*)$/m.exec(said)?.[1] ?? '').split(',')
}

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((begun) => server.listen(0, '127.0.0.1', begun))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const greeting = createServer((request, response) =>
  request
    .resume()
    .on('end', () =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(messagesReply('Hello.'))),
    ),
)
let upstream = ''
beforeAll(async () => {
  upstream = await listening(greeting)
})
afterAll(() => greeting.close().closeAllConnections())

describe('a start', () => {
  it('loads nothing of Node that the first exchange does not need', async () => {
    const loaded = await loadedWith(upstream)
    expect(loaded).toContain('NativeModule http')
    // The second HTTP client of Node with the classes of the web, which is half of a bare server's start; TLS; stores.
    for (const name of ['internal/deps/undici/undici', 'http2', 'tls', 'https', 'sqlite'])
      expect(loaded).not.toContain(`NativeModule ${name}`)
  })

  it('asks a Redis where there is one to ask', async () => {
    const child = spawn(process.execPath, [join(home, 'dragoman.js'), '--port', '0'], {
      cwd: home,
      env: { DRAGOMAN_STATE: `redis://127.0.0.1:${CLOSED_PORT}` },
    })
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    await expect.poll(() => said).toContain('Try it:')
    child.kill('SIGTERM')
    expect(said).toContain('the Redis state server is unavailable: ECONNREFUSED')
  })

  it('leads to upstreams through an egress proxy', async () => {
    const asked: (string | undefined)[] = []
    const egress = createServer().on('connect', ({ url = '' }, socket) => {
      asked.push(url)
      const out = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        socket.pipe(out).pipe(socket)
      })
      for (const end of [socket, out]) end.on('error', () => end.destroy())
    })
    const { port } = new URL(upstream)
    const address = `http://upstream.example:${port}`
    await loadedWith(address, { HTTP_PROXY: await listening(egress) })
    egress.close().closeAllConnections()
    expect(asked).toEqual([`upstream.example:${port}`])
  })

  it('leaves what only some need to parts of the command', () => {
    const parts = readdirSync(join(home, PARTS)).join()
    for (const name of ['init', 'launch', 'inspector', 'redis']) expect(parts).toContain(`${name}-`)
  })
})

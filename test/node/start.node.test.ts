import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
async function loadedWith(url: string): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ['--import', TELLING, join(home, 'dragoman.js'), '--port', '0'],
    { cwd: home, env: { DRAGOMAN_DIALECT: 'messages', DRAGOMAN_URL: url, DRAGOMAN_KEY: 'key' } },
  )
  let said = ''
  const ended = new Promise((end) => child.once('close', end))
  child.stderr.on('data', (chunk) => (said += chunk))
  await expect.poll(() => said, { timeout: 10_000 }).toContain('Try it:')
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? ''
  const body = JSON.stringify({ model: 'm', input: 'Hello' })
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${address}/v1/responses`, { method: 'POST', headers, body })
  expect(status).toBe(200)
  child.kill('SIGTERM')
  await ended
  return (/^loaded (.*)$/m.exec(said)?.[1] ?? '').split(',')
}

describe('a start', () => {
  it('loads nothing of Node that the first exchange does not need', async () => {
    const upstream = createServer((request, response) =>
      request
        .resume()
        .on('end', () =>
          response
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify(messagesReply('Hello.'))),
        ),
    )
    await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening))
    const { port } = upstream.address() as AddressInfo
    const loaded = await loadedWith(`http://127.0.0.1:${port}`)
    upstream.close().closeAllConnections()
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
    await expect.poll(() => said, { timeout: 10_000 }).toContain('Try it:')
    child.kill('SIGTERM')
    expect(said).toContain('the Redis state server is unavailable: ECONNREFUSED')
  })

  it('leaves what only some need to parts of the command', () => {
    const parts = readdirSync(join(home, PARTS)).join()
    for (const name of ['init', 'launch', 'inspector', 'redis']) expect(parts).toContain(`${name}-`)
  })
})

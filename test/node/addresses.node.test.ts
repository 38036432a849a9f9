import { spawn } from 'node:child_process'
import dns from 'node:dns'
import { connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ConnectError, type Send } from '../../src/ports.ts'
import { createSend } from '../../src/node/upstream/send.ts'
import { fetchSend } from '../../src/upstream/fetch-send.ts'
import { freePort } from '../ports.ts'
import { undisturbed } from './undisturbed.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const clean of cleanups.splice(0)) clean()
})

/** A server that accepts nobody for a while, and then answers everybody. */
const SLEEPER = `
const server = require('node:http').createServer((_, response) => response.end('late'))
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800)
})`

/** Its port. Its queue is full, so that the system drops who connects, and connects them a second later. */
async function slowPort(): Promise<number> {
  const child = spawn(process.execPath, ['-e', SLEEPER], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((done) =>
    child.stdout.once('data', (text) => done(Number(text))),
  )
  const crowd = [1, 2, 3].map(() => connect(port, '127.0.0.1').on('error', () => undefined))
  cleanups.push(() => {
    for (const each of crowd) each.destroy()
    child.kill()
  })
  await new Promise((resolve) => setTimeout(resolve, 100))
  return port
}

/** As a name server has it whose host can be reached by one of two addresses. */
const resolving = (...addresses: string[]) =>
  vi.spyOn(dns, 'lookup').mockImplementation(((
    _: string,
    __: object,
    told: (error: null, list: object[]) => void,
  ) =>
    told(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as typeof dns.lookup)

const post = (port: number, fresh: boolean, send?: Send) => {
  const own = createSend()
  cleanups.push(own.destroy)
  const { signal } = new AbortController()
  const url = `http://upstream.example:${port}/`
  return (send ?? own.send)({ method: 'POST', url, headers: {}, signal, connectMs: 9000, fresh })
}

describe.skipIf(process.platform !== 'linux')('an upstream with several addresses', () => {
  it('is asked at the one that answers late, at the second attempt', async () => {
    resolving('127.0.0.1', '::1')
    await undisturbed(async () => {
      const port = await slowPort()
      await expect(post(port, false)).rejects.toThrow(
        new ConnectError(`connect ETIMEDOUT 127.0.0.1:${port}; connect ECONNREFUSED ::1:${port}`),
      )
      expect((await post(port, true)).status).toBe(200)
    })
  })

  it('is asked at the next one soon where the first is dead', async () => {
    // 192.0.2.0/24 belongs to nobody (RFC 5737).
    resolving('192.0.2.1', '127.0.0.1')
    const port = await slowPort()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await undisturbed(async () => {
      const began = performance.now()
      expect((await post(port, false)).status).toBe(200)
      expect(performance.now() - began).toBeLessThan(2000)
    })
  })

  it.each([
    ['of the proxy', undefined],
    ['of the runtime', fetchSend],
  ])(
    'has sent nothing where each refuses, for a reason of its own: the client %s',
    async (_, send) => {
      resolving('127.0.0.1', '::1')
      const port = await freePort()
      await expect(post(port, false, send)).rejects.toThrow(
        new ConnectError(
          `connect ECONNREFUSED 127.0.0.1:${port}; connect ECONNREFUSED ::1:${port}`,
        ),
      )
    },
  )
})

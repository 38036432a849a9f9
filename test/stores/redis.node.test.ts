import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { type Store, storeKey, StoreUnavailableError } from '../../src/memory/store.ts'
import { redisLink } from '../../src/node/store/redis.ts'
import { redisStore } from '../../src/memory/stores/redis.ts'
import { CLOSED_PORT, freePort } from '../ports.ts'
import { undisturbed } from '../node/undisturbed.ts'
import { sleep, storeContract } from './contract.ts'

const there = spawnSync('redis-server', ['--version']).status === 0
if (!there)
  console.warn('\n*** SKIPPED: the Redis store is not tested, there is no redis-server here ***\n')

const folder = mkdtempSync(join(tmpdir(), 'dragoman-redis-'))
const bounds = { entryBytes: 1e6, ownerBytes: 4e6, totalBytes: 8e6 }
const entry = (id: string, value: string, ttlMs = 3_600_000) => ({
  key: storeKey('a', id),
  owner: 'a',
  value,
  ttlMs,
})
const servers: ChildProcess[] = []
afterAll(() => {
  for (const server of servers) server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function startRedis(port: number, ...options: string[]): Promise<ChildProcess> {
  const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const server = spawn('redis-server', [...fixed, ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  servers.push(server)
  let output = ''
  for await (const chunk of server.stdout ?? []) {
    output += chunk
    if (output.includes('Ready to accept connections')) break
  }
  return server
}

const connect = (port: number, password = '', timeoutMs = 2000): Store =>
  redisStore(redisLink(`redis://:${password}@127.0.0.1:${port}`, timeoutMs), bounds)

/** Asks the server itself, past the store. */
async function raw(port: number, ...command: string[]): Promise<unknown> {
  const link = redisLink(`redis://127.0.0.1:${port}`)
  const answer = await link.call(...command)
  await link.close()
  return answer
}

describe.skipIf(!there)('with a redis-server', () => {
  let port: Promise<number> | undefined
  const shared = (): Promise<number> =>
    (port ??= freePort().then(async (free) => (await startRedis(free), free)))

  storeContract({
    name: 'Redis',
    boundsTotal: true,
    open: async (bounds) => {
      const url = `redis://127.0.0.1:${await shared()}`
      await raw(await shared(), 'FLUSHALL')
      const open = () => redisStore(redisLink(url), bounds)
      return { store: open(), advance: sleep, reopen: async () => open() }
    },
  })

  it('keeps its shares right for several proxies, and no index of what is gone', async () => {
    await raw(await shared(), 'FLUSHALL')
    const stores = [connect(await shared()), connect(await shared()), connect(await shared())]
    const work = Array.from({ length: 300 }, async (_, turn) => {
      const store = stores[turn % 3]
      await store?.put(entry(String(turn % 50), 'x'.repeat(turn), 200))
      if (turn % 4 === 0) await store?.delete(storeKey('a', String(turn % 50)))
    })
    await Promise.all(work)
    await sleep(300)
    await stores[0]?.put({ key: storeKey('b', '1'), owner: 'b', value: '12345', ttlMs: 60_000 })
    expect(await raw(await shared(), 'GET', 'dragoman:total')).toBe('8')
    expect(await raw(await shared(), 'HGETALL', 'dragoman:shares')).toEqual(['b', '8'])
    expect(await raw(await shared(), 'ZCARD', 'dragoman:order')).toBe(1)
    expect(await raw(await shared(), 'ZCARD', 'dragoman:expiry')).toBe(1)
    expect(await raw(await shared(), 'HLEN', 'dragoman:bytes')).toBe(1)
    expect(await raw(await shared(), 'EXISTS', 'dragoman:order:a')).toBe(0)
    await Promise.all(stores.map((store) => store.close()))
  })

  it('comes back by itself when the server does', async () => {
    const port = await freePort()
    const options = ['--appendonly', 'yes', '--appendfsync', 'always']
    const first = await startRedis(port, ...options)
    const store = connect(port)
    await store.put(entry('1', 'kept'))
    first.kill('SIGKILL')
    await sleep(100)
    await expect(store.get(storeKey('a', '1'))).rejects.toBeInstanceOf(StoreUnavailableError)
    const second = await startRedis(port, ...options)
    expect(await store.get(storeKey('a', '1'))).toBe('kept')
    await store.close()
    second.kill('SIGKILL')
  })

  it('does not wait for a server that hangs', async () => {
    const port = await freePort()
    const server = await startRedis(port)
    const store = connect(port, '', 300)
    // A busy machine may take longer than the bound for the first answer, and for the one behind the pause.
    await vi.waitFor(() => store.put(entry('1', 'x')), { timeout: 10_000 })
    server.kill('SIGSTOP')
    const before = performance.now()
    const puts = Array.from({ length: 20 }, () => store.put(entry('2', 'secret')))
    const results = await Promise.allSettled(puts)
    // One after the other they would take six seconds.
    expect(performance.now() - before).toBeLessThan(5000)
    const reasons = results.map((result) => String('reason' in result && result.reason))
    expect(reasons[0]).toBe(
      'StoreUnavailableError: the Redis state server is unavailable: no answer within 300 ms',
    )
    for (const reason of reasons) expect(reason).toMatch(/^StoreUnavailableError: (?!.*secret)/)
    server.kill('SIGCONT')
    await vi.waitFor(async () => expect(await store.get(storeKey('a', '1'))).toBe('x'), {
      timeout: 10_000,
    })
    await store.close()
  })

  it('lets nobody wait again and again for a server that hangs, and notices when it goes on', async () => {
    const port = await freePort()
    const server = await startRedis(port)
    const store = connect(port, '', 300)
    await vi.waitFor(() => store.put(entry('1', 'x')), { timeout: 10_000 })
    server.kill('SIGSTOP')
    const failure = () => store.get(storeKey('a', '1')).catch(String)
    await failure()
    await sleep(700)
    const before = performance.now()
    for (let turn = 0; turn < 20; turn += 1)
      expect(await failure()).toMatch(/no answer within 300 ms$/)
    // One after the other they would take six seconds.
    expect(performance.now() - before).toBeLessThan(5000)
    server.kill('SIGCONT')
    await vi.waitFor(async () => expect(await store.get(storeKey('a', '1'))).toBe('x'), {
      timeout: 10_000,
    })
    server.kill('SIGSTOP')
    await failure()
    await sleep(700)
    // What fails at once needs no sparing.
    server.kill('SIGKILL')
    await vi.waitFor(async () => expect(await failure()).toMatch(/ECONN|cut/), { timeout: 10_000 })
    await store.close()
  })

  it('goes on at once after one command that took too long', async () => {
    const port = await freePort()
    const server = await startRedis(port)
    const link = redisLink(`redis://127.0.0.1:${port}`, 300)
    await undisturbed(async () => {
      await vi.waitFor(() => link.call('PING'), { timeout: 10_000 })
      await expect(link.call('BLPOP', 'nothing', '2')).rejects.toThrow('no answer within 300 ms')
      expect(await link.call('PING')).toBe('PONG')
    })
    await link.close()
    server.kill('SIGKILL')
  })

  it.each([
    ['wants more replicas', ['CONFIG', 'SET', 'min-replicas-to-write', '1']],
    ['has become a replica', ['REPLICAOF', '127.0.0.1', String(CLOSED_PORT)]],
  ])('reads while a server takes no writes, since it %s', async (_, command) => {
    const port = await freePort()
    const server = await startRedis(port)
    const store = connect(port)
    // So long that the answers do not come with the refusal.
    const value = 'x'.repeat(900_000)
    await store.put(entry('1', value))
    await raw(port, ...command)
    for (let turn = 0; turn < 5; turn += 1) {
      const writing = store.put(entry('2', 'x')).catch(String)
      const reads = Array.from({ length: 5 }, () => store.get(storeKey('a', '1')))
      for (const read of await Promise.all(reads)) expect(read === value).toBe(true)
      expect(await writing).toMatch(/: (?:NOREPLICAS|READONLY)$/)
    }
    await store.close()
    server.kill('SIGKILL')
  })

  it.each(['bytes', 'order', 'order:a', 'expiry', 'shares', 'total', 'sequence'])(
    'goes on, within its bounds, where the server has thrown away %s',
    async (index) => {
      // With a script that does not end the server answers nobody, so it is one of its own.
      const port = await freePort()
      const server = await startRedis(port)
      const store = connect(port)
      const put = async (id: number) => store.put(entry(String(id), 'x'.repeat(400_000)))
      for (let id = 0; id < 12; id += 1) await put(id)
      expect(await raw(port, 'DEL', `dragoman:${index}`)).toBe(1)
      for (let id = 12; id < 60; id += 1) {
        await put(id)
        expect(await store.get(storeKey('a', String(id)))).toHaveLength(400_000)
      }
      const left = await Promise.all(
        Array.from({ length: 60 }, (_, id) => raw(port, 'EXISTS', `dragoman:value:a/${id}`)),
      )
      const kept = left.filter((there) => there === 1).length
      expect(kept).toBeGreaterThan(1)
      expect(kept).toBeLessThan(25)
      await store.close()
      server.kill('SIGKILL')
    },
  )

  it('takes a password, and tells neither it nor the address when it is wrong', async () => {
    const port = await freePort()
    await startRedis(port, '--requirepass', 'the-right-one')
    const store = connect(port, 'the-right-one')
    await store.put(entry('1', 'x'))
    await store.close()
    const failure = await connect(port, 'the-wrong-one')
      .get('a/1')
      .catch((error) => error)
    expect(failure).toBeInstanceOf(StoreUnavailableError)
    expect(failure.message).toBe('the Redis state server is unavailable: WRONGPASS')
  })
})

describe('Redis store without its server', () => {
  it('says at once that nobody listens', async () => {
    const store = connect(CLOSED_PORT)
    await expect(store.get('a/1')).rejects.toThrow(
      'the Redis state server is unavailable: ECONNREFUSED',
    )
    await store.close()
    await expect(store.get('a/1')).rejects.toBeInstanceOf(StoreUnavailableError)
  })

  it('says of a connection that is cut off just that', async () => {
    const server = createServer((socket) => socket.on('data', () => socket.end('$9\r\nhalf')))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const store = connect(typeof address === 'object' && address ? address.port : 0)
    await expect(store.get('a/1')).rejects.toThrow('unavailable: the connection was cut')
    await store.close()
    server.close()
  })

  it('gives up on a server that accepts and never speaks', async () => {
    const open = new Set<Socket>()
    const server = createServer((socket) => open.add(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const store = connect(port, '', 200)
    await expect(store.put(entry('1', 'x'))).rejects.toThrow('no answer within 200 ms')
    await store.close()
    for (const socket of open) socket.destroy()
    server.close()
  })
})

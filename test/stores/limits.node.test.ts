import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Command, emptyFolder } from '../node/command.ts'
import { CLOSED_PORT } from '../ports.ts'
import { redisForTests } from './redis-server.ts'

const there = spawnSync('redis-server', ['--version']).status === 0
if (!there)
  console.warn('\n*** SKIPPED: no replicas share limits, there is no redis-server here ***\n')

const KEY = 'caller-key-0123456789'
const PER_MINUTE = 60

const folder = emptyFolder()
const redis = redisForTests()
afterAll(() => {
  folder.remove()
  redis.stop()
})

const start = (store: string): Command =>
  folder.run(['--port', '0'], {
    DRAGOMAN_CONFIG: JSON.stringify({
      upstreams: { up: { dialect: 'messages', url: 'http://demo.invalid/messages' } },
      callers: {
        keys: [{ name: 'ci', key: KEY, limits: { requestsPerMinute: PER_MINUTE } }],
      },
      state: { store },
    }),
  })

async function statusAt(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': KEY,
    },
    body: JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }),
  })
  await response.text()
  return response.status
}

/** Asks all of them in turn; how many requests were let through. */
async function askAll(urls: readonly string[], many: number): Promise<number> {
  const asks = Array.from({ length: many }, (_, at) => statusAt(urls[at % urls.length] ?? ''))
  const statuses = await Promise.all(asks)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  return statuses.filter((status) => status === 200).length
}

/** The server's own clock, in seconds: it fills the buckets, and this machine may set its own meanwhile. */
async function serverSeconds(): Promise<number> {
  const time = await redis.raw('TIME')
  const [seconds, micros] = Array.isArray(time) ? time : []
  return Number(seconds) + Number(micros) / 1e6
}

/** Why a replica counted for itself, as its log says it once. */
async function reasonsOf(replica: Command): Promise<string[]> {
  replica.child.kill('SIGTERM')
  const { code, out } = await replica.finished
  expect(code).toBe(0)
  const lines = out.split('\n').filter((line) => line.includes('"event":"limits"'))
  expect(lines.filter((line) => JSON.parse(line).level !== 'warn')).toEqual([])
  return lines.map((line) => String(JSON.parse(line).error))
}

describe.skipIf(!there)('three replicas on one Redis', () => {
  let replicas: Command[] = []
  let began = 0
  beforeAll(async () => {
    const store = `redis://127.0.0.1:${await redis.port()}`
    replicas = [0, 1, 2].map(() => start(store))
    await Promise.all(replicas.map((replica) => replica.listening()))
    began = await serverSeconds()
  }, 120_000)

  it('let through what one would, also across a rolling restart', async () => {
    const store = `redis://127.0.0.1:${await redis.port()}`
    const urls = await Promise.all(replicas.map((replica) => replica.listening()))
    let through = await askAll(urls, 40)
    expect(through).toBe(40)
    const reasons: string[] = []
    for (const [at, old] of replicas.entries()) {
      reasons.push(...(await reasonsOf(old)))
      const next = start(store)
      replicas[at] = next
      urls[at] = await next.listening()
      through += await askAll(urls, 20)
    }
    through += await askAll(urls, PER_MINUTE)
    const seconds = (await serverSeconds()) - began
    reasons.push(...(await Promise.all(replicas.map(reasonsOf))).flat())
    // A machine that stands still for longer than a replica waits makes the server late, and nothing else may.
    expect(reasons.filter((reason) => !reason.includes('did not answer within'))).toEqual([])
    // A bucket of a minute's worth, into which one comes each second; who counts for itself has one of its own.
    const buckets = 1 + reasons.length
    expect(through).toBeGreaterThanOrEqual(PER_MINUTE)
    expect(through).toBeLessThanOrEqual(
      buckets * PER_MINUTE + Math.ceil((seconds * PER_MINUTE) / 60),
    )
  }, 180_000)
})

describe('a replica whose Redis is away', () => {
  it('counts for itself, and its log says so once', async () => {
    const replica = start(`redis://127.0.0.1:${CLOSED_PORT}`)
    const through = await askAll([await replica.listening()], 2 * PER_MINUTE)
    expect(through).toBeGreaterThanOrEqual(PER_MINUTE)
    expect(through).toBeLessThan(PER_MINUTE + 30)
    expect(await reasonsOf(replica)).toEqual([expect.stringContaining('ECONNREFUSED')])
  }, 120_000)
})

import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { createCallerUse } from '../../src/http/admission/caller-use.ts'
import { shareUse } from '../../src/http/admission/shared-use.ts'
import { journal, type Journal } from '../../src/exchange/journal.ts'
import { redisCounts } from '../../src/memory/stores/redis-counts.ts'
import { ProblemError } from '../../src/model/problem.ts'
import type { RedisLink } from '../../src/memory/stores/redis.ts'
import { openRedis, redisLink } from '../../src/node/store/redis.ts'
import { randomId } from '../../src/ports.ts'
import type { CallerLimits } from '../../src/config/settings.ts'
import { CLOSED_PORT } from '../ports.ts'
import { redisForTests } from './redis-server.ts'
import { undisturbed } from '../node/undisturbed.ts'
import { sleep } from './contract.ts'

const there = spawnSync('redis-server', ['--version']).status === 0
if (!there) console.warn('\n*** SKIPPED: no limits are shared, there is no redis-server here ***\n')

/** The lease of an exchange is not waited for. */
const never = () => () => undefined

interface Proxy {
  /** What came of a request: `undefined`, or the refusal. */
  enter(limits: CallerLimits, name?: string): Promise<ProblemError | undefined>
  reserve(limits: CallerLimits, tokens: number, usd?: number): Promise<ProblemError | undefined>
  /** Ends the exchange that began first. */
  end(tokens?: number, usd?: number): void
  close(): Promise<void>
  warnings: string[]
}

/** One process, by what it counts with. */
function proxyOver(link: RedisLink): Proxy {
  const warnings: string[] = []
  const counts = redisCounts(link, never)
  const warn = (why: string) => void warnings.push(why)
  const use = shareUse(createCallerUse(Date.now), { counts, warn, now: Date.now, randomId })
  const open: { name: string; own: Journal }[] = []
  const begin = (name: string): Journal => {
    const own = journal({ now: Date.now, log() {} }, { id: 'x', method: 'POST', path: '/' })
    open.push({ name, own })
    return own
  }
  const refusalOf = async (work: () => unknown, own: Journal) => {
    try {
      await work()
      return undefined
    } catch (error) {
      own.finish({ status: 429 })
      open.splice(
        open.findIndex((each) => each.own === own),
        1,
      )
      if (error instanceof ProblemError) return error
      throw error
    }
  }
  return {
    enter(limits, name = 'ci') {
      const own = begin(name)
      return refusalOf(() => use.enter({ name, limits }, own), own)
    },
    reserve(limits, tokens, usd = 0) {
      const own = begin('ci')
      const asked = { tokens, usd: () => usd }
      return refusalOf(() => use.reserve({ name: 'ci', limits }, asked, own), own)
    },
    end(tokens = 0, usd = 0) {
      const [{ name = '', own } = {}] = open.splice(0, 1)
      own?.finish({ status: 200 })
      use.settle(name, { input: tokens }, usd)
    },
    close: () => counts.close(),
    warnings,
  }
}

const urlAt = (port: number): string => `redis://127.0.0.1:${port}`
const proxyAt = async (port: number): Promise<Proxy> =>
  proxyOver(await openRedis(urlAt(port), () => undefined))

const count = async (asks: readonly Promise<ProblemError | undefined>[]): Promise<number> =>
  (await Promise.all(asks)).filter((refusal) => refusal === undefined).length

/** Asks until nothing is left. */
async function refusedBy([proxy]: readonly Proxy[], limits: CallerLimits) {
  for (;;) {
    const refusal = await proxy?.enter(limits)
    if (refusal || !proxy) return refusal
  }
}

/** A server that is late by a tenth of a second counts for nobody. */
const counted = (name: string, test: () => Promise<void>) => it(name, () => undisturbed(test))

describe.skipIf(!there)('callers of several proxies on one Redis', () => {
  const redis = redisForTests()
  afterAll(() => redis.stop())

  const fresh = async (many = 3): Promise<Proxy[]> => {
    const port = await redis.emptied()
    return Promise.all(Array.from({ length: many }, () => proxyAt(port)))
  }

  counted('make as many requests a minute as they may, at whichever', async () => {
    const proxies = await fresh()
    const limits = { requestsPerMinute: 60 }
    const began = Date.now()
    const asks = Array.from({ length: 150 }, (_, at) => proxies[at % 3]?.enter(limits))
    const through = await count(asks.map((ask) => ask ?? Promise.resolve(undefined)))
    expect(through).toBeGreaterThanOrEqual(60)
    // One more comes in with each second.
    expect(through).toBeLessThanOrEqual(60 + Math.ceil((Date.now() - began) / 1000))
    const refusal = await refusedBy(proxies, limits)
    expect(refusal?.problem).toMatchObject({ kind: 'rate-limit', code: 'rate_limited' })
    expect(refusal?.problem.message).toContain('60 requests per minute')
    expect(refusal?.problem.retryAfterMs).toBe(1000)
    expect(proxies.flatMap(({ warnings }) => warnings)).toEqual([])
    // Another one has its own.
    expect(await proxies[0]?.enter(limits, 'desk')).toBeUndefined()
    // What others refuse takes nothing here: a second later there is one more.
    await sleep(1100)
    expect(await proxies[1]?.enter(limits)).toBeUndefined()
  })

  counted('keep their counts over a restart', async () => {
    const [first] = await fresh(1)
    const limits = { requestsPerMinute: 3 }
    expect(await count([1, 2].map(() => first?.enter(limits) ?? Promise.resolve(undefined)))).toBe(
      2,
    )
    await first?.close()
    const next = await proxyAt(await redis.port())
    expect(await count([1, 2, 3].map(() => next.enter(limits)))).toBe(1)
    await next.close()
  })

  counted('have so many requests underway together, and again when one is over', async () => {
    const [one, other] = await fresh(2)
    const limits = { concurrent: 2 }
    expect(await one?.enter(limits)).toBeUndefined()
    expect(await other?.enter(limits)).toBeUndefined()
    expect((await one?.enter(limits))?.problem.message).toContain('2 requests underway')
    other?.end()
    await sleep(50)
    expect(await one?.enter(limits)).toBeUndefined()
  })

  counted('use their tokens together: reserved, and settled by what was used', async () => {
    const [one, other] = await fresh(2)
    const limits = { tokensPerMinute: 600 }
    expect(await one?.reserve(limits, 1000)).toBeUndefined()
    expect((await other?.reserve(limits, 1))?.problem.message).toContain('600 tokens per minute')
    one?.end(100)
    await sleep(50)
    expect(await other?.reserve(limits, 800)).toBeUndefined()
    other?.end(900)
    await sleep(50)
    const late = await one?.reserve(limits, 1)
    // 400 tokens too many, at ten a second.
    expect(late?.problem.retryAfterMs).toBeGreaterThan(35_000)
    expect(late?.problem.retryAfterMs).toBeLessThanOrEqual(40_000)
  })

  counted('spend their day’s money together', async () => {
    const [one, other] = await fresh(2)
    const limits = { usdPerDay: 1 }
    expect(await one?.reserve(limits, 1, 0.9)).toBeUndefined()
    expect(await other?.reserve(limits, 1, 0.5)).toBeUndefined()
    expect((await one?.reserve(limits, 1, 0.1))?.problem.message).toContain('may cost the rest')
    one?.end(1, 0.6)
    other?.end(1, 0.5)
    await sleep(50)
    const late = (await other?.reserve(limits, 1, 0.1))?.problem
    expect(late?.message).toBe('This caller is at its limit. It may spend 1 USD per day.')
    expect(late?.retryAfterMs).toBeGreaterThan(1000)
  })

  counted('are not held up by what a killed process had open', async () => {
    const [killed] = await fresh(1)
    const limits = { concurrent: 1 }
    expect(await killed?.enter(limits)).toBeUndefined()
    const [key] = await redis.keys('dragoman:open:*')
    expect(await redis.raw('ZRANGE', key ?? '', '0', '-1', 'WITHSCORES')).toHaveLength(2)
    // Its lease is over.
    const [id = ''] = (await redis.raw('ZRANGE', key ?? '', '0', '-1')) as string[]
    await redis.raw('ZADD', key ?? '', '1', id)
    const other = await proxyAt(await redis.port())
    expect(await other.enter(limits)).toBeUndefined()
    await other.close()
  })

  counted('are forgotten by the server in time', async () => {
    const [one] = await fresh(1)
    const limits = { requestsPerMinute: 9, tokensPerMinute: 9, usdPerDay: 1, concurrent: 3 }
    await one?.enter(limits)
    await one?.reserve(limits, 3, 0.1)
    one?.end(3, 0.1)
    one?.end(3, 0.1)
    await sleep(50)
    for (const key of await redis.keys('dragoman:*'))
      expect(Number(await redis.raw('PTTL', key))).toBeGreaterThan(0)
  })
})

describe('where the store does not answer', () => {
  const limits = { requestsPerMinute: 3 }

  it('each process counts for itself, and says so once', async () => {
    const proxy = proxyOver(redisLink(urlAt(CLOSED_PORT)))
    expect(await count([1, 2, 3, 4, 5].map(() => proxy.enter(limits)))).toBe(3)
    expect(proxy.warnings).toHaveLength(1)
    expect(proxy.warnings[0]).toMatch(/unavailable: ECONNREFUSED/)
    await proxy.close()
  })

  it('no request waits longer than a tenth of a second, and most not at all', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const proxy = proxyOver(redisLink(urlAt((silent.address() as AddressInfo).port)))
    const started = performance.now()
    for (const _ of [1, 2, 3]) expect(await proxy.enter(limits)).toBeUndefined()
    expect(await proxy.enter(limits)).toBeInstanceOf(ProblemError)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(proxy.warnings).toEqual(['the store did not answer within 100 ms'])
    await proxy.close()
    silent.close()
  })
})

import { describe, expect, it } from 'vitest'
import { hasRedis, replicas } from './replicas.ts'

if (!hasRedis)
  console.warn(
    '\n*** SKIPPED: no proxy is killed beside another, there is no redis-server here ***\n',
  )

describe.skipIf(!hasRedis)('two proxies on one Redis, of which one is killed', () => {
  it('lose no conversation, and show none to another caller', async () => {
    const { replies, lost, wrongOwners } = await replicas({
      conversations: 20,
      turns: 4,
      atOnce: 8,
    })
    expect(replies).toBe(80)
    expect(lost).toEqual([])
    expect(wrongOwners).toEqual([])
  }, 60_000)
})

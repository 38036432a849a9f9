import { describe, expect, it } from 'vitest'
import { storeKey } from '../../src/memory/store.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { fakeClock, storeContract } from './contract.ts'

storeContract({
  name: 'memory',
  boundsTotal: true,
  open: async (bounds) => {
    const clock = fakeClock()
    return { store: memoryStore(bounds, clock.now), advance: clock.advance }
  },
})

describe('memory store', () => {
  it('takes back the share of an owner whose entries are over', async () => {
    const clock = fakeClock()
    const store = memoryStore({ entryBytes: 100, ownerBytes: 100, totalBytes: 1000 }, clock.now)
    const put = (id: string, ttlMs: number) =>
      store.put({ key: storeKey('a', id), owner: 'a', value: 'x'.repeat(60), ttlMs })
    await put('1', 10)
    await clock.advance(20)
    await put('2', 1000)
    await put('3', 1000)
    expect(await store.get(storeKey('a', '2'))).toBeUndefined()
    expect(await store.get(storeKey('a', '3'))).toHaveLength(60)
  })
})

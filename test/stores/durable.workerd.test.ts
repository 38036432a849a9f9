import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { storeKey, StoreUnavailableError } from '../../src/memory/store.ts'
import { durableStore } from '../../src/workers/durable.ts'
import { openWorkersStore, type StateBindings } from '../../src/workers/store.ts'
import { sleep, storeContract } from './contract.ts'

const bindings: StateBindings = env
const bounds = { entryBytes: 1e6, ownerBytes: 4e6, totalBytes: 8e6 }
let benches = 0

storeContract({
  name: 'Durable Object',
  boundsTotal: false,
  open: async (bounds) => {
    // Objects outlive a test, so every test has owners of its own.
    const bench = (benches += 1)
    const named: StateBindings = {
      STATE: {
        idFromName: (name) => bindings.STATE?.idFromName(`${bench} ${name}`),
        get: (id) => bindings.STATE?.get(id) ?? { fetch: () => Promise.reject(new Error()) },
      },
    }
    const open = () => openWorkersStore('durable', bounds, named)
    return { store: open(), advance: sleep, reopen: async () => open() }
  },
})

describe('Durable Object store', () => {
  it('is unavailable when its object fails', async () => {
    const answers = [
      () => Promise.reject(new Error('Durable Object reset because its code was updated: secret')),
      async () => new Response('secret', { status: 500 }),
    ]
    for (const answer of answers) {
      const store = durableStore(
        { idFromName: (name) => name, get: () => ({ fetch: answer }) },
        bounds,
      )
      const failure = await store.get(storeKey('a', '1')).catch((error) => error)
      expect(failure).toBeInstanceOf(StoreUnavailableError)
      expect(failure.message).not.toContain('secret')
    }
  })

  it('deletes itself when the last entry is over, and can be used again', async () => {
    const store = openWorkersStore('durable', bounds, bindings)
    const entry = { key: storeKey('alarm', '1'), owner: 'alarm', value: 'x' }
    await store.put({ ...entry, ttlMs: 50 })
    await sleep(600)
    expect(await store.get(entry.key)).toBeUndefined()
    await store.put({ ...entry, ttlMs: 60_000 })
    expect(await store.get(entry.key)).toBe('x')
  })
})

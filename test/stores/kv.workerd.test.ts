import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { storeKey, StoreUnavailableError } from '../../src/memory/store.ts'
import { kvStore, type KeyValueNamespace } from '../../src/workers/kv.ts'
import { openWorkersStore, type StateBindings } from '../../src/workers/store.ts'
import { fakeClock, storeContract } from './contract.ts'

const bindings: StateBindings = env
const bounds = { entryBytes: 1e6, ownerBytes: 4e6, totalBytes: 8e6 }

storeContract({
  name: 'Workers KV',
  boundsTotal: false,
  open: async (bounds) => {
    const clock = fakeClock()
    // The namespace itself goes by the real time, so the fake one has to be near it.
    await clock.advance(Date.now() - clock.now())
    const open = () => openWorkersStore('kv', bounds, bindings, clock.now)
    return { store: open(), advance: clock.advance, reopen: async () => open() }
  },
})

describe('Workers KV store', () => {
  it('is unavailable when the namespace fails, without a word of the value', async () => {
    const broken: KeyValueNamespace = {
      getWithMetadata: () => Promise.reject(new Error('KV GET failed: 503 secret')),
      put: () => Promise.reject(new Error('KV PUT failed: 429 Too Many Requests secret')),
      delete: () => Promise.reject(new Error('secret')),
      list: async () => ({ keys: [], list_complete: true }),
    }
    const store = kvStore(broken, bounds)
    const entry = { key: storeKey('a', '1'), owner: 'a', value: 'x', ttlMs: 1000 }
    const failures = [store.get(entry.key), store.put(entry), store.delete(entry.key)]
    for (const result of await Promise.allSettled(failures)) {
      expect('reason' in result && result.reason).toBeInstanceOf(StoreUnavailableError)
      expect(String('reason' in result && result.reason)).not.toContain('secret')
    }
  })

  it('is asked for only with its binding', () => {
    expect(() => openWorkersStore('kv', bounds, {})).toThrow('kv needs the binding STATE_KV')
    expect(() => openWorkersStore('durable', bounds, {})).toThrow('durable needs the binding STATE')
    expect(() => openWorkersStore('sqlite:x', bounds, {})).toThrow('on Workers expected durable')
  })
})

import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { storeKey } from '../../src/memory/store.ts'
import { durableStore, StateObject, type ObjectState } from '../../src/workers/durable.ts'
import { kvStore } from '../../src/workers/kv.ts'
import { sleep } from './contract.ts'

const bounds = { entryBytes: 1e6, ownerBytes: 4e6, totalBytes: 8e6 }

/** The state of an object, as far as it is used, with everything that happens to it. */
function objectState() {
  let database = new DatabaseSync(':memory:')
  const seen = { alarms: Array.of<number>(), deletions: 0 }
  const state: ObjectState = {
    storage: {
      sql: {
        exec: (statement, ...values) => database.prepare(statement).all(...(values as string[])),
      },
      transactionSync: (work) => work(),
      getAlarm: async () => seen.alarms.at(-1) ?? null,
      setAlarm: async (time) => void seen.alarms.push(time),
      deleteAll: async () => {
        seen.deletions += 1
        seen.alarms.length = 0
        database = new DatabaseSync(':memory:')
      },
    },
  }
  return { state, seen }
}

describe('the object behind the Durable Object store', () => {
  it('wakes for its first expiry, and leaves nothing behind after its last', async () => {
    const { state, seen } = objectState()
    const object = new StateObject(state)
    const stub = {
      fetch: (url: string, init?: RequestInit) => object.fetch(new Request(url, init)),
    }
    const store = durableStore({ idFromName: (name) => name, get: () => stub }, bounds)
    const put = (id: string, ttlMs: number) =>
      store.put({ key: storeKey('a', id), owner: 'a', value: id, ttlMs })
    const before = Date.now()
    await put('long', 60_000)
    await put('short', 20)
    await put('longer', 90_000)
    expect(seen.alarms.map((time) => Math.round((time - before) / 1000))).toEqual([60, 0])

    await sleep(40)
    await object.alarm()
    expect(Math.round(((seen.alarms.at(-1) ?? 0) - before) / 1000)).toBe(60)
    expect(await store.get(storeKey('a', 'long'))).toBe('long')
    expect(seen.deletions).toBe(0)

    await store.delete(storeKey('a', 'long'))
    await store.delete(storeKey('a', 'longer'))
    await object.alarm()
    expect(seen.deletions).toBe(1)
    await put('again', 60_000)
    expect(await store.get(storeKey('a', 'again'))).toBe('again')
    expect(seen.alarms).toHaveLength(1)
  })

  it('takes no other method', async () => {
    const object = new StateObject(objectState().state)
    const answer = await object.fetch(new Request('https://state/a%2F1', { method: 'POST' }))
    expect(answer.status).toBe(405)
  })
})

/** An answer of which the head comes, and nothing behind it. */
const silent = () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))

/** A store of each kind on Workers, of which the parts hang that `hangs` names, and how often each was asked. */
function hanging(kind: 'durable' | 'kv', hangs: () => boolean) {
  const asked = { count: 0 }
  const answer = async <T>(value: T, body?: () => T): Promise<T> => {
    asked.count += 1
    return hangs() ? (body?.() ?? new Promise<never>(() => undefined)) : value
  }
  if (kind === 'kv') {
    const namespace = {
      getWithMetadata: () => answer({ value: null, metadata: null }),
      put: () => answer(undefined),
      delete: () => answer(undefined),
      list: () => answer({ keys: [], list_complete: true }),
    }
    return { asked, store: kvStore(namespace, bounds) }
  }
  const stub = { fetch: () => answer(new Response(null, { status: 404 }), silent) }
  const namespace = { idFromName: (name: string) => name, get: () => stub }
  return { asked, store: durableStore(namespace, bounds) }
}

describe.each(['durable', 'kv'] as const)('a store of Workers that hangs: %s', (kind) => {
  afterEach(() => void vi.useRealTimers())

  it('is waited for once, left alone for a while, and used again when it answers', async () => {
    vi.useFakeTimers()
    let isHanging = true
    const { asked, store } = hanging(kind, () => isHanging)
    const get = async (ms: number) => {
      const failure = store.get(storeKey('a', '1')).catch(String)
      await vi.advanceTimersByTimeAsync(ms)
      return failure
    }
    expect(await get(5000)).toContain('no answer within 5000 ms')
    for (let request = 0; request < 10; request += 1)
      expect(await get(1)).toContain('it is left alone')
    expect(asked.count).toBe(1)
    await vi.advanceTimersByTimeAsync(15_000)
    const first = get(5000)
    expect(await get(0)).toContain('it is left alone')
    expect(await first).toContain('no answer within 5000 ms')
    await vi.advanceTimersByTimeAsync(15_000)
    isHanging = false
    expect(await get(1)).toBeUndefined()
    expect(await get(1)).toBeUndefined()
    expect(asked.count).toBe(4)
  })
})

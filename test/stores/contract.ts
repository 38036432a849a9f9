import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { undisturbed } from '../node/undisturbed.ts'
import {
  EntryTooLargeError,
  type Store,
  type StoreEntry,
  storeKey,
} from '../../src/memory/store.ts'
import type { StoreBounds } from '../../src/config/settings.ts'

/** One driver under test. `advance` moves the clock that the driver goes by. */
export interface Bench {
  store: Store
  advance(ms: number): Promise<void>
  /** What a restart of the proxy leaves; absent where nothing is left. */
  reopen?(): Promise<Store>
}

export interface Driver {
  name: string
  open(bounds: StoreBounds): Promise<Bench>
  /** False where no bound over all owners can be kept. */
  boundsTotal: boolean
}

const KIB = 1024
const bounds: StoreBounds = { entryBytes: 8 * KIB, ownerBytes: 20 * KIB, totalBytes: 50 * KIB }
const roomy: StoreBounds = { entryBytes: 4e6, ownerBytes: 16e6, totalBytes: 64e6 }

const entry = (owner: string, id: string, value: string, ttlMs = 3_600_000): StoreEntry => ({
  key: storeKey(owner, id),
  owner,
  value,
  ttlMs,
})

/** Nearly `kib` kibibytes, so that a whole number of them fits a bound. */
const filler = (kib: number, mark: string): string => mark.padEnd(kib * KIB - 100, '.')

/** Every driver is held to the same promises. */
export function storeContract(driver: Driver): void {
  describe(`${driver.name} store`, () => {
    reading(driver)
    expiring(driver)
    bounding(driver)
    sharing(driver)
  })
}

function reading({ open }: Driver): void {
  it('gives back what was put, and nothing that was not', async () => {
    const { store } = await open(bounds)
    await store.put(entry('a', '1', '{"turns":[]}'))
    expect(await store.get(storeKey('a', '1'))).toBe('{"turns":[]}')
    expect(await store.get(storeKey('a', '2'))).toBeUndefined()
    expect(await store.get(storeKey('b', '1'))).toBeUndefined()
    for (const never of ['', 'a', '/', storeKey('a', 'x'.repeat(2000)), storeKey('a', '../../x')]) {
      expect(await store.get(never)).toBeUndefined()
      expect(await store.delete(never)).toBe(false)
    }
    await store.close()
  })

  it('replaces, deletes, and says whether there was something to delete', async () => {
    const { store } = await open(bounds)
    await store.put(entry('a', '1', 'old'))
    await store.put(entry('a', '1', 'new'))
    expect(await store.get(storeKey('a', '1'))).toBe('new')
    expect(await store.delete(storeKey('a', '1'))).toBe(true)
    expect(await store.delete(storeKey('a', '1'))).toBe(false)
    expect(await store.get(storeKey('a', '1'))).toBeUndefined()
    await store.close()
  })

  it('keeps any text and any id exactly', async () => {
    const { store } = await open(roomy)
    const text = fc.string({ unit: 'binary', maxLength: 50 }).map((value) => value.toWellFormed())
    const id = fc.string({ unit: 'grapheme', maxLength: 30 }).map((value) => value.toWellFormed())
    let turn = 0
    const property = fc.asyncProperty(id, text, async (id, value) => {
      const owner = `owner${turn++}`
      await store.put(entry(owner, id, value))
      expect(await store.get(storeKey(owner, id))).toBe(value)
      expect(await store.delete(storeKey(owner, id))).toBe(true)
    })
    const examples: [string, string][] = [
      ['', ''],
      ['x', '\ufeff\u0000a\u0000\u{10ffff}'],
      ["'; DROP TABLE entries; --", '__proto__'],
      ['../%2e%2e/?#&', '\r\n'],
    ]
    await fc.assert(property, { ...cases(60), examples })
    await store.close()
  })

  it('keeps megabytes, cut nowhere', async () => {
    const { store } = await open(roomy)
    const value = 'ä€😀'.repeat(350_000)
    await store.put(entry('a', 'large', value))
    expect((await store.get(storeKey('a', 'large'))) === value).toBe(true)
    await store.close()
  })
}

function expiring({ open }: Driver): void {
  it('forgets an entry when its time is over, not before, and not its neighbour', () =>
    undisturbed(async () => {
      const { store, advance } = await open(bounds)
      await store.put(entry('a', 'short', 'x', 1000))
      await store.put(entry('a', 'long', 'y'))
      expect(await store.get(storeKey('a', 'short'))).toBe('x')
      await advance(1100)
      expect(await store.get(storeKey('a', 'short'))).toBeUndefined()
      expect(await store.delete(storeKey('a', 'short'))).toBe(false)
      expect(await store.get(storeKey('a', 'long'))).toBe('y')
      await store.close()
    }))

  it('counts the time anew from the last put', async () => {
    const { store, advance } = await open(bounds)
    await store.put(entry('a', '1', 'x', 1000))
    await store.put(entry('a', '1', 'y'))
    await advance(1100)
    expect(await store.get(storeKey('a', '1'))).toBe('y')
    await store.close()
  })
}

function bounding({ open, boundsTotal }: Driver): void {
  it('refuses an entry that is too large without quoting it, and keeps the rest', async () => {
    const { store } = await open(bounds)
    await store.put(entry('a', '1', 'kept'))
    const failure = await store.put(entry('a', '2', filler(9, 'secret'))).catch((error) => error)
    expect(failure).toBeInstanceOf(EntryTooLargeError)
    expect(String(failure.stack)).not.toContain('secret')
    const wide = '€'.repeat(3 * KIB)
    await expect(store.put(entry('a', '3', wide))).rejects.toBeInstanceOf(EntryTooLargeError)
    expect(await store.get(storeKey('a', '2'))).toBeUndefined()
    expect(await store.get(storeKey('a', '1'))).toBe('kept')
    await store.close()
  })

  it("lets an owner's oldest entries go, and nobody else's", async () => {
    const { store, advance } = await open(bounds)
    await store.put(entry('other', '1', filler(5, 'other')))
    for (const id of ['1', '2', '3', '4', '5', '6']) {
      await advance(2)
      await store.put(entry('a', id, filler(5, id)))
      // Reading makes no entry younger.
      await store.get(storeKey('a', '1'))
    }
    expect(await present(store, 'a', 6)).toEqual(['3', '4', '5', '6'])
    expect(await present(store, 'other', 1)).toEqual(['1'])
    await store.close()
  })

  it('makes room for a replacement by its difference only', async () => {
    const { store, advance } = await open(bounds)
    for (const id of ['1', '2', '3', '4', '4', '4']) {
      await advance(2)
      await store.put(entry('a', id, filler(5, id)))
    }
    expect(await present(store, 'a', 4)).toEqual(['1', '2', '3', '4'])
    await store.close()
  })

  it('counts nothing twice over many rounds of puts and deletes', async () => {
    const { store } = await open(bounds)
    for (let round = 0; round < 30; round += 1) {
      await store.put(entry('a', String(round), filler(4, 'x')))
      await store.delete(storeKey('a', String(round)))
    }
    for (const id of ['1', '2', '3', '4', '5']) await store.put(entry('a', id, filler(4, id)))
    expect(await present(store, 'a', 5)).toEqual(['1', '2', '3', '4', '5'])
    await store.close()
  })

  it.skipIf(!boundsTotal)('lets the oldest of all go when the whole is full', async () => {
    const { store } = await open(bounds)
    for (let owner = 1; owner <= 12; owner += 1)
      await store.put(entry(`owner${owner}`, '1', filler(5, 'x')))
    const kept: number[] = []
    for (let owner = 1; owner <= 12; owner += 1)
      if (await store.get(storeKey(`owner${owner}`, '1'))) kept.push(owner)
    expect(kept).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    await store.close()
  })
}

function sharing({ open }: Driver): void {
  it('never crosses owners: 1,000 interleaved puts and gets of 20 owners', async () => {
    const { store } = await open(roomy)
    const crossings: string[] = []
    const visit = async (turn: number) => {
      const owner = `owner${turn % 20}`
      const id = String(Math.floor(turn / 20) % 10)
      await store.put(entry(owner, id, `${owner} ${id} ${'x'.repeat(turn)}`))
      const value = await store.get(storeKey(owner, id))
      if (!value?.startsWith(`${owner} ${id} `)) crossings.push(`${owner}/${id}: ${value}`)
    }
    // Two hundred at a time: a slow machine shall not look like an unavailable store.
    for (let turn = 0; turn < 1000; turn += 200)
      await Promise.all(Array.from({ length: 200 }, (_, index) => visit(turn + index)))
    expect(crossings).toEqual([])
    await store.close()
  })

  it('closes twice without complaint', async () => {
    const { store } = await open(bounds)
    await store.get(storeKey('a', '1'))
    await store.close()
    await store.close()
  })

  it('still has after a restart what was acknowledged before', async ({ skip }) => {
    const { store, reopen } = await open(bounds)
    await store.put(entry('a', '1', 'kept'))
    await store.close()
    if (!reopen) return skip('a store in memory is gone with its process')
    const again = await reopen()
    expect(await again.get(storeKey('a', '1'))).toBe('kept')
    await again.close()
  })
}

async function present(store: Store, owner: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => String(index + 1))
  const values = await Promise.all(ids.map((id) => store.get(storeKey(owner, id))))
  return ids.filter((_, index) => values[index] !== undefined)
}

/** A clock that stands still until it is moved. */
export function fakeClock(): { now(): number; advance(ms: number): Promise<void> } {
  let time = 1_700_000_000_000
  return {
    now: () => time,
    advance: async (ms) => {
      time += ms
    },
  }
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

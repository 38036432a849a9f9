import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { storeKey, type StoreEntry, StoreUnavailableError } from '../../src/gateway/store.ts'
import { sqliteStore } from '../../src/node/sqlite.ts'
import { openStore } from '../../src/node/store.ts'
import { fakeClock, storeContract } from './contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-state-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const newFile = () => join(folder, `${(files += 1)}.db`)
const bounds = { entryBytes: 1e6, ownerBytes: 4e6, totalBytes: 8e6 }
const entry = (id: string, value: string): StoreEntry => ({
  key: storeKey('a', id),
  owner: 'a',
  value,
  ttlMs: 3_600_000,
})

storeContract({
  name: 'SQLite',
  boundsTotal: true,
  open: async (bounds) => {
    const clock = fakeClock()
    const file = newFile()
    const open = () => sqliteStore(file, bounds, clock.now)
    return { store: await open(), advance: clock.advance, reopen: open }
  },
})

describe('SQLite store', () => {
  it('loses nothing that was acknowledged when the process is killed', async () => {
    const file = newFile()
    const module = new URL('../../src/node/sqlite.ts', import.meta.url)
    const program = `
      const { sqliteStore } = await import(${JSON.stringify(module.href)})
      const store = await sqliteStore(${JSON.stringify(file)}, ${JSON.stringify(bounds)})
      for (let id = 0; id < 50; id += 1)
        await store.put({ key: 'a/' + id, owner: 'a', value: 'turn ' + id, ttlMs: 3600000 })
      process.kill(process.pid, 'SIGKILL')`
    const child = spawnSync(process.execPath, ['--input-type=module', '--eval', program])
    expect(child.signal).toBe('SIGKILL')
    const store = await sqliteStore(file, bounds)
    for (let id = 0; id < 50; id += 1)
      expect(await store.get(storeKey('a', String(id)))).toBe(`turn ${id}`)
    await store.close()
  })

  it('is shared by two processes that write in turns', async () => {
    const file = newFile()
    const one = await sqliteStore(file, bounds)
    const other = await sqliteStore(file, bounds)
    for (let id = 0; id < 100; id += 1) {
      await (id % 2 ? one : other).put(entry(String(id), `turn ${id}`))
      expect(await (id % 2 ? other : one).get(storeKey('a', String(id)))).toBe(`turn ${id}`)
    }
    await Promise.all([one.close(), other.close()])
  })

  it('is for the eyes of its user only', async () => {
    const file = newFile()
    const store = await sqliteStore(file, bounds)
    await store.put(entry('1', 'x'))
    for (const name of [file, `${file}-wal`]) expect(statSync(name).mode & 0o077).toBe(0)
    await store.close()
  })

  it('does not grow beyond what its bounds explain', async () => {
    const file = newFile()
    const store = await sqliteStore(file, bounds)
    for (let id = 0; id < 200; id += 1) await store.put(entry(String(id), 'x'.repeat(200_000)))
    await store.close()
    expect(statSync(file).size).toBeLessThan(2 * bounds.ownerBytes)
  })

  it('says which file cannot be opened, and why', async () => {
    const text = newFile()
    writeFileSync(text, 'This is a letter, not a database. '.repeat(100))
    await expect(sqliteStore(text, bounds)).rejects.toThrow(
      /^the SQLite state file is unavailable: /,
    )
    await expect(sqliteStore(text, bounds)).rejects.toThrow(text)
    const nowhere = join(folder, 'no', 'such.db')
    await expect(sqliteStore(nowhere, bounds)).rejects.toThrow(/ENOENT/)
  })

  it('leaves the file of a newer version alone', async () => {
    const file = newFile()
    const database = new DatabaseSync(file)
    database.exec('PRAGMA user_version = 99')
    database.close()
    await expect(sqliteStore(file, bounds)).rejects.toThrow(/newer version/)
  })

  it('is unavailable after it was closed, without a word of the value', async () => {
    const store = await sqliteStore(newFile(), bounds)
    await store.close()
    const failure = await store.put(entry('1', 'secret')).catch((error) => error)
    expect(failure).toBeInstanceOf(StoreUnavailableError)
    expect(failure.message).not.toContain('secret')
  })

  it(
    'waits for another writer, and gives up when that does not end',
    { timeout: 10_000 },
    async () => {
      const file = newFile()
      const store = await sqliteStore(file, bounds)
      const other = new DatabaseSync(file)
      other.exec('BEGIN IMMEDIATE')
      await expect(store.put(entry('1', 'x'))).rejects.toBeInstanceOf(StoreUnavailableError)
      other.exec('ROLLBACK')
      await store.put(entry('1', 'x'))
      expect(await store.get(storeKey('a', '1'))).toBe('x')
      other.close()
      await store.close()
    },
  )
})

describe('openStore on Node', () => {
  it('knows its drivers by the configuration', async () => {
    const stores = [
      await openStore('memory', bounds),
      await openStore(`sqlite:${newFile()}`, bounds),
    ]
    for (const store of stores) {
      await store.put(entry('1', 'x'))
      expect(await store.get(storeKey('a', '1'))).toBe('x')
      await store.close()
    }
    await expect(openStore('kv', bounds)).rejects.toThrow('state.store: expected memory')
    await expect(openStore('sqlite:', bounds)).rejects.toThrow('a file name after sqlite:')
    await expect(openStore('redis://[', bounds)).rejects.toThrow('state.store: expected')
  })
})

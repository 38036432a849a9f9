import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, it } from 'vitest'
import { storeKey, type StoreEntry, StoreUnavailableError } from '../../src/memory/store.ts'
import { createExclusive } from '../../src/node/store/exclusive.ts'
import { sqliteStore } from '../../src/node/store/sqlite.ts'
import { together } from '../../src/node/store/write-ahead.ts'
import { openStore } from '../../src/node/store/store.ts'
import { undisturbed } from '../node/undisturbed.ts'
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
    const module = new URL('../../src/node/store/sqlite.ts', import.meta.url)
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

  it('opens in several processes at once, as the workers of one port begin', async () => {
    const file = newFile()
    const module = new URL('../../src/node/store/sqlite.ts', import.meta.url)
    // Each new file is opened at the same moment by all of them.
    const program = `
      const { sqliteStore } = await import(${JSON.stringify(module.href)})
      const start = Number(process.argv[1])
      for (let turn = 0; turn < 20; turn += 1) {
        while (Date.now() < start + turn * 40) await new Promise(setImmediate)
        const store = await sqliteStore(${JSON.stringify(file)} + turn, ${JSON.stringify(bounds)})
        await store.put({ key: 'a/' + process.pid, owner: 'a', value: 'x', ttlMs: 3600000 })
        await store.close()
      }`
    const start = String(Date.now() + 1500)
    const ends = [1, 2, 3, 4].map(async () => {
      const args = ['--no-warnings', '--input-type=module', '--eval', program, start]
      const child = spawn(process.execPath, args)
      let said = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
      const [code] = await once(child, 'close')
      return { code, said }
    })
    expect(await Promise.all(ends)).toEqual(ends.map(() => ({ code: 0, said: '' })))
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

  it('deletes what has expired in portions, for nobody shall wait for all of it', async () => {
    const clock = fakeClock()
    const file = newFile()
    const store = await sqliteStore(file, bounds, clock.now)
    const database = new DatabaseSync(file)
    const count = () => Number(database.prepare('SELECT COUNT(*) AS n FROM entries').get()?.['n'])
    const add = 'INSERT INTO entries (key, owner, bytes, expires) VALUES (?, ?, 1, ?)'
    const adding = database.prepare(add)
    database.exec('BEGIN')
    for (let id = 0; id < 2500; id += 1) adding.run(`b/${id}`, 'b', clock.now() + 1000)
    database.exec('COMMIT')
    await clock.advance(1000)
    const left: number[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      await store.put(entry('1', 'x'))
      expect(await store.get(storeKey('b', '2499'))).toBeUndefined()
      left.push(count())
    }
    expect(left).toEqual([1501, 501, 1, 1])
    database.close()
    await store.close()
  })

  it.each(['', '-wal'])(
    'acknowledges nothing while nobody would find it after a restart: file%s gone',
    async (which) => {
      const file = newFile()
      const store = await sqliteStore(file, bounds)
      await store.put(entry('1', 'kept'))
      renameSync(file + which, `${file}-away`)
      const gone = /unavailable: it was moved or deleted while it was in use/
      await expect(store.put(entry('2', 'x'))).rejects.toThrow(gone)
      writeFileSync(file + which, '')
      await expect(store.delete(storeKey('a', '1'))).rejects.toThrow(gone)
      expect(await store.get(storeKey('a', '2'))).toBe('x')
      renameSync(`${file}-away`, file + which)
      await store.put(entry('3', 'x'))
      await store.close()
    },
  )

  it('says in the words of SQLite what is wrong with its file', async () => {
    const file = newFile()
    const store = await sqliteStore(file, bounds)
    for (let id = 0; id < 50; id += 1) await store.put(entry(String(id), 'x'.repeat(5000)))
    await store.close()
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0xff, 8192))
    const broken = await sqliteStore(file, bounds)
    const failures = await Promise.allSettled([
      broken.get(storeKey('a', '1')),
      broken.put(entry('1', 'x')),
      broken.delete(storeKey('a', '1')),
    ])
    for (const failure of failures)
      expect(failure).toMatchObject({
        reason: new StoreUnavailableError(
          'the SQLite state file is unavailable: database disk image is malformed',
        ),
      })
    await broken.close()
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
      const failure = await store.put(entry('1', 'x')).catch((error) => error)
      expect(failure).toBeInstanceOf(StoreUnavailableError)
      expect(failure.message).toMatch(/another process has it for itself/)
      other.exec('ROLLBACK')
      await store.put(entry('1', 'x'))
      expect(await store.get(storeKey('a', '1'))).toBe('x')
      other.close()
      await store.close()
    },
  )
})

describe('the write-ahead log of a SQLite file', () => {
  it('is flushed once for all that wait for it, after what they wrote', async () => {
    const order: string[] = []
    const ends: (() => void)[] = []
    const flushed = together(async () => {
      order.push('begin')
      await new Promise<void>((resolve) => ends.push(resolve))
      order.push('end')
    })
    const said = (name: string) => flushed().then(() => order.push(name))
    const first = [said('a'), said('b')]
    await turn()
    const second = [said('c'), said('d')]
    await turn()
    expect(order).toEqual(['begin'])
    ends[0]?.()
    await Promise.all(first)
    ends[1]?.()
    await Promise.all(second)
    expect(order.join(' ')).toMatch(/^begin end (?:a|b|begin| )+ end c d$/)
    expect(order.filter((word) => word === 'begin')).toHaveLength(2)
  })

  it('is flushed again after a flush that failed', async () => {
    let count = 0
    const flushed = together(async () => {
      count += 1
      if (count === 1) throw new Error('no space left')
    })
    await expect(flushed()).rejects.toThrow('no space left')
    await flushed()
    expect(count).toBe(2)
  })

  it('is emptied beside the work, and nothing is lost', async () => {
    const file = newFile()
    const large = { entryBytes: 1e7, ownerBytes: 1e8, totalBytes: 1e8 }
    const store = await sqliteStore(file, large)
    const stop = await longestStop(async () => {
      for (let id = 0; id < 60; id += 1)
        await store.put(entry(String(id), `${id} `.repeat(200_000)))
    })
    expect(stop).toBeLessThan(250)
    for (let tries = 0; statSync(`${file}-wal`).size > 8 * 1024 * 1024 && tries < 100; tries += 1)
      await store.put(entry('last', String(tries))).then(turn)
    expect(statSync(`${file}-wal`).size).toBeLessThan(9 * 1024 * 1024)
    for (let id = 0; id < 60; id += 1)
      expect((await store.get(storeKey('a', String(id))))?.startsWith(`${id} ${id}`)).toBe(true)
    await store.close()
    expect(existsSync(`${file}-wal`)).toBe(false)
  })
})

const turn = () => new Promise((resolve) => setTimeout(resolve, 10))

const BEAT_MS = 5
const BEATING = `
  const { workerData } = require('node:worker_threads')
  setInterval(() => Atomics.add(workerData, 0, 1), ${BEAT_MS})`

/**
 * The longest that the loop did not turn while the work was done, in milliseconds in which another thread went on: a
 * machine that stands still stops both.
 */
async function longestStop(work: () => Promise<unknown>): Promise<number> {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const other = new Worker(BEATING, { eval: true, workerData: beats })
  await expect.poll(() => Atomics.load(beats, 0)).toBeGreaterThan(0)
  let longest = 0
  let last = Atomics.load(beats, 0)
  const beat = setInterval(() => {
    const now = Atomics.load(beats, 0)
    longest = Math.max(longest, now - last)
    last = now
  }, BEAT_MS)
  await work()
  clearInterval(beat)
  await other.terminate()
  return longest * BEAT_MS
}

/** Another process that writes for a while; resolves when it has begun. */
async function lockedFor(file: string, ms: number): Promise<void> {
  const program = `
    const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(${JSON.stringify(file)})
    database.exec('BEGIN IMMEDIATE')
    console.log('locked')
    setTimeout(() => { database.exec('COMMIT'); database.close() }, ${ms})`
  const child = spawn(process.execPath, ['--no-warnings', '--eval', program])
  await once(child.stdout, 'data')
}

describe('a SQLite file that another process has for itself', () => {
  it('keeps waiting who writes, and nobody else, and loses no order', () =>
    undisturbed(async () => {
      const file = newFile()
      const store = await sqliteStore(file, bounds)
      await store.put(entry('0', 'before'))
      await lockedFor(file, 700)
      const done: string[] = []
      const began = performance.now()
      const stop = await longestStop(() =>
        Promise.all([
          store.put(entry('1', 'old')).then(() => done.push('old')),
          store.put(entry('1', 'new')).then(() => done.push('new')),
          store.delete(storeKey('a', '2')).then(() => done.push('deleted')),
          store.get(storeKey('a', '0')).then((value) => done.push(`read ${value}`)),
        ]),
      )
      expect(performance.now() - began).toBeGreaterThan(300)
      expect(stop).toBeLessThan(300)
      expect(done).toEqual(['read before', 'old', 'new', 'deleted'])
      expect(await store.get(storeKey('a', '1'))).toBe('new')
      await store.close()
    }))

  it('is free again after work that fails, whatever Node knows of transactions', async () => {
    const database = new DatabaseSync(newFile())
    const { write } = createExclusive({ exec: (text) => database.exec(text) }, 100)
    await expect(write(() => JSON.parse('{'))).rejects.toThrow(SyntaxError)
    expect(await write(() => 'written')).toBe('written')
    database.close()
  })

  it('gives up on each who waits after the same time, and takes no crowd into memory', () =>
    undisturbed(async () => {
      const file = newFile()
      const large = { entryBytes: 1e8, ownerBytes: 1e9, totalBytes: 1e9 }
      const store = await sqliteStore(file, large)
      const other = new DatabaseSync(file)
      other.exec('BEGIN IMMEDIATE')
      const value = 'x'.repeat(10_000_000)
      const ends: number[] = []
      const began = performance.now()
      const stop = await longestStop(() =>
        Promise.all(
          Array.from({ length: 6 }, (_, id) =>
            store.put(entry(String(id), value)).catch((error) => {
              expect(error).toBeInstanceOf(StoreUnavailableError)
              ends.push(performance.now() - began)
            }),
          ),
        ),
      )
      other.exec('ROLLBACK')
      await store.put(entry('1', 'x'))
      other.close()
      await store.close()
      expect(stop).toBeLessThan(300)
      expect(ends.filter((ms) => ms < 1000)).toHaveLength(3)
      expect(ends.filter((ms) => ms > 1900 && ms < 3000)).toHaveLength(3)
    }))

  it('is closed after those who wait for it', async () => {
    const file = newFile()
    const store = await sqliteStore(file, bounds)
    await lockedFor(file, 300)
    const put = store.put(entry('1', 'last'))
    await store.close()
    await put
    const again = await sqliteStore(file, bounds)
    expect(await again.get(storeKey('a', '1'))).toBe('last')
    await again.close()
  })
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

import { closeSync, openSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Store, StoreUnavailableError } from '../../memory/store.ts'
import type { StoreBounds } from '../../config/settings.ts'
import { explainFailure, unavailable } from '../../memory/stores/guard.ts'
import { SCHEMA, table, type SqlDatabase } from '../../memory/stores/table.ts'
import { createExclusive, LockedError } from './exclusive.ts'
import { MovedError, openWriteAheadLog, type WriteAheadLog } from './write-ahead.ts'

const SERVICE = 'the SQLite state file'
const VERSION = 1
/** How long to wait for another process that uses the same file. */
const PATIENCE_MS = 2000

/**
 * A store in a file, which survives a restart and which several processes on one machine may share. Before `put`
 * resolves, its commit in the write-ahead log is on the disk, so that a power cut loses nothing that was
 * acknowledged. Only requests that use the store wait for the disk and for the lock.
 */
export async function sqliteStore(
  file: string,
  bounds: StoreBounds,
  now: () => number = Date.now,
): Promise<Store> {
  const { database, isLogged } = await openDatabase(file)
  const entries = table(sqlDatabase(database), now)
  const { read, write, idle } = createExclusive(database, PATIENCE_MS)
  const log = isLogged ? await writeAheadLog(database, file) : undefined
  let closed = false
  const durable = async <T>(work: () => T, size?: number): Promise<T> => {
    const result = await write(work, size)
    await log?.flushed()
    return result
  }
  return {
    get: (key) => explained(() => read(() => entries.get(key))),
    put: (entry) => explained(() => durable(() => entries.put(entry, bounds), entry.value.length)),
    delete: (key) => explained(() => durable(() => entries.delete(key))),
    async close() {
      await idle()
      if (closed) return
      closed = true
      await log?.close()
      database.close()
    },
  }
}

/** Takes over flushing and emptying the log from SQLite; undefined where that is not possible. */
async function writeAheadLog(
  database: DatabaseSync,
  file: string,
): Promise<WriteAheadLog | undefined> {
  const log = await openWriteAheadLog(file, VERSION, () =>
    database.exec('PRAGMA wal_checkpoint(PASSIVE)'),
  ).catch(() => undefined)
  if (!log) return undefined
  // SQLite itself flushes only when the log begins again, for the order of writes.
  database.exec('PRAGMA synchronous = NORMAL')
  database.exec('PRAGMA wal_autocheckpoint = 0')
  return log
}

const explained = <T>(work: () => Promise<T>): Promise<T> =>
  explainFailure(SERVICE, async () => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof LockedError) throw unavailable(SERVICE, LOCKED, error)
      if (error instanceof MovedError) throw unavailable(SERVICE, MOVED, error)
      throw isOfSqlite(error) ? unavailable(SERVICE, error.errstr, error) : error
    }
  })

/** SQLite's words for a result code, such as `database or disk is full`, quote nothing; those of its errors may. */
const isOfSqlite = (error: unknown): error is Error & { errstr: string } =>
  error instanceof Error && 'errstr' in error && typeof error.errstr === 'string'

const LOCKED = 'another process has it for itself'
const MOVED = 'it was moved or deleted while it was in use; a restart opens the one that is there'

/** A database, and whether its changes go into a write-ahead log first. */
interface Opened {
  database: DatabaseSync
  isLogged: boolean
}

async function openDatabase(file: string): Promise<Opened> {
  const { DatabaseSync } = await sqliteModule()
  let database: DatabaseSync | undefined
  try {
    // Only this user may read the file, because it holds conversations. Its log files inherit the mode.
    if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
    const opened = (database = new DatabaseSync(file))
    // Of several processes that open a new file at once, SQLite makes one wait and refuses the others.
    const { read } = createExclusive(opened, PATIENCE_MS)
    return { database, isLogged: await read(() => prepare(opened)) }
  } catch (error) {
    database?.close()
    if (error instanceof StoreUnavailableError) throw error
    throw unavailable(SERVICE, `${file}: ${reasonOf(error)}`, error)
  }
}

/** SQLITE_IOERR and SQLITE_FULL, and what the system says of the same and of too many open files. */
const PASSING: ReadonlySet<unknown> = new Set([
  10,
  13,
  'EIO',
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
])

/** Whether a file could not be opened for a reason that may pass by itself, so that a later start may help. */
export function mayPass(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return false
  if ('errcode' in cause) return PASSING.has(Number(cause.errcode) & 0xff)
  return cause instanceof LockedError || ('code' in cause && PASSING.has(cause.code))
}

/** `node:sqlite` is absent before Node 22.5, and behind a flag before 22.13. */
async function sqliteModule(): Promise<typeof import('node:sqlite')> {
  try {
    return await import('node:sqlite')
  } catch (error) {
    const wanted = 'it needs the node:sqlite module, which is in Node 22.13 and newer'
    throw unavailable(SERVICE, `${wanted} (this is ${process.version})`, error)
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof LockedError) return LOCKED
  return error instanceof Error ? error.message : String(error)
}

/** Prepares the file, again where it was locked in between; returns whether it has a write-ahead log. */
function prepare(database: DatabaseSync): boolean {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA journal_size_limit = 16777216')
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version > VERSION)
    throw unavailable(SERVICE, `it was written by a newer version of this program (${version})`)
  for (const statement of SCHEMA) database.exec(statement)
  database.exec(`PRAGMA user_version = ${VERSION}`)
  return mode === 'wal'
}

function sqlDatabase(database: DatabaseSync): SqlDatabase {
  const prepared = new Map<string, StatementSync>()
  const prepare = (text: string): StatementSync => {
    const statement = prepared.get(text) ?? database.prepare(text)
    prepared.set(text, statement)
    return statement
  }
  return {
    rows: (text, ...values) => prepare(text).all(...values),
    // A process that writes is in a transaction already.
    transaction: (work) => work(),
  }
}

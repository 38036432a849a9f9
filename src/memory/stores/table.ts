import { boundedBytes, type StoreEntry } from '../store.ts'
import type { StoreBounds } from '../../config/settings.ts'

export type SqlValue = string | number | Uint8Array
export type SqlRow = Readonly<Record<string, unknown>>

/** SQLite in any runtime: synchronous, and exclusive between the statements of a transaction. */
export interface SqlDatabase {
  rows(statement: string, ...values: SqlValue[]): SqlRow[]
  transaction<T>(work: () => T): T
}

/** A store over SQLite, with synchronous operations. */
export interface Table {
  get(key: string): string | undefined
  put(entry: StoreEntry, bounds: StoreBounds): void
  delete(key: string): boolean
  /** Deletes expired entries, a thousand at most, and returns when the next one expires; undefined when none is left. */
  expire(): number | undefined
}

/**
 * `id` grows with every put, so it is the order of eviction. A value is cut into pieces because a Durable
 * Object takes rows of 2 MB at most. Triggers keep the shares of the owners right, also where another process deletes.
 */
export const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS entries (
     id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
     bytes INTEGER NOT NULL, expires INTEGER NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS entries_of_owner ON entries (owner, id)',
  'CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires)',
  `CREATE TABLE IF NOT EXISTS pieces (
     entry INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (entry, part))`,
  'CREATE TABLE IF NOT EXISTS shares (owner TEXT PRIMARY KEY, bytes INTEGER NOT NULL)',
  `CREATE TRIGGER IF NOT EXISTS entry_added AFTER INSERT ON entries BEGIN
     INSERT INTO shares VALUES (new.owner, new.bytes)
       ON CONFLICT (owner) DO UPDATE SET bytes = shares.bytes + excluded.bytes;
   END`,
  `CREATE TRIGGER IF NOT EXISTS entry_removed AFTER DELETE ON entries BEGIN
     DELETE FROM pieces WHERE entry = old.id;
     UPDATE shares SET bytes = bytes - old.bytes WHERE owner = old.owner;
     DELETE FROM shares WHERE owner = old.owner AND bytes <= 0;
   END`,
]

const PIECE_BYTES = 1024 * 1024

const ADD = 'INSERT INTO entries (key, owner, bytes, expires) VALUES (?, ?, ?, ?) RETURNING id'
const ADD_PIECE = 'INSERT INTO pieces (entry, part, bytes) VALUES (?, ?, ?)'
const READ = `SELECT pieces.bytes AS bytes FROM entries JOIN pieces ON pieces.entry = entries.id
  WHERE key = ? AND expires > ? ORDER BY part`
const REMOVE = 'DELETE FROM entries WHERE key = ? RETURNING expires'
/** Not all at once: what has expired in a quiet night would stop everything that the process does for seconds. */
const EXPIRE =
  'DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE expires <= ? LIMIT 1000)'
const NEXT = 'SELECT MIN(expires) AS next FROM entries'
const OWNER_BYTES = 'SELECT COALESCE(SUM(bytes), 0) AS bytes FROM shares WHERE owner = ?'
const TOTAL_BYTES = 'SELECT COALESCE(SUM(bytes), 0) AS bytes FROM shares'
const EVICT_OF_OWNER =
  'DELETE FROM entries WHERE id = (SELECT MIN(id) FROM entries WHERE owner = ?) RETURNING id'
const EVICT = 'DELETE FROM entries WHERE id = (SELECT MIN(id) FROM entries) RETURNING id'

export function table(database: SqlDatabase, now: () => number): Table {
  return {
    get: (key) => textOfPieces(database.rows(READ, key, now())),
    put: (entry, bounds) => {
      const bytes = boundedBytes(entry, bounds)
      database.transaction(() => put(database, entry, bytes, bounds, now()))
    },
    delete: (key) => database.rows(REMOVE, key).some((row) => Number(row['expires']) > now()),
    expire() {
      database.rows(EXPIRE, now())
      const next = database.rows(NEXT)[0]?.['next']
      return typeof next === 'number' ? next : undefined
    },
  }
}

function put(
  database: SqlDatabase,
  entry: StoreEntry,
  bytes: Uint8Array,
  bounds: StoreBounds,
  now: number,
): void {
  const { key, owner } = entry
  const size = entry.key.length + bytes.length
  database.rows(EXPIRE, now)
  database.rows(REMOVE, key)
  const evict = (limit: number, used: string, oldest: string, ...values: SqlValue[]) => {
    while (Number(database.rows(used, ...values)[0]?.['bytes']) + size > limit) {
      if (database.rows(oldest, ...values).length === 0) return
    }
  }
  evict(bounds.ownerBytes, OWNER_BYTES, EVICT_OF_OWNER, owner)
  evict(bounds.totalBytes, TOTAL_BYTES, EVICT)
  const id = Number(database.rows(ADD, key, owner, size, now + entry.ttlMs)[0]?.['id'])
  // An empty value has one empty piece, because no piece would mean no entry.
  for (let part = 0; part === 0 || part * PIECE_BYTES < bytes.length; part += 1) {
    const piece = bytes.subarray(part * PIECE_BYTES, (part + 1) * PIECE_BYTES)
    database.rows(ADD_PIECE, id, part, piece)
  }
}

function textOfPieces(rows: SqlRow[]): string | undefined {
  if (rows.length === 0) return undefined
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let text = ''
  for (const row of rows) text += decoder.decode(readBlob(row['bytes']), { stream: true })
  return text + decoder.decode()
}

/** Node gives a BLOB as Uint8Array, a Durable Object as ArrayBuffer. */
const readBlob = (value: unknown): Uint8Array =>
  value instanceof ArrayBuffer
    ? new Uint8Array(value)
    : value instanceof Uint8Array
      ? value
      : new Uint8Array()

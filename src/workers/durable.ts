import { utf8Text } from '../json/bytes.ts'
import { boundedBytes, ownerOf, type Store } from '../memory/store.ts'
import type { StoreBounds } from '../config/settings.ts'
import { guardParts, unavailable } from '../memory/stores/guard.ts'
import { SCHEMA, table, type SqlDatabase, type SqlRow, type Table } from '../memory/stores/table.ts'

/** The part of a Durable Object namespace that is used. */
export interface ObjectNamespace<Id = unknown> {
  idFromName(name: string): Id
  get(id: Id): { fetch(url: string, init?: RequestInit): Promise<Response> }
}

/** The part of a Durable Object's state that is used. */
export interface ObjectState {
  storage: {
    sql: { exec(statement: string, ...values: unknown[]): Iterable<SqlRow> }
    transactionSync<T>(work: () => T): T
    getAlarm(): Promise<number | null>
    setAlarm(time: number): Promise<void>
    deleteAll(): Promise<void>
  }
}

const SERVICE = 'the Durable Object STATE'
const TIMEOUT_MS = 5000
const HEADER = {
  ttl: 'x-ttl-ms',
  entryBytes: 'x-entry-bytes',
  ownerBytes: 'x-owner-bytes',
} as const

/**
 * A store in Durable Objects with SQLite storage, one object for each owner. It is strongly consistent, and owners
 * never wait for each other. Each object limits its owner's share; the total is not limited, because no object sees
 * the others. An object deletes entries that have expired, and then itself.
 */
export function durableStore<Id>(namespace: ObjectNamespace<Id>, bounds: StoreBounds): Store {
  const guarded = guardParts(SERVICE, TIMEOUT_MS)
  /** The text of an answer; undefined where there is nothing. */
  const ask = (key: string, init?: RequestInit): Promise<string | undefined> =>
    guarded(ownerOf(key), async () => {
      const object = namespace.get(namespace.idFromName(ownerOf(key)))
      const answer = await object.fetch(`https://state/${encodeURIComponent(key)}`, init)
      if (answer.status >= 500) throw unavailable(SERVICE, `status ${answer.status}`)
      const text = await messageText(answer)
      return answer.ok ? text : undefined
    })
  return {
    get: (key) => ask(key),
    async put(entry) {
      const headers = {
        [HEADER.ttl]: String(entry.ttlMs),
        [HEADER.entryBytes]: String(bounds.entryBytes),
        [HEADER.ownerBytes]: String(Math.min(bounds.ownerBytes, bounds.totalBytes)),
      }
      const body = boundedBytes(entry, bounds)
      await ask(entry.key, { method: 'PUT', headers, body })
    },
    delete: async (key) => (await ask(key, { method: 'DELETE' })) !== undefined,
    close: async () => undefined,
  }
}

/** `text()` would remove a byte order mark at the beginning. */
const messageText = async (message: Request | Response): Promise<string> =>
  utf8Text(new Uint8Array(await message.arrayBuffer()))

/** The Durable Object. `src/worker.ts` exports it, and `wrangler.toml` binds it as STATE. */
export class StateObject {
  readonly #state: ObjectState
  #table: Table | undefined

  constructor(state: ObjectState) {
    this.#state = state
  }

  async fetch(request: Request): Promise<Response> {
    const key = decodeURIComponent(new URL(request.url).pathname.slice(1))
    switch (request.method) {
      case 'GET':
        return found(this.#open().get(key))
      case 'PUT':
        return this.#put(key, request)
      case 'DELETE':
        return new Response(null, { status: this.#open().delete(key) ? 204 : 404 })
      default:
        return new Response(null, { status: 405, headers: { allow: 'GET, PUT, DELETE' } })
    }
  }

  /** Set for the time when the first entry expires. */
  async alarm(): Promise<void> {
    const next = this.#open().expire()
    if (next !== undefined) return this.#state.storage.setAlarm(next)
    this.#table = undefined
    await this.#state.storage.deleteAll()
  }

  async #put(key: string, request: Request): Promise<Response> {
    const value = await messageText(request)
    const number = (name: string) => Number(request.headers.get(name))
    const ttlMs = number(HEADER.ttl)
    const ownerBytes = number(HEADER.ownerBytes)
    const bounds = { entryBytes: number(HEADER.entryBytes), ownerBytes, totalBytes: ownerBytes }
    this.#open().put({ key, owner: ownerOf(key), value, ttlMs }, bounds)
    const alarm = await this.#state.storage.getAlarm()
    const expires = Date.now() + ttlMs
    if (alarm === null || alarm > expires) await this.#state.storage.setAlarm(expires)
    return new Response(null, { status: 204 })
  }

  #open(): Table {
    if (this.#table) return this.#table
    const { storage } = this.#state
    const database: SqlDatabase = {
      rows: (statement, ...values) => [...storage.sql.exec(statement, ...values)],
      transaction: (work) => storage.transactionSync(work),
    }
    for (const statement of SCHEMA) database.rows(statement)
    this.#table = table(database, Date.now)
    return this.#table
  }
}

const found = (value: string | undefined): Response =>
  value === undefined ? new Response(null, { status: 404 }) : new Response(value)

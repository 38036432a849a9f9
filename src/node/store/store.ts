import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from '../../config/lint/finding.ts'
import type { SharedCounts } from '../../memory/counts.ts'
import type { Store } from '../../memory/store.ts'
import type { StoreBounds } from '../../config/settings.ts'
import { memoryStore } from '../../memory/stores/memory.ts'
import { redisCounts } from '../../memory/stores/redis-counts.ts'
import { redisStore } from '../../memory/stores/redis.ts'
import { errorCode } from '../process/files.ts'
import { sqliteStore } from './sqlite.ts'

/**
 * `memory`, `sqlite:FILE`, `redis://…` or `rediss://…`. `warn` hears why a server does not answer yet: the proxy works
 * without it, and a wrong password would be noticed only when a conversation is lost.
 */
export async function openStore(
  spec: string,
  bounds: StoreBounds,
  warn: (why: string) => void = () => undefined,
): Promise<Store> {
  if (spec === 'memory') return memoryStore(bounds)
  if (spec.startsWith('sqlite:')) return sqliteStore(sqliteFile(spec), bounds)
  if (isRedis(spec)) {
    // Most proxies keep no state in Redis. In a bundle only a module of its own brings the names of the client with it.
    const { openRedis } = await import('./redis.ts')
    return redisStore(await openRedis(spec, warn), bounds)
  }
  throw new ConfigError('state.store', NO_STORE)
}

/** What callers use of their limits, where several processes share a store. `soon`: they are about to be asked for. */
export async function openCounts(spec: string, soon: boolean): Promise<SharedCounts | undefined> {
  if (!isRedis(spec)) return undefined
  const { openRedis, redisLink } = await import('./redis.ts')
  // A connection of its own, on which nothing waits behind a long conversation. The store says why there is none.
  const link = soon ? await openRedis(spec, () => undefined) : redisLink(spec)
  return redisCounts(link, (run, ms) => {
    const clock = setInterval(run, ms).unref()
    return () => clearInterval(clock)
  })
}

const NO_STORE = 'expected memory, sqlite:FILE or redis://HOST:PORT/NUMBER'

/** The client library throws for a path that is no number, at each command. */
const isRedis = (spec: string): boolean =>
  /^rediss?:\/\/[^/?#]*(?:\/\d*)?(?:[?#].*)?$/.test(spec) && URL.canParse(spec)

/** Why a store could not be opened at the start, as far as that shows without opening it or making a file. */
export function storeFault(spec: string): string | undefined {
  if (/^rediss?:/.test(spec)) return isRedis(spec) ? undefined : NO_STORE
  const file = spec.startsWith('sqlite:') ? sqliteFile(spec) : ':memory:'
  if (file === ':memory:') return undefined
  // SQLite makes its log beside the file.
  const folder = unwritable(() => accessSync(`${dirname(file)}/.`, constants.W_OK | constants.X_OK))
  if (folder) return `the folder of the state file cannot be written (${folder})`
  if (!existsSync(file)) return undefined
  let head = ''
  const own = unwritable(() => (head = headOf(file)))
  if (own) return `the state file cannot be written (${own})`
  return head === '' || head === SQLITE ? undefined : 'this file is no SQLite database'
}

/** What a database begins with (sqlite.org/fileformat.html, 1.2); one that nothing was written to yet is empty. */
const SQLITE = 'SQLite format 3\0'

function headOf(file: string): string {
  const opened = openSync(file, 'r+')
  try {
    const head = Buffer.alloc(SQLITE.length)
    return head.toString('latin1', 0, readSync(opened, head, 0, head.length, 0))
  } finally {
    closeSync(opened)
  }
}

function unwritable(attempt: () => void): string | undefined {
  try {
    attempt()
    return undefined
  } catch (error) {
    return errorCode(error)
  }
}

function sqliteFile(spec: string): string {
  const file = spec.slice('sqlite:'.length)
  if (file === '') throw new ConfigError('state.store', 'expected a file name after sqlite:')
  return file
}

import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from '../config/finding.ts'
import type { Store } from '../memory/store.ts'
import type { StoreBounds } from '../config/settings.ts'
import { memoryStore } from '../memory/stores/memory.ts'
import { redisStore } from '../memory/stores/redis.ts'
import { errorCode } from './files.ts'
import { openRedis } from './redis.ts'
import { sqliteStore } from './sqlite.ts'

/** `memory`, `sqlite:FILE`, `redis://…` or `rediss://…`. */
export async function openStore(
  spec: string,
  bounds: StoreBounds,
  now: () => number = Date.now,
): Promise<Store> {
  if (spec === 'memory') return memoryStore(bounds, now)
  if (spec.startsWith('sqlite:')) return sqliteStore(sqliteFile(spec), bounds, now)
  if (/^rediss?:\/\//.test(spec) && URL.canParse(spec))
    return redisStore(await openRedis(spec), bounds)
  throw new ConfigError('state.store', 'expected memory, sqlite:FILE or redis://HOST')
}

/** Why a store could not be opened at the start, as far as that shows without opening it or making a file. */
export function storeFault(spec: string): string | undefined {
  const file = spec.startsWith('sqlite:') ? sqliteFile(spec) : ':memory:'
  if (file === ':memory:') return undefined
  // SQLite makes its log beside the file.
  const folder = unwritable(() => accessSync(`${dirname(file)}/.`, constants.W_OK | constants.X_OK))
  if (folder) return `the folder of the state file cannot be written (${folder})`
  const own = existsSync(file) && unwritable(() => closeSync(openSync(file, 'r+')))
  return own ? `the state file cannot be written (${own})` : undefined
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

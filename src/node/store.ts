import { ConfigError } from '../config/finding.ts'
import type { Store } from '../memory/store.ts'
import type { StoreBounds } from '../config/settings.ts'
import { memoryStore } from '../memory/stores/memory.ts'
import { redisStore } from '../memory/stores/redis.ts'
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

function sqliteFile(spec: string): string {
  const file = spec.slice('sqlite:'.length)
  if (file === '') throw new ConfigError('state.store', 'expected a file name after sqlite:')
  return file
}

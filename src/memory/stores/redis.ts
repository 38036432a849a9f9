import { boundedSize, ownerOf, type Store, type StoreEntry } from '../store.ts'
import type { StoreBounds } from '../../config/settings.ts'

/** One command with its arguments, and its answer. Rejects with `StoreUnavailableError`. */
export interface RedisLink {
  call(...command: string[]): Promise<unknown>
  close(): Promise<void>
}

const PREFIX = 'dragoman:'

/**
 * Beside its value (which Redis itself expires) an entry has its place in `order`, in `order:<owner>` and in
 * `expiry`, and its size in `bytes`. A script is atomic, so the indexes agree however many proxies write.
 * What Redis expired stays in the indexes until a later put meets it there. Where Redis is told to throw away any key
 * when its memory is full (`maxmemory-policy allkeys-…`), any index may be gone: what is left must neither keep a
 * script running, which stops the whole server, nor take a full store for granted for ever.
 */
const REMOVE = `
local p = KEYS[1]
local function remove(key)
  local bytes = redis.call('HGET', p..'bytes', key) or 0
  local owner = string.match(key, '^(.-)/') or ''
  redis.call('DEL', p..'value:'..key)
  redis.call('HDEL', p..'bytes', key)
  redis.call('ZREM', p..'order', key)
  redis.call('ZREM', p..'order:'..owner, key)
  redis.call('ZREM', p..'expiry', key)
  redis.call('DECRBY', p..'total', bytes)
  if redis.call('HINCRBY', p..'shares', owner, 0 - bytes) <= 0 then redis.call('HDEL', p..'shares', owner) end
end
`

const DELETE = `${REMOVE}
local there = redis.call('EXISTS', p..'value:'..ARGV[1])
remove(ARGV[1])
return there
`

const PUT = `${REMOVE}
local key, owner, value, ttl, size = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, over in ipairs(redis.call('ZRANGEBYSCORE', p..'expiry', '-inf', now, 'LIMIT', 0, 1000)) do remove(over) end
remove(key)
local function evict(used, order, limit, forget)
  while used() + size > limit do
    local oldest = redis.call('ZRANGE', order, 0, 0)[1]
    if not oldest then return forget() end
    remove(oldest)
  end
end
local function share() return tonumber(redis.call('HGET', p..'shares', owner) or 0) end
local function total() return tonumber(redis.call('GET', p..'total') or 0) end
evict(share, p..'order:'..owner, tonumber(ARGV[6]), function() redis.call('HDEL', p..'shares', owner) end)
evict(total, p..'order', tonumber(ARGV[7]), function() redis.call('DEL', p..'total') end)
local place = redis.call('INCR', p..'sequence')
redis.call('SET', p..'value:'..key, value, 'PX', ttl)
redis.call('HSET', p..'bytes', key, size)
redis.call('ZADD', p..'order', place, key)
redis.call('ZADD', p..'order:'..owner, place, key)
redis.call('ZADD', p..'expiry', now + ttl, key)
redis.call('INCRBY', p..'total', size)
redis.call('HINCRBY', p..'shares', owner, size)
`

/**
 * On a Redis (or Valkey) server, shared by any number of proxies; its clock decides when entries expire. One
 * server, or one primary with replicas; no cluster, where a script may not touch keys that it computes. Durable as
 * far as the server is (`appendonly yes`, `appendfsync always` for every put).
 */
export function redisStore(link: RedisLink, bounds: StoreBounds): Store {
  const evaluate = (script: string, ...values: string[]) =>
    link.call('EVAL', script, '1', PREFIX, ...values)

  return {
    async get(key) {
      const value = await link.call('GET', `${PREFIX}value:${key}`)
      return typeof value === 'string' ? value : undefined
    },
    async put(entry) {
      await evaluate(PUT, ...scriptArguments(entry, bounds))
    },
    async delete(key) {
      return Number(await evaluate(DELETE, key)) > 0
    },
    close: () => link.close(),
  }
}

function scriptArguments(entry: StoreEntry, bounds: StoreBounds): string[] {
  const size = boundedSize(entry, bounds)
  const ttlMs = Math.max(1, Math.ceil(entry.ttlMs))
  const numbers = [ttlMs, size, bounds.ownerBytes, bounds.totalBytes].map(String)
  return [entry.key, ownerOf(entry.key), entry.value, ...numbers]
}

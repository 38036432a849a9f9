import type { CallerLimits } from '../../config/settings.ts'
import { type Asked, MOST_MINUTES, type Reached, type SharedCounts } from '../counts.ts'
import type { RedisLink } from './redis.ts'

const PREFIX = 'dragoman:'

/**
 * An exchange counts as open for so long, and its process says again that it is. Those of a process that was killed
 * are open no longer.
 */
const LEASE_MS = 60_000

/**
 * For each caller the hash `use` holds the levels of two token buckets with their times, and what was spent on which day;
 * `open` the exchanges that are underway with the end of their lease, and `held` what these have reserved. The clock of
 * the server decides. A bucket holds at most one minute's amount and may be overdrawn, as it does in one process
 * (`src/http/admission/caller-use.ts`).
 */
const COMMON = `
local p = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local today = math.floor(now / 86400000)
local lease, most = ${LEASE_MS}, ${MOST_MINUTES}
local function number(key, field) return tonumber(redis.call('HGET', key, field) or nil) end
local function level(use, bucket, perMinute)
  local known = number(use, bucket)
  if not known then return perMinute end
  local gained = math.max(0, now - (number(use, bucket..'At') or now)) * perMinute / 60000
  return math.min(perMinute, known + gained)
end
local function keep(use, ...)
  redis.call('HSET', use, ...)
  redis.call('PEXPIRE', use, 2 * 86400000)
end
local function spent(use)
  return number(use, 'day') == today and number(use, 'usd') or 0
end
local function sweep(name)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', p..'open:'..name, '-inf', now)) do
    redis.call('ZREM', p..'open:'..name, id)
    redis.call('HDEL', p..'held:'..name, id)
  end
end
local function lend(name, id)
  redis.call('ZADD', p..'open:'..name, now + lease, id)
  redis.call('PEXPIRE', p..'open:'..name, 2 * lease)
  redis.call('PEXPIRE', p..'held:'..name, 2 * lease)
end
`

const ENTER = `${COMMON}
local name, id, concurrent, perMinute = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local use = p..'use:'..name
sweep(name)
if concurrent > 0 and redis.call('ZCARD', p..'open:'..name) >= concurrent then return { 'concurrent', 0 } end
if perMinute > 0 then
  local there = level(use, 'requests', perMinute)
  if there < 1 then return { 'requestsPerMinute', math.ceil((1 - there) * 60000 / perMinute) } end
  keep(use, 'requests', there - 1, 'requestsAt', now)
end
lend(name, id)
return { '', 0 }
`

const RESERVE = `${COMMON}
local name, id, perMinute, tokens = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local perDay, usd = tonumber(ARGV[5]), ARGV[6]
local use, held = p..'use:'..name, p..'held:'..name
sweep(name)
local there = perMinute > 0 and level(use, 'tokens', perMinute) or 0
if there < 0 then return { 'tokensPerMinute', math.ceil(0 - there * 60000 / perMinute) } end
if perDay > 0 then
  local left = perDay - spent(use)
  if left <= 0 then return { 'usdPerDay', 86400000 - now % 86400000 } end
  for _, share in ipairs(redis.call('HVALS', held)) do left = left - string.match(share, ' (%S+)') end
  if left <= 0 then return { 'underway', 0 } end
end
local taken = perMinute > 0 and math.min(tokens, most * perMinute) or 0
if perMinute > 0 then keep(use, 'tokens', there - taken, 'tokensAt', now) end
redis.call('HSET', held, id, taken..' '..usd)
lend(name, id)
return { '', 0 }
`

/** A list of `leave`, name, id, and of `settle`, name, tokens, tokens per minute, US dollars. */
const SETTLE = `${COMMON}
local at = 1
while ARGV[at] do
  local name = ARGV[at + 1]
  local use = p..'use:'..name
  if ARGV[at] == 'leave' then
    local id = ARGV[at + 2]
    local taken = string.match(redis.call('HGET', p..'held:'..name, id) or '', '^(%S+)')
    if taken and number(use, 'tokens') then redis.call('HINCRBYFLOAT', use, 'tokens', taken) end
    redis.call('HDEL', p..'held:'..name, id)
    redis.call('ZREM', p..'open:'..name, id)
    at = at + 3
  else
    local tokens, perMinute, usd = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    if perMinute > 0 then
      local there = level(use, 'tokens', perMinute)
      keep(use, 'tokens', there - math.min(tokens, most * perMinute), 'tokensAt', now)
    end
    if usd > 0 then keep(use, 'usd', spent(use) + usd, 'day', today) end
    at = at + 5
  end
end
`

/** A list of names and ids. */
const RENEW = `${COMMON}
for at = 1, #ARGV, 2 do lend(ARGV[at], ARGV[at + 1]) end
`

type Values = readonly (string | number)[]

/** Runs something again and again, until what it returns is called. */
export type Repeat = (run: () => void, ms: number) => () => void

/** On a Redis (or Valkey) server. */
export const redisCounts = (link: RedisLink, repeat: Repeat): SharedCounts =>
  new RedisCounts(link, repeat)

class RedisCounts implements SharedCounts {
  readonly #link: RedisLink
  /** The exchanges of this process that are open there, with the names of their callers. */
  readonly #open = new Map<string, string>()
  readonly #stop: () => void
  #waiting: (string | number)[] = []
  #settling: Promise<unknown> = Promise.resolve()

  constructor(link: RedisLink, repeat: Repeat) {
    this.#link = link
    this.#stop = repeat(() => this.#renew(), LEASE_MS / 3)
  }

  async enter(
    name: string,
    id: string,
    { concurrent = 0, requestsPerMinute = 0 }: CallerLimits,
  ): Promise<Reached | undefined> {
    this.#open.set(id, name)
    return reachedIn(await this.#evaluate(ENTER, [name, id, concurrent, requestsPerMinute]))
  }

  async reserve(
    name: string,
    id: string,
    { tokensPerMinute = 0, usdPerDay = 0 }: CallerLimits,
    { tokens, usd }: Asked,
  ): Promise<Reached | undefined> {
    this.#open.set(id, name)
    const values = [name, id, tokensPerMinute, tokens, usdPerDay, usd]
    return reachedIn(await this.#evaluate(RESERVE, values))
  }

  leave(name: string, id: string): void {
    this.#open.delete(id)
    this.#later('leave', name, id)
  }

  settle(name: string, limits: CallerLimits, { tokens, usd }: Asked): void {
    const { tokensPerMinute = 0, usdPerDay = 0 } = limits
    this.#later('settle', name, tokens, tokensPerMinute, usdPerDay > 0 ? usd : 0)
  }

  async close(): Promise<void> {
    this.#stop()
    this.#settle()
    await this.#settling
    await this.#link.close()
  }

  #evaluate(script: string, values: Values): Promise<unknown> {
    return this.#link.call('EVAL', script, '1', PREFIX, ...values.map(String))
  }

  /** What one exchange has to say at its end goes together. */
  #later(...values: Values): void {
    if (this.#waiting.length === 0) queueMicrotask(() => this.#settle())
    this.#waiting.push(...values)
  }

  #settle(): void {
    if (this.#waiting.length === 0) return
    const all = this.#waiting
    this.#waiting = []
    this.#settling = this.#evaluate(SETTLE, all).catch(() => undefined)
  }

  #renew(): void {
    const all = [...this.#open].flatMap(([id, name]) => [name, id])
    if (all.length > 0) this.#evaluate(RENEW, all).catch(() => undefined)
  }
}

const LIMITS = [
  'concurrent',
  'requestsPerMinute',
  'tokensPerMinute',
  'usdPerDay',
  'underway',
] as const satisfies readonly Reached['limit'][]

function reachedIn(answer: unknown): Reached | undefined {
  const [name, wait] = Array.isArray(answer) ? answer : []
  const limit = LIMITS.find((each) => each === name)
  return limit && { limit, waitMs: Number(wait) }
}

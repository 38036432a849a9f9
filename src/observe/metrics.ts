import type { Settings } from '../config/settings.ts'
import {
  CONNECTION_LOST,
  KEY_REFUSED,
  NO_FIRST_BYTE,
  isNoReply,
  NOT_JSON,
  REDIRECTED,
  TOOK_TOO_LONG,
  UNREACHABLE,
  WENT_SILENT,
} from '../problems/failures.ts'
import { lossCount } from '../model/loss.ts'
import type { Attempt, LogEntry } from './entry.ts'
import type { ModelNames } from './model-names.ts'
import { Metric } from './registry.ts'

/** The values of gauges at the moment. */
export interface Readings {
  open(): number
  held(): number
  streams(): number
  /** Bytes that are remembered of the last requests of sessions, where any are. */
  recalled?(): number
  /** The circuit breaker of each key of an upstream: 0 closed, 1 half-open, 2 open. */
  breakers?(): Iterable<{ upstream: string; key: string; state: 0 | 1 | 2 }>
  /** Open sockets, the bytes that they remember, and closed ones by their codes. */
  sockets?(): { open: number; held: number; closed: ReadonlyMap<number, number> }
}

export interface Metrics {
  /** An exchange is over; it is counted once. */
  finished(entry: LogEntry, settings: Settings): void
  reloaded(result: 'ok' | 'error', seconds: number): void
  /** The metrics as text; reading changes nothing. */
  text(readings: Readings): string
}

const DURATIONS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640]
const FIRST_BYTES = DURATIONS.slice(0, 12)
const OVERHEADS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25]

export function createMetrics(
  about: { version: string; runtime: string },
  began: number,
  names: ModelNames,
): Metrics {
  const all: Metric[] = []
  const metric = (...given: ConstructorParameters<typeof Metric>): Metric => {
    const made = new Metric(...given)
    all.push(made)
    return made
  }
  const count = createCounters(metric, names)
  const reloads = metric(
    'dragoman_config_reloads_total',
    'counter',
    'Reloads of the configuration.',
    ['result'],
  )
  // From the start on, because `increase` sees no first one in a series that begins with it.
  for (const result of ['ok', 'error']) reloads.add({ result }, 0)
  const reloadedAt = metric(
    'dragoman_config_last_reload_success_timestamp_seconds',
    'gauge',
    'When the configuration in use was read.',
  )
  reloadedAt.set({}, began)
  metric('dragoman_build_info', 'gauge', 'What runs.', ['version', 'runtime']).set({ ...about }, 1)
  const readings = createGauges(metric)
  return {
    finished: count,
    reloaded(result, seconds) {
      reloads.add({ result })
      if (result === 'ok') reloadedAt.set({}, seconds)
    },
    text(now) {
      readings(now)
      return all.map((each) => each.text()).join('')
    },
  }
}

type Make = (...given: ConstructorParameters<typeof Metric>) => Metric

function createGauges(metric: Make): (now: Readings) => void {
  const open = metric('dragoman_in_flight', 'gauge', 'Exchanges underway.')
  const held = metric('dragoman_in_flight_bytes', 'gauge', 'Bytes that exchanges underway hold.')
  const streams = metric('dragoman_streams', 'gauge', 'Streams underway.')
  const recalled = metric(
    'dragoman_recall_bytes',
    'gauge',
    'Bytes that are remembered of the last requests of sessions.',
  )
  const breakers = metric(
    'dragoman_breaker_state',
    'gauge',
    'State of a key of an upstream: 0 closed, 1 half-open, 2 open.',
    ['upstream', 'key'],
  )
  const sockets = createSocketGauges(metric)
  return (now) => {
    sockets(now)
    open.set({}, now.open())
    held.set({}, now.held())
    streams.set({}, now.streams())
    recalled.set({}, now.recalled?.() ?? 0)
    breakers.clear()
    for (const { state, ...labels } of now.breakers?.() ?? []) breakers.set(labels, state)
  }
}

function createSocketGauges(metric: Make): (now: Readings) => void {
  const open = metric('dragoman_sockets', 'gauge', 'Open sockets.')
  const held = metric('dragoman_socket_bytes', 'gauge', 'Bytes that open sockets remember.')
  const closes = metric('dragoman_socket_closes_total', 'counter', 'Closed sockets.', ['code'])
  return (now) => {
    const sockets = now.sockets?.()
    open.set({}, sockets?.open ?? 0)
    held.set({}, sockets?.held ?? 0)
    for (const [code, count] of sockets?.closed ?? []) closes.set({ code: String(code) }, count)
  }
}

function createCounters(metric: Make, names: ModelNames): Metrics['finished'] {
  const counters = [createRequests, createTimes, createAttempts, createSpending].map((create) =>
    create(metric, names),
  )
  return (entry, settings) => {
    for (const count of counters) count(entry, settings)
  }
}

type Count = Metrics['finished']

function createRequests(metric: Make): Count {
  const labels = ['dialect', 'upstream', 'operation', 'outcome']
  const requests = metric('dragoman_requests_total', 'counter', 'Requests that are over.', labels)
  const losses = metric('dragoman_losses_total', 'counter', 'What translations could not carry.', [
    'pair',
    'code',
  ])
  return (entry) => {
    const { dialect = 'none', upstream = 'none', operation = 'other', outcome = 'ok' } = entry
    requests.add({ dialect, upstream, operation, outcome })
    const { upstreamDialect = 'none', losses: lost = [] } = entry
    for (const [code, same] of Map.groupBy(lost, (loss) => loss.code))
      losses.add({ pair: `${dialect}>${upstreamDialect}`, code }, lossCount(same))
  }
}

function createTimes(metric: Make): Count {
  const duration = metric(
    'dragoman_request_duration_seconds',
    'histogram',
    'From a request to the end of its answer.',
    ['dialect', 'upstream', 'stream'],
    DURATIONS,
  )
  const firstByte = metric(
    'dragoman_first_byte_seconds',
    'histogram',
    'From a request to the first byte of a reply.',
    ['dialect', 'upstream'],
    FIRST_BYTES,
  )
  const overhead = metric(
    'dragoman_overhead_seconds',
    'histogram',
    'From a body that is there to a request that is sent.',
    ['path'],
    OVERHEADS,
  )
  return (entry) => {
    const { dialect, upstream = 'none', upstreamDialect, operation, stream = false } = entry
    const { firstByteMs, overheadMs, totalMs } = entry
    if (dialect === undefined) return
    const at = { dialect, upstream, stream: String(stream) }
    duration.observe(at, totalMs / 1000)
    if (firstByteMs !== undefined) firstByte.observe(at, firstByteMs / 1000)
    const isPass = dialect === upstreamDialect
    if (overheadMs !== undefined && (operation === 'create' || operation === 'count'))
      overhead.observe({ path: isPass ? 'pass' : 'translate' }, overheadMs / 1000)
  }
}

function createAttempts(metric: Make): Count {
  const attempts = metric('dragoman_attempts_total', 'counter', 'Requests to upstreams.', [
    'upstream',
    'key',
    'result',
  ])
  const hops = metric('dragoman_hops_total', 'counter', 'Changes to another key or upstream.', [
    'route',
    'reason',
  ])
  return (entry, settings) => {
    for (const attempt of attemptsOf(entry))
      attempts.add({ ...memberLabels(attempt.member), result: resultOf(attempt) })
    for (const { reason, route } of listHops(entry, settings)) hops.add({ route, reason })
  }
}

function createSpending(metric: Make, names: ModelNames): Count {
  const tokens = metric(
    'dragoman_tokens_total',
    'counter',
    'Tokens. input includes cache_read and cache_write, output includes reasoning: do not add those on top.',
    ['upstream', 'model', 'caller', 'type'],
  )
  const cost = metric(
    'dragoman_cost_usd_total',
    'counter',
    'US dollars, where the price of the model is known.',
    ['upstream', 'model', 'caller'],
  )
  return (entry, settings) => {
    const { usage, cost: usd, upstream = 'none', caller = 'none', sentModel = '' } = entry
    if (!usage && usd === undefined) return
    const model = names(sentModel, settings)
    for (const [type, name] of TOKEN_TYPES)
      if (usage?.[name] !== undefined) tokens.add({ upstream, model, caller, type }, usage[name])
    if (usd !== undefined) cost.add({ upstream, model, caller }, usd)
  }
}

const TOKEN_TYPES = [
  ['input', 'input'],
  ['cache_read', 'cacheRead'],
  ['cache_write', 'cacheWrite'],
  ['output', 'output'],
  ['reasoning', 'reasoning'],
] as const

/** All attempts of an exchange; that of a route without a pool is not listed in its entry. */
export function attemptsOf(entry: LogEntry): readonly Attempt[] {
  const { attempts, upstream, member = upstream, overheadMs, totalMs } = entry
  if (attempts) return attempts
  if (overheadMs === undefined || member === undefined) return []
  return [{ member, ms: totalMs, ...onlyResult(entry) }]
}

/** What an upstream did, by what the caller was told, which has another status where the proxy is at fault. */
function onlyResult(entry: LogEntry): Pick<Attempt, 'status' | 'reason'> {
  const { status, error = '', outcome, firstByteMs } = entry
  if (outcome === 'left') return firstByteMs === undefined ? { reason: 'reset' } : { status: 200 }
  const known = isNoReply(error) ? 'reset' : REASONS.get(error)
  const reason = status < 400 ? undefined : known
  return reason === undefined ? { status } : { reason }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  [UNREACHABLE.message, 'connect'],
  [CONNECTION_LOST.message, 'reset'],
  [NOT_JSON.message, 'reset'],
  [NO_FIRST_BYTE.message, 'timeout'],
  [WENT_SILENT.message, 'timeout'],
  [TOOK_TOO_LONG.message, 'timeout'],
  [KEY_REFUSED.message, 'refused_key'],
  [REDIRECTED.message, '4xx'],
])

/** `claude#2` is the second key of `claude`. */
function memberLabels(member: string): { upstream: string; key: string } {
  const [upstream = '', key = '1'] = member.split('#')
  return { upstream, key }
}

function resultOf({ status, reason = '' }: Pick<Attempt, 'status' | 'reason'>): string {
  if (status === undefined) return RESULTS.has(reason) ? reason : 'reset'
  if (status === 429) return '429'
  if (status === 401 || status === 403) return 'refused_key'
  if (status >= 500) return '5xx'
  return status >= 300 ? '4xx' : 'ok'
}

const RESULTS: ReadonlySet<string> = new Set(['connect', 'timeout', 'refused_key', '4xx'])

function listHops({ attempts = [], route }: LogEntry, settings: Settings) {
  if (attempts.length < 2) return []
  const [upstream] = attempts[0]?.member.split('#') ?? []
  // Routes for several classes of requests may have one glob.
  const index = settings.routes.findIndex(
    ({ model, pool, upstream: only }) =>
      model === route && (pool ?? [{ name: only }]).some(({ name }) => name === upstream),
  )
  const label = index < 0 ? 'other' : `${index} ${route}`
  return attempts.slice(0, -1).map((attempt) => ({ route: label, reason: resultOf(attempt) }))
}

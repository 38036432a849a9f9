import { DIALECTS } from '../../adapters/dialect.ts'
import { adapters } from '../../adapters/index.ts'
import { defined } from '../json/json.ts'
import { findingsIn } from './lint/check.ts'
import { ConfigError, type ConfigFault } from './lint/finding.ts'
import { spellPlace } from './lint/place.ts'
import { shapeOf } from './lint/shape.ts'
import type { Config, ModelConfig, RouteConfig, TaskConfig, UpstreamConfig } from './type.ts'
import { type ConfigSource, inReadingOrder, objectSource, placed, textSource } from './source.ts'
import {
  formAt,
  readBase,
  versionsOf,
  type Environment,
  readHeaderName,
  readHeaderValue,
  readKey,
  type Platform,
  readPrefix,
  readProxy,
  readStore,
  STORES,
} from './values.ts'
import { buildCallers } from './callers.ts'
import { readMetrics } from './metrics.ts'
import { readTelemetry } from './telemetry.ts'
import { readWeb } from './web.ts'
import { cloudAt, readProfile } from './profiles.ts'
import { readMadeKey } from './cloud/auth.ts'
import { readQuery } from './cloud/query.ts'
import {
  DEFAULT_RETENTION,
  RECALL_BYTES,
  DEMO_ORIGIN,
  MAX_OUTPUT_TOKENS,
  PROCESS_LIMITS,
  RECORD,
  BEFORE,
  TIMEOUTS,
} from './defaults.ts'
import type {
  PoolEntry,
  PoolKey,
  Price,
  RetentionSettings,
  RouteSettings,
  Settings,
  TaskSettings,
  UpstreamSettings,
} from './settings.ts'
import { STORE_BOUNDS, WORKER_STORE_BOUNDS } from './defaults.ts'

export { ConfigError } from './lint/finding.ts'
export type { Environment, Platform } from './values.ts'

const DEFAULT_PLATFORM: Required<Platform> = {
  origin: 'configuration',
  exposed: false,
  limits: PROCESS_LIMITS,
  stores: 'process',
  listens: undefined,
}

/** The settings, where nothing is wrong, and all findings. */
export interface Examined {
  settings?: Settings
  faults: readonly ConfigFault[]
}

/** Examines a whole configuration. It never throws, because a running proxy may be asked to load a broken one. */
export function examined(
  source: ConfigSource,
  environment: Environment,
  platform: Platform = {},
): Examined {
  const complete = { ...DEFAULT_PLATFORM, ...platform, origin: source.origin }
  // In a text that is not JSON, nothing but the place of the syntax error is known.
  const shape = source.broken ? undefined : shapeOf(source.value)
  const findings = shape ? findingsIn(source.value, environment, complete, shape) : []
  const faults = inReadingOrder([
    ...source.faults,
    ...findings.map((finding) => placed(finding, source)),
  ])
  if (faults.some(({ severity }) => severity === 'fault')) return { faults }
  return shape?.config
    ? { settings: build(shape.config, environment, complete), faults }
    : { faults }
}

/** The settings; throws `ConfigError` with everything that is wrong. */
export function settingsIn({ settings, faults }: Examined): Settings {
  if (settings) return settings
  const first = faults.find(({ severity }) => severity === 'fault')
  throw new ConfigError(first?.place ?? '', first?.expected ?? '', first?.origin, faults)
}

/** Reads settings from a document; throws `ConfigError`. */
export function readSettings(
  config: unknown,
  environment: Environment,
  platform: Platform = {},
): Settings {
  const { origin } = { ...DEFAULT_PLATFORM, ...platform }
  return settingsIn(examined(objectSource(config, origin), environment, platform))
}

/** Reads settings from text: JSON with comments and trailing commas. */
export function settingsFromText(
  text: string,
  environment: Environment,
  platform: Platform & { origin: string },
): Settings {
  return settingsIn(examined(textSource(text, platform.origin), environment, platform))
}

/** Upstreams in this process, one per dialect. A model that is not the name of one of them goes to the first. */
export function demoConfig(): Config {
  return {
    upstreams: Object.fromEntries(
      DIALECTS.map((dialect) => [demoName(dialect), { dialect, url: `${DEMO_ORIGIN}/${dialect}` }]),
    ),
    routes: [
      ...DIALECTS.map((dialect) => ({ model: demoName(dialect), upstream: demoName(dialect) })),
      ...DIALECTS.slice(0, 1).map((dialect) => ({ model: '*', upstream: demoName(dialect) })),
    ],
  }
}

const demoName = (dialect: string): string => `demo-${dialect}`

/** Builds settings from a configuration that was checked. */
function build(config: Config, environment: Environment, platform: Required<Platform>): Settings {
  const { upstreams = {}, tasks = {}, state = {}, losses = {} } = config
  const { stores } = platform
  const telemetry = readTelemetry(config, environment, platform)
  const built = Object.entries(upstreams).map(
    ([name, upstream]) => [name, buildUpstream(name, upstream, environment)] as const,
  )
  const store = readStore(state.store ?? STORES[stores].usual, environment, 'state.store', stores)
  return {
    upstreams: new Map(built),
    routes: buildRoutes(config.routes, Object.keys(upstreams)),
    callers: buildCallers(config.callers, environment),
    ...(config.before && { before: { ...BEFORE, ...defined(config.before) } }),
    tasks: defined({
      image: tasks.image && buildTask('image', tasks.image, environment),
      music: tasks.music && buildTask('music', tasks.music, environment),
    }),
    state: store,
    recallBytes: state.recallBytes ?? (store === 'off' ? 0 : RECALL_BYTES[stores]),
    retention: buildRetention(state, stores),
    ...readLosses(losses),
    ...readCompaction(config.compaction),
    ...(config.failover && { failover: defined(config.failover) }),
    limits: { ...platform.limits, ...defined(config.limits ?? {}) },
    metrics: readMetrics(config, environment, platform),
    ...(telemetry && { telemetry }),
    ...(config.log && { log: defined(config.log) }),
    ...(config.record && { record: { ...RECORD, ...defined(config.record) } }),
    ...(config.web && { web: readWeb(config.web) }),
    ...(config.sockets !== undefined && { sockets: config.sockets === 'on' }),
    ...(config.inspect !== undefined && { inspect: config.inspect }),
    origin: platform.origin,
  }
}

const readLosses = (losses: Config['losses'] = {}): Pick<Settings, 'losses' | 'lossTrailer'> =>
  typeof losses === 'string'
    ? { losses }
    : { losses: losses.mode ?? 'report', ...(losses.trailer && { lossTrailer: true }) }

function readCompaction(compaction: Config['compaction']): Pick<Settings, 'compaction'> {
  if (compaction === undefined) return {}
  if (typeof compaction !== 'string') return { compaction: defined(compaction) }
  return { compaction: compaction === 'refuse' ? { refused: true } : {} }
}

function buildUpstream(
  name: string,
  config: UpstreamConfig,
  environment: Environment,
): UpstreamSettings {
  const at = spellPlace(['upstreams', name])
  const adapter = adapters.find(({ dialect }) => dialect === config.dialect)
  if (!adapter) throw new ConfigError(`${at}.dialect`, 'expected a known dialect')
  const { headers, query, models, timeouts = {}, proxy, auth, compaction, ...others } = config
  const { url: _, key: __, profile: ___, ...given } = others
  const made = readMadeKey(config, environment, `${at}.auth`)
  return {
    auth: typeof auth === 'string' ? auth : adapter.upstream.defaultAuth,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    ...defined(given),
    name,
    ...readPlace(config, `${at}.url`),
    ...serviceAt(config),
    ...readCompaction(compaction),
    ...buildKeys(name, config, environment),
    ...(made && { made }),
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([header, text]) => [
        readHeaderName(header, `${at}.headers`),
        readHeaderValue(text, environment, `${at}.headers`),
      ]),
    ),
    ...(query && readQuery(query, environment, `${at}.query`)),
    ...(given.maxOutputTokens !== undefined && { isBoundSaid: true }),
    models: new Map(
      Object.entries(models ?? {}).map(([glob, { price, ...facts }]) => [
        glob,
        { ...defined(facts), ...(price !== undefined && { price: readPrice(price) }) },
      ]),
    ),
    ...readProfile(config),
    ...(proxy !== undefined && { proxy: readProxy(proxy, environment, `${at}.proxy`) }),
    timeouts: {
      ...TIMEOUTS,
      ...defined(timeouts),
      ...(timeouts.firstByteMs !== undefined && { jsonMs: timeouts.firstByteMs }),
    },
  }
}

/** Below the path of a cloud that has a form of its own there is no version. */
function readPlace(
  config: UpstreamConfig,
  at: string,
): Pick<UpstreamSettings, 'base' | 'version' | 'form'> {
  const { url, dialect } = config
  // The demo's own addresses name the dialect.
  const versions = url.startsWith(DEMO_ORIGIN) ? undefined : versionsOf(dialect)
  const place = readBase(url, at, versions)
  const form = readProfile(config).server?.form ?? formAt(dialect, place.base)
  return form === undefined ? place : { ...place, form, version: '' }
}

function serviceAt({ url, profile }: UpstreamConfig): Pick<UpstreamSettings, 'service'> {
  const service = cloudAt(url, typeof profile === 'string' ? profile : profile?.extends)
  return service === undefined ? {} : { service }
}

const readPrice = (price: NonNullable<ModelConfig['price']>): Price =>
  typeof price === 'number'
    ? { input: price, output: price, cacheRead: price, cacheWrite: price }
    : defined(price)

function buildKeys(
  name: string,
  { key, account }: UpstreamConfig,
  environment: Environment,
): Pick<UpstreamSettings, 'key' | 'keys'> {
  const at = ['upstreams', name, 'key']
  if (!Array.isArray(key)) return { key: readKey(key, environment, spellPlace(at)) }
  const keys = key.map((entry, index): PoolKey => {
    const { weight = 1, ...own } = typeof entry === 'string' ? { key: entry } : entry
    return {
      key: readKey(own.key, environment, spellPlace([...at, index])),
      weight,
      account: ('account' in own ? own.account : undefined) ?? account ?? `${name}#${index + 1}`,
    }
  })
  return { key: keys[0]?.key ?? { kind: 'none' }, keys }
}

/** A single upstream needs no route: all requests go to it. */
function buildRoutes(
  routes: Config['routes'],
  upstreams: readonly string[],
): readonly RouteSettings[] {
  const [only] = upstreams
  if (routes === undefined && only !== undefined) return [{ model: '*', upstream: only }]
  return (routes ?? []).map(buildRoute)
}

function buildRoute({ upstream, class: words, failover, ...route }: RouteConfig): RouteSettings {
  const list = Array.isArray(upstream) ? upstream : undefined
  const pool = list?.map((entry): PoolEntry => {
    const { weight = 1, ...named } = typeof entry === 'string' ? { name: entry } : entry
    return { ...defined(named), weight }
  })
  return {
    ...defined(route),
    upstream: pool?.[0]?.name ?? (typeof upstream === 'string' ? upstream : ''),
    ...(pool && { pool }),
    ...(words !== undefined && { class: typeof words === 'string' ? [words] : words }),
    ...(failover && { failover: defined(failover) }),
  }
}

function buildTask(
  name: 'image' | 'music',
  config: TaskConfig,
  environment: Environment,
): TaskSettings {
  const at = `tasks.${name}`
  return {
    base: readBase(config.url, `${at}.url`).base,
    key: readKey(config.key, environment, `${at}.key`),
    prefix: readPrefix(config.prefix ?? DEFAULT_PREFIX[name], `${at}.prefix`),
  }
}

const DEFAULT_PREFIX = { image: '/img', music: '/music' } as const
function buildRetention(
  state: NonNullable<Config['state']>,
  stores: NonNullable<Platform['stores']>,
): RetentionSettings {
  const bounds = stores === 'isolate' ? WORKER_STORE_BOUNDS : STORE_BOUNDS
  const { store: _, recallBytes: __, ttlSeconds, ...given } = state
  const ttl = ttlSeconds === undefined ? {} : { ttlMs: ttlSeconds * 1000 }
  return { ...DEFAULT_RETENTION, ...bounds, ...defined(given), ...ttl }
}

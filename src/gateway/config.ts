import { adapters } from '../../adapters/index.ts'
import { defined } from '../canonical/json.ts'
import {
  checkConfig,
  type Config,
  type Fault,
  type TaskConfig,
  type UpstreamConfig,
} from './config-schema.ts'
import { placeOf, valueAt } from './config-place.ts'
import {
  baseOf,
  callerKeyOf,
  ConfigError,
  type Environment,
  headersOf,
  keyOf,
  resolved,
} from './config-values.ts'
import { webOf } from './config-web.ts'
import {
  DEFAULT_RETENTION,
  DEMO_ORIGIN,
  MAX_OUTPUT_TOKENS,
  PROCESS_LIMITS,
  TIMEOUTS,
} from './defaults.ts'
import { JsoncError, parseJsonc } from './jsonc.ts'
import { matchesGlob } from './route.ts'
import type {
  CallerSettings,
  LimitSettings,
  RetentionSettings,
  RouteSettings,
  Settings,
  TaskSettings,
  UpstreamSettings,
} from './settings.ts'
import { STORE_BOUNDS, WORKER_STORE_BOUNDS } from './store.ts'

export { ConfigError, type Environment } from './config-values.ts'

/** What the runtime adds to a configuration. */
export interface Platform {
  /** Where the configuration came from, for a person. */
  origin?: string
  /** True when others than this machine can call: then callers have to be named. */
  exposed?: boolean
  /** Bounds where the configuration sets none. */
  limits?: LimitSettings
  /** Which stores there are: those of a process of its own, or those of an isolate. */
  stores?: 'process' | 'isolate'
}

const DEFAULT_PLATFORM: Required<Platform> = {
  origin: 'configuration',
  exposed: false,
  limits: PROCESS_LIMITS,
  stores: 'process',
}

/** The settings that a configuration describes; throws `ConfigError` with one line about the first fault. */
export function settingsOf(
  config: unknown,
  environment: Environment,
  platform: Platform = {},
): Settings {
  const complete = { ...DEFAULT_PLATFORM, ...platform }
  try {
    const checked = checkConfig(config)
    if ('fault' in checked) throw faultError(config, checked.fault)
    return build(checked.config, environment, complete)
  } catch (error) {
    throw error instanceof ConfigError ? error.within(complete.origin) : error
  }
}

/** The same from text: JSON with comments and trailing commas. */
export function settingsFromText(
  text: string,
  environment: Environment,
  platform: Platform & { origin: string },
): Settings {
  let config: unknown
  try {
    config = parseJsonc(text)
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error
    throw new ConfigError(`${platform.origin}:${error.line}:${error.column}`, error.message)
  }
  return settingsOf(config, environment, platform)
}

/** Three upstreams in this process, one per dialect; a model that is none of their names goes to the first. */
export function demoConfig(): Config {
  const dialects = adapters.map((adapter) => adapter.dialect)
  return {
    upstreams: Object.fromEntries(
      dialects.map((dialect) => [demoName(dialect), { dialect, url: `${DEMO_ORIGIN}/${dialect}` }]),
    ),
    routes: [
      ...dialects.map((dialect) => ({ model: demoName(dialect), upstream: demoName(dialect) })),
      ...dialects.slice(0, 1).map((dialect) => ({ model: '*', upstream: demoName(dialect) })),
    ],
  }
}

const demoName = (dialect: string): string => `demo-${dialect}`

function build(config: Config, environment: Environment, platform: Required<Platform>): Settings {
  const { upstreams = {}, tasks = {}, state = {}, losses = 'report' } = config
  const built = Object.entries(upstreams).map(
    ([name, upstream]) => [name, buildUpstream(name, upstream, environment)] as const,
  )
  if (built.length === 0 && !tasks.image && !tasks.music)
    throw new ConfigError('upstreams', 'expected at least one upstream')
  return {
    upstreams: new Map(built),
    routes: buildRoutes(config.routes, new Set(Object.keys(upstreams))),
    callers: buildCallers(config.callers, environment, platform.exposed),
    tasks: defined({
      image: tasks.image && buildTask('image', tasks.image, environment),
      music: tasks.music && buildTask('music', tasks.music, environment),
    }),
    state: buildState(state.store ?? STORES[platform.stores].usual, environment, platform.stores),
    retention: buildRetention(state, platform.stores),
    losses,
    limits: { ...platform.limits, ...defined(config.limits ?? {}) },
    ...(config.web && { web: webOf(config.web) }),
    origin: platform.origin,
  }
}

const UPSTREAM_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

function buildUpstream(
  name: string,
  config: UpstreamConfig,
  environment: Environment,
): UpstreamSettings {
  const at = placeOf(['upstreams', name])
  if (!UPSTREAM_NAME.test(name))
    throw new ConfigError(at, 'expected a name of letters, digits, ".", "_" and "-"')
  const adapter = adapters.find(({ dialect }) => dialect === config.dialect)
  if (!adapter) throw new ConfigError(`${at}.dialect`, 'expected a known dialect')
  const { timeouts = {} } = config
  return {
    name,
    dialect: config.dialect,
    ...baseOf(config.url, `${at}.url`, { versioned: true }),
    key: keyOf(config.key, environment, `${at}.key`),
    auth: config.auth ?? adapter.upstream.defaultAuth,
    headers: headersOf(config.headers, environment, `${at}.headers`),
    maxOutputTokens: config.maxOutputTokens ?? MAX_OUTPUT_TOKENS,
    models: new Map(
      Object.entries(config.models ?? {}).map(([glob, facts]) => [glob, defined(facts)]),
    ),
    timeouts: {
      ...TIMEOUTS,
      ...defined(timeouts),
      ...(timeouts.firstByteMs !== undefined && { jsonMs: timeouts.firstByteMs }),
    },
  }
}

function buildRoutes(
  routes: Config['routes'],
  upstreams: ReadonlySet<string>,
): readonly RouteSettings[] {
  const [only] = upstreams
  if (routes === undefined && only !== undefined && upstreams.size === 1)
    return [{ model: '*', upstream: only }]
  if (!routes?.length && upstreams.size > 0)
    throw new ConfigError('routes', 'expected at least one route, because there are upstreams')
  return (routes ?? []).map((route, index) => {
    if (!upstreams.has(route.upstream))
      throw new ConfigError(
        placeOf(['routes', index, 'upstream']),
        `expected the name of an upstream (${[...upstreams].join(', ') || 'there is none'})`,
      )
    checkModels(route.model, route.models ?? [], index)
    return defined(route)
  })
}

/** Names that the route would not take are a mistake. */
function checkModels(model: string, models: readonly string[], index: number): void {
  for (const [at, name] of models.entries())
    if (name.includes('*') || !matchesGlob(model, name))
      throw new ConfigError(
        placeOf(['routes', index, 'models', at]),
        `expected a name that ${JSON.stringify(model)} stands for`,
      )
}

function buildCallers(
  callers: Config['callers'],
  environment: Environment,
  exposed: boolean,
): CallerSettings {
  if (callers === 'open') return { kind: 'open' }
  if (callers)
    return {
      kind: 'keys',
      keys: callers.keys.map((key, index) =>
        callerKeyOf(key, environment, placeOf(['callers', 'keys', index])),
      ),
    }
  if (exposed)
    throw new ConfigError(
      'callers',
      'expected the keys of the callers (or "open"), because others than this machine can call',
    )
  return { kind: 'open' }
}

function buildTask(
  name: 'image' | 'music',
  config: TaskConfig,
  environment: Environment,
): TaskSettings {
  const at = `tasks.${name}`
  const prefix = (config.prefix ?? DEFAULT_PREFIX[name]).replace(/\/+$/, '')
  if (prefix !== '' && !TASK_PREFIX.test(prefix))
    throw new ConfigError(`${at}.prefix`, 'expected a path that begins with "/"')
  return {
    base: baseOf(config.url, `${at}.url`).base,
    key: keyOf(config.key, environment, `${at}.key`),
    prefix,
  }
}

const DEFAULT_PREFIX = { image: '/img', music: '/music' } as const
const TASK_PREFIX = /^(?:\/[\w.~-]*[\w~-])+$/

/** The stores of each kind of platform. */
const STORES = {
  process: {
    pattern: /^(?:memory|off|sqlite:.+|rediss?:\/\/.+)$/,
    text: 'memory, sqlite:FILE, redis://HOST or off',
    usual: 'memory',
  },
  // A follow-up may reach another isolate at once, which knows nothing of this one's memory.
  isolate: { pattern: /^(?:off|kv|durable)$/, text: 'durable, kv or off', usual: 'durable' },
} as const

function buildState(
  text: string,
  environment: Environment,
  stores: NonNullable<Platform['stores']>,
): string {
  const store = resolved(text, environment, 'state.store')
  if (STORES[stores].pattern.test(store)) return store
  throw new ConfigError('state.store', `expected ${STORES[stores].text}`)
}

function buildRetention(
  state: NonNullable<Config['state']>,
  stores: NonNullable<Platform['stores']>,
): RetentionSettings {
  const bounds = stores === 'isolate' ? WORKER_STORE_BOUNDS : STORE_BOUNDS
  const { store: _, ttlSeconds, ...given } = state
  const ttl = ttlSeconds === undefined ? {} : { ttlMs: ttlSeconds * 1000 }
  return { ...DEFAULT_RETENTION, ...bounds, ...defined(given), ...ttl }
}

function faultError(config: unknown, fault: Fault): ConfigError {
  const actual = valueAt(config, fault.path)
  const text =
    actual === undefined && fault.expected.startsWith('expected')
      ? `is missing; ${fault.expected}`
      : fault.expected
  return new ConfigError(placeOf(fault.path), text)
}

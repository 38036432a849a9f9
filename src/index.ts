import { defined } from './json/json.ts'
import { ConfigError, type Environment, readSettings } from './config/config.ts'
import type { Config } from './config/type.ts'
import { DEFAULT_RETENTION } from './config/defaults.ts'
import { placing } from './extras/places/placing.ts'
import { tasks } from './extras/tasks/tasks.ts'
import { randomId } from './ports.ts'
import { fetchSend } from './upstream/fetch-send.ts'
import type { Ports as EveryPort } from './ports.ts'
import type { Settings } from './config/settings.ts'
import { adapters } from '../adapters/index.ts'
import { withDemo } from './extras/demo/demo.ts'
import { abortable, createApp as createAppOf, mounted } from './http/hono-app.ts'
import type { App } from './http/app-type.ts'
import type { LogEntry } from './observe/entry.ts'
import { listedPrice } from './observe/prices.ts'
import { memoryStore } from './memory/stores/memory.ts'

export { ConfigError } from './config/config.ts'
export type { ConfigFault } from './config/lint/finding.ts'
export type {
  Config,
  ProfileConfig,
  RouteConfig,
  TaskConfig,
  UpstreamConfig,
} from './config/type.ts'
export type { Dialect } from '../adapters/dialect.ts'
export type { App } from './http/app-type.ts'
export type { LogEntry } from './observe/entry.ts'
export type { Send, UpstreamRequest, UpstreamResponse } from './ports.ts'
export { ConnectError } from './ports.ts'
export type { Store, StoreEntry } from './memory/store.ts'
export type { StoreBounds } from './config/settings.ts'
export { EntryTooLargeError, StoreUnavailableError } from './memory/store.ts'
export { durableStore, type ObjectNamespace } from './workers/durable.ts'
export { type KeyValueNamespace, kvStore } from './workers/kv.ts'
export { memoryStore } from './memory/stores/memory.ts'
export { type RedisLink, redisStore } from './memory/stores/redis.ts'
export type { ReportedLoss } from './exchange/answers/loss-report.ts'
export type { Loss, LossCode } from './model/loss.ts'
export { ProblemError, type Problem } from './model/problem.ts'
export { translator } from './named-translator.ts'
export type {
  TranslatedReply,
  TranslatedRequest,
  Translator,
  NamedOptions as TranslatorOptions,
} from './translator.ts'
export { VERSION } from './version.ts'

/** What a program may provide itself; the platform provides the rest. */
export type Ports = Partial<EveryPort> & {
  /** The path below which the app stands where its host leaves it in addresses, such as `/llm`. */
  basePath?: string
}

/**
 * The proxy as an app. `config` is the configuration document; `environment` is where its `env:NAME`
 * values are looked up: where there is a process, in its variables.
 */
export function createApp(
  config: Config,
  { basePath, ...ports }: Ports = {},
  environment: Environment = processEnvironment(),
): App {
  if (basePath !== undefined && !/^(?:\/[\w.~-]+)+$/.test(basePath))
    throw new ConfigError('basePath', 'expected a path such as /llm, without a slash at its end')
  const settings = readSettings(config, environment)
  const proxied = [...settings.upstreams.values()].find(({ proxy }) => proxy !== undefined)
  if (proxied && !ports.send)
    throw new ConfigError(
      `upstreams.${proxied.name}.proxy`,
      'expected a "send" among the ports that calls through a proxy',
    )
  const own = createAppOf(settings, {
    ...defaultPorts(settings),
    ...(ports.store ? {} : createStore(settings)),
    ...ports,
    ...(ports.log && { log: knownOnly(ports.log) }),
    tasks,
  })
  const app = basePath === undefined ? own : mounted(basePath, own)
  const handle = app.fetch
  return Object.assign(app, {
    fetch: async (input: Request | string | URL, init?: RequestInit) =>
      isRequest(input) ? handle(input) : abortable(handle(new Request(input, init)), init?.signal),
  })
}

/** By its members: hosts bring classes of their own (@whatwg-node/server 0.13, undici 8 of npm). */
const isRequest = (input: Request | string | URL): input is Request =>
  typeof input === 'object' && 'method' in input

/**
 * A program is told what is known of an exchange, and no empty members. A log that fails, at once or by a promise,
 * costs no reply, which has been paid for, and not the process.
 */
function knownOnly(log: EveryPort['log']): EveryPort['log'] {
  const logSafely = async (entry: LogEntry): Promise<void> => {
    try {
      await log(entry)
    } catch (error) {
      console.error('dragoman: the log of this program failed', error)
    }
  }
  return (entry) => void logSafely(defined(entry))
}

function processEnvironment(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } }
  return process?.env ?? {}
}

/** Stores other than the program's memory are opened by the program and passed as a port. */
function createStore({ state, retention }: Settings): Pick<Ports, 'store'> {
  if (state === 'off') return {}
  if (state === 'memory') return { store: memoryStore({ ...DEFAULT_RETENTION, ...retention }) }
  throw new ConfigError('state.store', 'expected memory or off, unless a store is among the ports')
}

const defaultPorts = (settings: Settings): EveryPort => ({
  send: withDemo(settings, adapters, fetchSend),
  now: Date.now,
  randomId,
  placing,
  log() {},
  prices: listedPrice,
})

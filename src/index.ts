import { ConfigError, type Environment, settingsOf } from './gateway/config.ts'
import type { Config } from './gateway/config-type.ts'
import { DEFAULT_RETENTION } from './gateway/defaults.ts'
import { randomId } from './gateway/exchange.ts'
import { fetchSend } from './gateway/fetch-send.ts'
import type { Ports as EveryPort } from './gateway/ports.ts'
import type { Settings } from './gateway/settings.ts'
import { adapters } from '../adapters/index.ts'
import { demoSend } from './demo.ts'
import { createApp as createAppOf } from './http/app.ts'
import type { App } from './http/app-type.ts'
import { memoryStore } from './state/memory.ts'

export { ConfigError } from './gateway/config.ts'
export type { ConfigFault } from './gateway/config-finding.ts'
export type { Config, RouteConfig, TaskConfig, UpstreamConfig } from './gateway/config-type.ts'
export type { Dialect } from '../adapters/dialect.ts'
export type { App } from './http/app-type.ts'
export type { LogEntry } from './observe/entry.ts'
export type { Send, UpstreamRequest, UpstreamResponse } from './gateway/ports.ts'
export { ConnectError } from './gateway/ports.ts'
export type { Store, StoreBounds, StoreEntry } from './gateway/store.ts'
export { EntryTooLargeError, StoreUnavailableError } from './gateway/store.ts'
export { durableStore, type ObjectNamespace } from './state/durable.ts'
export { type KeyValueNamespace, kvStore } from './state/kv.ts'
export { memoryStore } from './state/memory.ts'
export { type RedisLink, redisStore } from './state/redis.ts'
export type { Loss, LossCode } from './canonical/loss.ts'
export { ProblemError, type Problem } from './canonical/problem.ts'
export {
  type TranslatedReply,
  type TranslatedRequest,
  translator,
  type Translator,
  type TranslatorOptions,
} from './translator.ts'
export { VERSION } from './version.ts'

/** What a program may bring of its own; the rest is the platform's. */
export type Ports = Partial<EveryPort>

/**
 * The proxy as an app. `config` is the configuration document; `environment` is where its `env:NAME`
 * values are looked up: where there is a process, in its variables.
 */
export function createApp(
  config: Config,
  ports: Ports = {},
  environment: Environment = processEnvironment(),
): App {
  const settings = settingsOf(config, environment)
  const proxied = [...settings.upstreams.values()].find(({ proxy }) => proxy !== undefined)
  if (proxied && !ports.send)
    throw new ConfigError(
      `upstreams.${proxied.name}.proxy`,
      'expected a "send" among the ports that calls through a proxy',
    )
  const app = createAppOf(settings, {
    ...defaultPorts(),
    ...(ports.store ? {} : storeOf(settings)),
    ...ports,
  })
  const handle = app.fetch
  return Object.assign(app, {
    fetch: async (input: Request | string | URL, init?: RequestInit) =>
      handle(input instanceof Request ? input : new Request(input, init)),
  })
}

function processEnvironment(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } }
  return process?.env ?? {}
}

/** Any other store than the memory of the program is opened by the program, and brought as a port. */
function storeOf({ state, retention }: Settings): Pick<Ports, 'store'> {
  if (state === 'off') return {}
  if (state === 'memory') return { store: memoryStore({ ...DEFAULT_RETENTION, ...retention }) }
  throw new ConfigError('state.store', 'expected memory or off, unless a store is among the ports')
}

const defaultPorts = (): EveryPort => ({
  send: demoSend(adapters, fetchSend),
  now: Date.now,
  randomId,
  log() {},
})

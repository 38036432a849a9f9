import { settingsOf } from './gateway/config.ts'
import { ConfigError, type Environment } from './gateway/config.ts'
import { DEFAULT_RETENTION } from './gateway/defaults.ts'
import { randomId } from './gateway/exchange.ts'
import { fetchSend } from './gateway/fetch-send.ts'
import type { Ports } from './gateway/ports.ts'
import type { Settings } from './gateway/settings.ts'
import { adapters } from '../adapters/index.ts'
import { demoSend } from './demo.ts'
import { createApp as createAppOf } from './http/app.ts'
import { memoryStore } from './state/memory.ts'

export { ConfigError } from './gateway/config.ts'
export type { Ports, Send, UpstreamRequest, UpstreamResponse } from './gateway/ports.ts'
export { ConnectError } from './gateway/ports.ts'
export type { Store, StoreEntry } from './gateway/store.ts'
export type { Loss, LossCode } from './canonical/loss.ts'
export { ProblemError, type Problem } from './canonical/problem.ts'
export { translator, type Translator, type TranslatorOptions } from './translator.ts'
export { VERSION } from './version.ts'

/**
 * A Hono app, of which this is declared: what is needed to call it, or to mount it in another one
 * (`other.mount('/', app.fetch)`). It answers every path itself, so routes added to it would never be reached.
 */
export interface App {
  /**
   * Takes what the platform's own `fetch` takes, as the SDKs call it, and what runtimes hand to a server:
   * beside a whole request, the second argument is theirs (an environment, a server) and means nothing.
   */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** The same for a path without a host: `app.request('/healthz')`. */
  request(input: Request | string | URL, init?: RequestInit): Response | Promise<Response>
}

/**
 * The proxy as an app. `config` is the configuration document; `environment` is where its `env:NAME`
 * values are looked up: where there is a process, in its variables.
 */
export function createApp(
  config: unknown,
  ports: Partial<Ports> = {},
  environment: Environment = processEnvironment(),
): App {
  const settings = settingsOf(config, environment)
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

const defaultPorts = (): Ports => ({
  send: demoSend(adapters, fetchSend),
  now: Date.now,
  randomId,
  log() {},
})

import { ConfigError } from '../config/lint/finding.ts'
import type { Store } from '../memory/store.ts'
import type { StoreBounds } from '../config/settings.ts'
import { durableStore, type ObjectNamespace } from './durable.ts'
import { kvStore, type KeyValueNamespace } from './kv.ts'

/** The bindings, as `wrangler.toml` names them. */
export interface StateBindings {
  STATE?: ObjectNamespace
  STATE_KV?: KeyValueNamespace
}

/** `durable`, or `kv`, which is eventually consistent. */
export function openWorkersStore(
  spec: string,
  bounds: StoreBounds,
  bindings: StateBindings,
  now: () => number = Date.now,
): Store {
  switch (spec) {
    case 'kv':
      return kvStore(bound(bindings.STATE_KV, 'kv', 'STATE_KV'), bounds, now)
    case 'durable':
      return durableStore(bound(bindings.STATE, 'durable', 'STATE'), bounds)
    default:
      throw new ConfigError('state.store', 'on Workers expected durable or kv')
  }
}

function bound<T>(binding: T | undefined, spec: string, name: string): T {
  if (binding === undefined)
    throw new ConfigError('state.store', `${spec} needs the binding ${name} in wrangler.toml`)
  return binding
}

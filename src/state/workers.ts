import type { Store, StoreBounds } from '../gateway/store.ts'
import { durableStore, type ObjectNamespace } from './durable.ts'
import { kvStore, type KeyValueNamespace } from './kv.ts'
import { memoryStore } from './memory.ts'

/** As `wrangler.toml` names them. */
export interface StateBindings {
  STATE?: ObjectNamespace
  STATE_KV?: KeyValueNamespace
}

/** `memory` (of one isolate, so a hint at best), `kv` or `durable`. */
export function openStore(
  spec: string,
  bounds: StoreBounds,
  bindings: StateBindings,
  now: () => number = Date.now,
): Store {
  switch (spec) {
    case 'memory':
      return memoryStore(bounds, now)
    case 'kv':
      return kvStore(bound(bindings.STATE_KV, 'kv', 'STATE_KV'), bounds, now)
    case 'durable':
      return durableStore(bound(bindings.STATE, 'durable', 'STATE'), bounds)
    default:
      throw new TypeError('state.store: on Workers expected memory, kv or durable')
  }
}

function bound<T>(binding: T | undefined, spec: string, name: string): T {
  if (binding === undefined)
    throw new TypeError(`state.store: ${spec} needs the binding ${name} in wrangler.toml`)
  return binding
}

import type { Adapter, Incoming, Route, StoredAction, StoredRoute } from '../../adapters/adapter.ts'
import type { Dialects } from '../../adapters/index.ts'

export interface Match {
  caller: Adapter
  route: Route
}

/** The dialect whose conversation path this is. */
export function matched(dialects: Dialects, incoming: Incoming): Match | undefined {
  for (const caller of dialects.list) {
    const route = caller.caller.match(incoming)
    if (route) return { caller, route }
  }
  return undefined
}

/** A path that names something kept. */
export interface StoredPlace {
  caller: Adapter
  route: StoredRoute
}

/** What is to be done with something kept. */
export interface StoredMatch {
  caller: Adapter
  id: string
  action: StoredAction
}

export function storedAt(dialects: Dialects, incoming: Incoming): StoredPlace | undefined {
  for (const caller of dialects.list) {
    const route = caller.caller.memory?.match(incoming)
    if (route) return { caller, route }
  }
  return undefined
}

import type { Adapter, Incoming, Route } from '../../adapters/adapter.ts'
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

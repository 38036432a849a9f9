import type { Adapter, RequestHead, Route } from '../../adapters/contract.ts'
import type { StoredAction, StoredRoute } from '../memory/conversation.ts'
import type { Dialects } from '../../adapters/index.ts'

export interface Match {
  caller: Adapter
  route: Route
}

/** The dialect whose conversation path this is. */
export function matched(dialects: Dialects, head: RequestHead): Match | undefined {
  for (const caller of dialects.list) {
    const route = caller.caller.match(head)
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

export function storedAt(dialects: Dialects, head: RequestHead): StoredPlace | undefined {
  for (const caller of dialects.list) {
    const route = caller.caller.memory?.match(head)
    if (route) return { caller, route }
  }
  return undefined
}

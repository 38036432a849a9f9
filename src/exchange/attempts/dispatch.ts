import type { Adapter, RequestHead, Route } from '../../../adapters/contract.ts'
import type { StoredAction, StoredRoute } from '../../memory/conversation.ts'
import type { Dialects } from '../../../adapters/index.ts'

export interface Match {
  readonly caller: Adapter
  readonly route: Route
}

/** Finds the dialect of a conversation path. */
export function matched(dialects: Dialects, head: RequestHead): Match | undefined {
  for (const caller of dialects.list) {
    const route = caller.caller.match(head)
    if (route) return { caller, route }
  }
  return undefined
}

/** The path of a stored exchange. */
export interface StoredPlace {
  readonly caller: Adapter
  readonly route: StoredRoute
}

/** What a request asks for about a stored exchange. */
export interface StoredMatch {
  readonly caller: Adapter
  readonly id: string
  readonly action: StoredAction
}

export function storedAt(dialects: Dialects, head: RequestHead): StoredPlace | undefined {
  for (const caller of dialects.list) {
    const route = caller.caller.memory?.match(head)
    if (route) return { caller, route }
  }
  return undefined
}

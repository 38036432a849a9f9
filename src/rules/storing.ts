import type { Lose } from '../model/loss.ts'
import type { Request } from '../model/request.ts'

/** What an upstream keeps of requests. */
export interface Storing {
  /** Whether a request can say that it is to be kept, or not. */
  readonly isTold: boolean
  /** Whether it keeps those that do not say otherwise. */
  readonly stores: boolean
}

/**
 * What an upstream is told of keeping a request of a foreign caller. It is kept only where its caller asked for that: many
 * dialects have no word for it, so that silence means nothing.
 */
export function storeFor(
  { store }: Pick<Request, 'store'>,
  { isTold, stores }: Storing,
  lose: Lose,
): boolean | undefined {
  if (isTold) return store ?? (stores ? false : undefined)
  if (store) return lose('dropped', 'store', 'the upstream keeps no replies')
  return stores ? lose('dropped', 'store', UNTOLD) : undefined
}

/** Said of an upstream that keeps requests and has no parameter against it. */
export const UNTOLD = 'the upstream keeps requests, and has no word for not to'

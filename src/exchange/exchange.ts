import type { RequestHead } from '../../adapters/contract.ts'
import type { Dialects } from '../../adapters/index.ts'
import type { KeptContext } from '../memory/context.ts'
import type { Accept, Ports } from '../ports.ts'
import type { ByteSource } from '../stream/source.ts'
import type { Pools } from '../upstream/pools.ts'
import type { Journal } from './journal.ts'

/**
 * What every stage of an exchange needs: whose it is, the settings with their limits, the clock, the log, its share of
 * the bytes in flight, and when the caller has left.
 */
export interface Context extends KeptContext {
  readonly ports: Ports
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  readonly journal: Journal
  newId(prefix: string): string
}

/** A request that was admitted: the first stage, before a body is read. One about a stored exchange has none. */
export interface AdmittedRequest extends Context {
  readonly dialects: Dialects
  readonly head: RequestHead
  /** The key that the caller presented, for upstreams that take the caller's own key. */
  readonly credential: string | undefined
  readonly pools: Pools
}

/** The last stage: an HTTP reply before it becomes a `Response`. */
export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | ByteSource | null
  /** Called when a whole body has been taken, or never will be. Until then it counts as in flight. */
  gone?(): void
  /** Where the request asks for a socket, which the platform may now open. */
  readonly accept?: Accept
}

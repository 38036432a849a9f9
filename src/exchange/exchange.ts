import type { RequestHead } from '../../adapters/contract.ts'
import type { Lookup } from '../model/lookup.ts'
import type { Dialects } from '../../adapters/index.ts'
import type { Journal } from './journal.ts'
import type { KeptContext, MemoryContext } from '../memory/context.ts'
import type { Ports } from '../ports.ts'
import type { Pools } from '../upstream/pools.ts'
import type { ByteSource } from '../stream/source.ts'
import type { Body } from './body.ts'

/** What is known of a request for something that is kept: its id is in the path, and there is no body. */
export interface StoredExchange extends KeptContext {
  readonly dialects: Dialects
  readonly ports: Ports
  readonly head: RequestHead
  /** What the caller presented, for upstreams whose key it is. */
  readonly credential: string | undefined
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  readonly journal: Journal
  readonly pools: Pools
  /** Another member may be asked if this attempt comes to nothing: known as soon as the route is. */
  isRepeatable: boolean
  newId(prefix: string): string
}

/** One exchange: who asks what, in which dialect, and what is to be remembered of it. */
export interface Exchange extends StoredExchange, MemoryContext {
  readonly headers: Lookup & { keys?(): Iterable<string> }
  readonly body: Body
  readonly permit: Permit
  readonly journal: Journal
}

/** What the key of a caller allows. */
export interface Permit {
  mayUse(model: string): boolean
  /** Before a reply is asked for; throws ProblemError where a limit is reached. */
  reserve(bytes: number): void
}

/** An HTTP reply, before it is one. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | ByteSource | null
  /** To be told when a whole body has been taken, or never will be: until then it is in flight. */
  gone?(): void
}

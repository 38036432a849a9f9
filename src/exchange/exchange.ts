import type { RequestHead, Route } from '../../adapters/contract.ts'
import type { Lookup } from '../model/lookup.ts'
import type { Dialects } from '../../adapters/index.ts'
import type { Journal } from './journal.ts'
import type { KeptContext, MemoryContext } from '../memory/context.ts'
import type { Accept, Ports, RecalledRequest } from '../ports.ts'
import type { Pools } from '../upstream/pools.ts'
import type { ByteSource } from '../stream/source.ts'
import type { Received } from './received.ts'

/** A request for a stored exchange: its id is in the path, and there is no body. */
export interface StoredExchange extends KeptContext {
  readonly dialects: Dialects
  readonly ports: Ports
  readonly head: RequestHead
  /** The key that the caller presented, for upstreams that take the caller's own key. */
  readonly credential: string | undefined
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  readonly journal: Journal
  readonly pools: Pools
  /** Whether another member may be asked if this attempt fails; known with the route. */
  isRepeatable: boolean
  newId(prefix: string): string
}

/** What a reply needs that passes as a stream. */
export interface PassingExchange extends StoredExchange {
  readonly route: Route
}

/** One exchange: its caller, its request, its dialect, and what is kept of it. */
export interface Exchange extends StoredExchange, MemoryContext {
  readonly headers: Lookup & { keys?(): Iterable<string> }
  /** Replaced where it says a member twice. */
  body: Received
  readonly permit: Permit
  readonly journal: Journal
  /** What is remembered of the request before it in its session; absent where nothing is. */
  readonly recall?: RecalledRequest | undefined
}

/** What the caller's key allows. */
export interface Permit {
  /** Not every model may be used. */
  readonly isLimited: boolean
  mayUse(model: string): boolean
  /** Whether limits or metrics go by the tokens, so that an upstream has to tell them. */
  readonly counts: boolean
  /** Called before a reply is asked for; throws ProblemError, or rejects with one, where a limit is reached. */
  reserve(asked: AskedReply): void | Promise<void>
}

/** What a request may take, as far as is known before its reply. */
export interface Reservation {
  /** Of the input. */
  tokens: number
  /** US dollars, with the output; computed only where a limit asks. */
  usd(): number
}

/** A request for a reply that has found its route. */
export interface AskedReply extends Reservation {
  model: string
  route: string
  bytes: number
}

/** An HTTP reply before it becomes a `Response`. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | ByteSource | null
  /** Called when a whole body has been taken, or never will be. Until then it counts as in flight. */
  gone?(): void
  /** Where the request asks for a socket, which the platform may now open. */
  accept?: Accept
}

import type { Lookup } from './model/lookup.ts'
import type { ByteSource } from './stream/source.ts'
import type { LogEntry } from './observe/entry.ts'
import type { PriceList } from './observe/cost.ts'
import type { Tracer } from './observe/traces.ts'
import type { Observer } from './observe/observer.ts'
import type { Bytes } from './json/bytes.ts'
import type { JsonObject } from './json/json.ts'
import type { VerbatimPaths } from './json/verbatim-paths.ts'
import type { StartEvent } from './model/events.ts'
import type { Key } from './model/paths.ts'
import type { Problem } from './model/problem.ts'
import type { Store } from './memory/store.ts'

/** Everything impure that the gateway needs. Each runtime's entry file builds it; tests pass their own. */
export interface Ports {
  send: Send
  /** Milliseconds since 1970. */
  now(): number
  /** 128 random bits as 32 hexadecimal digits. */
  randomId(): string
  log(entry: LogEntry): void
  /** Counts for the operator of a process; where it is absent, nothing is counted. */
  observer?: Observer
  /** Looks at exchanges while they pass; where it is absent, nothing of them is kept. */
  inspector?: Inspector
  /** Follows exchanges; where there is none, nothing is traced. */
  tracer?: Pick<Tracer, 'begin' | 'finished'>
  /** What models cost of which the configuration says nothing. */
  prices?: PriceList
  /** Where conversations are kept; without one nothing is. */
  store?: Store
  /** Tells places anew, where there is time for it; without it those of an upstream's refusal stay as they are. */
  placing?: Placing
  /** True once the process has been told to stop: `/healthz` says so. */
  draining?(): boolean
  /** Aborted at the end of the drain: what still streams then ends with an error of its dialect. */
  readonly deadline?: AbortSignal
}

export interface UpstreamRequest {
  method: string
  url: string
  headers: Record<string, string>
  /** Whole, in pieces that follow each other, or as it comes. */
  body?: Bytes | ReadableStream<Uint8Array>
  signal: AbortSignal
  connectMs: number
  /** The egress proxy to call through, where a runtime can. */
  proxy?: string
  /**
   * Told by a runtime that can tell: a connection is sought, for which `connectMs` is the only clock, and
   * then found, with which the request begins to be sent.
   */
  connection?(state: 'sought' | 'found'): void
  /** On a connection that has served nothing yet. */
  fresh?: boolean
}

export interface UpstreamResponse {
  status: number
  /** `keys`: the names, in small letters. */
  headers: Lookup & { keys?(): Iterable<string> }
  body: ReadableStream<Uint8Array> | ByteSource | null
}

/** One request, one response: follows no redirect, repeats nothing, decodes the content coding. */
export type Send = (request: UpstreamRequest) => Promise<UpstreamResponse>

/** Thrown by `send` when no connection came about: nothing was sent, so one repetition is safe. */
export class ConnectError extends Error {}

/**
 * Thrown by `send` when a connection that had served before was closed at the other end, and nothing came back on
 * it: the upstream had closed what was idle, and practically never carried out the request.
 */
export class StaleConnectionError extends Error {}

/** A refusal of an upstream; `text`: its own words, where the caller may see them. */
export interface Refusal {
  problem: Problem
  text?: string
}

/** In which body a place is sought. */
export interface PlaceSearch {
  readonly body: { readonly text: string }
  readonly caller: {
    readonly caller: { readonly verbatim?: VerbatimPaths }
    readonly same: { readonly beginning?: { turns: string } }
    readonly members: { spell(path: readonly Key[]): string }
  }
  /** What is sent for another body of the caller; undefined where nothing can be sent for it. */
  send(body: JsonObject): Promise<JsonObject | undefined>
}

/** An upstream names places in a request that the caller never saw. The caller is told those of its own. */
export interface Placing {
  refusal<Told extends Refusal>(sought: PlaceSearch, refused: Told): Promise<Told>
  start(sought: PlaceSearch, event: StartEvent): Promise<StartEvent>
}

/** 128 random bits as 32 hexadecimal digits. */
export const randomId = (): string => crypto.randomUUID().replaceAll('-', '')

/** An answer on its way out, as far as it can be looked at. */
export interface PassingAnswer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | ByteSource | null
}

/** Sees what passes on both sides, and changes nothing of it. */
export interface Inspector {
  watch<Answer extends PassingAnswer>(
    request: HttpRequest,
    ports: Ports,
    answer: (request: HttpRequest, ports: Ports) => Promise<Answer>,
  ): Promise<Answer>
}

/** What is asked of a request; those of the web have it all. */
export interface HttpRequest extends Pick<Request, 'method' | 'url' | 'body' | 'arrayBuffer'> {
  /** `keys`: the names, in small letters. */
  readonly headers: Lookup & { keys?(): Iterable<string> }
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /**
   * Of a runtime that has the whole body cheaper than the web has it. `heed` is told of each piece of a body
   * without a declared length, and what it throws ends the reading.
   */
  whole?(heed?: (bytes: number) => void): Promise<Bytes>
}

import type { Lose, Loss } from './model/loss.ts'
import type { Lookup } from './model/lookup.ts'
import type { ByteSource } from './stream/source.ts'
import type { MakeAlarm } from './stream/time.ts'
import type { LogEntry } from './observe/entry.ts'
import type { PriceList } from './observe/cost.ts'
import type { Tracer } from './observe/traces.ts'
import type { Observer } from './observe/observer.ts'
import type { Bytes } from './json/bytes.ts'
import type { Json, JsonObject } from './json/json.ts'
import type { ScannedBody } from './json/scanned-body.ts'
import type { Structure, StructureLimits } from './json/structure.ts'
import type { VerbatimPaths } from './json/verbatim-paths.ts'
import type { Withheld } from './model/events.ts'
import type { Key } from './model/paths.ts'
import type { Problem } from './model/problem.ts'
import type { Request as ConversationRequest } from './model/request.ts'
import type { Store } from './memory/store.ts'

/** Everything impure that the proxy needs. The entry of each runtime builds it; tests pass their own. */
export interface Ports {
  send: Send
  /** Milliseconds since 1970. */
  now(): number
  /** 128 random bits as 32 hexadecimal digits. */
  randomId(): string
  log(entry: LogEntry): void
  /** Counts for the operator of a process; without it nothing is counted. */
  observer?: Observer
  /** Looks at exchanges while they pass; without it nothing of them is kept for the page. */
  inspector?: Inspector
  /** Codings of bodies that only some runtimes decode, by their names in `Content-Encoding`. */
  decoders?: ReadonlyMap<string, BodyDecoder>
  /** Told the body of the request, decoded, while the exchange is kept for the page. */
  came?(bytes: Bytes): void
  /** Traces exchanges; without it nothing is traced. */
  tracer?: Pick<Tracer, 'begin' | 'finished'>
  /** Prices of models for which the configuration has none. */
  prices?: PriceList
  /** Where conversations are kept; without it none are. */
  store?: Store
  /** Finds the caller's own places for those in an upstream's refusal; without it the upstream's are told. */
  placing?: Placing
  /** What is remembered of the last request of each session; without it every request is new. */
  recall?: Recall
  /** Made by runtimes whose alarms can share a timer; without it each has its own. */
  alarm?: MakeAlarm
  /** Whether the process has been told to stop, which `/healthz` reports. */
  draining?(): boolean
  /** Aborted at the end of the drain. Streams that are still open then end with an error of their dialect. */
  readonly deadline?: AbortSignal
}

interface ByteTransform {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array>
}

export interface BodyDecoder {
  /** The memory that decoding takes beside the body, such as a window; 0 where it is little. */
  readonly bytes: number
  /** Undefined for a body in another coding. */
  open(body: Uint8Array): ByteTransform | undefined
}

export interface UpstreamRequest {
  method: string
  url: string
  headers: Record<string, string>
  /** In one piece, in several pieces that follow each other, or as a stream. */
  body?: Bytes | ReadableStream<Uint8Array>
  signal: AbortSignal
  connectMs: number
  /** The egress proxy, where the runtime can use one. */
  proxy?: string
  /**
   * Called by runtimes that know: `sought` while a connection is looked for, for which only `connectMs` counts;
   * `found` when the request begins to be sent.
   */
  connection?(state: 'sought' | 'found'): void
  /** Whether to use a connection that has served no request yet, and to take more time to make it. */
  fresh?: boolean
}

export interface UpstreamResponse {
  status: number
  /** `keys`: the names of all headers, in small letters. */
  headers: Lookup & { keys?(): Iterable<string> }
  body: ReadableStream<Uint8Array> | ByteSource | null
}

/**
 * Sends one request and gives its response: it follows no redirects and repeats nothing, and decodes the content
 * coding.
 */
export type Send = (request: UpstreamRequest) => Promise<UpstreamResponse>

/** Thrown by `send` when no connection was made. Nothing was sent, so repeating is safe. */
export class ConnectError extends Error {}

/**
 * Thrown by `send` when a reused connection was closed by the other end at once and without a byte of an answer: the
 * upstream closed it for being idle, and has practically never carried out the request.
 */
export class StaleConnectionError extends Error {}

/** A refusal of an upstream; `text`: its own words, where the caller may see them. */
export interface Refusal {
  problem: Problem
  text?: string
}

/** In which body a place is looked for. */
export interface PlaceSearch {
  /** The body is edited and not translated: what is inside of an element stays where it is. */
  readonly edits?: boolean
  readonly body: { readonly text: string }
  readonly caller: {
    readonly caller: { readonly verbatim?: VerbatimPaths }
    readonly same: { readonly beginning?: { turns: string } }
    readonly members: { spell(path: readonly Key[]): string }
  }
  /** What is sent for another body of the caller; undefined where nothing can be sent for it. */
  send(body: JsonObject): Promise<JsonObject | undefined>
}

/** The two steps of a translation, as pure functions. Both may throw. */
export interface Translation {
  read(body: Json): ConversationRequest
  write(request: ConversationRequest): JsonObject
}

/** The place of a node in the caller's body and in the upstream's, as JSON pointers. */
export interface Places {
  field?: string
  sentAt?: string
}

export interface PlaceFinder {
  readonly request: ConversationRequest | undefined
  find(path: string): Places
}

/** A body as it came and as it goes to an upstream of the same dialect, and what was lost. */
export interface EditedBody {
  verbatim: VerbatimPaths
  edit(body: JsonObject, lose: Lose): JsonObject
  came: string
  went: Json
  losses: readonly Loss[]
}

/** An upstream names places in a request that the caller never saw. The caller is told those of its own. */
export interface Placing {
  refusal<Refused extends Refusal>(search: PlaceSearch, refused: Refused): Promise<Refused>
  withheld(search: PlaceSearch, list: readonly Withheld[]): Promise<Withheld[]>
  /** Finds the places of what is lost, for a person. */
  finder(body: Json, translation: Translation): PlaceFinder
  /** The same for a body that is only edited: the places of its losses, in their order. */
  edited(edited: EditedBody): readonly Places[]
}

/** Remembers the last request of each session, because the next one brings most of it again. */
export interface Recall {
  /**
   * `owner`: what is kept for one is found for no other; `size`: that of the body in bytes. Undefined where nothing is
   * kept.
   */
  request(
    owner: string,
    dialect: string,
    rules: BodyRules,
    size: number,
  ): RecalledRequest | undefined
  /** Bounds what is kept, in bytes; nothing is where it is zero. */
  bound(bytes: number): void
  /** About how many bytes are kept. */
  readonly held: number
}

/** One request, and the session that it belongs to. */
export interface RecalledRequest {
  /** The body as far as it is known from the last request of its session; undefined where it is not. */
  scanned(bytes: Bytes): ScannedBody | undefined
  /** The same of a body that is not known, where its bytes can be read as they are; it is learned from. */
  fresh(bytes: Bytes): ScannedBody | undefined
  /**
   * The same of a body that need not be understood, where none has come that opens as it does: most of it is not even
   * looked at before there is a second one.
   */
  first(bytes: Bytes): ScannedBody | undefined
  /** Learns from a body that is not known. */
  learned(bytes: Bytes, text: string, structure: Structure): ScannedBody
  /** The bytes of `stringify`; undefined where no session goes on. */
  written(body: JsonObject): Uint8Array | undefined
  /** Whether it goes on with a session, which has room for what becomes of it: the next request begins with the same objects. */
  readonly isKept: boolean
}

/** How bodies of a dialect are read. */
export interface BodyRules {
  readonly limits: StructureLimits
  readonly verbatim: VerbatimPaths
  /** The member of the top level whose list grows from request to request. */
  readonly turns: string
}

/** 128 random bits as 32 hexadecimal digits. */
export const randomId = (): string => crypto.randomUUID().replaceAll('-', '')

/** An answer on its way to the caller, as far as it can be looked at. */
export interface PassingAnswer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | ByteSource | null
}

/** Looks at what passes on both sides, without changing it. */
export interface Inspector {
  watch<Answer extends PassingAnswer>(
    request: HttpRequest,
    ports: Ports,
    answer: (request: HttpRequest, ports: Ports) => Promise<Answer>,
  ): Promise<Answer>
}

/** The part of a request that is used; a `Request` of the web has all of it. */
export interface HttpRequest extends Pick<Request, 'method' | 'url' | 'body' | 'arrayBuffer'> {
  /** `keys`: the names of all headers, in small letters. */
  readonly headers: Lookup & { keys?(): Iterable<string> }
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /** The other end of the connection, where there is one. */
  readonly address?: string | undefined
  /**
   * The whole body, where a runtime can give it more cheaply than `arrayBuffer`. For a body without a declared length
   * `heed` is called with the size of each piece; what it throws ends the reading.
   */
  whole?(heed?: (bytes: number) => void): Promise<Bytes>
  /** The socket on which it came, where that carries many. */
  readonly connection?: Connected
}

/** A request on a socket. */
export interface Connected {
  readonly id: string
  /** What it continues is known to this proxy alone, or to no one. */
  readonly isOurs: boolean
}

/** The platform's end of a socket. */
export interface Peer {
  /** Sends a message. A promise where the caller has much to read yet: then nothing more is to be sent before it. */
  send(text: string): Promise<void> | undefined
  close(code: number, reason: string): void
}

/** What a platform tells of a socket. */
export interface Listener {
  /** Bytes have come that are no message yet; false where there is no room for them. */
  coming(bytes: number): boolean
  heard(text: string): void
  /** A message that is no text. */
  unreadable(): void
  /** The socket is closed. */
  left(code: number): void
}

/** Takes over a socket that the platform has opened. */
export type Accept = (peer: Peer) => Listener

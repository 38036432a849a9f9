import type { Json, JsonObject } from '../src/json/json.ts'
import type { VerbatimPaths } from '../src/json/verbatim-paths.ts'
import type { FieldNames } from '../src/check/fields.ts'
import type { UpstreamKeeping } from '../src/rules/foreign.ts'
import type { Lose } from '../src/model/loss.ts'
import type { NameRule } from '../src/rules/names.ts'
import type { Storing } from '../src/rules/storing.ts'
import type { Block, BlockKind, BlockOf, Request } from '../src/model/request.ts'
import type { Lookup, RequestHead } from '../src/model/lookup.ts'
import type { ConversationMemory } from '../src/memory/conversation.ts'
import type { SocketMode } from '../src/sockets/mode.ts'
import type { Problem } from '../src/model/problem.ts'
import type {
  AmazonFrame,
  SayFrame,
  Frame,
  Framing,
  Heartbeat,
  PassingRules,
  Reader,
  StreamThread,
  Writer,
} from '../src/stream/codec.ts'
import type { WireEvent } from '../src/stream/wire-events.ts'
import type { KnownFacts, SayableFacts } from '../src/models/facts.ts'
import { see, type SeenModel } from '../src/models/see.ts'
import type { Profile, ServerFacts } from './server-facts.ts'
import type { ServerName } from './servers.ts'

export type {
  AmazonFrame,
  ConversationMemory,
  Frame,
  Framing,
  Heartbeat,
  Lookup,
  Profile,
  Reader,
  RequestHead,
  ServerFacts,
  StreamThread,
  WireEvent,
  Writer,
}

/**
 * The facts in a path. `framing` is how a stream leaves: server-sent events, or (content generation without
 * `alt=sse`) a JSON array that grows.
 */
export interface Route {
  operation: 'create' | 'count-tokens'
  model?: string
  stream?: boolean
  framing?: Framing
  /** A summary of the conversation is asked for by the path, and its answer is an object of its own. */
  compacts?: true
}

/** What is said to an upstream, before its address and its key are known. */
export interface WrittenRequest<Body = JsonObject> {
  /** Begins with a version segment. */
  path: string
  query?: readonly (readonly [string, string])[]
  headers: Readonly<Record<string, string>>
  body: Body
  /** The last proof of reasoning in the body, empty without one, where the service binds those of its reply to it. */
  lastProof?: string
}

/** Where a request goes at its service. */
export const addressOf = ({ path, query }: Pick<WrittenRequest, 'path' | 'query'>): string =>
  query
    ? `${path}?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
    : path

/** The facts about a model, from the configuration; what it does not say is known by the name (`src/models`). */
export interface ModelFacts extends SayableFacts {
  /** The facts about the server that runs it. */
  server?: ServerFacts
  /** Whether the service fetches images and documents by the addresses in a request. */
  fetchesUrls?: boolean
  /** Whether the model has a tool of its own for acting on a screen. */
  computer?: boolean
  drop?: string[]
}

/** The destination of a request, as the adapter sees it. */
export interface Target {
  /** The model's name as the upstream knows it. */
  model: string
  /** The bound to ask for when the caller gave none and the dialect requires one. */
  defaultMaxOutputTokens: number
  /** That is what the configuration says. */
  isDefaultSaid?: boolean
  facts: ModelFacts
  /** The cloud that serves it, where that takes other things than the model's own service (`adapters/servers.ts`). */
  service?: string
}

/** What is known of a model: as configured, or else by its name. */
export type Known = KnownFacts & Omit<ModelFacts, keyof KnownFacts> & { readonly seen: SeenModel }

/**
 * What is known of the model of a request: what is configured beats what its name tells, and `is` beats the name.
 * `careful` is said of a model that nothing is known of: what every current model of the dialect's service takes.
 */
export function knownOf(
  { model, facts, service }: Pick<Target, 'model' | 'facts' | 'service'>,
  careful: KnownFacts,
): Known {
  const seen = see(facts.is ?? model, service)
  return { ...(seen.how === 'unknown' ? careful : seen.facts), ...facts, seen }
}

/** `headers`: those with a meaning in this dialect (its version, its betas). */
export interface ReadRequestContext {
  readonly route: Route
  readonly headers: Lookup
  /** Makes ids that are the same in each reading of one exchange, position by position. */
  newId(prefix: string): string
}

/** No cache settings, those of the caller, or also those that the caller's dialect cannot express. */
export type CacheMode = 'off' | 'carry' | 'derive'

/** The cache settings for an upstream. */
export interface CacheOptions {
  readonly mode: CacheMode
  /** The text that stands for the session, the same in all its requests; undefined without a session. */
  session(): string | undefined
}

export interface WriteRequestContext {
  readonly target: Target
  readonly lose: Lose
  /** When absent, the caller's settings are carried. */
  readonly cache?: CacheOptions | undefined
}

/**
 * The context for reading a reply: its request has the names of tools, the free-form tools, and the caller's
 * settings.
 */
export interface ReadReplyContext {
  readonly request: Request
  /** The facts about the server that answers. */
  readonly server?: ServerFacts | undefined
  /** That of `WrittenRequest`, where the request was written here. */
  readonly lastProof?: string | undefined
  readonly lose: Lose
  newId(prefix: string): string
}

export interface WriteReplyContext {
  readonly request: Request
  /** Seconds since 1970. */
  readonly now: number
  readonly lose: Lose
  newId(prefix: string): string
}

/** Where a credential is sent: in a header, or in a query parameter. */
export type AuthStyle = 'x-api-key' | 'bearer' | 'x-goog-api-key' | 'api-key' | 'query'

/** A request as the dialect's own service takes it, or as a cloud does that takes it otherwise. */
export interface FormedRequest {
  path: string
  query: readonly (readonly [string, string])[]
  headers: Readonly<Record<string, string>>
  /** JSON. What is not edited stays the text that it was. */
  body: string
}

/** How a cloud takes the requests of a dialect at a path of its own. */
export interface Form {
  /** What a configured path ends in below which it is taken; absent where the profile of a server says so. */
  readonly end?: RegExp
  /** Absent where only the version is missing in the path. */
  write?(request: FormedRequest): FormedRequest
  /** Says a frame of Amazon's streams as an event of the dialect, where streams come in those. */
  readonly say?: SayFrame
}

/** What is sent of a request, as far as betas are concerned. */
export type BetaRequest = Pick<FormedRequest, 'headers' | 'body'>

/** Features of a dialect that a request names to use them, where servers refuse those that they do not know. */
export interface BetaRules {
  /** The words of such a refusal. */
  readonly words: RegExp
  /** The headers with those that the server takes (`ServerFacts.betas`). */
  siftHeaders(
    headers: Readonly<Record<string, string>>,
    server: ServerFacts,
    lose: Lose,
  ): Record<string, string>
  /** The same of a whole request, with what each of them is for. */
  sift(
    request: BetaRequest,
    server: ServerFacts,
    lose: Lose,
  ): BetaRequest & { headers: Record<string, string> }
  /** Those that a refusal names, of those that were sent. */
  refused(said: string, sent: BetaRequest): string[]
}

/** A model in the proxy's list. */
export interface ModelEntry {
  id: string
  /** The dialect of the service that knows it by this name. */
  service?: string
  contextWindow?: number
  maxOutputTokens?: number
  /** What the model can do, where the table knows it. */
  facts?: Abilities
}

/** Facts about a model for its callers, and the cloud that serves it. */
export type Abilities = KnownFacts & { readonly service?: string }

/** A fact about a model as its service tells it, and the member in which it does. */
export interface ModelFact {
  fact: keyof KnownFacts | 'lifecycle' | 'maxTemperature'
  member: string
  value: string | number | boolean | readonly string[]
}

/** The changes to a request for an upstream of the caller's own dialect. Plain data. */
export interface SameEdits {
  /** The model's name at the upstream, where the body names a model. */
  readonly model?: string
  /** The same, also where the path names it. */
  readonly sentTo?: string
  /** The facts about the model. */
  readonly facts: ModelFacts
  /** Whether to take out what only other services and this proxy can read: proofs in envelopes, ids made here. */
  readonly foreign: boolean
  /** A service that counts the tokens of a stream only when it is asked is asked. */
  readonly usage?: boolean
  /** The references of the body have been written out, from records kept here. */
  readonly resolved?: boolean
  /** Its path keeps nothing in any case, and has no word for it. */
  readonly unkept?: boolean
  /** Ids of thoughts that go on as their words alone: they are not known to be this caller's. */
  readonly nameless?: ReadonlySet<Json | undefined>
  /** Whether the upstream's account reads proofs with this mark, or without one; absent where there is no other one. */
  readonly readsProof?: ((account: string | undefined) => boolean) | undefined
}

/** The headers of an exchange in which both sides speak one dialect. */
export interface HeaderRules {
  /** Request headers that are passed on, besides content-type and accept. */
  readonly request: readonly string[]
  /** What the names of further ones are like. */
  readonly others?: RegExp
  /** Pairs of spellings of one header: an upstream is sent both, whichever came. */
  readonly twins?: readonly (readonly [string, string])[]
  /** What the names of reply headers are like that are passed back unchanged. */
  readonly reply?: RegExp
  /** Throws for a request without the required headers of the dialect. */
  demand?(headers: Lookup): void
}

/** How a service is asked to count the tokens of a stream, and what it then says. */
export interface CountingRule {
  /** The member that asks, and what is its value. */
  readonly member: string
  readonly value: string
  /** Whether a body asks already, or must not: the server does not know the member. */
  isSettled(asked: string | undefined, facts: ModelFacts): boolean
  /** Whether the data of an event is the count alone: a caller that did not ask does not expect it. */
  isCount(data: string): boolean
}

/** One dialect on both sides: the caller's body with the necessary edits only. */
export interface SameSide {
  /**
   * Edits a body. Whatever is not edited stays the same object and so keeps its text: see `src/json/edit.ts`. The
   * body need not be valid; the upstream reports what is wrong.
   */
  edit(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject
  /** A quick check whether a body's text may hold something to take out (`SameEdits.foreign`). */
  mayHoldForeign(text: string): boolean
  /** Whether a body's text may hold names that the server knows by other names, so that its reply has to be read. */
  isRenamed?(text: string, server: ServerFacts): boolean
  /** The upstream path for a caller's path, with the model replaced where it is part of the path. */
  path(head: RequestHead, model: string | undefined): string
  /** What a body says of how many tokens its reply may have; undefined where it says nothing. */
  outputBound?(body: {
    readonly text: string
    memberText(name: string): string | undefined
  }): string | undefined
  /** The query parameters that are passed on. */
  readonly query: readonly string[]
  readonly headers: HeaderRules
  /**
   * The top-level member of request and reply that names the model; `event`: the path to it in an event of a
   * stream, where that differs from the reply's.
   */
  readonly modelMember: { request?: string; reply: string; event?: readonly string[] }
  /** The top-level members with which a conversation begins: instructions and turns. */
  readonly beginning?: { instructions?: string; turns: string }
  /** Where services count the tokens of a stream only when they are asked. */
  readonly counting?: CountingRule
  readonly passing: PassingRules
}

/** One dialect, both sides. The four roles are those of an HTTP codec: decode and encode, request and reply. */
export interface Adapter {
  readonly dialect: string
  readonly caller: {
    /** The subtrees of a request that stay text. */
    readonly verbatim: VerbatimPaths
    match(head: RequestHead): Route | undefined
    readRequest(body: Json, context: ReadRequestContext): Request
    writer(context: WriteReplyContext): Writer
    /** What it allows in the id of a call; anything when absent. */
    readonly callIds?: NameRule
    /** Members of its requests, and types of blocks and tools, that must not be left out for another dialect. */
    readonly mustKeep?: ReadonlySet<string> | undefined
    /** Tools without which an answer has no sources, where nothing searches besides. */
    readonly sources?: ReadonlySet<string> | undefined
    /** `headers`: those that the dialect's clients read; none of them is about framing. */
    writeProblem(problem: Problem, requestId: string): { status: number; body: JsonObject }
    writeTokenCount(inputTokens: number): JsonObject
    /** `query`: that of the address, by which a client may ask for a shape of its own. */
    writeModels(models: readonly ModelEntry[], now: number, query?: Lookup): JsonObject
    writeModel(model: ModelEntry, now: number): JsonObject
    /** Absent where each request brings its whole conversation. */
    readonly memory?: ConversationMemory
    /** Its callers may stay connected at the path of their conversations. */
    readonly sockets?: SocketMode
    /** The frame that keeps a silent stream alive, where the dialect's clients accept one. */
    readonly heartbeat?: Heartbeat
  }
  readonly upstream: {
    readonly defaultAuth: AuthStyle
    /**
     * What at the end of a configured path stands in the place of `/v1`, where that may be more than the versions that
     * every dialect has; group 1 is the version.
     */
    readonly versions?: RegExp
    /** How clouds take its requests at paths of their own, by the names of the ways. */
    readonly forms?: Readonly<Record<string, Form>>
    readonly betas?: BetaRules
    /** What its paths end in at clouds, before what is added to them. */
    readonly ends?: Readonly<Partial<Record<ServerName, string>>>
    /**
     * The parameters that the configuration may list as refused by a model (`ModelFacts.drop`), by all their names.
     */
    droppable(): readonly string[]
    /** Known servers that speak a part of the dialect. */
    readonly profiles?: readonly Profile[]
    /** What it keeps of requests, and whether it can be told. */
    storing(target: Target): Storing
    /** The subtrees of a reply that stay text. */
    readonly verbatim: VerbatimPaths
    writeRequest(request: Request, context: WriteRequestContext): WrittenRequest
    /** Its callers may receive summaries of a conversation (`Request.compact`), in an envelope. */
    readonly compacts?: true
    /** Its service caches no turn that another choice of tools was sent with. */
    readonly cachesChoice?: true
    /** Its service searches files, if not the same ones. */
    readonly searchesFiles?: true
    /** The upstream's own token counter for the same request; undefined when it has none. */
    writeCountRequest(request: Request, context: WriteRequestContext): WrittenRequest | undefined
    readTokenCount(body: Json): number | undefined
    reader(context: ReadReplyContext): Reader
    readProblem(status: number, body: Json | undefined): Problem
  }
  readonly same: SameSide
  /** A program that sends the words of another dialect here: how its bodies begin, and the caller's side for it. */
  readonly alsoSpeaks?: { readonly begins: RegExp; readonly adapter: Adapter }
  /** The members of its requests, for errors that name one of them. */
  readonly members: FieldNames
}

/** The facts that decide whether a service of another dialect can do what a request asks for. */
export const keepingOf = (
  { caller }: Adapter,
  { dialect, upstream }: Adapter,
): UpstreamKeeping => ({
  mustKeep: caller.mustKeep,
  sources: upstream.searchesFiles ? undefined : caller.sources,
  target: dialect,
})

/** A table with one writer per block kind. A writer that returns `undefined` has reported the block with `lose`. */
export type BlockTable<Out, Context> = {
  [K in BlockKind]: (block: BlockOf<K>, context: Context) => Out | undefined
}

/** Writes a block with its row of the table. */
export function written<Out, Context>(
  table: BlockTable<Out, Context>,
  block: Block,
  context: Context,
): Out | undefined {
  // The row belongs to the block's own kind, which the types cannot express.
  const write = table[block.kind] as (block: Block, context: Context) => Out | undefined
  return write(block, context)
}

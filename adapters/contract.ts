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
 * What the path of a request says. `framing` is how a stream leaves: as server-sent events, or (generate-content
 * without `alt=sse`) as a JSON array that grows.
 */
export interface Route {
  operation: 'create' | 'count-tokens'
  model?: string
  stream?: boolean
  framing?: Framing
  /** The path asks for a summary of the conversation; the answer is an object of its own. */
  compacts?: true
}

/** A request to an upstream, before its address and its key are known. */
export interface WrittenRequest<Body = JsonObject> {
  /** Begins with a version segment. */
  path: string
  query?: readonly (readonly [string, string])[]
  headers: Readonly<Record<string, string>>
  body: Body
  /**
   * The last proof of reasoning in the body, for a service that binds the proofs of its reply to it; empty without one.
   */
  lastProof?: string
}

/** The path of a request at its service, with its query. */
export const addressOf = ({ path, query }: Pick<WrittenRequest, 'path' | 'query'>): string =>
  query
    ? `${path}?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
    : path

/** What the configuration says of a model. For what it does not say, the name decides (`src/models`). */
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
  /** The configuration gives that bound; otherwise it is a default. */
  isDefaultSaid?: boolean
  facts: ModelFacts
  /**
   * The cloud that serves the model, where it takes other things than the model's own service (`adapters/servers.ts`).
   */
  service?: string
}

/** What is known of a model: from the configuration, or else from its name. */
export type Known = KnownFacts & Omit<ModelFacts, keyof KnownFacts> & { readonly seen: SeenModel }

/**
 * What is known of the model of a request. The configuration beats the name, and its `is` stands for the name. An
 * unknown model gets the facts `careful`: what every current model of the dialect's service takes.
 */
export function knownOf(
  { model, facts, service }: Pick<Target, 'model' | 'facts' | 'service'>,
  careful: KnownFacts,
): Known {
  const seen = see(facts.is ?? model, service)
  return { ...(seen.how === 'unknown' ? careful : seen.facts), ...facts, seen }
}

/** `headers`: the headers of the request, for those with a meaning in this dialect (its version, its betas). */
export interface ReadRequestContext {
  readonly route: Route
  readonly headers: Lookup
  /** Makes ids that are the same in each reading of one exchange, position by position. */
  newId(prefix: string): string
}

/** Which cache settings are sent: none, the caller's, or also such as the caller's dialect cannot express. */
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
  /** When absent, the caller's cache settings are carried. */
  readonly cache?: CacheOptions | undefined
}

/**
 * The context for reading a reply. Its request holds the names of tools, the free-form tools and the caller's settings.
 */
export interface ReadReplyContext {
  readonly request: Request
  /** The facts about the server that answers. */
  readonly server?: ServerFacts | undefined
  /** `WrittenRequest.lastProof`, where the request was written here. */
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

/** A request in the form of the dialect's own service, or in that of a cloud. */
export interface FormedRequest {
  path: string
  query: readonly (readonly [string, string])[]
  headers: Readonly<Record<string, string>>
  /** JSON text. A form edits only what it must, so the rest stays as it was written. */
  body: string
}

/** How a cloud takes the requests of a dialect at a path of its own. */
export interface Form {
  /**
   * The end of a configured path below which the form applies; absent where the profile of a server chooses the form.
   */
  readonly end?: RegExp
  /** Absent where the form differs only by having no version in its path. */
  write?(request: FormedRequest): FormedRequest
  /** Turns a frame of Amazon's streams into an event of the dialect, where streams come in such frames. */
  readonly say?: SayFrame
}

/** The parts of a request that can name betas or need them. */
export type BetaRequest = Pick<FormedRequest, 'headers' | 'body'>

/** Betas: features that a request has to name before it uses them. A server may refuse a beta that it does not know. */
export interface BetaRules {
  /** The words in which a server refuses a beta. */
  readonly words: RegExp
  /** The headers, with only those betas that the server takes (`ServerFacts.betas`). */
  siftHeaders(
    headers: Readonly<Record<string, string>>,
    server: ServerFacts,
    lose: Lose,
  ): Record<string, string>
  /** A whole request, without the betas that the server does not take and without what they are for. */
  sift(
    request: BetaRequest,
    server: ServerFacts,
    lose: Lose,
  ): BetaRequest & { headers: Record<string, string> }
  /** The betas of a sent request that a refusal names. */
  refused(said: string, sent: BetaRequest): string[]
}

/** A model in the proxy's list. */
export interface ModelEntry {
  id: string
  /** The dialect of the service that knows the model by this name. */
  service?: string
  contextWindow?: number
  maxOutputTokens?: number
  /** What the model can do, as far as the table of models knows. */
  facts?: Abilities
}

/** What callers are told that a model can do, and the cloud that serves it. */
export type Abilities = KnownFacts & { readonly service?: string }

/** A fact that a service tells about one of its models, and the member that tells it. */
export interface ModelFact {
  fact: keyof KnownFacts | 'lifecycle' | 'maxTemperature'
  member: string
  value: string | number | boolean | readonly string[]
}

/** How to edit a request for an upstream of the caller's own dialect. Plain data. */
export interface SameEdits {
  /** The model's name at the upstream, where the body names a model. */
  readonly model?: string
  /** The model's name at the upstream, also where the path names the model. */
  readonly sentTo?: string
  /** The facts about the model. */
  readonly facts: ModelFacts
  /** Whether to take out what only other services or this proxy can read: proofs in envelopes, and ids made here. */
  readonly foreign: boolean
  /** Whether to ask for a count of tokens, where the service counts a stream only when asked. */
  readonly usage?: boolean
  /** The references in the body have been replaced by what they refer to, from records kept here. */
  readonly resolved?: boolean
  /** The request's path has no member that says whether to keep the request, because nothing is kept there. */
  readonly unkept?: boolean
  /** Ids of thoughts that are not known to be this caller's. Such a thought is sent on as its words, without its id. */
  readonly nameless?: ReadonlySet<Json | undefined>
  /**
   * Whether the upstream's account reads a proof with this mark of an account, or without one; absent where the
   * upstream has only one account.
   */
  readonly readsProof?: ((account: string | undefined) => boolean) | undefined
}

/** The headers of an exchange in which both sides speak one dialect. */
export interface HeaderRules {
  /** Request headers that are passed on, besides content-type and accept. */
  readonly request: readonly string[]
  /** What the names of further ones are like. */
  readonly others?: RegExp
  /** Headers with two spellings: an upstream is sent both, whichever came. */
  readonly twins?: readonly (readonly [string, string])[]
  /** What the names of reply headers are like that are passed back unchanged. */
  readonly reply?: RegExp
  /** Throws for a request without the required headers of the dialect. */
  demand?(headers: Lookup): void
}

/** How a service is asked to count the tokens of a stream, and how its count is recognised. */
export interface CountingRule {
  /** The member that asks for the count, and its value. */
  readonly member: string
  readonly value: string
  /** Whether the body needs no edit: it asks already, or the server does not know the member. */
  isSettled(asked: string | undefined, facts: ModelFacts): boolean
  /** Whether an event holds only the count. Such an event is kept from a caller that did not ask for it. */
  isCount(data: string): boolean
}

/** What an exchange needs in which both sides speak this dialect: the caller's body with the necessary edits only. */
export interface SameSide {
  /**
   * Edits a body. Whatever is not edited stays the same object and so keeps its text: see `src/json/edit.ts`. The
   * body need not be valid; the upstream reports what is wrong.
   */
  edit(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject
  /** A quick check whether a body's text may hold something to take out (`SameEdits.foreign`). */
  mayHoldForeign(text: string): boolean
  /** Whether a body's text may hold names that the server knows by other names. Then its reply has to be read too. */
  isRenamed?(text: string, server: ServerFacts): boolean
  /** The upstream path for a caller's path, with the model replaced where it is part of the path. */
  path(head: RequestHead, model: string | undefined): string
  /** The bound that a body sets for the tokens of its reply; undefined without one. */
  outputBound?(body: {
    readonly text: string
    memberText(name: string): string | undefined
  }): string | undefined
  /** The query parameters that are passed on. */
  readonly query: readonly string[]
  readonly headers: HeaderRules
  /**
   * The top-level member that names the model, in a request and in a reply. `event`: the path to it in an event of a
   * stream, where that differs.
   */
  readonly modelMember: { request?: string; reply: string; event?: readonly string[] }
  /** The top-level members with which a conversation begins: instructions and turns. */
  readonly beginning?: { instructions?: string; turns: string }
  /** Absent where services count the tokens of every stream. */
  readonly counting?: CountingRule
  readonly passing: PassingRules
}

/**
 * One dialect, on both sides. Its four roles are those of an HTTP codec: to decode and to encode requests and replies.
 */
export interface Adapter {
  readonly dialect: string
  readonly caller: {
    /** The subtrees of a request that stay text. */
    readonly verbatim: VerbatimPaths
    match(head: RequestHead): Route | undefined
    readRequest(body: Json, context: ReadRequestContext): Request
    writer(context: WriteReplyContext): Writer
    /** What the dialect allows in the id of a call; anything when absent. */
    readonly callIds?: NameRule
    /**
     * Members of a request, and types of blocks and tools, that no other dialect can keep: such a request is refused
     * there.
     */
    readonly mustKeep?: ReadonlySet<string> | undefined
    /**
     * Tools that search for the answer. A request is refused where the upstream has none of them and nothing else
     * searches.
     */
    readonly sources?: ReadonlySet<string> | undefined
    writeProblem(problem: Problem, requestId: string): { status: number; body: JsonObject }
    writeTokenCount(inputTokens: number): JsonObject
    /** `query`: the query of the request, by which a client may ask for another shape of the list. */
    writeModels(models: readonly ModelEntry[], now: number, query?: Lookup): JsonObject
    writeModel(model: ModelEntry, now: number): JsonObject
    /** Absent where each request brings its whole conversation. */
    readonly memory?: ConversationMemory
    /** How callers stay connected (WebSocket) at the path of their conversations; absent where they cannot. */
    readonly sockets?: SocketMode
    /** The frame that keeps a silent stream alive, where the dialect's clients accept one. */
    readonly heartbeat?: Heartbeat
  }
  readonly upstream: {
    readonly defaultAuth: AuthStyle
    /**
     * Matches the end of a configured path that stands in the place of `/v1`, where it may be more than a version that
     * every dialect has. Group 1 is the version.
     */
    readonly versions?: RegExp
    /** The forms in which clouds take requests of this dialect at paths of their own, by name. */
    readonly forms?: Readonly<Record<string, Form>>
    readonly betas?: BetaRules
    /** The end of the configured path for this dialect at each cloud. */
    readonly ends?: Readonly<Partial<Record<ServerName, string>>>
    /**
     * The parameters that the configuration may list as refused by a model (`ModelFacts.drop`), by all their names.
     */
    droppable(): readonly string[]
    /** Known servers that speak a part of the dialect. */
    readonly profiles?: readonly Profile[]
    /** Whether the service keeps requests, and whether a request can say so. */
    storing(target: Target): Storing
    /** The subtrees of a reply that stay text. */
    readonly verbatim: VerbatimPaths
    writeRequest(request: Request, context: WriteRequestContext): WrittenRequest
    /** Callers of this dialect may receive summaries of a conversation (`Request.compact`), in an envelope. */
    readonly compacts?: true
    /** The service does not find a cached turn again that was sent with another choice of tools. */
    readonly cachesChoice?: true
    /** The service can search files, though only files of its own. */
    readonly searchesFiles?: true
    /** The same request for the upstream's token counter; undefined when the upstream has none. */
    writeCountRequest(request: Request, context: WriteRequestContext): WrittenRequest | undefined
    readTokenCount(body: Json): number | undefined
    reader(context: ReadReplyContext): Reader
    readProblem(status: number, body: Json | undefined): Problem
  }
  readonly same: SameSide
  /**
   * A program that sends requests of another dialect to this one's path: how their bodies begin, and the caller's side
   * for it.
   */
  readonly alsoSpeaks?: { readonly begins: RegExp; readonly adapter: Adapter }
  /** The members of a request, for errors that name one of them. */
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

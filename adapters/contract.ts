import type { Json, JsonObject } from '../src/json/json.ts'
import type { VerbatimPaths } from '../src/json/verbatim-paths.ts'
import type { FieldNames } from '../src/model/fields.ts'
import type { Keeping } from '../src/model/foreign.ts'
import type { Lose } from '../src/model/loss.ts'
import type { Block, BlockKind, BlockOf, Request } from '../src/model/request.ts'
import type { Lookup, RequestHead } from '../src/model/lookup.ts'
import type { ConversationMemory } from '../src/memory/conversation.ts'
import type { Problem } from '../src/model/problem.ts'
import type { Frame, Framing, Heartbeat, Reader, Writer } from '../src/stream/codec.ts'
import type { WireEvent } from '../src/stream/wire-events.ts'
import type { Profile, ServerFacts } from './server-facts.ts'

export type {
  ConversationMemory,
  Frame,
  Framing,
  Heartbeat,
  Lookup,
  Profile,
  Reader,
  RequestHead,
  ServerFacts,
  WireEvent,
  Writer,
}

/**
 * What the path already says. `framing` is how a stream leaves: server-sent events, or (content generation
 * without `alt=sse`) a JSON array that grows.
 */
export interface Route {
  operation: 'create' | 'count-tokens'
  model?: string
  stream?: boolean
  framing?: Framing
}

/** `query` without its question mark. */
export interface Outgoing {
  path: string
  query?: string
  headers: Record<string, string>
  body: JsonObject
}

/** What is known of a model, from the configuration. */
export interface ModelFacts {
  /** What is known of the server that it runs on. */
  server?: ServerFacts
  contextWindow?: number
  maxOutputTokens?: number
  thinking?: 'budget' | 'adaptive' | 'level'
  prefill?: boolean
  /** Whether the service fetches the images and documents that a request names by their addresses. */
  fetchesUrls?: boolean
  /** Whether a request may offer tools that the provider runs beside functions. */
  mixesTools?: boolean
  /** Whether a part of a request may say that the prompt up to it should be cached. */
  cacheBreakpoints?: boolean
  drop?: string[]
}

/** Where a request goes. */
export interface Target {
  /** The model's name as the upstream knows it. */
  model: string
  /** What to ask for when the caller gave no bound and the dialect demands one. */
  defaultMaxOutputTokens: number
  facts: ModelFacts
}

/** `headers`: those that carry meaning in this dialect (its version, its betas). */
export interface ReadRequestContext {
  readonly route: Route
  readonly headers: Lookup
  /** The same for the same exchange, position by position. */
  newId(prefix: string): string
}

/** Nothing, what the caller says, or also what its dialect cannot say. */
export type CacheMode = 'off' | 'carry' | 'derive'

/** What an upstream is told of caching prompts. */
export interface CacheOptions {
  readonly mode: CacheMode
  /** What stands for the session, the same in each of its requests; undefined where none is told. */
  session(): string | undefined
}

export interface WriteRequestContext {
  readonly target: Target
  readonly lose: Lose
  /** What the caller says is carried where this is absent. */
  readonly cache?: CacheOptions | undefined
}

/** A reply is read in the light of its request: names of tools, free-form tools, what the caller asked. */
export interface ReadReplyContext {
  readonly request: Request
  /** What is known of the server that answers. */
  readonly server?: ServerFacts | undefined
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

/** Where a credential goes: a header, or a query parameter. */
export type AuthStyle = 'x-api-key' | 'bearer' | 'x-goog-api-key' | 'query'

/** One model, as the proxy lists it. */
export interface ModelEntry {
  id: string
  contextWindow?: number
  maxOutputTokens?: number
}

/** What an upstream of the caller's own dialect is sent otherwise than the caller sent it. Plain data, to grow. */
export interface SameEdits {
  /** The upstream's name of the model, where the body names one. */
  readonly model?: string
  /** What is known of the model. */
  readonly facts: ModelFacts
  /** Whether to take out what only other services and this proxy know: proofs in envelopes, ids made here. */
  readonly foreign: boolean
  /** What the body referred to has been written out, from what is kept here. */
  readonly resolved?: boolean
}

/** The headers of an exchange in which both sides speak one dialect. */
export interface HeaderRules {
  /** Those of a request that are passed on, besides content-type and accept; `rate-*` names all that begin so. */
  readonly request: readonly string[]
  /** Pairs of spellings of one header: an upstream is sent both, whichever came. */
  readonly twins?: readonly (readonly [string, string])[]
  /** Those of a reply that are passed back, in the same words. */
  readonly reply?: readonly string[]
  /** Throws for a request without the headers that the dialect demands. */
  demand?(headers: Lookup): void
}

/** One dialect on both sides: the caller's body with the edits that are needed, and nothing else. */
export interface SameSide {
  /**
   * The body with these edits. What is not edited stays the same object, by which it keeps its text: see
   * `src/json/edit.ts`. It need not be a valid one; what is wrong with it the upstream will say.
   */
  edit(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject
  /** Whether there may be something to take out of the text of a body (`SameEdits.foreign`). A quick look. */
  mayHoldForeign(text: string): boolean
  /** Whether a body's text may hold what such a server knows by other names, so that its reply has to be read. */
  isRenamed?(text: string, server: ServerFacts): boolean
  /** The upstream path for a caller's path, with the model replaced where it is part of the path. */
  path(head: RequestHead, model: string | undefined): string
  /** The query parameters that are passed on. */
  readonly query: readonly string[]
  readonly headers: HeaderRules
  /**
   * The top-level member of request and reply that holds the model's name; `event` is the path to it in
   * an event of a stream, where that is not the reply's.
   */
  readonly modelMember: { request?: string; reply: string; event?: readonly string[] }
  /** The top-level members of a request with which a conversation begins: its instructions, and its turns. */
  readonly beginning?: { instructions?: string; turns: string }
  /** Whether a frame surely brings a piece of the reply and nothing else, so that it need not be read. */
  isPiece?(frame: Frame): boolean
  /**
   * Whether the dialect's clients take a frame for a failure, or for an end that tells of one. What else a reader
   * takes for a failure gets an error of the dialect behind it. Any when absent.
   */
  tellsFailure?(frame: Frame): boolean
  /**
   * Whether a frame has the shape of the dialect's, by a look at its text: what it says is content, which passes as
   * it is. Any other may be the words of a server in between, where keys are masked. All when absent.
   */
  knows?(frame: Frame): boolean
}

/** One dialect, both sides. The four roles are those of an HTTP codec: decode and encode, request and reply. */
export interface Adapter {
  readonly dialect: string
  readonly caller: {
    /** Subtrees of a request body that stay text. */
    readonly verbatim: VerbatimPaths
    match(head: RequestHead): Route | undefined
    readRequest(body: Json, context: ReadRequestContext): Request
    writer(context: WriteReplyContext): Writer
    /** Members of its requests, and types of blocks and tools, that no other dialect may leave out. */
    readonly promises?: ReadonlySet<string>
    /** `headers`: only those that the dialect's clients read (none of them is about framing). */
    writeProblem(problem: Problem, requestId: string): { status: number; body: JsonObject }
    writeTokenCount(inputTokens: number): JsonObject
    writeModels(models: readonly ModelEntry[], now: number): JsonObject
    writeModel(model: ModelEntry, now: number): JsonObject
    /** Absent where every request brings its whole conversation. */
    readonly memory?: ConversationMemory
    /** A frame that keeps a silent stream alive, where the dialect's clients bear one. */
    readonly heartbeat?: Heartbeat
  }
  readonly upstream: {
    readonly defaultAuth: AuthStyle
    /** The parameters that a configuration may say a model refuses (`ModelFacts.drop`), by all their names. */
    readonly droppable: readonly string[]
    /** What is known of servers that speak a part of the dialect. */
    readonly profiles?: readonly Profile[]
    /** Subtrees of a reply body that stay text. */
    readonly verbatim: VerbatimPaths
    writeRequest(request: Request, context: WriteRequestContext): Outgoing
    /** Its service writes summaries of a conversation (`Request.compact`), and its callers are given those of others. */
    readonly compacts?: true
    /** The upstream's own token counter for the same request; undefined when it has none. */
    writeCountRequest(request: Request, context: WriteRequestContext): Outgoing | undefined
    readTokenCount(body: Json): number | undefined
    reader(context: ReadReplyContext): Reader
    readProblem(status: number, body: Json | undefined): Problem
  }
  readonly same: SameSide
  /** The members of its requests, for errors that name one of them. */
  readonly members: FieldNames
}

/** What decides whether a request of one dialect can be kept to by a service of another. */
export const keepingOf = ({ caller }: Adapter, { dialect, upstream }: Adapter): Keeping => ({
  promises: caller.promises,
  target: dialect,
  compacts: upstream.compacts,
})

/** A table with one entry per block kind. `undefined` as a result means: reported with `lose`. */
export type BlockTable<Out, Context> = {
  [K in BlockKind]: (block: BlockOf<K>, context: Context) => Out | undefined
}

/** What a table makes of a block. */
export function written<Out, Context>(
  table: BlockTable<Out, Context>,
  block: Block,
  context: Context,
): Out | undefined {
  // The entry is that of the block's own kind, which the types cannot follow.
  const write = table[block.kind] as (block: Block, context: Context) => Out | undefined
  return write(block, context)
}

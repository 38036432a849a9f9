import type { Json, JsonObject } from '../json/json.ts'

/** The id of a dialect. The core compares it for equality and nothing else. */
export type DialectName = string

/** Fields of one dialect that the canonical model does not name, under that dialect's id: lost in every other. */
export type Ext = Readonly<Record<DialectName, JsonObject>>

/**
 * Where a node was read, and how it stood there; absent where there is nothing to say besides the dialect of the
 * request. `facts`: what the dialect's own writer goes by. No other dialect heeds them, so nothing is lost with them.
 */
export interface Origin {
  readonly dialect: DialectName
  readonly facts?: object
}

/** What the program that sent a request does with a reply, where that decides how the reply is written. */
export interface ClientFacts {
  /** Prints the last block of a reply as the answer. */
  printsLastBlock?: true
  /** It has a word for the tools that a server says it has. */
  knowsListings?: true
  /** It takes the arguments of a function for the free text of a tool, and says that so. */
  freeArguments?: true
}

/** Proof of reasoning that only the dialect that issued it can read. */
export interface Proof {
  dialect: DialectName
  value: string
  /** A mark of the account that it was made for, where several are asked. */
  account?: string
  /** The mark of the proof before it in its conversation, where it is bound to that; that of '' for the first. */
  after?: string
}

/** A mark that the prompt up to and including this node should be cached. */
export interface CacheMark extends Node {
  ttl?: string
}

/** `data` is base64 without a data URL around it; `text` is the plain text of a document. */
export type MediaSource = { data: string } | { url: string } | { fileId: string } | { text: string }

/** Where a statement comes from. `start` and `end` count UTF-16 units of the text block it belongs to. */
export interface Citation extends Node {
  url?: string
  title?: string
  fileId?: string
  start?: number
  end?: number
  quote?: string
}

export interface Source extends Node {
  url: string
  title?: string
}

/** `damagedProof`: a proof that belongs here came back changed, or without its block. */
interface Node {
  ext?: Ext
  origin?: Origin
  damagedProof?: true
}
interface Cacheable extends Node {
  cache?: CacheMark
}
interface Declared extends Cacheable {
  /** A change in the conversation brings it, so it does not stand before the conversation. */
  late?: true
  /** Hidden from the model until a search finds it or a change names it. */
  deferred?: true
}

/**
 * What is said of caching for the whole prompt. `explicit`: nothing is to be cached but what is marked. `prewarm`: it
 * is to be cached, and nothing is to be answered. `comparedWith`: the reply, by its id, with whose prompt the service
 * shall compare this one, to say why its cache did not hold it.
 */
export interface Caching {
  explicit?: true
  ttl?: string
  prewarm?: true
  comparedWith?: string
}

/** What has changed since the reply that was named; `options` are those beside model, tools and input. */
export interface CacheMiss {
  reason: 'model' | 'tools' | 'input' | 'options' | 'no-reply' | 'unknown'
  tokens?: number
}

/**
 * A token of a text, and the natural logarithm of its probability. `top`: the likeliest tokens of its place. `bytes`
 * where they were told, because a token may be a part of a character.
 */
export interface Logprob {
  token: string
  logprob: number
  bytes?: number[]
  top?: Logprob[]
}

/** `logprobs`: of a reply. */
export interface TextBlock extends Cacheable {
  kind: 'text'
  text: string
  logprobs?: Logprob[]
  citations?: Citation[]
  proof?: Proof
}
/**
 * Image, PDF, other document, audio or video: `mediaType` says which. `image/*` for an image of which only
 * the URL or the file id is known; empty when not even the kind is known.
 */
export interface MediaBlock extends Cacheable {
  kind: 'media'
  mediaType: string
  source: MediaSource
  name?: string
  detail?: string
  proof?: Proof
}
/** `redacted`: there is no text, only a proof. */
export interface ReasoningBlock extends Node {
  kind: 'reasoning'
  text: string
  redacted?: true
  proof?: Proof
}
/**
 * `input` is the text as it came: JSON when `form` is `json`, free text when it is `text`.
 * `namespace` is set for a tool that was declared inside one.
 */
export interface ToolCallBlock extends Cacheable {
  kind: 'tool-call'
  id: string
  name: string
  namespace?: string
  form: 'json' | 'text'
  input: string
  proof?: Proof
}
/** `name` is that of the call, found by the reader in the whole history; empty for an orphan. */
export interface ToolResultBlock extends Cacheable {
  kind: 'tool-result'
  callId: string
  name: string
  form: 'json' | 'text'
  content: Block[]
  isError?: boolean
}
export interface RefusalBlock extends Node {
  kind: 'refusal'
  text: string
}
/** Code that the provider runs itself. */
export interface CodeBlock extends Node {
  kind: 'code'
  id: string
  language: string
  code: string
  proof?: Proof
}
export interface CodeResultBlock extends Node {
  kind: 'code-result'
  callId: string
  outcome: 'ok' | 'failed' | 'deadline'
  output: string
  proof?: Proof
}
/** A web search that the provider made itself. */
export interface SearchBlock extends Node {
  kind: 'search'
  id: string
  queries: string[]
  sources: Source[]
  /** It opened its one source, and looked for nothing. */
  opened?: 'read' | 'failed'
  /** It was not carried out, which is more than that it found nothing. */
  failed?: true
}
/**
 * A call of a tool of a server that the provider itself asked, and what came of it, once it is known. `input`
 * is JSON as it came.
 */
export interface McpCallBlock extends Node {
  kind: 'mcp-call'
  id: string
  server: string
  name: string
  input: string
  output?: string
  isError?: boolean
}
/** The tools that a server said it has, as it said them, when the provider itself asked it. `error`: why it said none. */
export interface McpListingBlock extends Node {
  kind: 'mcp-listing'
  server: string
  tools: readonly JsonObject[]
  error?: string
}
/** The name of a tool in a conversation; a hosted one goes by its capability. */
export interface ToolKey {
  name: string
  namespace?: string
}
/**
 * From here on these tools can be called, or no longer. It stands in instructions, or in the result of a search for
 * tools. What is said of the tools themselves stands in `Request.tools`.
 */
export interface ToolChangeBlock extends Cacheable {
  kind: 'tool-change'
  change: 'add' | 'remove'
  tools: ToolKey[]
  /** The search of the service that found them. */
  searchId?: string
}
/** A search for tools that the service made itself; what it found follows. `input` is JSON as it came. */
export interface ToolSearchBlock extends Node {
  kind: 'tool-search'
  id: string
  input: string
}
/** A whole block that only one dialect knows, as it came. Only the writer of that dialect writes it. */
export interface OpaqueBlock {
  kind: 'opaque'
  dialect: DialectName
  value: JsonObject
  /** It stands for all of the conversation before it, so it can be brought home and not be left out. */
  summary?: true
  /** Such a one in words that anybody can read; empty where none could be made. */
  words?: string
}

export type Block =
  | TextBlock
  | MediaBlock
  | ReasoningBlock
  | ToolCallBlock
  | ToolResultBlock
  | RefusalBlock
  | CodeBlock
  | CodeResultBlock
  | SearchBlock
  | McpCallBlock
  | McpListingBlock
  | ToolSearchBlock
  | ToolChangeBlock
  | OpaqueBlock
export type BlockKind = Block['kind']
export type BlockOf<K extends BlockKind> = Extract<Block, { kind: K }>

/** `system` and `developer` are instructions in the middle of a conversation; those on top are `Request.system`. */
export type Role = 'user' | 'assistant' | 'system' | 'developer'

export interface Turn extends Node {
  role: Role
  blocks: Block[]
  /** Instructions: how much effort the model shall make from here on. */
  effort?: Effort
  /** Instructions that hold until the user speaks again. They stay in the conversation. */
  passing?: true
}

/**
 * A tool that acts on a screen, which some models have as one of their own: whether its caller knows single actions
 * or lists of them (`src/rules/computer.ts`), and the size of the screen where it is said, and whose it is.
 */
export interface Screen {
  words: 'single' | 'listed'
  place?: string
  width?: number
  height?: number
}

/** `schema` is JSON Schema as text, untouched; absent for a tool without parameters. */
export interface FunctionTool extends Declared {
  kind: 'function'
  screen?: Screen
  name: string
  namespace?: string
  description?: string
  schema?: string
  strict?: boolean
  /** The model goes on without its result. */
  async?: true
}
/** A tool whose input is free text, perhaps in a grammar. `format` is the dialect's own description of it. */
export interface TextTool extends Declared {
  kind: 'text'
  name: string
  namespace?: string
  description?: string
  format?: JsonObject
}
/** Tools that the provider runs and that more than one dialect has. */
export type Capability =
  | 'web-search'
  | 'web-fetch'
  | 'code-execution'
  | 'file-search'
  | 'computer'
  | 'tool-search'
export interface HostedTool extends Declared {
  kind: 'hosted'
  capability: Capability
  /** web-search: what more than one dialect can say of it. */
  allowedDomains?: string[]
  blockedDomains?: string[]
  maxUses?: number
  location?: JsonObject
  /** web-search: how much of what is found the model shall see, in OpenAI's words. */
  contextSize?: string
}
/**
 * All tools of a server that the provider itself calls, or those `allowed`. `token` is the caller's secret. `asks`: the
 * caller approves each call of some before it is made.
 */
export interface McpTool extends Declared {
  kind: 'mcp'
  name: string
  url: string
  token?: string
  allowed?: string[]
  asks?: true
}
export interface OpaqueTool extends Pick<Declared, 'late' | 'deferred'> {
  kind: 'opaque'
  dialect: DialectName
  name: string
  value: JsonObject
}
export type Tool = FunctionTool | TextTool | HostedTool | McpTool | OpaqueTool

/** `names` narrows the choice: one of these tools (`required`) or at most these (`auto`). */
export interface ToolChoice extends Node {
  mode: 'auto' | 'none' | 'required'
  names?: string[]
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/**
 * How the model shall think. `mode` off: not at all; on: within `budget` or by `effort`; adaptive: as it sees fit.
 * `visible`: thoughts or summaries are wanted in the reply.
 */
export interface ReasoningOptions extends Node {
  mode: 'off' | 'on' | 'adaptive'
  effort?: Effort
  budget?: number
  visible?: boolean
  detail?: string
}

export interface Limits {
  maxOutputTokens?: number
  stop?: string[]
}

export interface Sampling {
  temperature?: number
  topP?: number
  topK?: number
  seed?: number
  presencePenalty?: number
  frequencyPenalty?: number
  candidateCount?: number
  /** Log probabilities are wanted, and those of so many other tokens of each place. */
  logprobs?: number
  /** How much the model shall say, in OpenAI's words. */
  verbosity?: string
}

export type Format =
  | ({ type: 'text' } & Node)
  | ({ type: 'json' } & Node)
  /** One of these words. */
  | ({ type: 'choice'; among: string[]; description?: string } & Node)
  | ({
      type: 'json-schema'
      schema: string
      name?: string
      description?: string
      strict?: boolean
    } & Node)

/** The service shall write a summary of the conversation: now, or where it is longer than so many tokens. */
export interface Compaction extends Node {
  now?: true
  above?: number
  /** What the summary has to hold, in place of what is usual. */
  instructions?: string
  /** The reply ends behind the summary. */
  pause?: true
}

/** One request: a whole conversation and what is wanted next. */
export interface Request extends Node {
  /** As the caller named it; what is sent upstream is `Target.model`. */
  model: string
  client?: ClientFacts
  stream: boolean
  system: Block[]
  turns: Turn[]
  tools: Tool[]
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
  limits: Limits
  sampling: Sampling
  reasoning?: ReasoningOptions
  /** The model is shown no thoughts from before the user last spoke. */
  forgetful?: true
  compact?: Compaction
  format?: Format
  /** Id of a stored reply that this request continues. */
  previous?: string
  store?: boolean
  user?: string
  labels?: Record<string, string>
  tier?: string
  cacheKey?: string
  caching?: Caching
  /** What all of it is estimated at, and the ids of its calls, where the turns themselves have been let go of. */
  inputTokens?: number
  calls?: readonly string[]
}

/**
 * Tokens. `input` includes what was read from or written to a cache, `output` includes reasoning:
 * the arithmetic of the inclusive dialects, because sums of parts are exact and differences are not.
 */
export interface Usage {
  input?: number
  cacheRead?: number
  cacheWrite?: number
  output?: number
  reasoning?: number
  /** Tokens of hosted tools' results, part of `input`. */
  toolUse?: number
  /** What of all this a summary of the conversation took. */
  summary?: Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite' | 'output'>
  /** How often the service searched, and opened an address. */
  searches?: number
  fetches?: number
  cacheMiss?: CacheMiss
  /** How the reply was served: `default`, `priority`, `flex`, `scale`, `batch`, or a dialect's own word. */
  tier?: string
  ext?: Ext
}

/** `tool-call`: the model waits for results. `length` wins over it. */
export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'context-window'
  | 'tool-call'
  | 'refusal'
  | 'safety'
  | 'recitation'
  | 'malformed-call'
  | 'pause'
  | 'other'

/** Why there is no answer, or no more of it, in the service's words. `category`: what it is held to be about. */
export interface RefusalDetails {
  explanation?: string
  category?: string
}

/** One reply, whole. It exists only as the fold of an event stream. */
export interface Reply {
  id: string
  model: string
  blocks: Block[]
  usage?: Usage
  finish: FinishReason
  stopSequence?: string
  refused?: RefusalDetails
  ext?: Ext
}
export type { Json, JsonObject }

import type { AuthStyle, CacheMode, ModelFacts, ServerFacts } from '../../adapters/contract.ts'
import type { LossMode, RequestClass } from './type.ts'

export type { RequestClass }

/** The configuration, validated, with its defaults filled in and its secrets resolved. */
export interface Settings {
  upstreams: ReadonlyMap<string, UpstreamSettings>
  /** The first route that matches is taken. */
  routes: readonly RouteSettings[]
  callers: CallerSettings
  tasks: { image?: TaskSettings; music?: TaskSettings }
  /** Which store: `memory`, `sqlite:FILE`, `redis://…`, `kv`, `durable` or `off`. */
  state: string
  /** Bounds of the store; `DEFAULT_RETENTION` when absent. */
  retention?: Partial<RetentionSettings>
  /** How much a process may remember of the last requests of sessions; none when absent. */
  recallBytes?: number
  losses: LossMode
  /** Whether a stream names its losses in a comment before its end. */
  lossTrailer?: boolean
  /** What happens when a member of a pool fails; `DEFAULT_FAILOVER` for members that are absent. */
  failover?: Partial<FailoverSettings>
  limits: LimitSettings
  /** No metrics when absent. */
  metrics?: MetricsSettings
  /** No traces when absent. */
  telemetry?: TelemetrySettings
  web?: WebSettings
  /** Whether the page with the last exchanges is served. */
  inspect?: boolean
  /** Where the configuration came from, for people: `dragoman.json`, `environment`, `demo`. */
  origin: string
}

export interface UpstreamSettings {
  name: string
  dialect: string
  /** Origin and base path, without a trailing slash. What stands in the place of `/v1` is in `version`. */
  base: string
  /** `v1`, `v4`, `v1beta/openai`; that of the dialect when absent, and none when empty. */
  version?: string
  /** The key, or the first of `keys`. */
  key: KeySettings
  /** All keys of an upstream that has a list of them. Each is a member of a pool. */
  keys?: readonly PoolKey[]
  /** The account whose proofs of reasoning the upstream reads; `<name>#1` when absent. */
  account?: string
  /** In the settings of one member of several keys: which key it is, as `name#2`. */
  member?: string
  auth: AuthStyle
  headers: Readonly<Record<string, string>>
  maxOutputTokens: number
  /** That is what the configuration says. */
  isBoundSaid?: boolean
  /** The cloud behind the address, where that is known (`src/models/names.ts`). */
  service?: string
  /** Facts by glob on the model's name as it is sent; the first glob that matches is taken. */
  models: ReadonlyMap<string, KnownModel>
  timeouts: TimeoutSettings
  /** Facts about the server, and the name of the profile that they come from. */
  server?: ServerFacts
  profile?: string
  /** Whether nothing but the address says that it is the server of this profile. */
  isByAddress?: true
  /** Whether requests to this upstream carry a `traceparent`. */
  trace?: boolean
  /** The egress proxy of this upstream, which overrides that of the environment. */
  proxy?: string
}

/** Facts about a model for the adapters, and its price. */
export type KnownModel = ModelFacts & { price?: Price }

/** US dollars per million tokens. Cache reads and writes cost as much as input where they have no price. */
export interface Price {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
}

/** `caller`: the upstream is sent the caller's own credential, in the header that it expects. */
export type KeySettings = { kind: 'literal'; value: string } | { kind: 'caller' } | { kind: 'none' }

/** One of several keys of an upstream. */
export interface PoolKey {
  key: KeySettings
  weight: number
  account: string
}

export interface TimeoutSettings {
  connectMs: number
  /** Until the first byte of a streamed answer. For other answers `jsonMs` counts. */
  firstByteMs: number
  jsonMs: number
  idleMs: number
  totalMs: number
}

export interface RouteSettings {
  /** A glob on the model's name as the caller sent it. */
  model: string
  /** The upstream, or the first of `pool`. */
  upstream: string
  /** The model's name at the upstream; the name that the caller sent when absent. */
  as?: string
  /** Names that match the glob, for lists of models. */
  models?: readonly string[]
  /** All upstreams of a route that has a list of them. */
  pool?: readonly PoolEntry[]
  /** How a member is chosen; `order` when absent. */
  pick?: 'order' | 'weighted'
  /** The route takes only requests of these classes. */
  class?: readonly RequestClass[]
  /** The route takes only requests that are estimated at this many input tokens or more. */
  minInputTokens?: number
  /** Overrides members of the general `failover`. */
  failover?: Partial<FailoverSettings>
  /** Whether upstreams of another dialect are told what to cache; `derive` when absent. */
  cache?: CacheMode
}

/** One of several upstreams behind a route. */
export interface PoolEntry {
  name: string
  as?: string
  weight: number
}

/** What happens when a member of a pool fails. */
export interface FailoverSettings {
  /** How many further members are asked after the first. */
  hops: number
  /** No further member is asked after this time. */
  budgetMs: number
  /** The time for one attempt, until the head of its answer; without it a slow member is waited for. */
  attemptMs?: number
  /** How long a request may wait until a member may be asked again. */
  waitMs: number
  /** The statuses after which the next member is asked. */
  on: readonly number[]
  /** Whether the next member is asked even where the request may have been carried out. */
  unknown: boolean
  sticky: 'off' | 'prefer' | 'strict'
  stickySeconds: number
}

/** A key without a name is called `key-1`, by its place in the list. */
export type CallerSettings =
  | { kind: 'open' }
  | { kind: 'keys'; keys: readonly (string | NamedKey)[]; limits?: CallerLimits }

/** A key of a caller, and what it allows. */
export interface NamedKey {
  name: string
  /** The key as callers present it, or its SHA-256. */
  key: string | { sha256: string }
  /** Globs on the names of models that the caller may ask for; any model when absent. */
  models?: readonly string[]
  /** The caller's own limits; those of `callers.limits` when absent. */
  limits?: CallerLimits
  /** The time from which on the key is refused, in milliseconds since 1970. */
  expiresAt?: number
}

/** What one caller may use. Each process counts by itself. */
export interface CallerLimits {
  requestsPerMinute?: number
  tokensPerMinute?: number
  concurrent?: number
  usdPerDay?: number
}

export interface TaskSettings {
  base: string
  key: KeySettings
  prefix: string
  /** The timeouts; those of upstreams when absent. */
  timeouts?: TimeoutSettings
}

/**
 * Who may read metrics: no one, every caller, or the holder of this key. `unasked`: because the configuration does not
 * forbid it.
 */
export type MetricsSettings =
  | { kind: 'off' }
  | { kind: 'on'; unasked?: true }
  | { kind: 'key'; key: string }

/** Where traces go. */
export interface TelemetrySettings {
  endpoint: string
  headers: Readonly<Record<string, string>>
  /** The share of exchanges that is traced, from 0 to 1. */
  sample: number
  semconv: '1.41' | 'main'
  /** Whether the `sampled` flag of a caller's `traceparent` decides for its exchange. */
  trust: boolean
  resource: Readonly<Record<string, string>>
}

/** Which web pages may call the proxy, and the host names by which it is called besides its own. */
export interface WebSettings {
  /** As browsers write them in `Origin`. */
  origins: readonly string[]
  /** Host names without a port, in small letters. */
  hosts: readonly string[]
}

/** In bytes of UTF-8, of keys and values together. */
export interface StoreBounds {
  entryBytes: number
  ownerBytes: number
  totalBytes: number
}

/** How long exchanges are kept, and how much of them. */
export interface RetentionSettings extends StoreBounds {
  ttlMs: number
  /** Whether proofs of reasoning are kept for clients that do not send them back. */
  proofs: boolean
}

export interface LimitSettings {
  bodyBytes: number
  inFlightBytes: number
  depth: number
  nodes: number
  eventBytes: number
  replyBytes: number
  streamBytes: number
  streams: number
  connections: number
  headersMs: number
  bodyMs: number
  heartbeatMs: number
  drainMs: number
  /** How long the process goes on serving after the signal to stop, before it drains. */
  lingerMs: number
}

import type { AuthStyle, CacheMode, ModelFacts, ServerFacts } from '../../adapters/contract.ts'
import type { LossMode, RequestClass } from './type.ts'

export type { RequestClass }

/** The configuration, validated, with its defaults filled in and its secrets resolved. */
export interface Settings {
  upstreams: ReadonlyMap<string, UpstreamSettings>
  /** First match wins. */
  routes: readonly RouteSettings[]
  callers: CallerSettings
  tasks: { image?: TaskSettings; music?: TaskSettings }
  /** Which store: `memory`, `sqlite:FILE`, `redis://…`, `kv`, `durable` or `off`. */
  state: string
  /** How it is used; with `DEFAULT_RETENTION` when absent. */
  retention?: Partial<RetentionSettings>
  losses: LossMode
  /** Whether a stream says in a comment, before its end, what has been lost. */
  lossTrailer?: boolean
  /** What is done when a member of a pool fails; with `DEFAULT_FAILOVER` where it says nothing. */
  failover?: Partial<FailoverSettings>
  limits: LimitSettings
  /** Off when absent. */
  metrics?: MetricsSettings
  /** Absent where nothing is traced. */
  telemetry?: TelemetrySettings
  web?: WebSettings
  /** Whether the page shows what passes. */
  inspect?: boolean
  /** Where it came from, for a person: `dragoman.json`, `environment`, `demo`. */
  origin: string
}

export interface UpstreamSettings {
  name: string
  dialect: string
  /** Origin and base path, without a trailing slash; a trailing version segment is kept apart. */
  base: string
  version?: 'v1' | 'v1beta'
  /** The first of `keys` where there are several. */
  key: KeySettings
  /** All its keys, where it has a list of them: each of them is a member of a pool. */
  keys?: readonly PoolKey[]
  /** Whose proofs of reasoning it reads; `<name>#1` when absent. */
  account?: string
  /** Which of its keys this is, as `name#2`, where it has several: the settings of one member. */
  member?: string
  auth: AuthStyle
  headers: Readonly<Record<string, string>>
  maxOutputTokens: number
  /** Globs on the model name as sent; first match wins. */
  models: ReadonlyMap<string, KnownModel>
  timeouts: TimeoutSettings
  /** What is known of the server, and the name of the profile that says so. */
  server?: ServerFacts
  profile?: string
  /** Whether it is told which trace a request belongs to. */
  trace?: boolean
  /** The egress proxy that calls go through, where it is this upstream's own. */
  proxy?: string
}

/** What the adapters have to know of a model, and what it costs. */
export type KnownModel = ModelFacts & { price?: Price }

/** US dollars per million tokens; what is read from or written to a cache costs as input where nothing is said. */
export interface Price {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
}

/** `caller`: the caller's own credential, moved to where this upstream expects it. */
export type KeySettings = { kind: 'literal'; value: string } | { kind: 'caller' } | { kind: 'none' }

/** One of several keys of an upstream. */
export interface PoolKey {
  key: KeySettings
  weight: number
  account: string
}

export interface TimeoutSettings {
  connectMs: number
  /** To the first byte of a streamed answer; a JSON answer may take `jsonMs`. */
  firstByteMs: number
  jsonMs: number
  idleMs: number
  totalMs: number
}

export interface RouteSettings {
  /** Glob on the model name that the caller sent. */
  model: string
  /** The first of `pool` where there are several. */
  upstream: string
  /** The model's name at the upstream; the caller's own when absent. */
  as?: string
  /** Names that the glob stands for, for those who ask which models there are. */
  models?: readonly string[]
  /** All upstreams behind it, where it has a list of them. */
  pool?: readonly PoolEntry[]
  /** How a member is chosen; `order` when absent. */
  pick?: 'order' | 'weighted'
  /** Only requests of one of these kinds fit. */
  class?: readonly RequestClass[]
  /** Only requests that are estimated at so much fit. */
  minInputTokens?: number
  /** Replaces the general one member by member. */
  failover?: Partial<FailoverSettings>
  /** What another dialect's upstream is told of caching prompts; `derive` when absent. */
  cache?: CacheMode
}

/** One of several upstreams behind a route. */
export interface PoolEntry {
  name: string
  as?: string
  weight: number
}

/** What is done when a member of a pool fails. */
export interface FailoverSettings {
  /** Attempts after the first. */
  hops: number
  /** No hop begins later than this. */
  budgetMs: number
  /** For one attempt, until the head of its answer; without it a slow one is waited for. */
  attemptMs?: number
  /** How long a request may wait for a member to come back. */
  waitMs: number
  /** The statuses at which the next member is asked. */
  on: readonly number[]
  /** Whether the next member is also asked where it is not known if the request was carried out. */
  unknown: boolean
  sticky: 'off' | 'prefer' | 'strict'
  stickySeconds: number
}

/** A key alone is called after its place: `key-1`. */
export type CallerSettings =
  | { kind: 'open' }
  | { kind: 'keys'; keys: readonly (string | NamedKey)[]; limits?: CallerLimits }

/** A key of a caller, and what it allows. */
export interface NamedKey {
  name: string
  /** As it is presented, or its SHA-256 where the configuration holds no secret. */
  key: string | { sha256: string }
  /** Globs on the names of models that callers send; any when absent. */
  models?: readonly string[]
  /** Those of `callers.limits` when absent. */
  limits?: CallerLimits
  /** Milliseconds since 1970, from which on the key is none. */
  expiresAt?: number
}

/** What one caller may use of this process; it counts for itself alone. */
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
  /** Those of any upstream when absent. */
  timeouts?: TimeoutSettings
}

/** Who may ask what the process counts: no one, every caller, or the holder of this key. */
export type MetricsSettings = { kind: 'off' } | { kind: 'on' } | { kind: 'key'; key: string }

/** Where traces go. */
export interface TelemetrySettings {
  endpoint: string
  headers: Readonly<Record<string, string>>
  /** The part of all exchanges that is traced. */
  sample: number
  semconv: '1.41' | 'main'
  /** Whether callers decide for their own traces. */
  trust: boolean
  resource: Readonly<Record<string, string>>
}

/** What web pages may do, and under which names besides its own the proxy is called. */
export interface WebSettings {
  /** As a browser spells them in `Origin`. */
  origins: readonly string[]
  /** Names without a port, in small letters. */
  hosts: readonly string[]
}

/** Bytes of UTF-8, key and value together. */
export interface StoreBounds {
  entryBytes: number
  ownerBytes: number
  totalBytes: number
}

/** For how long, and how much of it, is kept. */
export interface RetentionSettings extends StoreBounds {
  ttlMs: number
  /** Whether proofs of reasoning are kept too, for clients that do not bring them back. */
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
  /** How long the port stays open, as if nothing were, before a drain begins. */
  lingerMs: number
}

import type { AuthStyle, ModelFacts, ServerFacts } from '../../adapters/contract.ts'
import type {
  BeforeConfig,
  CallerConfig,
  CallerLimitsConfig,
  FailoverConfig,
  LimitsConfig,
  LogConfig,
  LossMode,
  PoolEntryConfig,
  PriceConfig,
  RecordConfig,
  RequestClass,
  RouteConfig,
  StateConfig,
  TelemetryConfig,
  TimeoutsConfig,
  UpstreamConfig,
} from './type.ts'

export type { RequestClass }

/** Members that become settings as they are. `scripts/config-words/` says what they mean. */
type AsGiven<T> = { [Name in keyof T]: Unchanged<Exclude<T[Name], undefined>> }
type Unchanged<Value> = Value extends readonly (infer Entry)[] ? readonly Entry[] : Value

/** The configuration, validated, with its defaults filled in and its secrets resolved. */
export interface Settings {
  upstreams: ReadonlyMap<string, UpstreamSettings>
  /** The first route that matches is taken. */
  routes: readonly RouteSettings[]
  callers: CallerSettings
  /** The webhook that is asked before a request is served; none when absent. */
  before?: Required<AsGiven<BeforeConfig>>
  tasks: { image?: TaskSettings; music?: TaskSettings }
  /** Which store: `memory`, `sqlite:FILE`, `redis://…`, `kv`, `durable` or `off`. */
  state: string
  /** Bounds of the store; `DEFAULT_RETENTION` when absent. */
  retention?: Partial<RetentionSettings>
  /** How much a process may remember of the last requests of sessions; none when absent. */
  recallBytes?: number
  /** How summaries of conversations are written; `upstreams.*.compaction` beats it. */
  compaction?: CompactionSettings
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
  /** What the log says beside what it always does. */
  log?: AsGiven<LogConfig>
  /** Where exchanges are written down; nowhere when absent. */
  record?: Required<AsGiven<RecordConfig>>
  web?: WebSettings
  /** Whether callers may stay connected; they may when absent. */
  sockets?: boolean
  /** Whether the page with the last exchanges is served. */
  inspect?: boolean
  /** Where the configuration came from, for people: `dragoman.json`, `environment`, `demo`. */
  origin: string
}

export interface UpstreamSettings extends AsGiven<
  Omit<
    UpstreamConfig,
    'dialect' | 'url' | 'key' | 'auth' | 'models' | 'timeouts' | 'profile' | 'compaction'
  >
> {
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
  /** In the settings of one member of several keys: which key it is, as `name#2`. */
  member?: string
  auth: AuthStyle
  /** A key that is made for each request, or fetched, in the place of `key`. */
  made?: MadeKey
  headers: Readonly<Record<string, string>>
  compaction?: CompactionSettings
  maxOutputTokens: number
  /** That is what the configuration says. */
  isBoundSaid?: boolean
  /** The cloud behind the address, where that is known (`adapters/servers.ts`). */
  service?: string
  /** The way in which a cloud takes requests, one of `upstream.forms` of the dialect's adapter. */
  form?: string
  /** The values among `query` that may be secrets, by their names. */
  secretQuery?: Readonly<Record<string, string>>
  /** Facts by glob on the model's name as it is sent; the first glob that matches is taken. */
  models: ReadonlyMap<string, KnownModel>
  timeouts: TimeoutSettings
  /** Facts about the server, and the name of the profile that they come from. */
  server?: ServerFacts
  profile?: string
  /** Whether nothing but the address says that it is the server of this profile. */
  isByAddress?: true
}

/** Summaries of conversations, where the service of an upstream does not know the caller's form of asking. */
export interface CompactionSettings {
  /** None is written. */
  refused?: true
  /** Also above a number of tokens, within the turn that says it. */
  threshold?: boolean
  maxOutputTokens?: number
}

/** Facts about a model for the adapters, and its price. */
export type KnownModel = ModelFacts & { price?: Price }

/** US dollars per million tokens. Cache reads and writes cost as much as input where they have no price. */
export type Price = AsGiven<PriceConfig>

/** `caller`: the upstream is sent the caller's own credential, in the header that it expects. */
export type KeySettings = { kind: 'literal'; value: string } | { kind: 'caller' } | { kind: 'none' }

/** A token that is fetched and renewed, or a signature. */
export type MadeKey = TokenKey | SignatureKey

/** How a token is asked for. */
export interface TokenKey {
  kind: 'token'
  url: string
  /** The form that is posted; absent where the token of a machine is asked for, which needs none. */
  form?: Readonly<Record<string, string>>
  /** What is signed for it, where the form holds such a proof. */
  assertion?: Assertion
  /** The secrets among all of that. */
  secrets: readonly string[]
}

/** A service account of Google. */
export interface Assertion {
  email: string
  /** PKCS#8, as base64 without its frame. */
  key: string
  keyId?: string
  /** Whom the proof is for. */
  audience: string
}

/** Amazon's signature, version 4. */
export interface SignatureKey {
  kind: 'signature'
  region: string
  service: string
  id: string
  secret: string
  session?: string
  secrets: readonly string[]
}

/** One of several keys of an upstream. */
export interface PoolKey {
  key: KeySettings
  weight: number
  account: string
}

export interface TimeoutSettings extends Required<AsGiven<TimeoutsConfig>> {
  /** Until the first byte of an answer that is no stream. For streams `firstByteMs` counts. */
  jsonMs: number
}

export interface RouteSettings extends AsGiven<
  Omit<RouteConfig, 'upstream' | 'class' | 'failover'>
> {
  /** The upstream, or the first of `pool`. */
  upstream: string
  /** All upstreams of a route that has a list of them. */
  pool?: readonly PoolEntry[]
  /** The route takes only requests of these classes. */
  class?: readonly RequestClass[]
  /** Overrides members of the general `failover`. */
  failover?: Partial<FailoverSettings>
}

/** One of several upstreams behind a route. */
export type PoolEntry = AsGiven<PoolEntryConfig> & { weight: number }

/** What happens when a member of a pool fails. */
export type FailoverSettings = Required<AsGiven<Omit<FailoverConfig, 'attemptMs'>>> &
  AsGiven<Pick<FailoverConfig, 'attemptMs'>>

/** A key without a name is called `key-1`, by its place in the list. */
export type CallerSettings =
  | { kind: 'open' }
  | { kind: 'keys'; keys: readonly (string | NamedKey)[]; jwt?: JwtSettings; limits?: CallerLimits }

/** Tokens by which callers are known: who has to have issued them, and for whom. */
export interface JwtSettings {
  /** The address of the keys. */
  jwks: string
  audience: readonly string[]
  issuer: string
  /** The claim that is the caller's name. */
  name: string
}

/** A key of a caller, and what it allows. */
export interface NamedKey extends AsGiven<Omit<CallerConfig, 'key' | 'expires'>> {
  /** The key as callers present it, or its SHA-256. */
  key: string | { sha256: string }
  /** The caller's own limits; those of `callers.limits` when absent. */
  limits?: CallerLimits
  /** The time from which on the key is refused, in milliseconds since 1970. */
  expiresAt?: number
}

/** What one caller may use. Processes count together where they share a Redis, else each by itself. */
export type CallerLimits = AsGiven<CallerLimitsConfig>

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
export interface TelemetrySettings extends Required<AsGiven<Omit<TelemetryConfig, 'otlp'>>> {
  endpoint: string
  headers: Readonly<Record<string, string>>
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
export interface RetentionSettings extends Required<
  AsGiven<Omit<StateConfig, 'store' | 'recallBytes' | 'ttlSeconds'>>
> {
  ttlMs: number
}

export type LimitSettings = Required<AsGiven<LimitsConfig>>

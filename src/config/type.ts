import type { AuthStyle, CacheMode, ModelFacts, ServerFacts } from '../../adapters/contract.ts'
import type { Dialect } from '../../adapters/dialect.ts'

/**
 * The configuration as programs write it; `dragoman.schema.json` describes its members. A compile error in
 * `schema.ts` holds the schema to this type, which needs no other package.
 */
export interface Config {
  $schema?: string | undefined
  upstreams?: Record<string, UpstreamConfig> | undefined
  routes?: RouteConfig[] | undefined
  callers?: 'open' | CallersConfig | undefined
  tasks?: { image?: TaskConfig | undefined; music?: TaskConfig | undefined } | undefined
  state?: StateConfig | undefined
  losses?: LossMode | { mode?: LossMode | undefined; trailer?: boolean | undefined } | undefined
  failover?: FailoverConfig | undefined
  limits?: LimitsConfig | undefined
  telemetry?:
    | {
        otlp?: { endpoint: string; headers?: Record<string, string> | undefined } | undefined
        sample?: number | undefined
        semconv?: '1.41' | 'main' | undefined
        trust?: boolean | undefined
      }
    | undefined
  metrics?: 'off' | 'on' | { key: string } | undefined
  web?: { origins?: string[] | undefined; hosts?: string[] | undefined } | undefined
  inspect?: boolean | undefined
}

export type LossMode = 'report' | 'reject'

export interface UpstreamConfig {
  dialect: Dialect
  url: string
  /** One key, or a list of keys of which the proxy chooses. */
  key?: string | (string | KeyConfig)[] | undefined
  account?: string | undefined
  auth?: AuthStyle | undefined
  headers?: Record<string, string> | undefined
  maxOutputTokens?: number | undefined
  models?: Record<string, ModelConfig> | undefined
  timeouts?: Loose<Record<'connectMs' | 'firstByteMs' | 'idleMs' | 'totalMs', number>> | undefined
  proxy?: string | undefined
  trace?: boolean | undefined
  /** The name of a built-in profile; or facts, which may extend a profile by its name. */
  profile?: string | ProfileConfig | undefined
}

export type ProfileConfig = Loose<Mutable<ServerFacts>> & { extends?: string | undefined }

/** Lists as a JSON document has them. */
type Mutable<T> = {
  [Name in keyof T]: T[Name] extends readonly (infer Item)[] | undefined ? Item[] : T[Name]
}

export type ModelConfig = Loose<Mutable<Omit<ModelFacts, 'server'>>> & {
  price?: PriceConfig | undefined
}

type PriceConfig =
  | number
  | {
      input: number
      output: number
      cacheRead?: number | undefined
      cacheWrite?: number | undefined
    }

/** Every member may be absent or undefined. */
type Loose<T> = { [Name in keyof T]?: T[Name] | undefined }

export interface KeyConfig {
  key: string
  weight?: number | undefined
  account?: string | undefined
}

export interface RouteConfig {
  model: string
  upstream: string | (string | PoolEntryConfig)[]
  as?: string | undefined
  models?: string[] | undefined
  pick?: 'order' | 'weighted' | undefined
  class?: RequestClass | RequestClass[] | undefined
  minInputTokens?: number | undefined
  failover?: FailoverConfig | undefined
  cache?: CacheMode | undefined
}

export interface CallersConfig {
  keys: (string | CallerConfig)[]
  limits?: CallerLimitsConfig | undefined
}

export interface CallerConfig {
  name: string
  key: string
  models?: string[] | undefined
  limits?: CallerLimitsConfig | undefined
  expires?: string | undefined
}

type CallerLimitsConfig = Loose<
  Record<'requestsPerMinute' | 'tokensPerMinute' | 'concurrent' | 'usdPerDay', number>
>
/** One of several upstreams behind a route. */
export interface PoolEntryConfig {
  name: string
  as?: string | undefined
  weight?: number | undefined
}

/** What a request is for, as far as its headers and body tell. */
export type RequestClass =
  | 'main'
  | 'subagent'
  | 'workflow'
  | 'compaction'
  | 'auxiliary'
  | 'side_reply'
  | 'web-search'
  | 'long'
  | 'thinking'

export type FailoverConfig = Loose<{
  hops: number
  budgetMs: number
  attemptMs: number
  waitMs: number
  on: number[]
  unknown: boolean
  sticky: 'off' | 'prefer' | 'strict'
  stickySeconds: number
}>

export interface TaskConfig {
  url: string
  key?: string | undefined
  prefix?: string | undefined
}

export interface StateConfig {
  store?: string | undefined
  ttlSeconds?: number | undefined
  entryBytes?: number | undefined
  ownerBytes?: number | undefined
  totalBytes?: number | undefined
  proofs?: boolean | undefined
  recallBytes?: number | undefined
}

type LimitsConfig = Loose<
  Record<
    | 'bodyBytes'
    | 'inFlightBytes'
    | 'depth'
    | 'nodes'
    | 'eventBytes'
    | 'replyBytes'
    | 'streamBytes'
    | 'streams'
    | 'connections'
    | 'headersMs'
    | 'bodyMs'
    | 'heartbeatMs'
    | 'drainMs'
    | 'lingerMs',
    number
  >
>

import * as z from 'zod/mini'
import type { AuthStyle, CacheMode, ModelFacts, ServerFacts } from '../../adapters/contract.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import { EFFORTS } from '../rules/effort.ts'
import { SAMPLING_RULES, THINKING_STYLES } from '../models/facts.ts'
import type { Config, ModelConfig, ProfileConfig, RouteConfig, UpstreamConfig } from './type.ts'

/** The longest delay of a JavaScript timer; with a longer one it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** Readers see longer pauses as such. */
const MAX_GATHER_MS = 1000

/** Ten years. */
const MAX_TTL_SECONDS = 315_360_000

/**
 * A schema that is made when a value first has to fit it: most configurations have few of these members, and all
 * schemas together cost a Worker milliseconds at its start. Whether a value may be absent is said where it stands, so
 * that zod need not look inside to learn it.
 */
function later<T extends z.ZodMiniType>(make: () => T): z.ZodMiniLazy<T> {
  const schema = z.lazy(make)
  schema._zod.optin = undefined
  schema._zod.optout = undefined
  return schema
}

/** What may be left out, and mostly is. */
const rarely = <T extends z.ZodMiniType>(make: () => T) => z.optional(later(make))

const milliseconds = () => z.int().check(z.gte(1), z.lte(MAX_TIMER_MS))
const count = () => z.int().check(z.gte(1))

const AUTH_STYLES = ['x-api-key', 'bearer', 'x-goog-api-key', 'api-key', 'query'] as const

const AUTH_WORDS = `expected one of ${AUTH_STYLES.map((style) => JSON.stringify(style)).join(', ')}, or {"google"}, {"aws"} or {"entra"}`

const string = z.string()
const filled = z.string().check(z.minLength(1))

/** An id that is too long is cut, and a fingerprint of this many characters tells it from others. */
const SHORTEST_ID = 24

const dollars = later(() => z.number().check(z.gte(0)))

/** What many members are: to build a schema for each of them would cost a Worker milliseconds at its start. */
const optional = {
  text: z.optional(filled),
  texts: rarely(() => z.array(filled)),
  string: z.optional(string),
  strings: rarely(() => z.record(string, string)),
  flag: rarely(() => z.boolean()),
  count: rarely(count),
  milliseconds: rarely(milliseconds),
  dollars: z.optional(dollars),
}

const modelFacts = later(() => {
  const price = z.strictObject({
    input: dollars,
    output: dollars,
    cacheRead: optional.dollars,
    cacheWrite: optional.dollars,
  })
  return z.strictObject({
    contextWindow: optional.count,
    maxOutputTokens: optional.count,
    is: optional.text,
    thinking: z.optional(z.enum(THINKING_STYLES)),
    thinkingOff: z.optional(
      z.union([z.boolean(), z.literal('between_tools')], {
        error: 'expected true, false or "between_tools"',
      }),
    ),
    efforts: rarely(() => z.array(z.enum(EFFORTS))),
    forcedChoice: optional.flag,
    sampling: z.optional(z.enum(SAMPLING_RULES)),
    storesByDefault: optional.flag,
    effortUpdates: optional.flag,
    prefill: optional.flag,
    fetchesUrls: optional.flag,
    mixesTools: optional.flag,
    cacheBreakpoints: optional.flag,
    systemInPlace: optional.flag,
    lateTools: optional.flag,
    deferredTools: optional.flag,
    computer: optional.flag,
    drop: optional.texts,
    price: z.optional(
      z.union([dollars, price], { error: 'expected a number or {"input", "output"}' }),
    ),
  })
})

const timeouts = later(() =>
  z.strictObject({
    connectMs: optional.milliseconds,
    firstByteMs: optional.milliseconds,
    idleMs: optional.milliseconds,
    totalMs: optional.milliseconds,
  }),
)

/** A key that is made here: a token that ends, or a signature. Which one is said is looked at elsewhere. */
const madeKey = later(() => {
  const aws = z.strictObject({
    region: optional.text,
    service: optional.text,
    accessKeyId: filled,
    secretAccessKey: filled,
    sessionToken: optional.text,
  })
  const entra = z.strictObject({
    tenant: filled,
    clientId: filled,
    clientSecret: filled,
    scope: optional.text,
  })
  return z.strictObject({
    google: optional.text,
    aws: z.optional(
      z.union([z.literal('env'), aws], { error: 'expected "env" or {"accessKeyId": ...}' }),
    ),
    entra: z.optional(entra),
    tokenUrl: optional.text,
  })
})

const keys = later(() => {
  const entry = z.strictObject({ key: filled, weight: optional.count, account: optional.text })
  return z
    .array(z.union([filled, entry], { error: 'expected a key or {"key": ...}' }))
    .check(z.minLength(1))
})

const thoughtFacts = () => ({
  reasoningField: z.optional(
    z.enum(['reasoning_content', 'reasoning', 'both', 'details', 'content-parts', 'tags', 'none']),
  ),
  reasoningReplay: z.optional(z.enum(['never', 'with-tools', 'all'])),
  reasoningFiller: optional.string,
  reasoningStyle: z.optional(
    z.enum(['openai', 'thinking', 'enable_thinking', 'template', 'openrouter', 'together', 'none']),
  ),
  thinkTags: z.optional(z.enum(['text', 'reasoning'])),
})

const answerFacts = () => ({
  maxTokensMember: z.optional(z.enum(['max_tokens', 'max_completion_tokens'])),
  stop: optional.flag,
  temperature: optional.flag,
  topK: optional.flag,
  verbosity: optional.flag,
  seedMember: z.optional(z.enum(['seed', 'random_seed'])),
})

const serviceFacts = () => ({
  countTokens: optional.flag,
  form: z.optional(z.enum(['invoke', 'raw-predict'])),
  betas: optional.texts,
})

const profile = later(() =>
  z.strictObject({
    extends: optional.text,
    wellKnown: optional.flag,
    ...thoughtFacts(),
    ...answerFacts(),
    forcedWhileThinking: optional.flag,
    requiredChoice: z.optional(z.enum(['required', 'any'])),
    allowedTools: optional.flag,
    customTools: optional.flag,
    strictTools: optional.flag,
    developerRole: optional.flag,
    systemFirst: optional.flag,
    messageNames: optional.flag,
    bridgeAfterTool: optional.text,
    plainContent: optional.flag,
    cacheMark: z.optional(z.enum(['cache_control', 'prompt_cache_breakpoint', 'none'])),
    cacheKey: optional.flag,
    provenCalls: optional.flag,
    callIds: z.optional(
      z.union([count().check(z.gte(SHORTEST_ID)), z.literal('nine')], {
        error: `expected a whole number from ${SHORTEST_ID}, or "nine"`,
      }),
    ),
    validArguments: optional.flag,
    webSearch: optional.flag,
    outputInTotal: optional.flag,
    namespaces: optional.flag,
    hostedTools: optional.flag,
    namedChoice: optional.flag,
    fetchesUrls: optional.flag,
    imageDetail: optional.flag,
    files: optional.flag,
    jsonSchema: optional.flag,
    jsonWord: optional.flag,
    safetyIdentifier: optional.flag,
    toolMedia: optional.flag,
    reasoningItems: optional.flag,
    unprovenThoughts: optional.flag,
    otherItems: optional.flag,
    compacts: optional.flag,
    state: optional.flag,
    store: optional.flag,
    storesByDefault: optional.flag,
    ...serviceFacts(),
    members: optional.texts,
    drop: optional.texts,
  }),
)

const compaction = later(() => {
  const served = z.strictObject({ threshold: optional.flag, maxOutputTokens: optional.count })
  return z.union([z.enum(['serve', 'refuse']), served], {
    error: 'expected "serve", "refuse" or {"threshold", "maxOutputTokens"}',
  })
})

const upstream = z.strictObject({
  dialect: z.enum(DIALECTS),
  url: string,
  key: rarely(() => z.union([filled, keys], { error: 'expected a string, or a list of keys' })),
  account: optional.text,
  auth: rarely(() => z.union([z.enum(AUTH_STYLES), madeKey], { error: AUTH_WORDS })),
  headers: optional.strings,
  query: optional.strings,
  maxOutputTokens: optional.count,
  models: rarely(() => z.record(string, modelFacts)),
  timeouts: z.optional(timeouts),
  proxy: optional.text,
  trace: optional.flag,
  compaction: z.optional(compaction),
  passthrough: optional.texts,
  profile: rarely(() =>
    z.union([filled, profile], { error: 'expected the name of a profile, or {"extends": ...}' }),
  ),
})

const pool = later(() => {
  const entry = z.strictObject({ name: string, as: optional.text, weight: optional.count })
  const options = { error: 'expected the name of an upstream or {"name": ...}' }
  return z.array(z.union([string, entry], options)).check(z.minLength(1))
})

const REQUEST_CLASSES = [
  'main',
  'subagent',
  'workflow',
  'compaction',
  'auxiliary',
  'side_reply',
  'web-search',
  'long',
  'thinking',
] as const

const requestClasses = later(() => {
  const requestClass = z.enum(REQUEST_CLASSES)
  return z.union([requestClass, z.array(requestClass).check(z.minLength(1))], {
    error: `expected one of ${REQUEST_CLASSES.join(', ')}, or a list of them`,
  })
})

const MOST_HOPS = 8

const failover = later(() =>
  z.strictObject({
    hops: z.optional(z.int().check(z.gte(0), z.lte(MOST_HOPS))),
    budgetMs: optional.milliseconds,
    attemptMs: optional.milliseconds,
    waitMs: z.optional(z.int().check(z.gte(0), z.lte(MAX_TIMER_MS))),
    on: z.optional(z.array(z.int().check(z.gte(400), z.lte(599)))),
    unknown: optional.flag,
    sticky: z.optional(z.enum(['off', 'prefer', 'strict'])),
    stickySeconds: z.optional(count().check(z.lte(MAX_TTL_SECONDS))),
  }),
)

const route = z.strictObject({
  model: filled,
  upstream: z.union([string, pool], {
    error: 'expected the name of an upstream or a list',
  }),
  as: optional.text,
  models: optional.texts,
  pick: rarely(() => z.enum(['order', 'weighted'])),
  class: z.optional(requestClasses),
  minInputTokens: rarely(() => z.int().check(z.gte(0))),
  failover: z.optional(failover),
  cache: rarely(() => z.enum(['off', 'carry', 'derive'])),
})

const tasks = later(() => {
  const task = z.optional(
    z.strictObject({ url: string, key: optional.text, prefix: optional.string }),
  )
  return z.strictObject({ image: task, music: task })
})

const callerLimits = later(() =>
  z.strictObject({
    requestsPerMinute: optional.count,
    tokensPerMinute: optional.count,
    concurrent: optional.count,
    usdPerDay: z.optional(z.number().check(z.gt(0))),
  }),
)

const jwt = later(() =>
  z.strictObject({
    jwks: filled,
    audience: z.union([filled, z.array(filled).check(z.minLength(1))], {
      error: 'expected a text, or a list of them',
    }),
    issuer: filled,
    name: optional.text,
  }),
)

const callers = later(() =>
  z.strictObject({
    keys: z.optional(
      z
        .array(
          z.union(
            [
              filled,
              z.strictObject({
                name: filled,
                key: filled,
                models: z.optional(z.array(filled).check(z.minLength(1))),
                limits: z.optional(callerLimits),
                expires: optional.text,
              }),
            ],
            { error: 'expected a key or {"name", "key"}' },
          ),
        )
        .check(z.minLength(1)),
    ),
    jwt: z.optional(jwt),
    limits: z.optional(callerLimits),
  }),
)

const limits = later(() =>
  z.strictObject({
    bodyBytes: optional.count,
    inFlightBytes: optional.count,
    depth: z.optional(count().check(z.lte(1000))),
    nodes: optional.count,
    eventBytes: optional.count,
    replyBytes: optional.count,
    streamBytes: optional.count,
    streams: optional.count,
    connections: optional.count,
    headersMs: optional.milliseconds,
    bodyMs: optional.milliseconds,
    heartbeatMs: optional.milliseconds,
    gatherMs: z.optional(z.int().check(z.gte(0), z.lte(MAX_GATHER_MS))),
    drainMs: optional.milliseconds,
    lingerMs: z.optional(z.int().check(z.gte(0), z.lte(MAX_TIMER_MS))),
    sockets: optional.count,
    socketMs: optional.milliseconds,
    socketBytes: optional.count,
  }),
)

const state = later(() =>
  z.strictObject({
    store: optional.string,
    ttlSeconds: z.optional(count().check(z.lte(MAX_TTL_SECONDS))),
    entryBytes: optional.count,
    ownerBytes: optional.count,
    totalBytes: optional.count,
    proofs: optional.flag,
    recallBytes: z.optional(z.int().check(z.gte(0))),
  }),
)

const losses = later(() => {
  const mode = z.enum(['report', 'reject'])
  const both = z.strictObject({ mode: z.optional(mode), trailer: optional.flag })
  return z.union([mode, both], { error: 'expected "report", "reject" or {"mode", "trailer"}' })
})

const telemetry = later(() =>
  z.strictObject({
    otlp: z.optional(z.strictObject({ endpoint: filled, headers: optional.strings })),
    sample: z.optional(z.number().check(z.gte(0), z.lte(1))),
    semconv: z.optional(z.enum(['1.41', 'main'])),
    trust: optional.flag,
  }),
)

const metrics = later(() =>
  z.union([z.enum(['off', 'on']), z.strictObject({ key: filled })], {
    error: 'expected "off", "on" or {"key": ...}',
  }),
)
const log = later(() => z.strictObject({ client: optional.flag }))

const record = later(() =>
  z.strictObject({ file: filled, maxBytes: optional.count, bodies: optional.flag }),
)

const before = later(() =>
  z.strictObject({
    url: filled,
    timeoutMs: optional.milliseconds,
    onError: z.optional(z.enum(['allow', 'refuse'])),
  }),
)

const web = later(() => z.strictObject({ origins: optional.texts, hosts: optional.texts }))

/** The configuration as people write it. `scripts/config-words/` describes its members. */
export const configSchema = z.strictObject({
  $schema: optional.string,
  upstreams: z.optional(z.record(string, upstream)),
  routes: z.optional(z.array(route)),
  callers: rarely(() =>
    z.union([z.literal('open'), callers], { error: 'expected "open" or {"keys": [...]}' }),
  ),
  before: z.optional(before),
  tasks: z.optional(tasks),
  state: z.optional(state),
  losses: z.optional(losses),
  compaction: z.optional(compaction),
  failover: z.optional(failover),
  limits: z.optional(limits),
  telemetry: z.optional(telemetry),
  metrics: z.optional(metrics),
  log: z.optional(log),
  record: z.optional(record),
  web: z.optional(web),
  sockets: z.optional(z.enum(['on', 'off'])),
  inspect: optional.flag,
})

/** Each place of a type with what may stand there, and whether it may be left out. */
type Places<T, At extends string = ''> = T extends readonly (infer Entry)[]
  ? Places<Entry, Within<At, '*'>>
  : T extends object
    ? string extends keyof T
      ? Places<T[keyof T], Within<At, '*'>>
      : { [Name in keyof T & string]-?: PlacesOf<T, Name, Within<At, Name>> }[keyof T & string]
    : [At, T]

type PlacesOf<T, Name extends keyof T, At extends string> =
  | [At, { optional: T extends Record<Name, T[Name]> ? false : true }]
  | Places<Exclude<T[Name], undefined>, At>

type Within<At extends string, Name extends string> = At extends '' ? Name : `${At}.${Name}`

type NameOf<Place> = Place extends readonly [infer Name, unknown] ? Name : never

/** The places at which two types differ. */
type Differences<One, Other> = NameOf<
  Exclude<Places<One>, Places<Other>> | Exclude<Places<Other>, Places<One>>
>

/** What adapters ask of a configuration, by types of their own. */
interface Asked {
  'upstreams.*.auth': AuthStyle
  'upstreams.*.models.*': Omit<ModelFacts, 'server'>
  'upstreams.*.profile': ServerFacts
  'routes.*.cache': CacheMode
}

interface Answered {
  'upstreams.*.auth': Extract<UpstreamConfig['auth'], string>
  'upstreams.*.models.*': Omit<ModelConfig, 'price'>
  'upstreams.*.profile': Omit<ProfileConfig, 'extends'>
  'routes.*.cache': Exclude<RouteConfig['cache'], undefined>
}

/** A type, where nothing differs; a compile error names what does. */
type Checked<T, _Differing extends never> = T

/** An error here says what `type.ts` has otherwise: `npm run docs` writes it anew. */
type FreshConfig = Checked<Config, Differences<z.infer<typeof configSchema>, Config>>

/** An error here says what adapters ask for and the schema has otherwise. */
export type CheckedConfig = Checked<FreshConfig, Differences<Asked, Answered>>

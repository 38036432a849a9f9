import {
  DEFAULT_FAILOVER,
  DEFAULT_RETENTION,
  RECALL_BYTES,
  ISOLATE_LIMITS,
  MAX_OUTPUT_TOKENS,
  PROCESS_LIMITS,
  TIMEOUTS,
  WORKER_STORE_BOUNDS,
} from '../src/config/defaults.ts'
import { PROFILE_WORDS } from './profile-words.ts'

/** What is said of a member: for editors by the JSON Schema, for readers by docs/configuration.md. */
export interface Word {
  means: string
  /** What it is where it is left out. */
  usual?: string
  example?: unknown
}

const KIB = 1024
const SECOND_MS = 1000
const SIZES = ['bytes', 'KiB', 'MiB', 'GiB']

function size(bytes: number): string {
  const steps = Math.floor(Math.log(bytes) / Math.log(KIB))
  return `${bytes / KIB ** steps} ${SIZES[steps]}`
}

function time(ms: number): string {
  const seconds = ms / SECOND_MS
  return seconds >= 600 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

const count = (number: number): string => number.toLocaleString('en')

type Unit = (value: number) => string

/** A default, and that of Workers where it is another one. */
const both = (unit: Unit, here: number, there: number): string =>
  here === there ? unit(here) : `${unit(here)}; on Workers ${unit(there)}`

const limit = (name: keyof typeof PROCESS_LIMITS, means: string, unit: Unit, example: number) => ({
  [`limits.${name}`]: {
    means,
    usual: both(unit, PROCESS_LIMITS[name], ISOLATE_LIMITS[name]),
    example,
  },
})

const bound = (
  name: 'entryBytes' | 'ownerBytes' | 'totalBytes',
  means: string,
  example: number,
) => ({
  [`state.${name}`]: {
    means,
    usual: both(size, DEFAULT_RETENTION[name], WORKER_STORE_BOUNDS[name]),
    example,
  },
})

const KEY =
  'A literal key, env:NAME for an environment variable, or caller for the credential of whoever calls.'

/** `*` stands for a name, or for the number of an entry. */
const CALLER_LIMITS = (place: string): Record<string, Word> => ({
  [`${place}.requestsPerMinute`]: {
    means: 'Requests per minute; so many may come at once.',
    usual: 'any number',
    example: 60,
  },
  [`${place}.tokensPerMinute`]: {
    means: 'Tokens per minute, in and out. Whoever has used more than came in has to wait.',
    usual: 'any number',
    example: 200_000,
  },
  [`${place}.concurrent`]: {
    means: 'Requests underway at a time.',
    usual: 'any number',
    example: 8,
  },
  [`${place}.usdPerDay`]: {
    means:
      'US dollars per day (UTC), by the prices that are known. What is underway when it is reached goes on.',
    usual: 'any amount',
    example: 5,
  },
})

export const WORDS: Readonly<Record<string, Word>> = {
  $schema: {
    means: 'The place of this schema, for editors.',
    example: './node_modules/dragoman/dist/dragoman.schema.json',
  },
  upstreams: {
    means: 'Where requests go, by name.',
    usual: 'the demo, where nothing is configured',
  },
  'upstreams.*.dialect': { means: 'The language that the upstream speaks.', example: 'messages' },
  'upstreams.*.url': {
    means: 'An origin, with or without a base path and a trailing /v1 or /v1beta.',
    example: 'https://upstream.example/v1',
  },
  'upstreams.*.key': {
    means: `${KEY} A list of keys is a pool: each is asked in the place of another.`,
    usual: 'no key is sent',
    example: 'env:CLAUDE_KEY',
  },
  'upstreams.*.key.*.key': {
    means: 'A literal key, or env:NAME for an environment variable.',
    example: 'env:CLAUDE_KEY',
  },
  'upstreams.*.key.*.weight': {
    means: 'Its share, where a route picks by weight.',
    usual: '1',
    example: 2,
  },
  'upstreams.*.key.*.account': {
    means: 'Whose key it is: those of one account read each other’s proofs of reasoning.',
    usual: 'the upstream’s, else one of its own',
    example: 'team',
  },
  'upstreams.*.account': {
    means: 'The account of keys that name none.',
    usual: 'one for each key',
    example: 'team',
  },
  'upstreams.*.auth': {
    means: 'Where the key goes.',
    usual: 'x-api-key to messages, x-goog-api-key to generate-content, bearer to responses',
    example: 'bearer',
  },
  'upstreams.*.headers': {
    means: 'Further headers; a value may be env:NAME.',
    usual: 'none',
    example: { 'x-team': 'blue' },
  },
  'upstreams.*.maxOutputTokens': {
    means: 'Used when the caller gave no bound and the dialect demands one.',
    usual: String(MAX_OUTPUT_TOKENS),
    example: 32_000,
  },
  'upstreams.*.models': {
    means: 'Facts per model; a name may contain *, the first match wins.',
    usual: 'what is known of the model by its name',
    example: { 'gemini-3*': { thinking: 'level' } },
  },
  'upstreams.*.models.*.contextWindow': {
    means: 'Tokens that fit into the context; lists of models tell it.',
    example: 200_000,
  },
  'upstreams.*.models.*.maxOutputTokens': {
    means: 'The most that may be asked for.',
    example: 64_000,
  },
  'upstreams.*.models.*.thinking': {
    means: 'How thinking is asked for: by a number of tokens, by the model itself, or by a level.',
    usual: 'as the request asks for it',
    example: 'level',
  },
  'upstreams.*.models.*.prefill': {
    means: 'Whether a conversation may end with the model’s turn.',
    usual: 'true',
    example: false,
  },
  'upstreams.*.models.*.fetchesUrls': {
    means: 'Whether the service fetches media that are named by their https addresses.',
    usual: 'true',
    example: false,
  },
  'upstreams.*.models.*.mixesTools': {
    means: 'Whether a generate-content model takes built-in tools beside functions.',
    usual: 'true for gemini-3 and later',
    example: true,
  },
  'upstreams.*.models.*.cacheBreakpoints': {
    means: 'Whether the model takes marks of what to cache (prompt_cache_breakpoint).',
    usual: 'true for gpt-5.6 and later',
    example: true,
  },
  'upstreams.*.models.*.drop': {
    means: 'Parameters that the model refuses; they are left out.',
    usual: 'none',
    example: ['temperature'],
  },
  'upstreams.*.models.*.price': {
    means:
      'US dollars per million tokens, for the log, the metrics and limits; one number is for all kinds of tokens.',
    usual: 'the list price of a model that is known by its name',
    example: 0,
  },
  'upstreams.*.models.*.price.input': { means: 'Tokens that are sent.', example: 5 },
  'upstreams.*.models.*.price.output': {
    means: 'Tokens that are received, reasoning too.',
    example: 25,
  },
  'upstreams.*.models.*.price.cacheRead': {
    means: 'Tokens that are read from a cache.',
    usual: 'as input',
    example: 0.5,
  },
  'upstreams.*.models.*.price.cacheWrite': {
    means: 'Tokens that are written to a cache.',
    usual: 'as input',
    example: 6.25,
  },
  'upstreams.*.trace': {
    means: 'Whether the upstream is sent traceparent, so that its own spans join the trace.',
    usual: 'false',
    example: true,
  },
  ...PROFILE_WORDS,
  'upstreams.*.proxy': {
    means: 'The egress proxy that calls go through, with its credential, or env:NAME.',
    usual: 'what HTTPS_PROXY, HTTP_PROXY and NO_PROXY say',
    example: 'http://proxy.internal:3128',
  },
  'upstreams.*.timeouts': { means: 'How long this upstream may take.' },
  'upstreams.*.timeouts.connectMs': {
    means: 'To a connection.',
    usual: time(TIMEOUTS.connectMs),
    example: 5000,
  },
  'upstreams.*.timeouts.firstByteMs': {
    means: 'To the first byte of an answer.',
    usual: `${time(TIMEOUTS.firstByteMs)} for a stream, ${time(TIMEOUTS.jsonMs)} for JSON`,
    example: 60_000,
  },
  'upstreams.*.timeouts.idleMs': {
    means: 'Silence within an answer.',
    usual: time(TIMEOUTS.idleMs),
    example: 300_000,
  },
  'upstreams.*.timeouts.totalMs': {
    means: 'A whole exchange.',
    usual: time(TIMEOUTS.totalMs),
    example: 1_800_000,
  },
  routes: {
    means: 'Which model goes where; the first match wins.',
    usual: 'everything to the one upstream that there is',
  },
  'routes.*.model': {
    means: 'The model name that the caller sent; * stands for anything.',
    example: 'gpt-*',
  },
  'routes.*.upstream': {
    means: 'The name of an upstream, or several in a list: the next is asked where one fails.',
    example: 'claude',
  },
  'routes.*.upstream.*.name': { means: 'The name of an upstream.', example: 'claude' },
  'routes.*.upstream.*.as': {
    means: 'The name of the model there.',
    usual: 'that of the route',
    example: 'claude-opus-4-8',
  },
  'routes.*.upstream.*.weight': {
    means: 'Its share, where the route picks by weight.',
    usual: '1',
    example: 3,
  },
  'routes.*.pick': {
    means: 'How one of several is chosen: the first in the list, or by weight.',
    usual: 'order',
    example: 'weighted',
  },
  'routes.*.class': {
    means: 'What a request has to be for; see the page of pools.',
    usual: 'anything',
    example: ['auxiliary', 'compaction'],
  },
  'routes.*.minInputTokens': {
    means: 'How long a request has to be, by an estimate: a token for four bytes.',
    usual: '0',
    example: 150_000,
  },
  'routes.*.failover': { means: 'The same as failover, for this route alone.' },
  'routes.*.cache': {
    means:
      'What an upstream of another dialect is told of caching prompts: nothing (off), what the caller says (carry), or also what it cannot say (derive): marks, and a salted hash of the session as key.',
    usual: 'derive',
    example: 'carry',
  },
  failover: { means: 'What is done when one of several upstreams or keys fails.' },
  'failover.hops': {
    means: 'How many more members are asked after the first.',
    usual: String(DEFAULT_FAILOVER.hops),
    example: 1,
  },
  'failover.budgetMs': {
    means: 'How long after the request came another member may still be asked.',
    usual: time(DEFAULT_FAILOVER.budgetMs),
    example: 20_000,
  },
  'failover.attemptMs': {
    means: 'How long one member may take to the head of its answer.',
    usual: 'as long as it takes: a slow one is not left',
    example: 10_000,
  },
  'failover.waitMs': {
    means: 'How long a request may wait until a member may be asked again.',
    usual: '0',
    example: 2000,
  },
  'failover.on': {
    means: 'The statuses after which the next member is asked.',
    usual: DEFAULT_FAILOVER.on.join(', '),
    example: [429, 503, 529],
  },
  'failover.unknown': {
    means:
      'Whether the next is also asked where the request may have been carried out and paid for.',
    usual: String(DEFAULT_FAILOVER.unknown),
    example: true,
  },
  'failover.sticky': {
    means:
      'Whether a session stays with the member that has it: off, prefer, or strict, which asks no other account.',
    usual: DEFAULT_FAILOVER.sticky,
    example: 'strict',
  },
  'failover.stickySeconds': {
    means: 'How long a silent session is remembered.',
    usual: String(DEFAULT_FAILOVER.stickySeconds),
    example: 7200,
  },
  'routes.*.as': {
    means: 'The name of the model at the upstream.',
    usual: 'the caller’s own name',
    example: 'claude-opus-4-8',
  },
  'routes.*.models': {
    means: 'Names that model stands for; GET /v1/models lists them.',
    usual: 'a name without *',
    example: ['gpt-5'],
  },
  callers: {
    means: 'Who may call: the keys of the callers, or open to everyone.',
    usual: 'open on a loopback address; needed on any other, and on Workers',
    example: 'open',
  },
  'callers.keys': {
    means: 'Keys of 16 characters or more, alone or with a name and what it may do.',
    example: ['env:PROXY_KEY'],
  },
  'callers.keys.*.name': {
    means: 'What the log, the metrics and /usage call the caller.',
    usual: 'key-1, key-2 and so on, after its place, for a key alone',
    example: 'ci',
  },
  'callers.keys.*.key': {
    means:
      'What the caller presents: literally, as env:NAME or file:/PATH, or sha256: and its hash.',
    example: 'env:CI_KEY',
  },
  'callers.keys.*.models': {
    means: 'The models that it may use, by the names that callers send; a name may contain *.',
    usual: 'any',
    example: ['claude-*'],
  },
  'callers.keys.*.limits': {
    means: 'What it may use of this process.',
    usual: 'callers.limits',
  },
  ...CALLER_LIMITS('callers.keys.*.limits'),
  'callers.keys.*.expires': {
    means: 'The day (UTC) from which on the key is none.',
    usual: 'never',
    example: '2027-01-01',
  },
  'callers.limits': {
    means: 'What each caller without limits of its own may use of this process.',
    usual: 'as much as there is',
  },
  ...CALLER_LIMITS('callers.limits'),
  tasks: { means: 'The upstreams of the task services.', usual: 'none' },
  'tasks.image': { means: 'The service behind /img.' },
  'tasks.music': { means: 'The service behind /music.' },
  'tasks.*.url': { means: 'Where the task service is.', example: 'https://tasks.example' },
  'tasks.*.key': { means: KEY, usual: 'no key is sent', example: 'env:TASK_KEY' },
  'tasks.*.prefix': {
    means: 'Where the service lives at its upstream.',
    usual: '/img or /music',
    example: '/api/img',
  },
  state: { means: 'Where conversations are kept that a request may refer to.' },
  'state.store': {
    means: 'memory, sqlite:FILE or redis://HOST; on Workers durable or kv; off keeps nothing.',
    usual: 'memory; on Workers durable',
    example: 'sqlite:state.db',
  },
  'state.ttlSeconds': {
    means: 'How long it is kept.',
    usual: `${DEFAULT_RETENTION.ttlMs / SECOND_MS} (30 days)`,
    example: 86_400,
  },
  ...bound('entryBytes', 'The most that one exchange may take.', 1_048_576),
  ...bound('ownerBytes', 'The most for one caller; its oldest entries go first.', 16_777_216),
  ...bound('totalBytes', 'The most for all callers; the oldest entries go first.', 536_870_912),
  'state.proofs': {
    means: 'Also keep proofs of reasoning for clients that do not send them back.',
    usual: String(DEFAULT_RETENTION.proofs),
    example: true,
  },
  'state.recallBytes': {
    means:
      'The most that a process remembers of the last requests of sessions, to read only what is new in the next ones; 0 is nothing. It changes nothing but the work.',
    usual: `${size(RECALL_BYTES)}; nothing where the store is off, on Workers and in a library`,
    example: 268_435_456,
  },
  losses: {
    means: 'Whether a request that would lose something is sent or refused.',
    usual: 'report',
    example: 'reject',
  },
  'losses.mode': {
    means: 'The same, where more is said of losses.',
    usual: 'report',
    example: 'reject',
  },
  'losses.trailer': {
    means:
      'Streams of events say in a comment, before their end, what was lost, also what only the reply has lost.',
    usual: 'false',
    example: true,
  },
  telemetry: {
    means: 'Traces for OpenTelemetry, on Node; the variables OTEL_* say what is left out here.',
    usual: 'nothing is traced',
  },
  'telemetry.otlp': { means: 'The collector.', usual: 'that of the variables' },
  'telemetry.otlp.endpoint': {
    means: 'Its address for OTLP over HTTP, before /v1/traces.',
    example: 'http://127.0.0.1:4318',
  },
  'telemetry.otlp.headers': {
    means: 'What it has to be sent, secrets as env:NAME or file:/PATH.',
    usual: 'none',
    example: { 'x-team': 'blue' },
  },
  'telemetry.sample': {
    means: 'The part of all exchanges that is traced.',
    usual: 'OTEL_TRACES_SAMPLER_ARG, or 1',
    example: 0.1,
  },
  'telemetry.semconv': {
    means:
      'Which names attributes have: those of the last release of the conventions, or those to come.',
    usual: '1.41',
    example: '1.41',
  },
  'telemetry.trust': {
    means: 'Whether the flag of a caller’s traceparent decides what is traced.',
    usual: 'false',
    example: true,
  },
  metrics: {
    means:
      'Whether /metrics and /usage answer: off; on, to whoever may call; or with a key of their own. Not on Workers.',
    usual: 'on where only this machine can ask and callers need no key, else off',
    example: 'off',
  },
  'metrics.key': {
    means: 'The key that /metrics and /usage ask for; env:NAME and file:/PATH work as elsewhere.',
    example: 'env:METRICS_KEY',
  },
  web: {
    means: 'Which web pages may call, and under which further names the proxy is called.',
    usual: 'no page, no further name',
  },
  'web.origins': {
    means:
      'The web pages that may call, as a browser spells their origin: scheme, host and port, no *.',
    usual: 'none',
    example: ['https://chat.example'],
  },
  'web.hosts': {
    means:
      'Names under which a proxy on a loopback address is called, besides localhost and its address.',
    usual: 'none',
    example: ['host.docker.internal'],
  },
  inspect: {
    means:
      'Whether a page for this machine alone shows both sides of every exchange; see inspect.md. Not on Workers.',
    usual: 'true in the demo, else false',
    example: true,
  },
  limits: { means: 'Bounds on what one caller, and all callers together, may use.' },
  ...limit('bodyBytes', 'The largest body of a request, unpacked.', size, 8_388_608),
  ...limit('inFlightBytes', 'What all exchanges together may hold.', size, 536_870_912),
  ...limit('depth', 'How deep the JSON of a body may be nested.', count, 100),
  ...limit('nodes', 'How many JSON values a body may hold.', count, 500_000),
  ...limit('eventBytes', 'The largest event of an upstream’s stream.', size, 4_194_304),
  ...limit('replyBytes', 'The largest JSON reply of an upstream.', size, 33_554_432),
  ...limit('streamBytes', 'The longest stream of an upstream.', size, 134_217_728),
  ...limit('streams', 'How many exchanges may be open at once.', count, 500),
  ...limit('connections', 'How many connections of callers may be open at once.', count, 1000),
  ...limit('headersMs', 'How long a caller may take for the head of a request.', time, 10_000),
  ...limit('bodyMs', 'How long a caller may take for the body of a request.', time, 60_000),
  ...limit('heartbeatMs', 'Silence of a stream after which a ping is sent.', time, 10_000),
  ...limit('drainMs', 'How long open exchanges may go on after the signal to stop.', time, 60_000),
  ...limit('lingerMs', 'How long the port stays open before that.', time, 5000),
}

/** What is said of a place; of both task services the same, and of failures on a route as of all. */
export const wordOf = (place: string): Word | undefined =>
  WORDS[place] ??
  WORDS[place.replace(/^tasks\.\w+/, 'tasks.*').replace(/^routes\.\*\.(failover\.)/, '$1')]

import * as z from 'zod/mini'
import type { AuthStyle, CacheMode } from '../../adapters/contract.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import type { Finding } from './finding.ts'
import { hint, nearest } from './nearest.ts'
import type { Config, RequestClass } from './type.ts'
import { type DocumentPath, spellPlace, valueAt } from './place.ts'

/** The longest delay of a JavaScript timer; with a longer one it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Ten years. */
const MAX_TTL_SECONDS = 315_360_000

const milliseconds = z.int().check(z.gte(1), z.lte(MAX_TIMER_MS))
const count = z.int().check(z.gte(1))

const AUTH_STYLES = [
  'x-api-key',
  'bearer',
  'x-goog-api-key',
  'query',
] as const satisfies readonly AuthStyle[]

const filled = z.string().check(z.minLength(1))

/** An id that is too long is cut, and a fingerprint of this many characters tells it from others. */
const SHORTEST_ID = 24

const dollars = z.number().check(z.gte(0))

const price = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: z.optional(dollars),
  cacheWrite: z.optional(dollars),
})

const modelFacts = z.strictObject({
  contextWindow: z.optional(count),
  maxOutputTokens: z.optional(count),
  thinking: z.optional(z.enum(['budget', 'adaptive', 'level'])),
  prefill: z.optional(z.boolean()),
  fetchesUrls: z.optional(z.boolean()),
  mixesTools: z.optional(z.boolean()),
  cacheBreakpoints: z.optional(z.boolean()),
  systemInPlace: z.optional(z.boolean()),
  lateTools: z.optional(z.boolean()),
  deferredTools: z.optional(z.boolean()),
  drop: z.optional(z.array(filled)),
  price: z.optional(
    z.union([dollars, price], { error: 'expected a number or {"input", "output"}' }),
  ),
})

const timeouts = z.strictObject({
  connectMs: z.optional(milliseconds),
  firstByteMs: z.optional(milliseconds),
  idleMs: z.optional(milliseconds),
  totalMs: z.optional(milliseconds),
})

const keyEntry = z.strictObject({
  key: filled,
  weight: z.optional(count),
  account: z.optional(filled),
})

const keys = z
  .array(z.union([filled, keyEntry], { error: 'expected a key or {"key": ...}' }))
  .check(z.minLength(1))

const flag = z.optional(z.boolean())

const profile = z.strictObject({
  extends: z.optional(filled),
  reasoningField: z.optional(
    z.enum(['reasoning_content', 'reasoning', 'both', 'details', 'content-parts', 'tags', 'none']),
  ),
  reasoningReplay: z.optional(z.enum(['never', 'with-tools', 'all'])),
  reasoningFiller: z.optional(z.string()),
  reasoningStyle: z.optional(
    z.enum(['openai', 'thinking', 'enable_thinking', 'template', 'openrouter', 'together', 'none']),
  ),
  thinkTags: z.optional(z.enum(['text', 'reasoning'])),
  maxTokensMember: z.optional(z.enum(['max_tokens', 'max_completion_tokens'])),
  stop: flag,
  temperature: flag,
  forcedWhileThinking: flag,
  requiredChoice: z.optional(z.enum(['required', 'any'])),
  allowedTools: flag,
  customTools: flag,
  strictTools: flag,
  developerRole: flag,
  systemFirst: flag,
  messageNames: flag,
  bridgeAfterTool: z.optional(filled),
  plainContent: flag,
  cacheMark: z.optional(z.enum(['cache_control', 'prompt_cache_breakpoint'])),
  cacheKey: flag,
  callIds: z.optional(
    z.union([count.check(z.gte(SHORTEST_ID)), z.literal('nine')], {
      error: `expected a whole number from ${SHORTEST_ID}, or "nine"`,
    }),
  ),
  validArguments: flag,
  webSearch: flag,
  topK: flag,
  seedMember: z.optional(z.enum(['seed', 'random_seed'])),
  outputInTotal: flag,
  namespaces: flag,
  hostedTools: flag,
  namedChoice: flag,
  fetchesUrls: flag,
  files: flag,
  jsonSchema: flag,
  toolMedia: flag,
  reasoningItems: flag,
  unprovenThoughts: flag,
  otherItems: flag,
  state: flag,
  countTokens: flag,
  members: z.optional(z.array(filled)),
  drop: z.optional(z.array(filled)),
})

const upstream = z.strictObject({
  dialect: z.enum(DIALECTS),
  url: z.string(),
  key: z.optional(z.union([filled, keys], { error: 'expected a string, or a list of keys' })),
  account: z.optional(filled),
  auth: z.optional(z.enum(AUTH_STYLES)),
  headers: z.optional(z.record(z.string(), z.string())),
  maxOutputTokens: z.optional(count),
  models: z.optional(z.record(z.string(), modelFacts)),
  timeouts: z.optional(timeouts),
  proxy: z.optional(filled),
  trace: z.optional(z.boolean()),
  profile: z.optional(
    z.union([filled, profile], { error: 'expected the name of a profile, or {"extends": ...}' }),
  ),
})

const poolEntry = z.strictObject({
  name: z.string(),
  as: z.optional(filled),
  weight: z.optional(count),
})

const pool = z
  .array(
    z.union([z.string(), poolEntry], {
      error: 'expected the name of an upstream or {"name": ...}',
    }),
  )
  .check(z.minLength(1))

const requestClass = z.enum([
  'main',
  'subagent',
  'workflow',
  'compaction',
  'auxiliary',
  'side_reply',
  'web-search',
  'long',
  'thinking',
] as const satisfies readonly RequestClass[])

const MOST_HOPS = 8

const failover = z.strictObject({
  hops: z.optional(z.int().check(z.gte(0), z.lte(MOST_HOPS))),
  budgetMs: z.optional(milliseconds),
  attemptMs: z.optional(milliseconds),
  waitMs: z.optional(z.int().check(z.gte(0), z.lte(MAX_TIMER_MS))),
  on: z.optional(z.array(z.int().check(z.gte(400), z.lte(599)))),
  unknown: z.optional(z.boolean()),
  sticky: z.optional(z.enum(['off', 'prefer', 'strict'])),
  stickySeconds: z.optional(count.check(z.lte(MAX_TTL_SECONDS))),
})

const route = z.strictObject({
  model: filled,
  upstream: z.union([z.string(), pool], {
    error: 'expected the name of an upstream or a list',
  }),
  as: z.optional(filled),
  models: z.optional(z.array(filled)),
  pick: z.optional(z.enum(['order', 'weighted'])),
  class: z.optional(
    z.union([requestClass, z.array(requestClass).check(z.minLength(1))], {
      error: `expected one of ${requestClass.options.join(', ')}, or a list of them`,
    }),
  ),
  minInputTokens: z.optional(z.int().check(z.gte(0))),
  failover: z.optional(failover),
  cache: z.optional(z.enum(['off', 'carry', 'derive'] as const satisfies readonly CacheMode[])),
})

const task = z.strictObject({
  url: z.string(),
  key: z.optional(filled),
  prefix: z.optional(z.string()),
})

const callerLimits = z.partial(
  z.strictObject({
    requestsPerMinute: count,
    tokensPerMinute: count,
    concurrent: count,
    usdPerDay: z.number().check(z.gt(0)),
  }),
)

const callers = z.strictObject({
  keys: z
    .array(
      z.union(
        [
          filled,
          z.strictObject({
            name: filled,
            key: filled,
            models: z.optional(z.array(filled).check(z.minLength(1))),
            limits: z.optional(callerLimits),
            expires: z.optional(filled),
          }),
        ],
        { error: 'expected a key or {"name", "key"}' },
      ),
    )
    .check(z.minLength(1)),
  limits: z.optional(callerLimits),
})

const limits = z.partial(
  z.strictObject({
    bodyBytes: count,
    inFlightBytes: count,
    depth: count.check(z.lte(1000)),
    nodes: count,
    eventBytes: count,
    replyBytes: count,
    streamBytes: count,
    streams: count,
    connections: count,
    headersMs: milliseconds,
    bodyMs: milliseconds,
    heartbeatMs: milliseconds,
    drainMs: milliseconds,
    lingerMs: z.int().check(z.gte(0), z.lte(MAX_TIMER_MS)),
  }),
)

const lossMode = z.enum(['report', 'reject'])

/** The configuration as people write it. `scripts/config-words/` describes its members. */
export const configSchema = z.strictObject({
  $schema: z.optional(z.string()),
  upstreams: z.optional(z.record(z.string(), upstream)),
  routes: z.optional(z.array(route)),
  callers: z.optional(
    z.union([z.literal('open'), callers], { error: 'expected "open" or {"keys": [...]}' }),
  ),
  tasks: z.optional(z.strictObject({ image: z.optional(task), music: z.optional(task) })),
  state: z.optional(
    z.strictObject({
      store: z.optional(z.string()),
      ttlSeconds: z.optional(count.check(z.lte(MAX_TTL_SECONDS))),
      entryBytes: z.optional(count),
      ownerBytes: z.optional(count),
      totalBytes: z.optional(count),
      proofs: z.optional(z.boolean()),
      recallBytes: z.optional(z.int().check(z.gte(0))),
    }),
  ),
  losses: z.optional(
    z.union(
      [lossMode, z.strictObject({ mode: z.optional(lossMode), trailer: z.optional(z.boolean()) })],
      { error: 'expected "report", "reject" or {"mode", "trailer"}' },
    ),
  ),
  failover: z.optional(failover),
  limits: z.optional(limits),
  telemetry: z.optional(
    z.strictObject({
      otlp: z.optional(
        z.strictObject({
          endpoint: filled,
          headers: z.optional(z.record(z.string(), z.string())),
        }),
      ),
      sample: z.optional(z.number().check(z.gte(0), z.lte(1))),
      semconv: z.optional(z.enum(['1.41', 'main'])),
      trust: z.optional(z.boolean()),
    }),
  ),
  metrics: z.optional(
    z.union([z.enum(['off', 'on']), z.strictObject({ key: filled })], {
      error: 'expected "off", "on" or {"key": ...}',
    }),
  ),
  web: z.optional(
    z.strictObject({ origins: z.optional(z.array(filled)), hosts: z.optional(z.array(filled)) }),
  ),
  inspect: z.optional(z.boolean()),
})

/** A compile error where the schema and the type for programs (`type.ts`) differ. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? One : never) : never
export type CheckedConfig = Same<z.infer<typeof configSchema>, Config>

/** The configuration in a document that fits the schema; undefined for any other document. */
export function configurationIn(value: unknown): CheckedConfig | undefined {
  const result = configSchema.safeParse(value)
  return result.success ? result.data : undefined
}

/** Where a document does not have the shape of a configuration. */
export function faultsOfShape(value: unknown): Finding[] {
  const result = configSchema.safeParse(value)
  if (result.success) return []
  const faults = plain(result.error.issues).flatMap((issue) => toFindings(issue, value))
  // Where a misspelled member was meant as a required one, the required one is not reported as missing.
  const meant = new Set(faults.flatMap(({ instead }) => instead ?? []))
  return faults.filter(({ path, named }) => named || !meant.has(spellPlace(path)))
}

type Issue = z.core.$ZodIssue

/**
 * A union reports faults for each branch. Those of the branch that got furthest are kept; where none got further, the
 * union says what it takes.
 */
function plain(issues: readonly Issue[], above: DocumentPath = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path]
    if (issue.code !== 'invalid_union') return [{ ...issue, path }]
    const furthest =
      issue.errors.find((branch) => branch.some(isInside)) ??
      issue.errors.find((branch) => branch.every(isOfKind))
    if (furthest) return plain(furthest, path)
    return [{ code: 'custom', path, message: issue.message }]
  })
}

const isInside = (issue: Issue): boolean =>
  issue.path.length > 0 || issue.code === 'unrecognized_keys'

/** Whether the value has the right type, and only its size is wrong. */
const isOfKind = ({ code }: Issue): boolean => code === 'too_small' || code === 'too_big'

function toFindings(issue: Issue, document: unknown): Finding[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownMember(path, key))
  const expected = describeExpectation(issue)
  const actual = valueAt(document, path)
  if (actual === undefined && expected.startsWith('expected'))
    return [{ path, text: `is missing; ${expected}` }]
  const choice = issue.code === 'invalid_value' && typeof actual === 'string'
  return [{ path, text: choice ? expected + hint(actual, issue.values.map(String)) : expected }]
}

function unknownMember(path: DocumentPath, key: string): Finding {
  const known = knownAt(path)
  const meant = nearest(key, known)
  return {
    path: [...path, key],
    text: `no such member exists${hint(key, known)}`,
    named: true,
    ...(meant !== undefined && { instead: spellPlace([...path, meant]) }),
  }
}

/** The member names that an object at a path may have. */
function knownAt(path: DocumentPath): string[] {
  let schemas: z.core.$ZodType[] = [configSchema]
  for (const segment of path) schemas = schemas.flatMap(within).flatMap((at) => step(at, segment))
  return schemas
    .flatMap(within)
    .flatMap((at) => (at instanceof z.ZodMiniObject ? Object.keys(at._zod.def.shape) : []))
}

/** The schemas inside an optional one, and the branches of a union. */
function within(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodMiniOptional) return within(schema._zod.def.innerType)
  if (schema instanceof z.ZodMiniUnion) return schema._zod.def.options.flatMap(within)
  return [schema]
}

function step(schema: z.core.$ZodType, segment: PropertyKey): z.core.$ZodType[] {
  if (schema instanceof z.ZodMiniRecord) return [schema._zod.def.valueType]
  if (schema instanceof z.ZodMiniArray) return [schema._zod.def.element]
  if (!(schema instanceof z.ZodMiniObject)) return []
  const member = schema._zod.def.shape[String(segment)]
  return member === undefined ? [] : [member]
}

function describeExpectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${article(issue.expected)}`
    case 'invalid_value':
      return `expected ${choices(issue.values)}`
    case 'too_small':
      return `expected ${atLeast(issue.origin, issue.minimum)}`
    case 'too_big':
      return `expected at most ${issue.maximum}`
    default:
      return issue.message
  }
}

function article(type: string): string {
  const name = type === 'int' ? 'whole number' : type === 'record' ? 'object' : type
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`
}

function choices(values: readonly unknown[]): string {
  const quoted = values.map((value) => JSON.stringify(value))
  return quoted.length === 1 ? quoted.join('') : `one of ${quoted.join(', ')}`
}

function atLeast(origin: string, minimum: number | bigint): string {
  if (origin === 'string') return 'some text'
  if (origin === 'array') return 'at least one entry'
  return `at least ${minimum}`
}

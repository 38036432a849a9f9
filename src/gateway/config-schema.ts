import * as z from 'zod/mini'
import type { AuthStyle } from '../../adapters/adapter.ts'
import { adapters } from '../../adapters/index.ts'

/** The longest delay that a timer takes; a longer one would fire at once. */
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

const modelFacts = z.strictObject({
  contextWindow: z.optional(count),
  maxOutputTokens: z.optional(count),
  thinking: z.optional(z.enum(['budget', 'adaptive', 'level'])),
  prefill: z.optional(z.boolean()),
  fetchesUrls: z.optional(z.boolean()),
  drop: z.optional(z.array(filled)),
})

const timeouts = z.strictObject({
  connectMs: z.optional(milliseconds),
  firstByteMs: z.optional(milliseconds),
  idleMs: z.optional(milliseconds),
  totalMs: z.optional(milliseconds),
})

const upstream = z.strictObject({
  dialect: z.enum(adapters.map((adapter) => adapter.dialect)),
  url: z.string(),
  key: z.optional(filled),
  auth: z.optional(z.enum(AUTH_STYLES)),
  headers: z.optional(z.record(z.string(), z.string())),
  maxOutputTokens: z.optional(count),
  models: z.optional(z.record(z.string(), modelFacts)),
  timeouts: z.optional(timeouts),
})

const route = z.strictObject({
  model: filled,
  upstream: z.string(),
  as: z.optional(filled),
  models: z.optional(z.array(filled)),
})

const task = z.strictObject({
  url: z.string(),
  key: z.optional(filled),
  prefix: z.optional(z.string()),
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
  }),
)

/** The configuration as people write it; what its members mean is said where the JSON Schema is made. */
export const configSchema = z.strictObject({
  $schema: z.optional(z.string()),
  upstreams: z.optional(z.record(z.string(), upstream)),
  routes: z.optional(z.array(route)),
  callers: z.optional(
    z.union([z.literal('open'), z.strictObject({ keys: z.array(filled).check(z.minLength(1)) })]),
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
    }),
  ),
  losses: z.optional(z.enum(['report', 'reject'])),
  limits: z.optional(limits),
  web: z.optional(
    z.strictObject({ origins: z.optional(z.array(filled)), hosts: z.optional(z.array(filled)) }),
  ),
})

export type Config = z.infer<typeof configSchema>
export type UpstreamConfig = z.infer<typeof upstream>
export type TaskConfig = z.infer<typeof task>

/** What is wrong with a configuration, first fault only, without quoting any value: it may be a secret. */
export interface Fault {
  path: readonly PropertyKey[]
  expected: string
}

/** Checks; on success the value is handed back as it came. */
export function checkConfig(value: unknown): { config: Config } | { fault: Fault } {
  const result = configSchema.safeParse(value)
  if (result.success) return { config: result.data }
  const issue = deepest(result.error.issues)
  return { fault: issue ? faultOf(issue) : { path: [], expected: 'a configuration' } }
}

type Issue = z.core.$ZodIssue

/** A union reports its branches: the one that got furthest is what the writer meant. */
function deepest(issues: readonly Issue[]): Issue | undefined {
  const [first] = issues
  if (first?.code !== 'invalid_union') return first
  const branches = first.errors.map((branch) => deepest(branch))
  const furthest = branches.find((issue) => issue && (issue.path.length > 0 || isUnknownKey(issue)))
  return furthest
    ? { ...furthest, path: [...first.path, ...furthest.path] }
    : { code: 'custom', path: first.path, message: 'expected "open" or {"keys": [...]}' }
}

const isUnknownKey = (issue: Issue): boolean => issue.code === 'unrecognized_keys'

function faultOf(issue: Issue): Fault {
  switch (issue.code) {
    case 'unrecognized_keys':
      return { path: [...issue.path, issue.keys[0] ?? ''], expected: 'no such member exists' }
    case 'invalid_type':
      return { path: issue.path, expected: `expected ${article(issue.expected)}` }
    case 'invalid_value':
      return { path: issue.path, expected: `expected ${choices(issue.values)}` }
    case 'too_small':
      return { path: issue.path, expected: `expected ${atLeast(issue.origin, issue.minimum)}` }
    case 'too_big':
      return { path: issue.path, expected: `expected at most ${issue.maximum}` }
    default:
      return { path: issue.path, expected: issue.message }
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

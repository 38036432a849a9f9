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

const key = z
  .string()
  .check(
    z.minLength(1),
    z.describe(
      'A literal key, env:NAME for an environment variable, or caller for the credential of whoever calls.',
    ),
  )

const modelFacts = z.strictObject({
  contextWindow: z.optional(count).check(z.describe('Tokens that fit into the context.')),
  maxOutputTokens: z.optional(count).check(z.describe('The most that may be asked for.')),
  thinking: z
    .optional(z.enum(['budget', 'adaptive', 'level']))
    .check(z.describe('How thinking is asked for.')),
  prefill: z
    .optional(z.boolean())
    .check(z.describe('Whether a conversation may end with the model’s turn.')),
  drop: z
    .optional(z.array(z.string().check(z.minLength(1))))
    .check(z.describe('Parameters that the model refuses; they are left out.')),
})

const timeouts = z
  .strictObject({
    connectMs: z.optional(milliseconds).check(z.describe('To a connection; 10 s.')),
    firstByteMs: z
      .optional(milliseconds)
      .check(z.describe('To the first byte of an answer; 120 s for a stream, 600 s for JSON.')),
    idleMs: z.optional(milliseconds).check(z.describe('Silence within an answer; 120 s.')),
    totalMs: z.optional(milliseconds).check(z.describe('A whole exchange; 60 min.')),
  })
  .check(z.describe('How long this upstream may take.'))

const upstream = z.strictObject({
  dialect: z
    .enum(adapters.map((adapter) => adapter.dialect))
    .check(z.describe('The language that the upstream speaks.')),
  url: z
    .string()
    .check(z.describe('An origin, with or without a base path and a trailing /v1 or /v1beta.')),
  key: z.optional(key),
  auth: z.optional(z.enum(AUTH_STYLES)).check(z.describe('Where the key goes.')),
  headers: z
    .optional(z.record(z.string(), z.string()))
    .check(z.describe('Further headers; a value may be env:NAME.')),
  maxOutputTokens: z
    .optional(count)
    .check(z.describe('Used when the caller gave no bound and the dialect demands one; 8192.')),
  models: z
    .optional(z.record(z.string(), modelFacts))
    .check(z.describe('Facts per model; a name may contain *, the first match wins.')),
  timeouts: z.optional(timeouts),
})

const route = z.strictObject({
  model: z
    .string()
    .check(
      z.minLength(1),
      z.describe('The model name that the caller sent; * stands for anything.'),
    ),
  upstream: z.string().check(z.describe('The name of an upstream.')),
  as: z
    .optional(z.string().check(z.minLength(1)))
    .check(z.describe('The name of the model at the upstream.')),
})

const task = z.strictObject({
  url: z.string().check(z.describe('Where the task service is.')),
  key: z.optional(key),
  prefix: z.optional(z.string()).check(z.describe('Where the service lives at its upstream.')),
})

const limits = z
  .partial(
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
  .check(z.describe('Bounds on what one caller, and all callers together, may use.'))

/** The configuration as people write it. */
export const configSchema = z.strictObject({
  $schema: z.optional(z.string()).check(z.describe('The place of this schema, for editors.')),
  upstreams: z
    .optional(z.record(z.string(), upstream))
    .check(z.describe('Where requests go, by name.')),
  routes: z
    .optional(z.array(route))
    .check(z.describe('Which model goes where; the first match wins.')),
  callers: z
    .optional(
      z.union([
        z.literal('open'),
        z.strictObject({ keys: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)) }),
      ]),
    )
    .check(z.describe('Who may call: the keys (or env:NAME) of the callers, or open to everyone.')),
  tasks: z
    .optional(z.strictObject({ image: z.optional(task), music: z.optional(task) }))
    .check(z.describe('The upstreams of the task services.')),
  state: z
    .optional(
      z.strictObject({
        store: z
          .optional(z.string())
          .check(
            z.describe(
              'memory, sqlite:FILE or redis://HOST; on Workers durable or kv; off keeps nothing.',
            ),
          ),
        ttlSeconds: z
          .optional(count.check(z.lte(MAX_TTL_SECONDS)))
          .check(z.describe('How long it is kept; 30 days.')),
        entryBytes: z.optional(count).check(z.describe('The most that one exchange may take.')),
        ownerBytes: z
          .optional(count)
          .check(z.describe('The most for one caller; its oldest entries go first.')),
        totalBytes: z
          .optional(count)
          .check(z.describe('The most for all callers; the oldest entries go first.')),
        proofs: z
          .optional(z.boolean())
          .check(
            z.describe(
              'Also keep proofs of reasoning for clients that do not send them back; false.',
            ),
          ),
      }),
    )
    .check(z.describe('Where conversations are kept that a request may refer to.')),
  losses: z
    .optional(z.enum(['report', 'reject']))
    .check(z.describe('Whether a request that would lose something is sent or refused.')),
  limits: z.optional(limits),
})

export type Config = z.infer<typeof configSchema>
export type UpstreamConfig = z.infer<typeof upstream>
export type TaskConfig = z.infer<typeof task>

/** The same as JSON Schema, so that editors complete a configuration. */
export function configJsonSchema(): object {
  return { title: 'Configuration of dragoman', ...z.toJSONSchema(configSchema) }
}

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

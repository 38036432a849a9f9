import * as z from 'zod'
import type { AuthStyle } from '../../adapters/adapter.ts'
import { adapters } from '../../adapters/index.ts'

/** The longest delay that a timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Ten years. */
const MAX_TTL_SECONDS = 315_360_000

const milliseconds = z.int().min(1).max(MAX_TIMER_MS)
const count = z.int().min(1)

const AUTH_STYLES = [
  'x-api-key',
  'bearer',
  'x-goog-api-key',
  'query',
] as const satisfies readonly AuthStyle[]

const key = z
  .string()
  .min(1)
  .describe(
    'A literal key, env:NAME for an environment variable, or caller for the credential of whoever calls.',
  )

const modelFacts = z.strictObject({
  contextWindow: count.optional().describe('Tokens that fit into the context.'),
  maxOutputTokens: count.optional().describe('The most that may be asked for.'),
  thinking: z
    .enum(['budget', 'adaptive', 'level'])
    .optional()
    .describe('How thinking is asked for.'),
  prefill: z.boolean().optional().describe('Whether a conversation may end with the model’s turn.'),
  drop: z
    .array(z.string().min(1))
    .optional()
    .describe('Parameters that the model refuses; they are left out.'),
})

const timeouts = z
  .strictObject({
    connectMs: milliseconds.optional().describe('To a connection; 10 s.'),
    firstByteMs: milliseconds
      .optional()
      .describe('To the first byte of an answer; 120 s for a stream, 600 s for JSON.'),
    idleMs: milliseconds.optional().describe('Silence within an answer; 120 s.'),
    totalMs: milliseconds.optional().describe('A whole exchange; 60 min.'),
  })
  .describe('How long this upstream may take.')

const upstream = z.strictObject({
  dialect: z
    .enum(adapters.map((adapter) => adapter.dialect))
    .describe('The language that the upstream speaks.'),
  url: z.string().describe('An origin, with or without a base path and a trailing /v1 or /v1beta.'),
  key: key.optional(),
  auth: z.enum(AUTH_STYLES).optional().describe('Where the key goes.'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('Further headers; a value may be env:NAME.'),
  maxOutputTokens: count
    .optional()
    .describe('Used when the caller gave no bound and the dialect demands one; 8192.'),
  models: z
    .record(z.string(), modelFacts)
    .optional()
    .describe('Facts per model; a name may contain *, the first match wins.'),
  timeouts: timeouts.optional(),
})

const route = z.strictObject({
  model: z.string().min(1).describe('The model name that the caller sent; * stands for anything.'),
  upstream: z.string().describe('The name of an upstream.'),
  as: z.string().min(1).optional().describe('The name of the model at the upstream.'),
})

const task = z.strictObject({
  url: z.string().describe('Where the task service is.'),
  key: key.optional(),
  prefix: z.string().optional().describe('Where the service lives at its upstream.'),
})

const limits = z
  .strictObject({
    bodyBytes: count,
    inFlightBytes: count,
    depth: count.max(1000),
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
  })
  .partial()
  .describe('Bounds on what one caller, and all callers together, may use.')

/** The configuration as people write it. */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('The place of this schema, for editors.'),
  upstreams: z.record(z.string(), upstream).optional().describe('Where requests go, by name.'),
  routes: z.array(route).optional().describe('Which model goes where; the first match wins.'),
  callers: z
    .union([z.literal('open'), z.strictObject({ keys: z.array(z.string().min(1)).min(1) })])
    .optional()
    .describe('Who may call: the keys (or env:NAME) of the callers, or open to everyone.'),
  tasks: z
    .strictObject({ image: task.optional(), music: task.optional() })
    .optional()
    .describe('The upstreams of the task services.'),
  state: z
    .strictObject({
      store: z
        .string()
        .optional()
        .describe(
          'memory, sqlite:FILE or redis://HOST; on Workers memory, kv or durable; off keeps nothing.',
        ),
      ttlSeconds: count.max(MAX_TTL_SECONDS).optional().describe('How long it is kept; 30 days.'),
      entryBytes: count.optional().describe('The most that one exchange may take.'),
      ownerBytes: count
        .optional()
        .describe('The most for one caller; its oldest entries go first.'),
      totalBytes: count
        .optional()
        .describe('The most for all callers; the oldest entries go first.'),
      proofs: z
        .boolean()
        .optional()
        .describe('Also keep proofs of reasoning for clients that do not send them back; false.'),
    })
    .optional()
    .describe('Where conversations are kept that a request may refer to.'),
  losses: z
    .enum(['report', 'reject'])
    .optional()
    .describe('Whether a request that would lose something is sent or refused.'),
  limits: limits.optional(),
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

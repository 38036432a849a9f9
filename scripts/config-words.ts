import * as z from 'zod/mini'
import { configSchema } from '../src/config/schema.ts'

const KEY =
  'A literal key, env:NAME for an environment variable, or caller for the credential of whoever calls.'

/** What the members of a configuration mean. `*` stands for a name, or for the number of an entry. */
export const WORDS: Readonly<Record<string, string>> = {
  $schema: 'The place of this schema, for editors.',
  upstreams: 'Where requests go, by name.',
  'upstreams.*.dialect': 'The language that the upstream speaks.',
  'upstreams.*.url': 'An origin, with or without a base path and a trailing /v1 or /v1beta.',
  'upstreams.*.key': KEY,
  'upstreams.*.auth':
    'Where the key goes: by default x-api-key to messages, x-goog-api-key to generate-content, bearer to responses.',
  'upstreams.*.headers': 'Further headers; a value may be env:NAME.',
  'upstreams.*.maxOutputTokens':
    'Used when the caller gave no bound and the dialect demands one; 8192.',
  'upstreams.*.models': 'Facts per model; a name may contain *, the first match wins.',
  'upstreams.*.models.*.contextWindow': 'Tokens that fit into the context.',
  'upstreams.*.models.*.maxOutputTokens': 'The most that may be asked for.',
  'upstreams.*.models.*.thinking': 'How thinking is asked for.',
  'upstreams.*.models.*.prefill': 'Whether a conversation may end with the model’s turn.',
  'upstreams.*.models.*.fetchesUrls':
    'Whether the service fetches media that are named by their https addresses; true.',
  'upstreams.*.models.*.mixesTools':
    'Whether a generate-content model takes built-in tools beside functions; true for gemini-3 and later.',
  'upstreams.*.models.*.cacheBreakpoints':
    'Whether the model takes marks of what to cache (prompt_cache_breakpoint); true for gpt-5.6 and later.',
  'upstreams.*.models.*.drop': 'Parameters that the model refuses; they are left out.',
  'upstreams.*.proxy':
    'The egress proxy that calls go through, with its credential, or env:NAME; HTTPS_PROXY and HTTP_PROXY otherwise.',
  'upstreams.*.timeouts': 'How long this upstream may take.',
  'upstreams.*.timeouts.connectMs': 'To a connection; 10 s.',
  'upstreams.*.timeouts.firstByteMs':
    'To the first byte of an answer; 120 s for a stream, 600 s for JSON.',
  'upstreams.*.timeouts.idleMs': 'Silence within an answer; 120 s.',
  'upstreams.*.timeouts.totalMs': 'A whole exchange; 60 min.',
  routes: 'Which model goes where; the first match wins.',
  'routes.*.model': 'The model name that the caller sent; * stands for anything.',
  'routes.*.upstream': 'The name of an upstream.',
  'routes.*.as': 'The name of the model at the upstream.',
  'routes.*.models': 'Names that model stands for; GET /v1/models lists them.',
  callers: 'Who may call: the keys (or env:NAME) of the callers, or open to everyone.',
  tasks: 'The upstreams of the task services.',
  'tasks.*.url': 'Where the task service is.',
  'tasks.*.key': KEY,
  'tasks.*.prefix': 'Where the service lives at its upstream.',
  state: 'Where conversations are kept that a request may refer to.',
  'state.store':
    'memory, sqlite:FILE or redis://HOST; on Workers durable or kv; off keeps nothing.',
  'state.ttlSeconds': 'How long it is kept; 30 days.',
  'state.entryBytes': 'The most that one exchange may take.',
  'state.ownerBytes': 'The most for one caller; its oldest entries go first.',
  'state.totalBytes': 'The most for all callers; the oldest entries go first.',
  'state.proofs': 'Also keep proofs of reasoning for clients that do not send them back; false.',
  losses: 'Whether a request that would lose something is sent or refused.',
  web: 'Which web pages may call (by default none), and under which further names the proxy is called.',
  'web.origins':
    'The web pages that may call, as a browser spells their origin: scheme, host and port, no *.',
  'web.hosts':
    'Names under which a proxy on a loopback address is called, besides localhost and its address.',
  limits: 'Bounds on what one caller, and all callers together, may use.',
}

type Schema = z.core.JSONSchema.BaseSchema

/** The schema of the configuration for editors, which complete and explain by it. */
export const configJsonSchema = (): Schema => ({
  title: 'Configuration of dragoman',
  ...explained(z.toJSONSchema(configSchema), ''),
})

/** The same schema with words for every place in it that has some. */
function explained(schema: Schema, place: string): Schema {
  const { properties = {}, additionalProperties, items } = schema
  const description = WORDS[place.replace(/^tasks\.\w+/, 'tasks.*')]
  const within = (inner: unknown, name: string) =>
    explained(inner as Schema, place === '' ? name : `${place}.${name}`)
  const named = Object.entries(properties).map(([name, inner]) => [name, within(inner, name)])
  return {
    ...(description !== undefined && { description }),
    ...schema,
    ...(named.length > 0 && { properties: Object.fromEntries(named) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: within(additionalProperties, '*'),
    }),
    ...(typeof items === 'object' && { items: within(items, '*') }),
  }
}

import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type JsonObject } from '../../src/json/json.ts'
import { verified } from '../clouds/verified.ts'

/** One request as a stand-in of a cloud has it. */
export interface Asked {
  url: URL
  headers: IncomingHttpHeaders
  bytes: Uint8Array
  body: JsonObject
}

/** What the demo is asked in place of the service. */
export interface Passed {
  path: string
  body: JsonObject
}

/** A cloud, as it refuses (docs/clouds.md) and as it is configured. */
export interface Service {
  name: string
  client: 'claude' | 'codex'
  model: string
  isFramed?: boolean
  /** `base`: where the stand-in listens. */
  upstream(base: string): object
  /** What is wrong with a request, in the words of the service; otherwise what it stands for. */
  judge(asked: Asked): string | Passed
}

const KEY = 'key-of-the-cloud-0123456789'
const SECRET = 'secret-of-the-cloud-0123456789'

const AT_INVOKE =
  'claude-code-20250219 context-1m-2025-08-07 context-management-2025-06-27 compact-2026-01-12 effort-2025-11-24 fine-grained-tool-streaming-2025-05-14 tool-search-tool-2025-10-19 computer-use-2025-01-24 computer-use-2025-11-24 thinking-display-updates-2026-08-18 dangerous-tool-use-2026-09-03 thinking-binding-controls-2026-08-01 mid-conversation-output-config-2026-07-01 mid-conversation-tool-changes-2026-07-01'
const AT_BEDROCK = `${AT_INVOKE} interleaved-thinking-2025-05-14 structured-outputs-2025-11-13 structured-outputs-2025-12-15 web-search-2025-03-05 per-turn-control-2026-07-01`
const AT_VERTEX =
  'claude-code-20250219 context-1m-2025-08-07 context-management-2025-06-27 compact-2026-01-12 compact-2026-09-04 interleaved-thinking-2025-05-14 tool-search-tool-2025-10-19 web-search-2025-03-05 computer-use-2025-01-24 computer-use-2025-11-24 thinking-display-updates-2026-08-18 dangerous-tool-use-2026-09-03 thinking-binding-controls-2026-08-01 per-turn-control-2026-07-01'

/** What is "Extra inputs are not permitted" without the beta. */
const NEEDED: readonly (readonly [RegExp, string])[] = [
  [/"context_management":/, 'context-management-2025-06-27'],
  [/"type":"compact_/, 'compact-2026-01-12'],
  [/"speed":/, 'fast-mode-2026-02-01'],
  [/"scope":"global"/, 'prompt-caching-scope-2026-01-05'],
  [/"mcp_servers":/, 'mcp-client-2025-11-20'],
  [/"output_format":/, 'structured-outputs-2025-11-13'],
  [/"eager_input_streaming":/, 'fine-grained-tool-streaming-2025-05-14'],
  [/"defer_loading":/, 'tool-search-tool-2025-10-19'],
  [/"type":"advisor_/, 'advisor-tool-2026-03-01'],
]

function faultOfBetas(asked: readonly string[], known: string, body: JsonObject) {
  const taken = known.split(' ')
  if (asked.some((beta) => !taken.includes(beta))) return 'invalid beta flag'
  // What people said is no member of the request.
  const { messages: _, ...settings } = body
  const [row] = NEEDED.filter(
    ([words, beta]) => words.test(JSON.stringify(settings)) && !asked.includes(beta),
  )
  return row && `${row[0].source}: Extra inputs are not permitted`
}

const inHeader = ({ headers }: Asked): string[] => {
  const value = headers['anthropic-beta']
  return value === undefined ? [] : String(value).split(',')
}

const toMessages = (body: JsonObject): Passed => ({
  path: '/v1/messages',
  body: { ...body, model: 'demo-messages' },
})

const bearer = ({ headers }: Asked): boolean => headers.authorization === `Bearer ${KEY}`

/** In the place of a body's member, or of a header, for the clouds that have it in the path. */
function faultOfForm({ headers, body }: Asked, version: string, not: readonly string[]) {
  const [member] = not.filter((name) => name in body)
  if (member !== undefined) return `${member}: Extra inputs are not permitted`
  if (body['anthropic_version'] !== version) return 'anthropic_version: Field required'
  return headers['anthropic-version'] === undefined ? undefined : 'anthropic-version: unexpected'
}

const bedrock: Service = {
  name: 'bedrock',
  client: 'claude',
  model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  upstream: (base) => ({
    dialect: 'messages',
    url: `${base}/anthropic`,
    profile: 'bedrock',
    key: KEY,
    auth: 'bearer',
  }),
  judge(asked) {
    const { url, body, headers } = asked
    if (url.pathname !== '/anthropic/v1/messages') return `no such path: ${url.pathname}`
    if (!bearer(asked)) return 'Missing Authentication Token'
    if (headers['anthropic-version'] !== '2023-06-01') return 'anthropic-version: required'
    if ('anthropic_beta' in body) return 'anthropic_beta: Extra inputs are not permitted'
    return faultOfBetas(inHeader(asked), AT_BEDROCK, body) ?? toMessages(body)
  },
}

const invoke: Service = {
  name: 'invoke',
  client: 'claude',
  model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  isFramed: true,
  upstream: (base) => ({
    dialect: 'messages',
    url: base,
    profile: 'bedrock-invoke',
    auth: {
      aws: { region: 'us-east-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET },
    },
  }),
  judge(asked) {
    const { url, bytes, body, headers } = asked
    const [, model, method] = /^\/model\/([^/]+)\/(invoke[\w-]*)$/.exec(url.pathname) ?? []
    if (model !== encodeURIComponent(this.model)) return `no such path: ${url.pathname}`
    const signed = { method: 'POST', url: url.href, headers: plain(headers), body: bytes }
    if (!verified(signed, SECRET)) return 'The request signature we calculated does not match'
    if (headers['anthropic-beta'] !== undefined) return 'anthropic-beta: unexpected'
    const fault = faultOfForm(asked, 'bedrock-2023-05-31', NOT_AT_INVOKE)
    if (fault !== undefined) return fault
    const text = JSON.stringify(body['tools'] ?? [])
    if (/"(?:eager_input_streaming|strict)":/.test(text)) return 'tools: Extra inputs'
    if (/"disable_parallel_tool_use":/.test(JSON.stringify(body['tool_choice'] ?? {})))
      return 'tool_choice.disable_parallel_tool_use: Extra inputs are not permitted'
    const { anthropic_beta: betas, anthropic_version: _, ...rest } = body
    const all = Array.isArray(betas) ? betas.map(String) : []
    const stream = method === 'invoke-with-response-stream'
    return faultOfBetas(all, AT_INVOKE, rest) ?? toMessages({ ...rest, stream })
  },
}

const NOT_AT_INVOKE = ['model', 'stream', 'cache_control', 'output_format', 'mcp_servers']

const plain = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const PLACE = '/v1/projects/p/locations/global/publishers/anthropic'

const vertex: Service = {
  name: 'vertex',
  client: 'claude',
  model: 'claude-sonnet-4-5@20250929',
  upstream: (base) => ({
    dialect: 'messages',
    url: `${base}${PLACE}`,
    profile: 'vertex',
    key: KEY,
    auth: 'bearer',
  }),
  judge(asked) {
    const { url, body } = asked
    const path = url.pathname + url.search
    if (!bearer(asked)) return 'Request had invalid authentication credentials'
    const isCount = path === `${PLACE}/models/count-tokens:rawPredict`
    const method = body['stream'] === true ? 'streamRawPredict' : 'rawPredict'
    if (!isCount && path !== `${PLACE}/models/${this.model}:${method}`)
      return `no such path: ${path}`
    const fault = faultOfForm(asked, 'vertex-2023-10-16', isCount ? [] : ['model'])
    if (fault !== undefined) return fault
    const { anthropic_beta: listed, anthropic_version: _, ...rest } = body
    const betas = inHeader(asked)
    const odd = betas.filter((beta) => !AT_VERTEX.split(' ').includes(beta))
    const isOdd = odd.length > 0 || betas.includes('context-1m-2025-08-07')
    if (isOdd) return `Unexpected value(s) \`${odd.join()}\` for the \`anthropic-beta\` header.`
    const all = [...betas, ...(Array.isArray(listed) ? listed.map(String) : [])]
    const other = faultOfBetas(all, AT_VERTEX, rest)
    if (other !== undefined) return other
    const passed = toMessages(rest)
    return isCount ? { ...passed, path: '/v1/messages/count_tokens' } : passed
  },
}

/** The model that a deployment stands for. */
const DEPLOYMENT = 'our-deployment'

function azure(name: string, dialect: string, path: string, full: string): Service {
  return {
    name,
    client: 'codex',
    model: DEPLOYMENT,
    upstream: (base) => ({
      dialect,
      url: `${base}${path}`,
      key: KEY,
      auth: 'api-key',
      profile: 'azure',
      models: { [DEPLOYMENT]: { is: 'gpt-5.4' } },
      ...(full.includes('?') && {
        query: Object.fromEntries(new URLSearchParams(full.split('?')[1])),
      }),
    }),
    judge({ url, headers, body }) {
      if (url.pathname + url.search !== full) return `no such path: ${url.pathname}${url.search}`
      if (headers['api-key'] !== KEY) return 'Access denied due to missing subscription key'
      if (headers.authorization !== undefined) return 'two keys'
      if (body['model'] !== DEPLOYMENT) return `DeploymentNotFound: ${String(body['model'])}`
      const end = dialect === 'responses' ? '/v1/responses' : '/v1/chat/completions'
      return { path: end, body: { ...body, model: `demo-${dialect}` } }
    },
  }
}

const AT_DEPLOYMENT = `/openai/deployments/${DEPLOYMENT}/chat/completions`

export const SERVICES: readonly Service[] = [
  bedrock,
  invoke,
  vertex,
  azure('azure', 'responses', '/openai/v1', '/openai/v1/responses'),
  azure(
    'azure-dated',
    'responses',
    '/openai/responses',
    '/openai/responses?api-version=2025-04-01-preview',
  ),
  azure(
    'azure-deployment',
    'chat-completions',
    AT_DEPLOYMENT,
    `${AT_DEPLOYMENT}?api-version=2024-10-21`,
  ),
]

export const bodyIn = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}

import { objectsOf, type JsonObject } from '../../json/json.ts'
import { LITELLM_CLOUDS, variableKey, type CloudModel } from './litellm-clouds.ts'
import {
  chatAddress,
  type Converted,
  emptyConversion,
  objectMembers,
  positiveInteger,
  reportMembers,
  reportOthers,
  type RouteList,
  routeList,
  SERVICES,
  filledText,
  upstreamList,
} from './source.ts'

/** A config.yaml of LiteLLM (docs.litellm.ai, "All settings"). */
export function fromLitellm(value: unknown): Converted {
  const config = objectMembers(value)
  const converted = emptyConversion()
  const { left } = converted
  const upstreams = upstreamList(converted)
  const routes = routeList()
  let isOrdered = false
  for (const entry of objectsOf(config['model_list'])) {
    const model = readModel(entry, left)
    if (!model) continue
    const upstream = upstreams.nameOf(model.provider, model.upstream)
    addFacts(converted.upstreams[upstream], model, objectMembers(entry['model_info']), left)
    const isSame = model.name === model.id || model.id.includes('*')
    const target = { upstream, ...(!isSame && { as: model.id }), ...model.weight }
    if (!routes.add(model.name, target))
      left.push(`model_list "${model.name}": another model of the same upstream`)
    isOrdered ||= model.isOrdered
  }
  const router = objectMembers(config['router_settings'])
  addAliases(objectMembers(router['model_group_alias']), routes, left)
  converted.routes.push(...routes.routes(isOrdered ? 'order' : 'weighted'))
  readGeneral(objectMembers(config['general_settings']), converted)
  reportMembers('router_settings.', router, ROUTER, left)
  reportMembers('litellm_settings.', objectMembers(config['litellm_settings']), SETTINGS, left)
  reportMembers('', config, MEMBERS, left)
  return converted
}

/** Further names of a group, each as a text or as an object with the group's name. */
function addAliases(aliases: JsonObject, routes: RouteList, left: string[]): void {
  for (const [name, value] of Object.entries(aliases)) {
    const group = filledText(value) ?? filledText(objectMembers(value)['model'])
    if (group === undefined || !routes.alias(name, group))
      left.push(`router_settings.model_group_alias "${name}": names no model that was converted`)
  }
}

/** Servers that people run themselves, by the names that LiteLLM has for them. The address may lack the version. */
const SERVERS: ReadonlyMap<string, { profile: string; url: string }> = new Map([
  ['ollama', { profile: 'ollama', url: 'http://localhost:11434' }],
  ['ollama_chat', { profile: 'ollama', url: 'http://localhost:11434' }],
  ['hosted_vllm', { profile: 'vllm', url: 'http://localhost:8000' }],
  ['lm_studio', { profile: 'lmstudio', url: 'http://localhost:1234' }],
])

const versioned = (url: string): string => (/\/v\d+$/.test(url) ? url : `${url}/v1`)

const ORDER = '"pick" and "weight" of a route, and "failover"'
const OTHERS = 'a route may name several upstreams: see "routes"'

const MEMBERS = {
  model_list: '',
  general_settings: '',
  router_settings: '',
  litellm_settings: '',
  environment_variables: 'set them where dragoman is started',
}

const ROUTER = {
  model_group_alias: '',
  routing_strategy: ORDER,
  num_retries: ORDER,
  allowed_fails: ORDER,
  cooldown_time: ORDER,
  fallbacks: OTHERS,
  context_window_fallbacks: OTHERS,
  content_policy_fallbacks: OTHERS,
}

const SETTINGS = {
  drop_params: 'what an upstream does not take is left out and reported in any case',
  num_retries: ORDER,
  request_timeout: '"timeouts" of an upstream',
  fallbacks: OTHERS,
  default_fallbacks: OTHERS,
  context_window_fallbacks: OTHERS,
  content_policy_fallbacks: OTHERS,
}

interface Model {
  name: string
  provider: string
  id: string
  upstream: JsonObject
  weight: { weight?: number }
  isOrdered: boolean
}

/** Kinds of models that hold a conversation. */
const MODES = ['chat', 'completion', 'responses']

const ENTRY = ['model_name', 'litellm_params', 'model_info']
const TAKEN = ['model', 'custom_llm_provider', 'api_base', 'api_key', 'weight', 'order']

function readModel(entry: JsonObject, left: string[]): Model | undefined {
  const params = objectMembers(entry['litellm_params'])
  const full = filledText(params['model'])
  const name = filledText(entry['model_name']) ?? full ?? ''
  const skip = (why: string) => void left.push(`model_list "${name}": ${why}`)
  if (full === undefined) return skip('has no model')
  const mode = filledText(objectMembers(entry['model_info'])['mode'])
  if (mode !== undefined && !MODES.includes(mode)) return skip(`${mode} is no conversation`)
  const { provider, id } = whose(full, filledText(params['custom_llm_provider']))
  if (id === '') return skip('has no model')
  if (provider === undefined) return skip(`no service is named in "${full}"`)
  const cloud = LITELLM_CLOUDS.get(provider)
  if (!cloud && !SERVERS.has(provider) && !SERVICES.has(provider) && provider !== 'azure')
    return skip(`"${provider}" is no service that init knows: add its upstream by hand`)
  if (name.includes('*') && name !== id && name !== '*')
    return skip('a star that takes a prefix away; add a route for each model')
  const found = cloud?.read(id, params) ?? readService(provider, id, params)
  if (typeof found === 'string') return skip(found)
  reportOthers(`model_list "${name}"`, entry, ENTRY, left)
  const taken = [...TAKEN, ...(cloud?.taken ?? (provider === 'azure' ? ['api_version'] : []))]
  reportOthers(`model_list "${name}"`, params, taken, left)
  const weight = positiveInteger(params['weight'])
  return {
    name,
    provider,
    ...found,
    weight: weight === undefined ? {} : { weight },
    isOrdered: params['order'] !== undefined,
  }
}

/**
 * The service of a model. Where none is named, the model's name says it, as in LiteLLM: a key must not go to another
 * service.
 */
function whose(full: string, named: string | undefined): { provider?: string; id: string } {
  const at = full.indexOf('/')
  // The prefix may stand there as well (1.106.2, get_llm_provider).
  if (named !== undefined)
    return { provider: named, id: full.startsWith(`${named}/`) ? full.slice(at + 1) : full }
  if (at >= 0) return { provider: full.slice(0, at), id: full.slice(at + 1) }
  if (full.startsWith('claude')) return { provider: 'anthropic', id: full }
  return /^(?:gpt-|chatgpt-|codex-|o\d)/.test(full)
    ? { provider: 'openai', id: full }
    : { id: full }
}

const readService = (provider: string, id: string, params: JsonObject): CloudModel => ({
  id: id.replace(/^responses\//, ''),
  upstream: readUpstream(provider, id, params),
})

function readUpstream(provider: string, id: string, params: JsonObject): JsonObject {
  const server = SERVERS.get(provider)
  const service = SERVICES.get(provider)
  const base = filledText(params['api_base'])
  if (provider === 'azure') return onAzure(base ?? '', filledText(params['api_key']))
  // A model with an address of its own stands for a server that speaks chat completions.
  const isServer =
    server !== undefined ||
    (base !== undefined && provider === 'openai' && !id.startsWith('responses/'))
  const url = (base ?? server?.url ?? service?.url ?? '').replace(/\/$/, '')
  const usual = base === undefined && service ? `env:${service.key}` : undefined
  const key = filledText(params['api_key']) ?? usual
  return {
    dialect: isServer ? 'chat-completions' : (service?.dialect ?? ''),
    url: server ? versioned(url) : isServer ? chatAddress(url) : url,
    ...(server && { profile: server.profile }),
    ...(key && { key: variableKey(key) }),
  }
}

/**
 * A deployment of Azure, by the address that goes without dated versions and takes the key as a bearer
 * (learn.microsoft.com, "API version lifecycle").
 */
const onAzure = (base: string, key = 'os.environ/AZURE_API_KEY'): JsonObject => ({
  dialect: 'chat-completions',
  url: URL.canParse(base) ? `${new URL(base).origin}/openai/v1` : base,
  key: variableKey(key),
})

const FACTS = ['id', 'mode', 'base_model', 'max_input_tokens', 'max_output_tokens', 'max_tokens']

/** The context window and output limit that the file names for a model. */
function addFacts(
  upstream: JsonObject | undefined,
  { name, id }: Model,
  info: JsonObject,
  left: string[],
): void {
  reportOthers(`model_list "${name}": model_info`, info, FACTS, left)
  const contextWindow = positiveInteger(info['max_input_tokens'])
  const maxOutputTokens =
    positiveInteger(info['max_output_tokens']) ?? positiveInteger(info['max_tokens'])
  if (!upstream || (contextWindow === undefined && maxOutputTokens === undefined)) return
  upstream['models'] = {
    ...objectMembers(upstream['models']),
    [id]: {
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
  }
}

function readGeneral(general: JsonObject, converted: Converted): void {
  const key = filledText(general['master_key'])
  if (key) converted.callerKeys.push(variableKey(key))
  const words = { master_key: '', database_url: 'nothing is kept in a database' }
  reportMembers('general_settings.', general, words, converted.left)
}

import { objectsOf, type JsonObject } from '../../json/json.ts'
import {
  type Converted,
  emptyConversion,
  objectMembers,
  positiveInteger,
  reportMembers,
  SERVICES,
  filledText,
  upstreamList,
} from './source.ts'

/** A config.yaml of LiteLLM (docs.litellm.ai, "All settings"). */
export function fromLitellm(value: unknown): Converted {
  const config = objectMembers(value)
  const converted = emptyConversion()
  const upstreams = upstreamList(converted)
  const seen = new Set<string>()
  for (const entry of objectsOf(config['model_list'])) {
    const name = filledText(entry['model_name'])
    const model = name === undefined ? undefined : readModel(entry, converted.left)
    if (name === undefined || !model) continue
    if (seen.has(name)) {
      converted.left.push(`model_list: another deployment of "${name}": the first one is taken`)
      continue
    }
    seen.add(name)
    const upstream = upstreams.nameOf(model.provider, model.upstream)
    addFacts(converted.upstreams[upstream], model.id, objectMembers(entry['model_info']))
    const as = name === model.id || model.id.includes('*') ? {} : { as: model.id }
    converted.routes.push({ model: name, upstream, ...as })
  }
  readGeneral(objectMembers(config['general_settings']), converted)
  reportMembers('', config, { model_list: '', general_settings: '', ...MEMBERS }, converted.left)
  return converted
}

/** Servers that people run themselves, by the names that LiteLLM has for them. The address may lack the version. */
const SERVERS: ReadonlyMap<string, { profile: string; url: string }> = new Map([
  ['ollama', { profile: 'ollama', url: 'http://localhost:11434' }],
  ['ollama_chat', { profile: 'ollama', url: 'http://localhost:11434' }],
  ['hosted_vllm', { profile: 'vllm', url: 'http://localhost:8000' }],
  ['lm_studio', { profile: 'lmstudio', url: 'http://localhost:1234' }],
])

const versioned = (url: string): string => (/\/v\d+$/.test(url) ? url : `${url}/v1`)

const MEMBERS = {
  router_settings: 'order, weights and repetitions belong to "routes" and "failover"',
  litellm_settings: 'what an upstream does not take is left out and reported in any case',
  environment_variables: 'set them where dragoman is started',
}

interface Model {
  provider: string
  id: string
  upstream: JsonObject
}

function readModel(entry: JsonObject, left: string[]): Model | undefined {
  const params = objectMembers(entry['litellm_params'])
  const full = filledText(params['model']) ?? ''
  const at = full.indexOf('/')
  const provider = at < 0 ? 'openai' : full.slice(0, at)
  const isResponses = full.startsWith('openai/responses/')
  const id = isResponses ? full.slice('openai/responses/'.length) : full.slice(at + 1)
  const server = SERVERS.get(provider)
  const service = server ? { dialect: 'chat-completions', ...server } : SERVICES.get(provider)
  const name = filledText(entry['model_name']) ?? full
  if (!service) {
    left.push(
      `model_list "${name}": "${provider}" is no service that init knows: add its upstream by hand`,
    )
    return undefined
  }
  if (name.includes('*') && name !== id && name !== '*') {
    left.push(`model_list "${name}": a star in the middle of an alias`)
    return undefined
  }
  const base = filledText(params['api_base'])
  // A model with an address of its own stands for a server that speaks chat completions.
  const dialect =
    base && provider === 'openai' && !isResponses ? 'chat-completions' : service.dialect
  const key = filledText(params['api_key'])
  const url = (base ?? service.url).replace(/\/$/, '')
  const taken = ['model', 'api_base', 'api_key', 'max_tokens', 'rpm', 'tpm', 'order', 'weight']
  const others = Object.keys(params).filter((member) => !taken.includes(member))
  if (others.length > 0) left.push(`model_list "${name}": ${others.join(', ')}`)
  return {
    provider,
    id,
    upstream: {
      dialect,
      url: server ? versioned(url) : url,
      ...(server && { profile: server.profile }),
      ...(key && { key: toKey(key) }),
    },
  }
}

const toKey = (key: string): string => key.replace(/^os\.environ\//, 'env:')

/** The context window and output limit that the file names for a model. */
function addFacts(upstream: JsonObject | undefined, id: string, info: JsonObject): void {
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
  if (key) converted.callerKeys.push(toKey(key))
  const words = { master_key: '', database_url: 'nothing is kept in a database' }
  reportMembers('general_settings.', general, words, converted.left)
}

import { type JsonObject, listOf, objectsOf } from '../../json/json.ts'
import {
  type Converted,
  emptyConversion,
  fromEndpoint,
  objectMembers,
  reportMembers,
  reportOthers,
  filledText,
  upstreamList,
} from './source.ts'

/** A config.json of claude-code-router (its versions 1 and 2). */
export function fromCcr(value: unknown): Converted {
  const config = objectMembers(value)
  const converted = emptyConversion()
  const upstreams = upstreamList(converted)
  const names = new Map<string, string>()
  const exact = new Map<string, JsonObject>()
  /** Names as its users write them in `/model`, which it takes before any rule. */
  const spelled: JsonObject[] = []
  for (const provider of objectsOf(config['Providers'] ?? config['providers'])) {
    const name = filledText(provider['name']) ?? 'upstream'
    const upstream = upstreams.nameOf(name, readProvider(name, provider, converted.left))
    names.set(name, upstream)
    for (const model of listOf(provider['models'])) {
      if (typeof model !== 'string') continue
      spelled.push({ model: `${name},${model}`, upstream, as: model })
      if (exact.has(model))
        converted.left.push(`Providers "${name}": another provider has "${model}" too`)
      else exact.set(model, { model, upstream })
    }
  }
  const router = objectMembers(config['Router'])
  const target = (member: string): JsonObject | undefined => {
    const [provider = '', as = ''] = (filledText(router[member]) ?? '').split(',')
    const upstream = names.get(provider.trim())
    if (upstream && as) return { upstream, as: as.trim() }
    if (provider) converted.left.push(`Router.${member}: expected "PROVIDER,MODEL" of this file`)
    return undefined
  }
  const small = target('background')
  const main = target('default')
  converted.routes.push(
    ...spelled,
    // Claude Code uses a small Claude for small jobs, so its name leads to the model that the router has for them.
    ...(small ? ['dragoman-small', '*haiku*'].map((model) => ({ model, ...small })) : []),
    ...exact.values(),
    ...(main ? [{ model: '*', ...main }] : []),
  )
  const key = filledText(config['APIKEY'])
  if (key) converted.callerKeys.push(toKey(key))
  reportMembers('Router.', router, ROUTER, converted.left)
  reportMembers('', config, MEMBERS, converted.left)
  return converted
}

const ROUTER = {
  default: '',
  background: '',
  think: 'a class of requests: see "class" of routes',
  longContext: 'a class of requests: see "class" of routes',
  longContextThreshold: 'belongs to longContext',
  webSearch: 'a class of requests: see "class" of routes',
}

const MEMBERS = {
  Providers: '',
  providers: '',
  Router: '',
  APIKEY: '',
  HOST: '--host says where the proxy listens',
  PORT: '--port says where the proxy listens',
  PROXY_URL: 'set HTTPS_PROXY, or "proxy" of an upstream',
  API_TIMEOUT_MS: '"timeouts" of an upstream',
  LOG: 'the log is on stdout',
  LOG_LEVEL: 'the log is on stdout',
}

function readProvider(name: string, provider: JsonObject, left: string[]): JsonObject {
  const { dialect, url } = fromEndpoint(filledText(provider['api_base_url']) ?? '')
  const key = filledText(provider['api_key'])
  const keys = listOf(provider['api_key']).flatMap((each) => filledText(each) ?? [])
  const use = listOf(objectMembers(provider['transformer'])['use'])
  if (use.length > 0)
    left.push(
      `Providers "${name}": transformers; see "models" and "drop" for what a model does not take`,
    )
  reportOthers(`Providers "${name}"`, provider, TAKEN, left)
  return {
    dialect: dialect ?? 'chat-completions',
    url,
    ...(key && { key: toKey(key) }),
    ...(keys.length > 0 && { key: keys.map(toKey) }),
  }
}

const TAKEN = ['name', 'api_base_url', 'api_key', 'models', 'transformer']

const toKey = (key: string): string => key.replace(/^\$\{?([A-Za-z_]\w*)\}?$/, 'env:$1')

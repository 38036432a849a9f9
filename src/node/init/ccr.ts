import { type JsonObject, listOf, objectsOf } from '../../json/json.ts'
import {
  type Converted,
  emptyConversion,
  fromEndpoint,
  objectMembers,
  reportMembers,
  reportOthers,
  filledText,
  positiveInteger,
  upstreamList,
} from './source.ts'

/** A config.json of claude-code-router (its versions 1 and 2). */
export function fromCcr(value: unknown): Converted {
  const config = objectMembers(value)
  const converted = emptyConversion()
  const named = readProviders(objectsOf(config['Providers'] ?? config['providers']), converted)
  const router = objectMembers(config['Router'])
  const target = (member: string): JsonObject | undefined => {
    const [provider = '', as = ''] = (filledText(router[member]) ?? '').split(',')
    const upstream = named.upstreams.get(provider.trim())
    if (upstream && as) return { upstream, as: as.trim() }
    if (provider) converted.left.push(`Router.${member}: expected "PROVIDER,MODEL" of this file`)
    return undefined
  }
  const main = target('default')
  converted.routes.push(
    ...named.spelled,
    ...routesByClass(router, target),
    ...named.exact,
    ...(main ? [{ model: '*', ...main }] : named.any.slice(0, 1)),
  )
  for (const { upstream } of main ? named.any : named.any.slice(1))
    converted.left.push(`${upstream}: "*" names no model; add a route for those that are used`)
  const key = filledText(config['APIKEY'])
  if (key) converted.callerKeys.push(toKey(key))
  reportMembers('Router.', router, ROUTER, converted.left)
  reportMembers('', config, MEMBERS, converted.left)
  return converted
}

interface Named {
  /** The names of upstreams, by those of providers. */
  readonly upstreams: Map<string, string>
  /** Names as its users write them in `/model`, which it takes before any rule. */
  readonly spelled: JsonObject[]
  readonly exact: JsonObject[]
  /** For any name, of providers that have a star among their models. */
  readonly any: JsonObject[]
}

function readProviders(providers: readonly JsonObject[], converted: Converted): Named {
  const { left } = converted
  const list = upstreamList(converted)
  const named: Named = { upstreams: new Map(), spelled: [], exact: [], any: [] }
  const known = new Set<string>()
  for (const provider of providers) {
    const name = filledText(provider['name']) ?? 'upstream'
    const upstream = list.nameOf(name, readProvider(name, provider, left))
    named.upstreams.set(name, upstream)
    for (const model of listOf(provider['models'])) {
      if (typeof model !== 'string') continue
      if (model === '*') {
        named.any.push({ model, upstream })
        continue
      }
      named.spelled.push({ model: `${name},${model}`, upstream, as: model })
      if (known.has(model)) left.push(`Providers "${name}": another provider has "${model}" too`)
      else named.exact.push({ model, upstream })
      known.add(model)
    }
  }
  return named
}

/** Its threshold where the file has none. */
const LONG_CONTEXT = 60_000

/** The rules of its router, which look at a request, in their order (`getUseModel`, 2.0). */
function routesByClass(
  router: JsonObject,
  target: (member: string) => JsonObject | undefined,
): JsonObject[] {
  const minInputTokens = positiveInteger(router['longContextThreshold']) ?? LONG_CONTEXT
  const small = target('background')
  const rule = (member: string, conditions: JsonObject): JsonObject[] => {
    const found = target(member)
    return found ? [{ model: '*', ...conditions, ...found }] : []
  }
  return [
    ...rule('longContext', { class: 'long', minInputTokens }),
    // Claude Code uses a small Claude for small jobs, so its name leads to the model that the router has for them.
    ...(small ? ['dragoman-small', '*haiku*'].map((model) => ({ model, ...small })) : []),
    ...(small ? [{ model: '*', class: 'auxiliary', ...small }] : []),
    ...rule('webSearch', { class: 'web-search' }),
    ...rule('think', { class: 'thinking' }),
  ]
}

const ROUTER = {
  default: '',
  background: '',
  think: '',
  longContext: '',
  longContextThreshold: '',
  webSearch: '',
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
  const { use, ...ofModels } = objectMembers(provider['transformer'])
  const of = [...(listOf(use).length > 0 ? ['all models'] : []), ...Object.keys(ofModels)]
  if (of.length > 0)
    left.push(
      `Providers "${name}": transformers of ${of.join(', ')}; see "models" and "drop" for what a model does not take`,
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

import { type Json, type JsonObject, listOf, objectsOf } from '../../json/json.ts'
import {
  chatAddress,
  type Converted,
  emptyConversion,
  filledText,
  objectMembers,
  positiveInteger,
  reportMembers,
  reportOthers,
  type RouteList,
  routeList,
  SERVICES,
  upstreamList,
} from './source.ts'

/** Sections of the file that list keys, and the names of their models. */
const KEYED = [
  ['claude-api-key', 'anthropic', 'claude-*'],
  ['codex-api-key', 'openai', 'gpt-*'],
  ['gemini-api-key', 'gemini', 'gemini-*'],
  ['generative-language-api-key', 'gemini', 'gemini-*'],
  ['xai-api-key', 'xai', 'grok-*'],
] as const

/** A config.yaml of CLIProxyAPI (config.example.yaml). */
export function fromCliProxyApi(value: unknown): Converted {
  const config = objectMembers(value)
  const converted = emptyConversion()
  const { left } = converted
  const parts = {
    upstreams: upstreamList(converted),
    routes: routeList(),
    proxy: httpProxy(config['proxy-url'], 'proxy-url', left),
    left,
  }
  for (const [member, service, glob] of KEYED)
    for (const [index, one] of listOf(config[member]).entries())
      addKeyed(one, { where: `${member}[${index}]`, service, glob }, parts)
  for (const entry of objectsOf(config['openai-compatibility'])) addCompatible(entry, parts)
  const isOrdered = objectMembers(config['routing'])['strategy'] === 'fill-first'
  converted.routes.push(...parts.routes.routes(isOrdered ? 'order' : 'weighted'))
  for (const key of listOf(config['api-keys']))
    if (typeof key === 'string') converted.callerKeys.push(key)
  reportMembers('', config, MEMBERS, left)
  return converted
}

const TAKEN = ['base-url', 'headers', 'models', 'api-key', 'proxy-url', 'weight']

interface Parts {
  upstreams: ReturnType<typeof upstreamList>
  routes: RouteList
  proxy: string | undefined
  left: string[]
}

/** A key of a service that the file has a section for; in an old section the key alone. */
function addKeyed(
  one: Json,
  { where, service, glob }: { where: string; service: string; glob: string },
  { upstreams, routes, proxy, left }: Parts,
): void {
  const entry = typeof one === 'string' ? { 'api-key': one } : objectMembers(one)
  const { dialect = '', url = '' } = SERVICES.get(service) ?? {}
  const base = filledText(entry['base-url'])
  // "Bearer on custom base-url" (config.example.yaml, claude-api-key).
  const isElsewhere = service === 'anthropic' && base !== undefined && !base.startsWith(url)
  const name = upstreams.nameOf(service, {
    dialect,
    url: base ?? url,
    ...keyAndProxy(entry, proxy, where, left),
    ...(isElsewhere && { auth: 'bearer' }),
    ...fixedHeaders(entry, where, left),
  })
  addRoutes(routes, name, { where, entry, glob, left })
  reportOthers(where, entry, TAKEN, left)
}

/** A service that speaks chat completions, with one upstream for each of its keys. */
function addCompatible(entry: JsonObject, { upstreams, routes, proxy, left }: Parts): void {
  const name = filledText(entry['name']) ?? 'compatible'
  const where = `openai-compatibility "${name}"`
  if (entry['disabled'] === true) return void left.push(`${where}: is disabled`)
  const headers = fixedHeaders(entry, where, left)
  const keys = [
    ...objectsOf(entry['api-key-entries']),
    ...listOf(entry['api-keys']).map((key) => ({ 'api-key': key })),
  ]
  for (const key of keys.length > 0 ? keys : [{}]) {
    const upstream = upstreams.nameOf(name, {
      dialect: 'chat-completions',
      url: chatAddress(filledText(entry['base-url']) ?? ''),
      ...keyAndProxy(key, proxy, where, left),
      ...headers,
    })
    addRoutes(routes, upstream, { where, entry: { ...key, models: entry['models'] ?? [] }, left })
  }
  const taken = [...TAKEN, 'name', 'disabled', 'api-key-entries', 'api-keys']
  reportOthers(where, entry, taken, left)
}

const MEMBERS = {
  'claude-api-key': '',
  'codex-api-key': '',
  'gemini-api-key': '',
  'generative-language-api-key': '',
  'xai-api-key': '',
  'openai-compatibility': '',
  'api-keys': '',
  'proxy-url': '',
  'auth-dir': 'accounts that are signed in to are no keys: dragoman has none',
  host: '--host says where the proxy listens',
  port: '--port says where the proxy listens',
  debug: 'the log is on stdout',
  'request-retry': '"failover"',
  routing: '"pick" of a route, and "failover"',
}

function keyAndProxy(
  entry: JsonObject,
  general: string | undefined,
  where: string,
  left: string[],
): JsonObject {
  const key = filledText(entry['api-key'])
  const own = entry['proxy-url']
  const proxy = filledText(own) ? httpProxy(own, `${where}: proxy-url`, left) : general
  return { ...(key && { key }), ...(proxy && { proxy }) }
}

/** SOCKS is not spoken here; `direct` and `none` are words for no proxy. */
function httpProxy(value: Json | undefined, where: string, left: string[]): string | undefined {
  const proxy = filledText(value)
  if (proxy === undefined || proxy === 'direct' || proxy === 'none') return undefined
  if (/^https?:/.test(proxy)) return proxy
  left.push(`${where}: only a proxy that speaks HTTP can be used`)
  return undefined
}

/** A value that begins with a dollar sign copies a header of the client. */
function fixedHeaders(entry: JsonObject, where: string, left: string[]): JsonObject {
  const all = Object.entries(objectMembers(entry['headers']))
  const fixed = all.filter(([, value]) => filledText(value)?.startsWith('$') === false)
  if (fixed.length < all.length) left.push(`${where}: headers that copy those of the client`)
  return fixed.length > 0 ? { headers: Object.fromEntries(fixed) } : {}
}

function addRoutes(
  routes: RouteList,
  upstream: string,
  { where, entry, glob, left }: { where: string; entry: JsonObject; glob?: string; left: string[] },
): void {
  const weight = positiveInteger(entry['weight'])
  const target = { upstream, ...(weight !== undefined && { weight }) }
  for (const each of objectsOf(entry['models'])) {
    const name = filledText(each['name'])
    const alias = filledText(each['alias']) ?? name
    if (!name || !alias) continue
    reportOthers(`${where}, ${name}`, each, ['name', 'alias'], left)
    if (!routes.add(alias, { ...target, ...(alias !== name && { as: name }) }))
      left.push(`"${alias}": another model of the upstream "${upstream}"`)
  }
  if (glob !== undefined) routes.add(glob, target)
}

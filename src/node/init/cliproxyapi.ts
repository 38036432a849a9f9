import { type JsonObject, listOf, objectsOf } from '../../json/json.ts'
import {
  type Converted,
  emptyConversion,
  objectMembers,
  reportMembers,
  SERVICES,
  filledText,
  upstreamList,
} from './source.ts'

/** Sections of the file that list keys, and the names of their models. */
const KEYED = [
  ['claude-api-key', 'anthropic', 'claude-*'],
  ['codex-api-key', 'openai', 'gpt-*'],
  ['gemini-api-key', 'gemini', 'gemini-*'],
] as const

/** A config.yaml of CLIProxyAPI (config.example.yaml). */
export function fromCliProxyApi(value: unknown): Converted {
  const config = objectMembers(value)
  const converted = emptyConversion()
  const upstreams = upstreamList(converted)
  const proxy = filledText(config['proxy-url'])
  for (const [member, service, glob] of KEYED) {
    const { dialect = '', url = '' } = SERVICES.get(service) ?? {}
    const [first, ...others] = objectsOf(config[member])
    if (others.length > 0)
      converted.left.push(`${member}: ${others.length} more keys; the first one is taken`)
    if (!first) continue
    const upstream = upstreams.nameOf(service, {
      dialect,
      url: filledText(first['base-url']) ?? url,
      ...keyAndProxy(first, proxy),
    })
    addRoutes(converted, upstream, first, glob)
  }
  for (const entry of objectsOf(config['openai-compatibility'])) {
    const name = filledText(entry['name']) ?? 'compatible'
    const [first = {}, ...others] = objectsOf(entry['api-key-entries'])
    if (others.length > 0)
      converted.left.push(`openai-compatibility "${name}": ${others.length} more keys`)
    const upstream = upstreams.nameOf(name, {
      dialect: 'chat-completions',
      url: filledText(entry['base-url']) ?? '',
      ...keyAndProxy(first, proxy),
    })
    addRoutes(converted, upstream, entry, undefined)
  }
  for (const key of listOf(config['api-keys']))
    if (typeof key === 'string') converted.callerKeys.push(key)
  reportMembers('', config, MEMBERS, converted.left)
  return converted
}

const MEMBERS = {
  'claude-api-key': '',
  'codex-api-key': '',
  'gemini-api-key': '',
  'openai-compatibility': '',
  'api-keys': '',
  'proxy-url': '',
  'auth-dir': 'accounts that are signed in to are no keys: dragoman has none',
  host: '--host says where the proxy listens',
  port: '--port says where the proxy listens',
  debug: 'the log is on stdout',
  'request-retry': '"failover"',
  routing: '"routes" and "failover"',
}

const keyAndProxy = (entry: JsonObject, general: string | undefined): JsonObject => {
  const key = filledText(entry['api-key'])
  const proxy = filledText(entry['proxy-url']) ?? general
  return { ...(key && { key }), ...(proxy && /^https?:/.test(proxy) && { proxy }) }
}

function addRoutes(
  { routes }: Converted,
  upstream: string,
  entry: JsonObject,
  glob: string | undefined,
): void {
  for (const each of objectsOf(entry['models'])) {
    const name = filledText(each['name'])
    const alias = filledText(each['alias']) ?? name
    if (name && alias) routes.push({ model: alias, upstream, ...(alias !== name && { as: name }) })
  }
  if (glob !== undefined) routes.push({ model: glob, upstream })
}

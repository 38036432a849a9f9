import { adapters } from '../../adapters/index.ts'
import { MAX_SECRET_CHARACTERS } from './defaults.ts'
import { ConfigError } from './lint/finding.ts'
import { hint } from './lint/nearest.ts'
import type { KeySettings, LimitSettings, UpstreamSettings } from './settings.ts'

/** Environment variables of a process, or of a Worker. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What the runtime adds to a configuration. */
export interface Platform {
  /** Where the configuration came from, for people. */
  origin?: string
  /** Whether other machines can call; then callers need keys. */
  exposed?: boolean
  /** Limits where the configuration sets none. */
  limits?: LimitSettings
  /** Which stores the platform has: those of a process, or those of an isolate. */
  stores?: keyof typeof STORES
  /** The address that the proxy itself listens on. */
  listens?: { host: string; port: number } | undefined
}

const FROM_ENVIRONMENT = 'env:'
/** With the slash, because only absolute paths are taken: they do not depend on the folder of the start. */
export const FROM_FILE = 'file:/'
/** `v1alpha` and `v1beta1` are Google's. */
const VERSIONS = /\/(v1|v\d+(?:alpha|beta)\d*)$/
/**
 * Keys have no white space, which a header could carry but which comes from copying by mistake, and no quotes around
 * them, which `docker --env-file` leaves there.
 */
const SECRET = /^(?!(["']).*\1$)[\x21-\x7e]+$/
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const HEADER_VALUE = /^[\x20-\x7e]*$/
/** Headers about the connection or the framing, which the HTTP client sets. */
const RESERVED_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const upstreamOf = (dialect: string | undefined) =>
  adapters.find((adapter) => adapter.dialect === dialect)?.upstream

/** What at the end of a configured path is a version in this dialect. */
export const versionsOf = (dialect: string | undefined): RegExp =>
  upstreamOf(dialect)?.versions ?? VERSIONS

/** The way in which a cloud takes the requests of a dialect below a configured path. */
export function formAt(dialect: string | undefined, base: string): string | undefined {
  const forms = Object.entries(upstreamOf(dialect)?.forms ?? {})
  return forms.find(([, { end }]) => end?.test(base))?.[0]
}

/** The origin and base path of an address. A version at its end is split off; `''` where it is known to have none. */
export function readBase(
  text: string,
  place: string,
  versions?: RegExp,
): Pick<UpstreamSettings, 'base' | 'version'> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigError(place, 'expected a URL such as https://host/path')
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(
      place,
      'expected a URL without a user name; a credential belongs in "key"',
    )
  if (/[?#]/.test(text)) throw new ConfigError(place, 'expected a URL without "?" and "#"')
  const path = url.pathname.replace(/\/+$/, '')
  const [end = '', version = ''] = versions?.exec(path) ?? []
  const base = url.origin + path.slice(0, path.length - end.length)
  return end === '' ? { base } : { base, version }
}

/**
 * `env:NAME` becomes the value of the variable, `file:/PATH` the content of the file. Any other text stays as it is.
 */
export function resolved(text: string, environment: Environment, place: string): string {
  if (text.startsWith(FROM_FILE)) return fileContent(text, environment, place)
  if (!text.startsWith(FROM_ENVIRONMENT)) return text
  const name = text.slice(FROM_ENVIRONMENT.length)
  if (name === '') throw new ConfigError(place, 'expected the name of a variable behind "env:"')
  const value = environment[name]
  if (value === undefined)
    throw new ConfigError(
      place,
      `the environment variable ${name} is not set${likeIt(name, environment)}`,
    )
  if (value.trim() === '') throw new ConfigError(place, `the environment variable ${name} is empty`)
  return value.trim()
}

/** The nearest variable that is set. Short names (`HOME`, `PATH`) are parts of many and meant by none. */
function likeIt(name: string, environment: Environment): string {
  const known = Object.keys(environment).filter((each) => /^\w{5,}$/.test(each))
  // OPENAI_KEY is further from OPENAI_API_KEY, which the vendors' own programs read, than from OPENAI_ORG.
  const same = known.find((each) => withoutApi(each) === withoutApi(name))
  return same === undefined ? hint(name, known) : hint(same, [same])
}

const withoutApi = (name: string): string => name.replace('_API_', '_')

/** The name, among the contents of files, of the reason why one has none. */
export const whyUnread = (file: string): string => `why not ${file}`

/** Platforms with files read them beforehand and put their content among the variables. */
function fileContent(text: string, environment: Environment, place: string): string {
  const name = text.slice('file:'.length)
  const content = environment[text]?.trim()
  if (content === undefined)
    throw new ConfigError(
      place,
      `the file ${name} ${environment[whyUnread(text)] ?? 'cannot be read'}`,
    )
  if (content === '') throw new ConfigError(place, `the file ${name} is empty`)
  return content
}

export function readKey(
  text: string | undefined,
  environment: Environment,
  place: string,
): KeySettings {
  if (text === undefined) return { kind: 'none' }
  if (text === 'caller') return { kind: 'caller' }
  return { kind: 'literal', value: readSecret(text, environment, place) }
}

export function readSecret(text: string, environment: Environment, place: string): string {
  const secret = resolved(text, environment, place)
  if (isTemplate(secret))
    throw new ConfigError(
      place,
      `nothing is filled in here; for a variable write "env:${variableIn(secret) ?? 'NAME'}"`,
    )
  if (/^bearer\s/i.test(secret))
    throw new ConfigError(place, 'expected the key alone, without "Bearer" before it')
  if (!SECRET.test(secret))
    throw new ConfigError(
      place,
      'expected a key of visible ASCII characters without spaces, and no quotes around it',
    )
  return bounded(secret, place)
}

/** A place that other programs fill in. Sent as a key, it would be refused. */
const TEMPLATE =
  /^(?:\$\{.*\}|\$(?:env:)?[A-Z_][A-Z0-9_]*|\{\{.*\}\}|os\.environ[/[.].*|process\.env[.[].*)$/

export const isTemplate = (text: string): boolean => TEMPLATE.test(text)

/** How other programs write the name of a variable. */
const VARIABLE =
  /^(?:\$\{?(?:env[:.])?|%|\{\{? *(?:env\.)?\$?|(?:process\.)?env[.[]["']?|os\.environ(?:\/|\.get\(|\[)["']?|ENV:)([A-Za-z_]\w*)/

/**
 * The variable that a text means in the words of another program. A name in small letters may be part of a key, and is
 * not repeated.
 */
export function variableIn(text: string): string | undefined {
  const [, name] = VARIABLE.exec(text) ?? []
  return name === undefined || /^[A-Z][A-Z0-9_]*$/.test(name) ? name : 'NAME'
}

function bounded(text: string, place: string): string {
  if (text.length > MAX_SECRET_CHARACTERS)
    throw new ConfigError(
      place,
      `this has ${text.length} characters; expected at most ${MAX_SECRET_CHARACTERS}, since no server takes more in a header`,
    )
  return text
}

/** The name of a header that may be set, in small letters. */
export function readHeaderName(name: string, place: string): string {
  const lowerCase = name.toLowerCase()
  if (!HEADER_NAME.test(name)) throw new ConfigError(place, 'expected the name of a header')
  if (RESERVED_HEADERS.has(lowerCase))
    throw new ConfigError(place, 'this header belongs to the connection and cannot be set')
  return lowerCase
}

/** The value of a header; `env:NAME` is looked up. */
export function readHeaderValue(text: string, environment: Environment, place: string): string {
  const value = resolved(text, environment, place)
  if (!HEADER_VALUE.test(value))
    throw new ConfigError(place, 'expected a value of printable ASCII characters')
  return bounded(value, place)
}

/** The address of an egress proxy, with its credential; `env:NAME` is looked up. */
export function readProxy(text: string, environment: Environment, place: string): string {
  const address = resolved(text, environment, place)
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isAddress = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search
  if (!isAddress)
    throw new ConfigError(place, 'expected the address of a proxy such as http://host:3128')
  return address
}

const TASK_PREFIX = /^(?:\/[\w.~-]*[\w~-])+$/

/** The path of a service at its upstream, without a trailing slash. */
export function readPrefix(text: string, place: string): string {
  const prefix = text.replace(/\/+$/, '')
  if (prefix !== '' && !TASK_PREFIX.test(prefix))
    throw new ConfigError(place, 'expected a path that begins with "/"')
  return prefix
}

/** The stores of each kind of platform. */
export const STORES = {
  process: {
    pattern: /^(?:memory|off|sqlite:.+|rediss?:\/\/.+)$/,
    text: 'memory, sqlite:FILE, redis://HOST or off',
    usual: 'memory',
  },
  // The next request may reach another isolate, which does not have the memory of this one.
  isolate: { pattern: /^(?:off|kv|durable)$/, text: 'durable, kv or off', usual: 'durable' },
} as const

/** Where state is kept; `env:NAME` is looked up. */
export function readStore(
  text: string,
  environment: Environment,
  place: string,
  stores: keyof typeof STORES,
): string {
  const store = resolved(text, environment, place)
  if (STORES[stores].pattern.test(store)) return store
  throw new ConfigError(place, `expected ${STORES[stores].text}`)
}

import { isObject, parse, stringify, type Json } from '../json/json.ts'
import type { Problem } from '../model/problem.ts'
import type { Settings } from '../config/settings.ts'
import { base64Cores, hider, isLong, secretForms, type SecretForms } from './spellings.ts'

/** All secrets of the settings, which must not appear in a log line or an answer. */
export function listSecrets(settings: Settings): string[] {
  const holders = [...settings.upstreams.values(), ...Object.values(settings.tasks)]
  const members = [...settings.upstreams.values()].flatMap(({ keys: listed = [] }) => listed)
  const keys = [...holders, ...members].flatMap(({ key }) =>
    key.kind === 'literal' ? [key.value] : [],
  )
  const callers = callerSecrets(settings.callers)
  const made = [...settings.upstreams.values()].flatMap((upstream) => upstream.made?.secrets ?? [])
  const headers = [...settings.upstreams.values()].flatMap((upstream) =>
    Object.values(upstream.headers),
  )
  const queries = [...settings.upstreams.values()].flatMap(({ secretQuery = {} }) =>
    Object.values(secretQuery),
  )
  return [
    ...[...keys, ...made, ...headers, ...queries].flatMap(written),
    ...callers,
    ...Object.values(settings.telemetry?.headers ?? {}).flatMap(written),
    ...(settings.metrics?.kind === 'key' ? written(settings.metrics.key) : []),
    ...stateSecrets(settings.state),
    ...[...settings.upstreams.values()].flatMap(({ proxy = '' }) => passwordsIn(proxy)),
  ]
}

/** The keys of callers; a key that is configured as a hash cannot be hidden. */
export const callerSecrets = (callers: Settings['callers']): string[] =>
  (callers.kind === 'keys' ? callers.keys : []).flatMap((entry) => {
    const key = typeof entry === 'string' ? entry : entry.key
    return typeof key === 'string' ? [key] : []
  })

/** The password in an address, in every spelling. */
export function passwordsIn(address: string): string[] {
  const full = address.includes('://') ? address : `http://${address}`
  if (!URL.canParse(full)) return []
  const { username, password } = new URL(full)
  if (password === '') return []
  const plain = decoded(password)
  return [...new Set([password, plain, `${decoded(username)}:${plain}`].flatMap(written))]
}

/** The password of a state server: before the host, or among the parameters, where Redis clients accept it too. */
function stateSecrets(state: string): string[] {
  if (!URL.canParse(state)) return []
  const { password, searchParams } = new URL(state)
  const parameters = [...searchParams].flatMap(([name, value]) =>
    CREDENTIAL.test(name) ? [value] : [],
  )
  const found = [password, decoded(password), ...parameters].flatMap(written)
  return [...new Set(found)].filter((secret) => secret !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The address of the state server, without its secrets. */
export function shownState(state: string): string {
  const [, scheme = ''] = /^(\w+:\/\/)/.exec(state) ?? []
  if (scheme === '') return state
  if (!URL.canParse(state)) return `${scheme}***`
  const { username, password, host, pathname, search } = new URL(state)
  return `${scheme}${username || password ? '***@' : ''}${host}${pathname}${search && '?***'}`
}

/** The spellings of a secret: plain, in an address, and in basic authentication. */
const written = (secret: string): string[] => [
  ...new Set([
    secret,
    new URLSearchParams([['', secret]]).toString().slice(1),
    encodeURIComponent(secret),
    ...(isLong(secret) ? base64Cores(secret) : []),
  ]),
]

/** Hides the secrets that an upstream was sent, because it may repeat them anywhere and in any spelling. */
export interface Secrets {
  /** Hides secrets in the upstream's own words: errors, headers. */
  hide(text: string): string
  /** Hides secrets in a JSON text, which stays valid. */
  hideJson(text: string): string
  /** Hides secrets in all strings of a value. */
  hideIn<T>(value: T): T
  /**
   * The credentials. Only these are searched for in content, where other configured values may stand for something
   * else.
   */
  readonly forms: SecretForms | undefined
}

export const NO_SECRETS: Secrets = {
  hide: (text) => text,
  hideJson: (text) => text,
  hideIn: (value) => value,
  forms: undefined,
}

const NO_HEADERS: Readonly<Record<string, string>> = {}
/** By the configured headers, which are the same object for each request to an upstream, and by the key. */
const knownSecrets = new WeakMap<Readonly<Record<string, string>>, Map<string, Secrets>>()
/** Callers bring keys of their own. */
const MOST_KNOWN = 256

/**
 * `headers`: those that the configuration adds to a request; `query`: the secrets that it adds to the address, the
 * same for the same headers.
 */
export function createSecrets(key = '', headers = NO_HEADERS, query = NO_HEADERS): Secrets {
  const known = knownSecrets.get(headers) ?? new Map<string, Secrets>()
  const before = known.get(key)
  if (before) return before
  if (known.size >= MOST_KNOWN) known.clear()
  const keys = [...(key === '' ? [] : [key]), ...Object.values(query).filter(isLong)]
  const secrets = [...keys, ...headerSecrets(headers)]
  const credentials = [...keys, ...headerSecrets(headers, CREDENTIAL)]
  const made = secrets.length === 0 ? NO_SECRETS : secretsOver(secrets, credentials)
  knownSecrets.set(headers, known.set(key, made))
  return made
}

/** Headers whose values are public: documented for a dialect, or sent with every request. */
const PUBLIC =
  /^(?:(?:anthropic|provider)-(?:version|beta)|openai-(?:beta|organization|project)|accept(?:-.*)?|content-type|user-agent|x-goog-(?:api-client|user-project))$/i
const CREDENTIAL = /auth|key|token|secret|cookie|pass|credential|signature|session/i

/** The secrets in configured headers. Any header may hold a credential, except public ones and short values. */
function headerSecrets(headers: Readonly<Record<string, string>>, names = /^/): string[] {
  const chosen = Object.entries(headers).filter(
    ([name]) => names.test(name) && (CREDENTIAL.test(name) || !PUBLIC.test(name)),
  )
  // `Bearer …`, `session=…; user=…`
  const parts = chosen.flatMap(([, value]) => [value, ...value.split(/[\s=;,]+/)])
  return [...new Set(parts)].filter(isLong)
}

/** Hides these secrets in any spelling. Values as short as a word are not hidden. */
export function secretsOf(secrets: readonly string[]): Secrets {
  const long = [...new Set(secrets)].filter(isLong)
  return long.length === 0 ? NO_SECRETS : secretsOver(long, long)
}

function secretsOver(secrets: readonly string[], credentials: readonly string[]): Secrets {
  const hide = hider(secrets)
  const hideEvery = (value: unknown): unknown => {
    if (typeof value === 'string') return hide(value)
    if (Array.isArray(value)) return value.map(hideEvery)
    if (!isObject(value)) return value
    const members = Object.entries(value).map(([name, member]) => [hide(name), hideEvery(member)])
    return Object.fromEntries(members)
  }
  // Nothing changes but the words of strings.
  const hideIn = hideEvery as Secrets['hideIn']
  return {
    hide,
    hideJson(text) {
      const hidden = hide(text)
      return hidden === text || isJson(hidden) ? hidden : (reparsed(text, hideIn) ?? hidden)
    },
    hideIn,
    forms: secretForms(credentials.filter(isLong)),
  }
}

/**
 * The problem with its secrets hidden: an upstream may write them into any member of its error. One without any stays
 * the same object, by which the proxy knows its own.
 */
export function withoutSecrets({ hideIn }: Secrets, problem: Problem): Problem {
  // The kind is the proxy's own word, and a key may be as short as `x`.
  const hidden = { ...hideIn(problem), kind: problem.kind }
  return JSON.stringify(hidden) === JSON.stringify(problem) ? problem : hidden
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function reparsed(text: string, change: (value: Json) => Json): string | undefined {
  try {
    return stringify(change(parse(text)))
  } catch {
    return undefined
  }
}

import { isObject, parse, stringify, type Json } from '../json/json.ts'
import type { Problem } from '../model/problem.ts'
import type { Settings } from '../config/settings.ts'
import { base64Cores, MASK, patternsOf, seek, SHORTEST, type Sought } from './spellings.ts'

/** Every secret of the settings: what no log line and no answer may contain. */
export function listSecrets(settings: Settings): string[] {
  const holders = [...settings.upstreams.values(), ...Object.values(settings.tasks)]
  const members = [...settings.upstreams.values()].flatMap(({ keys: listed = [] }) => listed)
  const keys = [...holders, ...members].flatMap(({ key }) =>
    key.kind === 'literal' ? [key.value] : [],
  )
  const callers = callerSecrets(settings.callers)
  const headers = [...settings.upstreams.values()].flatMap((upstream) =>
    Object.values(upstream.headers),
  )
  const spelled = [...keys, ...headers.filter((value) => value.length >= SHORTEST)]
  return [
    ...spelled.flatMap(written),
    ...callers,
    ...Object.values(settings.telemetry?.headers ?? {}).flatMap(written),
    ...(settings.metrics?.kind === 'key' ? written(settings.metrics.key) : []),
    ...headers.filter((value) => value.length < SHORTEST),
    ...stateSecrets(settings.state),
    ...[...settings.upstreams.values()].flatMap(({ proxy = '' }) => passwordsIn(proxy)),
  ]
}

/** Of a key whose hash is all that is known there is nothing to hide. */
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

/** The password of a state server: before its host, or among its parameters, where Redis clients take it too. */
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

/** Where state is kept, for a person: of an address only what is no secret. */
export function shownState(state: string): string {
  const [, scheme = ''] = /^(\w+:\/\/)/.exec(state) ?? []
  if (scheme === '') return state
  if (!URL.canParse(state)) return `${scheme}***`
  const { username, password, host, pathname, search } = new URL(state)
  return `${scheme}${username || password ? '***@' : ''}${host}${pathname}${search && '?***'}`
}

/** A secret as it is, and as it stands in an address or in basic authentication. */
const written = (secret: string): string[] => [
  ...new Set([
    secret,
    new URLSearchParams([['', secret]]).toString().slice(1),
    encodeURIComponent(secret),
    ...(secret.length >= SHORTEST ? base64Cores(secret) : []),
  ]),
]

/** Hides what was sent to an upstream: it may repeat anywhere what it was sent, and in any spelling. */
export interface Veil {
  /** In the words of an upstream: errors, headers. */
  hide(text: string): string
  /** In a JSON text, which stays one. */
  hideJson(text: string): string
  /** In everything that a value holds. */
  hideIn<T extends Json | undefined>(value: T): T
  /** The credentials alone, which is all that content is searched for: it may mean anything else. */
  readonly sought: Sought | undefined
}

export const NO_VEIL: Veil = {
  hide: (text) => text,
  hideJson: (text) => text,
  hideIn: (value) => value,
  sought: undefined,
}

const veils = new Map<string, Veil>()
/** As many as a configuration may well have; callers bring keys of their own. */
const MOST_VEILS = 256

/** `headers`: those that the configuration adds to a request. */
export function createVeil(
  key: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Veil {
  const secrets = [...(key ? [key] : []), ...headerSecrets(headers)]
  if (secrets.length === 0) return NO_VEIL
  const credentials = [...(key ? [key] : []), ...headerSecrets(headers, CREDENTIAL)]
  const name = JSON.stringify([secrets, credentials])
  const known = veils.get(name)
  if (known) return known
  if (veils.size >= MOST_VEILS) veils.clear()
  const made = veilOver(secrets, credentials)
  veils.set(name, made)
  return made
}

/** Headers whose values are in the documents of their dialects, or in everybody's requests. */
const PUBLIC =
  /^(?:(?:anthropic|provider)-(?:version|beta)|openai-(?:beta|organization|project)|accept(?:-.*)?|content-type|user-agent|x-goog-(?:api-client|user-project))$/i
const CREDENTIAL = /auth|key|token|secret|cookie|pass|credential|signature|session/i

/** Any value that was configured may be a credential under any name: but for short ones and public ones. */
function headerSecrets(headers: Readonly<Record<string, string>>, names = /^/): string[] {
  const chosen = Object.entries(headers).filter(
    ([name]) => names.test(name) && (CREDENTIAL.test(name) || !PUBLIC.test(name)),
  )
  // `Bearer …`, `session=…; user=…`
  const parts = chosen.flatMap(([, value]) => [value, ...value.split(/[\s=;,]+/)])
  return [...new Set(parts)].filter((part) => part.length >= SHORTEST)
}

/** Hides these wherever they stand, in any spelling; what is as short as a word is none. */
export function veilOf(secrets: readonly string[]): Veil {
  const long = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST)
  return long.length === 0 ? NO_VEIL : veilOver(long, long)
}

function veilOver(secrets: readonly string[], credentials: readonly string[]): Veil {
  const known = new RegExp(patternsOf(secrets).join('|'), 'g')
  const hide = (text: string) => text.replace(known, MASK)
  const hideIn = (value: Json | undefined): Json | undefined => {
    if (typeof value === 'string') return hide(value)
    if (Array.isArray(value)) return value.map((member) => hideIn(member) ?? null)
    if (!isObject(value)) return value
    const members = Object.entries(value).map(([name, member]) => [hide(name), hideIn(member)])
    return Object.fromEntries(members)
  }
  return {
    hide,
    hideJson(text) {
      const hidden = hide(text)
      return hidden === text || isJson(hidden) ? hidden : (reparsed(text, hideIn) ?? hidden)
    },
    hideIn: hideIn as Veil['hideIn'],
    sought: seek(credentials.filter((secret) => secret.length >= SHORTEST)),
  }
}

/** What went wrong, without what was sent. */
export function behind({ hide, hideIn }: Veil, problem: Problem): Problem {
  const { message, code, details } = problem
  return {
    ...problem,
    message: hide(message),
    ...(code !== undefined && { code: hide(code) }),
    ...(details !== undefined && { details: hideIn(details as Json) }),
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function reparsed(text: string, change: (value: Json) => Json | undefined): string | undefined {
  try {
    return stringify(change(parse(text)) ?? null)
  } catch {
    return undefined
  }
}

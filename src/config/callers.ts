import { defined, isObject } from '../json/json.ts'
import { sha256Hex } from '../json/sha256.ts'
import { MAX_CALLER_KEY_CHARACTERS, MIN_CALLER_KEY_CHARACTERS } from './defaults.ts'
import type { Examination } from './lint/examination.ts'
import { ConfigError } from './lint/finding.ts'
import { entriesAt, type DocumentPath, spellPlace, textAt, valueAt } from './lint/place.ts'
import { isOwnHost } from './hostname.ts'
import type { CallerSettings, JwtSettings, NamedKey } from './settings.ts'
import type { CallerConfig, Config, JwtConfig } from './type.ts'
import { type Environment, readSecret } from './values.ts'

const CALLER_NAME = /^[A-Za-z0-9][\w.-]{0,31}$/
const HASH_PREFIX = 'sha256:'
const DIGEST = /^[0-9a-f]{64}$/i

/** The name of a key that has none of its own: its place in the list. */
export const placeName = (index: number): string => `key-${index + 1}`

/** The callers of a configuration that was checked. */
export function buildCallers(callers: Config['callers'], environment: Environment): CallerSettings {
  if (callers === undefined || callers === 'open') return { kind: 'open' }
  const keys = (callers.keys ?? []).map((key, index) => {
    const path = ['callers', 'keys', index]
    if (typeof key === 'object') return namedKey(key, environment, path)
    const presented = readCallerKey(key, environment, spellPlace(path))
    return typeof presented === 'string' ? presented : { name: placeName(index), key: presented }
  })
  const { limits, jwt } = callers
  return {
    kind: 'keys',
    keys,
    ...(jwt && { jwt: readJwt(jwt) }),
    ...(limits && { limits: defined(limits) }),
  }
}

const readJwt = ({ audience, name = 'sub', ...given }: JwtConfig): JwtSettings => ({
  ...given,
  audience: [audience].flat(),
  name,
})

/** What answers at this address decides who may call, so it is not asked over a network in the clear. */
function checkJwt({ config, found }: Pick<Examination, 'config' | 'found'>): void {
  const path = ['callers', 'jwt', 'jwks']
  const jwks = textAt(config, path)
  if (jwks && !isSafe(jwks))
    found.fault(path, 'expected the address of a set of keys, such as https://host/jwks.json')
}

function checkBefore({ config, found }: Pick<Examination, 'config' | 'found'>): void {
  const path = ['before', 'url']
  const url = textAt(config, path)
  if (url && !isSafe(url))
    found.fault(path, 'expected https, or http on this machine, such as https://host/before')
}

function isSafe(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isClosed =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isOwnHost(url.hostname))
  return isClosed && url.username === '' && url.password === ''
}

function namedKey(config: CallerConfig, environment: Environment, path: DocumentPath): NamedKey {
  const { key, limits, expires, ...given } = config
  return {
    ...defined(given),
    key: readCallerKey(key, environment, spellPlace([...path, 'key'])),
    ...(limits && { limits: defined(limits) }),
    ...(expires !== undefined && { expiresAt: readDay(expires, spellPlace([...path, 'expires'])) }),
  }
}

/** A key as callers present it, or `sha256:` and its hash. */
function readCallerKey(text: string, environment: Environment, place: string): NamedKey['key'] {
  const key = readSecret(text, environment, place)
  if (key.startsWith(HASH_PREFIX)) {
    const digest = key.slice(HASH_PREFIX.length)
    if (!DIGEST.test(digest))
      throw new ConfigError(place, `expected 64 hexadecimal digits after ${HASH_PREFIX}`)
    return { sha256: digest.toLowerCase() }
  }
  if (key.length < MIN_CALLER_KEY_CHARACTERS || key.length > MAX_CALLER_KEY_CHARACTERS)
    throw new ConfigError(
      place,
      `expected a key of ${MIN_CALLER_KEY_CHARACTERS} to ${MAX_CALLER_KEY_CHARACTERS} characters`,
    )
  return key
}

/** By which keys are told apart, in the clear or as their hash. */
export const digestOf = (key: NamedKey['key']): string =>
  typeof key === 'string' ? sha256Hex(key) : key.sha256

/** A day such as `2027-01-01`, which begins at midnight UTC, or a time with its zone. */
const DAY = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

function readDay(text: string, place: string): number {
  const time = DAY.test(text) ? Date.parse(text) : Number.NaN
  const isDay = !Number.isNaN(time) && (text.length > 10 || isoDay(time) === text)
  if (!isDay) throw new ConfigError(place, 'expected a day such as 2027-01-01')
  return time
}

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

export function checkCallers({ config, environment, platform, found }: Examination): void {
  if (valueAt(config, ['callers']) === undefined && platform.exposed)
    found.fault(
      ['callers'],
      'expected the keys of the callers (or "open"), because others than this machine can call',
    )
  const lacks = ['keys', 'jwt'].every((name) => valueAt(config, ['callers', name]) === undefined)
  const isMisspelled = found.all.some(({ instead }) => instead?.startsWith('callers.'))
  if (lacks && isObject(valueAt(config, ['callers'])) && !isMisspelled)
    found.fault(['callers', 'keys'], 'is missing; expected a list of keys, or "jwt" beside it')
  checkJwt({ config, found })
  checkBefore({ config, found })
  const keys = entriesAt(config, ['callers', 'keys'])
  const names = new Set<string>()
  const values = new Map<string, { isNamed: boolean; path: DocumentPath }>()
  for (const [index, key] of keys.entries()) {
    const path = ['callers', 'keys', index]
    const isNamed = typeof key === 'object'
    if (isNamed) checkNamed({ config, found }, path)
    const keyPath = isNamed ? [...path, 'key'] : path
    const name = isNamed ? textAt(config, [...path, 'name']) : placeName(index)
    if (name !== undefined && names.has(name))
      found.fault(
        isNamed ? [...path, 'name'] : path,
        `expected a name of its own: another key is called ${name}`,
      )
    if (name !== undefined) names.add(name)
    const text = isNamed ? textAt(config, keyPath) : key
    if (typeof text !== 'string' || text === '') continue
    found.attempt(keyPath, (place) => {
      const digest = digestOf(readCallerKey(text, environment, place))
      const before = values.get(digest)
      if (before && (isNamed || before.isNamed))
        throw new ConfigError(place, 'expected a key that no other has')
      // Without a name the two count as one key.
      if (before) found.warn(keyPath, `the same key as ${spellPlace(before.path)}`)
      values.set(digest, before ?? { isNamed, path: keyPath })
    })
  }
}

function checkNamed(
  { config, found }: Pick<Examination, 'config' | 'found'>,
  path: DocumentPath,
): void {
  const name = textAt(config, [...path, 'name'])
  if (name && !CALLER_NAME.test(name))
    found.fault(
      [...path, 'name'],
      'expected a name of at most 32 letters, digits, ".", "_" and "-"',
    )
  const expires = textAt(config, [...path, 'expires'])
  if (expires) found.attempt([...path, 'expires'], (place) => void readDay(expires, place))
}

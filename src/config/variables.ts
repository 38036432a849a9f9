import { demoConfig } from './config.ts'
import type { ConfigFault } from './lint/finding.ts'
import { hint } from './lint/nearest.ts'
import { entriesAt, membersAt, type DocumentPath, spellPlace, valueAt } from './lint/place.ts'
import { type ConfigSource, objectSource, placed } from './source.ts'
import type { Environment } from './values.ts'

/** The variables of the short form, and the place in a configuration that each fills. */
const UPSTREAM = {
  DRAGOMAN_DIALECT: ['upstreams', 'upstream', 'dialect'],
  DRAGOMAN_URL: ['upstreams', 'upstream', 'url'],
  DRAGOMAN_KEY: ['upstreams', 'upstream', 'key'],
  DRAGOMAN_PROFILE: ['upstreams', 'upstream', 'profile'],
  DRAGOMAN_MODEL: ['routes', 0, 'as'],
} as const
const TASKS = {
  DRAGOMAN_IMAGE_URL: ['tasks', 'image', 'url'],
  DRAGOMAN_IMAGE_KEY: ['tasks', 'image', 'key'],
  DRAGOMAN_MUSIC_URL: ['tasks', 'music', 'url'],
  DRAGOMAN_MUSIC_KEY: ['tasks', 'music', 'key'],
} as const
const COMMON = {
  DRAGOMAN_STATE: ['state', 'store'],
  DRAGOMAN_LOSSES: ['losses'],
} as const
const CALLERS = 'DRAGOMAN_CALLER_KEYS'

const PLACES: Readonly<Record<string, DocumentPath>> = {
  ...UPSTREAM,
  ...TASKS,
  ...COMMON,
  [CALLERS]: ['callers'],
}
/** All variables that begin with `DRAGOMAN_`: those of the short form, and three of the command itself. */
export const VARIABLES: readonly string[] = [
  ...Object.keys(PLACES),
  'DRAGOMAN_CONFIG',
  'DRAGOMAN_WARM',
  'DRAGOMAN_WORKERS',
]

/**
 * Variables that Kubernetes sets in every container for a service named `dragoman` (Kubernetes documentation,
 * "Service": environment variables).
 */
const OF_A_SERVICE = /^DRAGOMAN_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_\w+)?)$/

/** The configuration without a file: one upstream from the variables, or the demo. */
export function environmentSource(environment: Environment): ConfigSource {
  const read = reader(environment)
  const isMeant = Object.keys({ ...UPSTREAM, ...TASKS }).some((name) => read(name) !== undefined)
  const source = isMeant ? objectSource({}, 'environment') : objectSource(demoConfig(), 'demo')
  return {
    ...withVariables(source, environment),
    variableAt: (place) => {
      const name = Object.keys(PLACES).find((known) =>
        isWithin(place, spellPlace(PLACES[known] ?? [])),
      )
      return name === undefined ? undefined : { origin: source.origin, name }
    },
  }
}

/** An empty variable counts as absent, because people empty a variable to switch it off. */
const reader =
  (environment: Environment, isOther: (name: string) => boolean = () => false) =>
  (name: string): string | undefined =>
    isOther(name) ? undefined : environment[name]?.trim() || undefined

/**
 * A configuration with the values of variables added. Values of the configuration stay, and each variable that
 * changes nothing is reported. A variable that the configuration names (`env:NAME`) is used there.
 */
export function withVariables(source: ConfigSource, environment: Environment): ConfigSource {
  const used = namesUsedIn(source.value)
  const read = reader(environment, (name) => used.has(name))
  const filling: Filling = { source, value: source.value, names: new Map(), faults: [] }
  fillUpstream(filling, read)
  for (const [name, path] of Object.entries<DocumentPath>({ ...TASKS, ...COMMON }))
    fill(filling, name, path, read(name))
  fillCallers(filling, read(CALLERS))
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('DRAGOMAN_') && read(name) !== undefined && !isKnown(name),
  )
  for (const name of unknown)
    complain(
      filling,
      name,
      `no such variable exists${hint(name.replace('_BASE_', '_'), VARIABLES)}`,
    )
  const { value, names, faults } = filling
  const nameAt = (place: string) => [...names].find(([filled]) => isWithin(place, filled))?.[1]
  return {
    ...source,
    value,
    faults: [...source.faults, ...faults],
    variableAt: (place) => {
      const name = nameAt(place)
      return name === undefined ? undefined : { origin: 'environment', name }
    },
  }
}

const isWithin = (place: string, outer: string): boolean =>
  place === outer || (place.startsWith(outer) && /^[.[]/.test(place.slice(outer.length)))

const isKnown = (name: string): boolean => VARIABLES.includes(name) || OF_A_SERVICE.test(name)

/** Variables of the short form whose values are secrets, or hold one. */
const SECRETS = [
  'DRAGOMAN_KEY',
  'DRAGOMAN_IMAGE_KEY',
  'DRAGOMAN_MUSIC_KEY',
  'DRAGOMAN_STATE',
  CALLERS,
] as const

/** The variables from which a configuration takes what is secret: a key, a header, an address with a password. */
export const secretVariables = ({ value }: Pick<ConfigSource, 'value'>): string[] => [
  ...SECRETS,
  ...namesUsedIn(value),
]

const namesUsedIn = (value: unknown): Set<string> =>
  new Set(
    [...(JSON.stringify(value) ?? '').matchAll(/"env:([^"\\]+)"/g)].map(([, name = '']) => name),
  )

interface Filling {
  source: ConfigSource
  value: unknown
  /** The variable that filled each place. */
  names: Map<string, string>
  faults: ConfigFault[]
}

type Read = ReturnType<typeof reader>

const complain = ({ faults }: Filling, name: string, expected: string): void =>
  void faults.push({ severity: 'fault', origin: 'environment', place: name, expected })

function overrule({ faults, source }: Filling, path: DocumentPath, name: string): void {
  const text = `this overrules the variable ${name}, which says something else`
  faults.push(placed({ path, text, warns: true }, source))
}

function fill(filling: Filling, name: string, path: DocumentPath, text: string | undefined): void {
  if (text === undefined) return
  const there = valueAt(filling.value, path)
  if (there !== undefined && there !== text) return overrule(filling, path, name)
  filling.value = withValue(filling.value, path, text)
  filling.names.set(spellPlace(path), name)
}

function fillUpstream(filling: Filling, read: Read): void {
  const names = Object.keys(UPSTREAM).filter((name) => read(name) !== undefined)
  if (names.length === 0) return
  if (membersAt(filling.value, ['upstreams']).length > 0) {
    const text = `${filling.source.origin} names its upstreams itself; write this one there, or unset the variable`
    for (const name of names) complain(filling, name, text)
    return
  }
  for (const [name, path] of Object.entries<DocumentPath>(UPSTREAM))
    filling.names.set(spellPlace(path), name)
  const { DRAGOMAN_MODEL: alias, ...members } = UPSTREAM
  filling.value = withValue(filling.value, ['upstreams', 'upstream'], {})
  for (const [name, path] of Object.entries<DocumentPath>(members)) {
    const text = read(name)
    if (text !== undefined) filling.value = withValue(filling.value, path, text)
  }
  const model = read('DRAGOMAN_MODEL')
  if (valueAt(filling.value, ['routes']) === undefined)
    filling.value = withValue(
      filling.value,
      ['routes'],
      [{ model: '*', upstream: 'upstream', ...(model !== undefined && { as: model }) }],
    )
  else if (model !== undefined) overrule(filling, alias.slice(0, 1), 'DRAGOMAN_MODEL')
}

/** The keys of the variable are added to those of the file; "open" excludes keys. */
function fillCallers(filling: Filling, text: string | undefined): void {
  const there = valueAt(filling.value, ['callers'])
  if (text === undefined || text === there) return
  if (there === undefined || text === 'open')
    return there === undefined ? addCallers(filling, text) : overrule(filling, ['callers'], CALLERS)
  if (there === 'open')
    return complain(filling, CALLERS, `${filling.source.origin} says "open"; one of both has to go`)
  for (const key of keysIn(text)) addKey(filling, key)
}

function addCallers(filling: Filling, text: string): void {
  const callers = text === 'open' ? text : { keys: keysIn(text) }
  filling.value = withValue(filling.value, ['callers'], callers)
  filling.names.set('callers', CALLERS)
}

function addKey(filling: Filling, key: string): void {
  const path = ['callers', 'keys']
  const known = entriesAt(filling.value, path)
  filling.names.set(spellPlace([...path, known.length]), CALLERS)
  filling.value = withValue(filling.value, path, [...known, key])
}

const keysIn = (text: string): string[] => text.split(',').map((key) => key.trim())

/** A copy with a value at a path. Where the document has another shape, it stays as it is. */
function withValue(value: unknown, [name, ...rest]: DocumentPath, leaf: unknown): unknown {
  if (name === undefined) return leaf
  if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value)))
    return value
  return { ...value, [name]: withValue(valueAt(value, [name]), rest, leaf) }
}

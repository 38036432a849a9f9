import { adapters } from '../../../adapters/index.ts'
import { isObject } from '../../json/json.ts'
import { knownModels, see } from '../../models/see.ts'
import type { Examination } from './examination.ts'
import { ConfigError, type Finding, Findings } from './finding.ts'
import { hint } from './nearest.ts'
import { entriesAt, membersAt, type DocumentPath, spellPlace, textAt, valueAt } from './place.ts'
import { upstreamsOfRoute, warnOfPools } from './pools.ts'
import { isProfiled, NO_PROFILE, profileNames } from '../profiles.ts'
import {
  readBase,
  type Environment,
  readHeaderName,
  readHeaderValue,
  readKey,
  type Platform,
  readPrefix,
  readProxy,
  readStore,
} from '../values.ts'
import { shapeOf } from './shape.ts'
import { checkCallers } from '../callers.ts'
import { checkMetrics } from '../metrics.ts'
import { checkTelemetry } from '../telemetry.ts'
import { readMadeKey } from '../cloud/auth.ts'
import { readQueryValue } from '../cloud/query.ts'
import { readHost, readOrigin } from '../web.ts'
import { warnAbout } from './warnings.ts'
import { matchesGlob } from '../glob.ts'

/**
 * Finds everything that is wrong with a configuration, and everything legal that is probably a mistake. Each check
 * looks at the raw document, and skips values of the wrong shape, which the schema reports.
 */
export function findingsIn(
  config: unknown,
  environment: Environment,
  platform: Required<Platform>,
  shape = shapeOf(config),
): Finding[] {
  const examination = { config, environment, platform, found: new Findings() }
  const { found } = examination
  found.all.push(...shape.faults)
  for (const check of CHECKS) check(examination)
  warnAbout(examination)
  warnOfPools(examination)
  return found.all
}

const CHECKS: readonly ((examination: Examination) => void)[] = [
  checkUpstreams,
  checkRoutes,
  checkCallers,
  checkTasks,
  checkState,
  checkWeb,
  checkMetrics,
  checkInspect,
  checkTelemetry,
]

const UPSTREAM_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

function checkUpstreams(examination: Examination): void {
  const { config, found } = examination
  const upstreams = membersAt(config, ['upstreams'])
  const isEmpty = upstreams.length === 0 && isAbsentOrEmpty(valueAt(config, ['upstreams']))
  const isMisspelled = found.all.some(({ instead }) => instead === 'upstreams')
  const hasTasks = membersAt(config, ['tasks']).length > 0
  if (isEmpty && !isMisspelled && !hasTasks && isObject(config))
    found.fault(['upstreams'], 'expected at least one upstream')
  for (const [name] of upstreams) checkUpstream(examination, name)
}

const isAbsentOrEmpty = (value: unknown): boolean => value === undefined || isObject(value)

function checkUpstream({ config, environment, platform, found }: Examination, name: string): void {
  const at = ['upstreams', name]
  if (!UPSTREAM_NAME.test(name))
    found.fault(at, 'expected a name of letters, digits, ".", "_" and "-"', true)
  const url = textAt(config, [...at, 'url'])
  if (url !== undefined) found.attempt([...at, 'url'], (place) => readBase(url, place))
  const key = textAt(config, [...at, 'key'])
  if (key) found.attempt([...at, 'key'], (place) => readKey(key, environment, place))
  checkKeys({ config, environment, found }, [...at, 'key'])
  for (const [header, value] of membersAt(config, [...at, 'headers'])) {
    const path = [...at, 'headers', header]
    found.attempt(path, (place) => readHeaderName(header, place), true)
    if (typeof value === 'string')
      found.attempt(path, (place) => readHeaderValue(value, environment, place))
  }
  checkAuth({ config, environment, found }, at)
  checkPassthrough({ config, found }, at)
  for (const [parameter, value] of membersAt(config, [...at, 'query'])) {
    const path = [...at, 'query', parameter]
    if (typeof value === 'string')
      found.attempt(path, (place) => void readQueryValue(parameter, value, environment, place))
  }
  const proxy = textAt(config, [...at, 'proxy'])
  if (proxy) found.attempt([...at, 'proxy'], (place) => readProxy(proxy, environment, place))
  if (proxy && platform.stores === 'isolate')
    found.fault([...at, 'proxy'], 'a Worker cannot call through a proxy', true)
  checkModels({ config, found }, at)
  checkProfile({ config, found }, at)
}

const ENDPOINT = /^(?:\/[\w~-][\w.~-]*)+$/

/** Paths of endpoints that pass as they are; those of conversations are served otherwise. */
function checkPassthrough(
  { config, found }: Pick<Examination, 'config' | 'found'>,
  at: readonly string[],
): void {
  const paths = [...at, 'passthrough']
  for (const [index, path] of entriesAt(config, paths).entries()) {
    if (typeof path !== 'string') continue
    if (!ENDPOINT.test(path))
      found.fault([...paths, index], 'expected a path such as /v1/embeddings')
    else if (isServed(path))
      found.fault([...paths, index], 'conversations are served here without being listed')
  }
}

const isServed = (path: string): boolean =>
  /^\/v1(?:beta)?\/models(?:\/|$)/.test(path) ||
  adapters.some(({ caller }) =>
    caller.match({ method: 'POST', path, query: new URLSearchParams() }),
  )

/** A key that is made, which stands in the place of one that is given. */
function checkAuth(
  { config, environment, found }: Pick<Examination, 'config' | 'environment' | 'found'>,
  at: readonly string[],
): void {
  const path = [...at, 'auth']
  if (membersAt(config, path).length === 0 && !isObject(valueAt(config, path))) return
  const shaped = shapeOf({ upstreams: { a: valueAt(config, at) } }).config?.upstreams?.['a']
  if (!shaped) return
  const place = spellPlace(path)
  try {
    readMadeKey(shaped, environment, place)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const below = error.place.slice(place.length).split('.').filter(Boolean)
    found.fault([...path, ...below], error.expected)
  }
  if (valueAt(config, [...at, 'key']) !== undefined)
    found.fault([...at, 'key'], 'the key is made here, as "auth" says; leave out one of them')
}

/** The names of profiles come from the adapters' tables. */
function checkProfile(
  { config, found }: Pick<Examination, 'config' | 'found'>,
  at: readonly string[],
): void {
  const path = [...at, 'profile']
  const place = textAt(config, path) === undefined ? [...path, 'extends'] : path
  const name = textAt(config, place)
  const dialect = textAt(config, [...at, 'dialect']) ?? ''
  const isWord = place === path
  const names = isWord ? [...profileNames(), NO_PROFILE] : profileNames()
  if (name && !names.includes(name))
    found.fault(place, `expected the name of a profile (${names.join(', ')})${hint(name, names)}`)
  else if (name && name !== NO_PROFILE && !isProfiled(name, dialect))
    found.warn(place, `of such a server in the dialect ${dialect} nothing is known`)
  checkDropped({ config, found }, at, [...path, 'drop'])
}

/** Each key in a list must name itself, and no two may be equal, because the proxy chooses among them. */
function checkKeys(
  { config, environment, found }: Pick<Examination, 'config' | 'environment' | 'found'>,
  at: DocumentPath,
): void {
  const seen = new Map<string, number>()
  for (const index of entriesAt(config, at).keys()) {
    const entry = [...at, index]
    const path = textAt(config, entry) === undefined ? [...entry, 'key'] : entry
    const text = textAt(config, path)
    if (!text) continue
    if (text === 'caller') found.fault(path, 'expected a key; "caller" cannot stand in a list')
    else
      found.attempt(path, (place) => {
        const key = readKey(text, environment, place)
        if (key.kind !== 'literal') return
        const before = seen.get(key.value)
        if (before !== undefined)
          found.fault(path, `the same key as ${spellPlace([...at, before])}`)
        seen.set(key.value, before ?? index)
      })
  }
}

function checkModels(
  { config, found }: Pick<Examination, 'config' | 'found'>,
  at: DocumentPath,
): void {
  const models = [...at, 'models']
  for (const [glob] of membersAt(config, models)) {
    checkDropped({ config, found }, at, [...models, glob, 'drop'])
    checkIs({ config, found }, models, glob)
  }
}

/** `is` names a model of the table, and no name that leads back to itself. */
function checkIs(
  { config, found }: Pick<Examination, 'config' | 'found'>,
  models: DocumentPath,
  glob: string,
): void {
  const path = [...models, glob, 'is']
  const named = textAt(config, path)
  if (!named) return
  const passed = new Set([glob])
  for (let name: string | undefined = named; name; name = textAt(config, [...models, name, 'is'])) {
    if (passed.has(name)) return found.fault(path, `leads back to ${name}; name a known model`)
    passed.add(name)
  }
  const names = knownModels()
  if (see(named).how !== 'model')
    found.fault(path, `expected the name of a known model${hint(named, names)}`)
}

/** The parameters that may be dropped come from the dialect's table of fields. */
function checkDropped(
  { config, found }: Pick<Examination, 'config' | 'found'>,
  at: DocumentPath,
  path: DocumentPath,
): void {
  const dialect = adapters.find((adapter) => adapter.dialect === textAt(config, [...at, 'dialect']))
  const words = entriesAt(config, path)
  if (!dialect || words.length === 0) return
  const droppable = dialect.upstream.droppable()
  for (const [index, word] of words.entries())
    if (typeof word === 'string' && word !== '' && !droppable.includes(word))
      found.fault(
        [...path, index],
        `expected the name of a parameter of ${dialect.dialect}${hint(word, droppable)}`,
      )
}

function checkRoutes(examined: Examination): void {
  const { config, found } = examined
  const routes = valueAt(config, ['routes'])
  const members = membersAt(config, ['upstreams'])
  const upstreams = members.map(([name]) => name)
  const [first, ...others] = members.filter(([, upstream]) => isObject(upstream))
  const lacking = first && (routes === undefined ? others.length > 0 : true)
  if (lacking && (routes === undefined || (Array.isArray(routes) && routes.length === 0)))
    found.fault(
      ['routes'],
      `expected at least one route, such as {"model": "*", "upstream": "${first[0]}"}`,
    )
  for (const index of entriesAt(config, ['routes']).keys()) {
    const seen = new Set<string>()
    for (const { name, path } of upstreamsOfRoute(config, index)) {
      if (!upstreams.includes(name))
        found.fault(
          path,
          `expected the name of an upstream (${upstreams.join(', ') || 'there is none'})${hint(name, upstreams)}`,
        )
      else if (seen.has(name)) found.fault(path, 'this upstream stands in the list already')
      seen.add(name)
    }
    checkListed(examined, index)
    checkNames(examined, index)
  }
}

const starsIn = (text: string): number => text.split('*').length - 1

/** A `*` in a name at an upstream stands for what that of `model` does, so each has one. */
function checkNames({ config, found }: Examination, index: number): void {
  const at = ['routes', index]
  const model = textAt(config, [...at, 'model'])
  const entries = entriesAt(config, [...at, 'upstream']).map((_, entry) => ['upstream', entry])
  for (const entry of [[], ...entries]) {
    const path = [...at, ...entry, 'as']
    const stars = starsIn(textAt(config, path) ?? '')
    if (stars > 1) found.fault(path, 'expected at most one "*"')
    else if (stars === 1 && model !== undefined && starsIn(model) !== 1)
      found.fault(
        path,
        'its "*" stands for what the "*" of "model" does; expected exactly one there',
      )
  }
}

/** Each listed model must match the glob of its route. */
function checkListed({ config, found }: Examination, index: number): void {
  const glob = textAt(config, ['routes', index, 'model'])
  const path = ['routes', index, 'models']
  for (const [at, name] of entriesAt(config, path).entries()) {
    if (glob === undefined || typeof name !== 'string') continue
    if (name.includes('*') || !matchesGlob(glob, name))
      found.fault([...path, at], `expected a name that ${JSON.stringify(glob)} stands for`)
  }
}

function checkTasks({ config, environment, found }: Examination): void {
  for (const [name] of membersAt(config, ['tasks'])) {
    const at = ['tasks', name]
    const [url, key, prefix] = ['url', 'key', 'prefix'].map((member) =>
      textAt(config, [...at, member]),
    )
    if (url !== undefined) found.attempt([...at, 'url'], (place) => readBase(url, place))
    if (key) found.attempt([...at, 'key'], (place) => readKey(key, environment, place))
    if (prefix !== undefined) found.attempt([...at, 'prefix'], (place) => readPrefix(prefix, place))
  }
}

function checkState({ config, environment, platform, found }: Examination): void {
  const path = ['state', 'store']
  const store = textAt(config, path)
  if (store !== undefined)
    found.attempt(path, (place) => readStore(store, environment, place, platform.stores))
}

function checkWeb({ config, found }: Examination): void {
  for (const [member, check] of [
    ['origins', readOrigin],
    ['hosts', readHost],
  ] as const)
    for (const [index, text] of entriesAt(config, ['web', member]).entries())
      if (typeof text === 'string' && text !== '')
        found.attempt(['web', member, index], (place) => check(text, place))
}

function checkInspect({ config, platform, found }: Examination): void {
  if (valueAt(config, ['record']) !== undefined && platform.stores === 'isolate')
    found.fault(['record'], 'a Worker has no file to write exchanges to', true)
  if (valueAt(config, ['inspect']) === true && platform.stores === 'isolate')
    found.fault(['inspect'], 'a Worker has no listener of its own for the page', true)
}

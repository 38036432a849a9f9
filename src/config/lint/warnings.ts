import { adapters } from '../../../adapters/index.ts'
import type { ServerFacts, Target } from '../../../adapters/contract.ts'
import { UNTOLD } from '../../rules/storing.ts'
import { cloudAt, NO_PROFILE, readProfile } from '../profiles.ts'
import type { Examination } from './examination.ts'
import { entriesAt, membersAt, type DocumentPath, textAt, valueAt } from './place.ts'
import { DEMO_ORIGIN } from '../defaults.ts'
import { warnOfClouds } from './clouds.ts'
import { takesAll, upstreamsOfRoute } from './pools.ts'
import { matchesGlob } from '../glob.ts'
import { isOwnHost } from '../hostname.ts'
import { isTemplate, variableIn, versionsOf } from '../values.ts'

/** Warns of what is legal but probably a mistake. */
export function warnAbout(examination: Examination): void {
  for (const warn of WARNINGS) warn(examination)
}

const WARNINGS: readonly ((examination: Examination) => void)[] = [
  warnOfRoutes,
  warnOfAddresses,
  warnOfKeys,
  warnOfGlobs,
  warnOfOpenDoors,
  warnOfBodies,
  warnOfSharedMemories,
  warnOfStoring,
  warnOfClouds,
]

function warnOfRoutes({ config, found }: Examination): void {
  const globs = entriesAt(config, ['routes']).map((_, index) =>
    textAt(config, ['routes', index, 'model']),
  )
  for (const [index, glob] of globs.entries()) {
    const before = globs
      .slice(0, index)
      .findIndex((other, place) => takesAll(config, place) && covers(other, glob))
    if (before >= 0)
      found.warn(
        ['routes', index, 'model'],
        `shadowed: routes[${before}] comes first and takes every model that this one would`,
      )
  }
  const used = globs.flatMap((_, index) => {
    const names = upstreamsOfRoute(config, index).map(({ name }) => name)
    return names.length > 0 ? names : [undefined]
  })
  const upstreams = membersAt(config, ['upstreams']).map(([name]) => name)
  // The misspelled name is reported as a fault; without it a route may well lead here.
  if (globs.length === 0 || used.some((name) => name === undefined || !upstreams.includes(name)))
    return
  for (const name of upstreams)
    if (!used.includes(name))
      found.warn(['upstreams', name], 'no route leads to this upstream', true)
}

/**
 * The stars of the narrow glob become a character that no glob holds, so that only a star of the wide one covers
 * them.
 */
const covers = (wide: string | undefined, narrow: string | undefined): boolean =>
  wide !== undefined && narrow !== undefined && matchesGlob(wide, narrow.replaceAll('*', '\0'))

/** The places of the upstreams and of the task services. */
const servicesIn = (config: unknown): string[][] =>
  ['upstreams', 'tasks'].flatMap((kind) => membersAt(config, [kind]).map(([name]) => [kind, name]))

/** The addresses of upstreams, services and the webhook, with the paths of their `url`. */
function addresses(config: unknown): [DocumentPath, URL][] {
  return [...servicesIn(config), ['before']].flatMap((path): [DocumentPath, URL][] => {
    const url = textAt(config, [...path, 'url'])
    // The demo's own addresses are no mistake.
    if (url === undefined || url.startsWith(DEMO_ORIGIN) || !URL.canParse(url)) return []
    return [[path, new URL(url)]]
  })
}

function warnOfAddresses({ config, platform, found }: Examination): void {
  for (const [path, url] of addresses(config)) {
    const at = [...path, 'url']
    const bare = url.pathname.replace(/\/+$/, '')
    const ending = endpointIn(bare)
    // An endpoint without a version is how an upstream is named that has none.
    const [taken] = versionsOf(textAt(config, [...path, 'dialect'])).exec(bare) ?? []
    if (path[0] === 'upstreams' && ending !== undefined && ending !== taken)
      found.warn(at, `this is an endpoint; leave out "${ending}", which is added to what is sent`)
    if (/[${}]/.test(url.host)) found.warn(at, STANDING)
    const { listens } = platform
    const isOwn = isOwnHost(url.hostname) || url.hostname === listens?.host.toLowerCase()
    if (listens && isOwn && portNumber(url) === listens.port)
      found.fault(at, 'this is the address of the proxy itself, which would call itself')
    const hasKey = valueAt(config, [...path, 'key']) !== undefined
    if (url.protocol === 'http:' && hasKey && !isOwnHost(url.hostname))
      found.warn(at, 'the key goes to another machine without encryption; expected https')
  }
}

const STANDING = 'this is used as it stands; no variable is read'

const portNumber = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** Endpoints that manuals name beside the conversations of the dialects. */
const OTHER_ENDPOINTS = /\/(?:completions|models|embeddings)$/

/** The endpoint at the end of a path without a final slash, such as `/messages` in `/api/v1/messages`. */
function endpointIn(bare: string): string | undefined {
  const starts = [...bare.matchAll(/\/(?!v1(?:beta)?\/)/g)].map(({ index }) => index)
  const endings = starts.map((start) => bare.slice(start))
  const found = endings.find((ending) => VERSIONS.some((version) => isEndpoint(version + ending)))
  return found ?? OTHER_ENDPOINTS.exec(bare)?.[0]
}

const VERSIONS = ['/v1', '/v1beta']

const isEndpoint = (path: string): boolean =>
  adapters.some(({ caller }) =>
    caller.match({ method: 'POST', path, query: new URLSearchParams() }),
  )

function warnOfKeys({ config, found }: Examination): void {
  const holders = servicesIn(config)
  const headers = [...holders, ['telemetry', 'otlp']].flatMap((holder) =>
    membersAt(config, [...holder, 'headers']).map(([name]) => [...holder, 'headers', name]),
  )
  const single = [...holders, ['metrics']].map((holder) => [...holder, 'key'])
  const listed = [...single, ['callers', 'keys']].flatMap((list) =>
    entriesAt(config, list).flatMap((_, index) => [
      [...list, index],
      [...list, index, 'key'],
    ]),
  )
  const keys = [...single, ...listed]
  for (const path of [...keys, ...headers]) {
    const text = textAt(config, path) ?? ''
    if (/^file:(?!\/)/i.test(text)) found.warn(path, FILE_WORDS)
    // As a key it is refused where it is read.
    if (isTemplate(text) && keys.includes(path)) continue
    const name = variableIn(text)
    if (name !== undefined)
      found.warn(path, `this is used as it stands; for a variable write "env:${name}"`)
  }
}

const FILE_WORDS = 'this is used as it stands; for a file write "file:/" and its path from the root'

/** Claude Code marks variants as `model[1m]`, and a name may end in a plus sign. */
const REGEX_SIGNS = /\.\*|\.\+|[\^$|()\\?]|\[(?!\d+[mk]\]$)[^\]]*\]/i

/** What is wrong with a glob that was written for another program. */
function globFault(glob = ''): string | undefined {
  if (/[{}]/.test(glob)) return BRACE_WORDS
  return REGEX_SIGNS.test(glob) ? REGEX_WORDS : undefined
}

function warnOfGlobs({ config, found }: Examination): void {
  for (const index of entriesAt(config, ['routes']).keys()) {
    const path = ['routes', index, 'model']
    const fault = globFault(textAt(config, path))
    if (fault) found.warn(path, fault)
  }
  for (const [upstream] of membersAt(config, ['upstreams']))
    for (const [glob] of membersAt(config, ['upstreams', upstream, 'models'])) {
      const fault = globFault(glob)
      if (fault) found.warn(['upstreams', upstream, 'models', glob], fault, true)
    }
  for (const caller of entriesAt(config, ['callers', 'keys']).keys()) {
    const list = ['callers', 'keys', caller, 'models']
    for (const index of entriesAt(config, list).keys()) {
      const fault = globFault(textAt(config, [...list, index]))
      if (fault) found.warn([...list, index], fault)
    }
  }
}

const BRACE_WORDS =
  'braces stand for themselves here; only "*" has a meaning: write an entry for each name'
const REGEX_WORDS = 'this looks like a regular expression; only "*" has a meaning here'

function warnOfOpenDoors({ config, platform, found }: Examination): void {
  if (platform.exposed && valueAt(config, ['callers']) === 'open')
    found.warn(
      ['callers'],
      'whoever reaches this address spends your keys; expected {"keys": [...]}',
    )
  const callers = valueAt(config, ['callers']) ?? 'open'
  if (callers === 'open' && entriesAt(config, ['web', 'origins']).length > 0)
    found.warn(['web', 'origins'], 'callers are open, so these pages spend your keys')
}

function warnOfBodies({ config, platform, found }: Examination): void {
  const said = (name: 'bodyBytes' | 'inFlightBytes') => valueAt(config, ['limits', name])
  const body = Number(said('bodyBytes') ?? platform.limits.bodyBytes)
  const all = Number(said('inFlightBytes') ?? platform.limits.inFlightBytes)
  if (body > all)
    found.warn(
      ['limits', said('bodyBytes') === undefined ? 'inFlightBytes' : 'bodyBytes'],
      `there is no room for a body of ${body} bytes in ${all} in flight, however long it waits`,
    )
}

const BESIDE_ONE_KEY =
  ' once a second caller was seen, who is told by another credential beside the one key'

/** An upstream that keeps responses for its one key would show each caller those of all callers. */
function warnOfSharedMemories({ config, platform, found }: Examination): void {
  if (textAt(config, ['state', 'store']) !== 'off') return
  const keys = valueAt(config, ['callers', 'keys'])
  const isOneKey = Array.isArray(keys) && keys.length === 1
  const isHere = keys === undefined && platform.listens !== undefined && !platform.exposed
  const since = isOneKey ? BESIDE_ONE_KEY : isHere ? ' once a second caller was seen' : ''
  for (const [name] of membersAt(config, ['upstreams'])) {
    const dialect = textAt(config, ['upstreams', name, 'dialect'])
    const keeps = adapters.some(({ dialect: own, caller }) => own === dialect && caller.memory)
    if (keeps && textAt(config, ['upstreams', name, 'key']) !== 'caller')
      found.warn(
        ['state', 'store'],
        `nothing notes whose the responses are that "${name}" keeps, so nobody can read or continue one${since}; expected a store, or "key": "caller" there`,
      )
  }
}

/** An upstream that keeps what it cannot be told not to keep. */
function warnOfStoring({ config, found }: Examination): void {
  for (const [name] of membersAt(config, ['upstreams'])) {
    const at = ['upstreams', name]
    const adapter = adapters.find(({ dialect }) => dialect === textAt(config, [...at, 'dialect']))
    const isKept = targetsOf(config, at).some((target) => {
      const { isTold, stores } = adapter?.upstream.storing(target) ?? {
        isTold: true,
        stores: false,
      }
      return stores && !isTold
    })
    if (isKept) found.warn(at, STORES, true)
  }
}

const STORES = `${UNTOLD} (dropped store); where its project keeps none, say "storesByDefault": false of its models`

/** What an upstream is as a target: for the models that it says something of, and for any other one. */
function targetsOf(config: unknown, at: DocumentPath): Target[] {
  const [dialect = '', url = ''] = ['dialect', 'url'].map((name) => textAt(config, [...at, name]))
  const own = [...at, 'profile']
  const isFacts = membersAt(config, own).length > 0
  const profile =
    textAt(config, own) ?? textAt(config, [...own, 'extends']) ?? (isFacts ? NO_PROFILE : undefined)
  const known = readProfile({ dialect, url, ...(profile !== undefined && { profile }) })
  const server = { ...known.server, ...flagsAt(config, own) }
  const service = cloudAt(url, profile)
  const globs = membersAt(config, [...at, 'models']).map(([glob]) => glob)
  return [...globs, ...(globs.includes('*') ? [] : [''])].map((model) => ({
    model,
    defaultMaxOutputTokens: 0,
    facts: { ...flagsAt(config, [...at, 'models', model]), server },
    ...(service !== undefined && { service }),
  }))
}

/** What is said there of keeping requests. */
function flagsAt(config: unknown, at: DocumentPath): Pick<ServerFacts, (typeof KEEPING)[number]> {
  const said = KEEPING.map((name) => [name, valueAt(config, [...at, name])] as const)
  return Object.fromEntries(said.filter(([, value]) => typeof value === 'boolean'))
}

const KEEPING = ['state', 'store', 'storesByDefault'] as const

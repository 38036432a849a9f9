import { SOURCES } from '../../../adapters/server-sources.ts'
import { KNOWN_PROFILES, type ProfileRow, spellFacts } from '../../config/profiles.ts'
import { addressOf } from '../../../adapters/contract.ts'
import { adapters, dialects } from '../../../adapters/index.ts'
import { stringify } from '../../json/json.ts'
import { type Egress, readEgress } from '../upstream/egress.ts'
import type { Paint } from './explanation.ts'
import { DEFAULT_RETENTION, DEMO_ORIGIN } from '../../config/defaults.ts'
import { matchesGlob } from '../../config/glob.ts'
import { listModels } from '../../http/models.ts'
import { routedModels } from './models.ts'
import type { Environment } from '../../config/config.ts'
import type { Settings, TaskSettings, UpstreamSettings } from '../../config/settings.ts'
import { failoverOf, membersOf } from '../../upstream/members.ts'
import { writeSample } from '../../exchange/reply/sample.ts'
import { findRoute } from '../../upstream/route.ts'
import { callerSecrets, shownState } from '../../upstream/secrets.ts'

/** The lines that the proxy prints at its start. */
export function greeting(
  settings: Settings,
  url: string,
  environment: Environment,
  { page, processes = 1 }: { page?: string | undefined; processes?: number | undefined } = {},
): string {
  return [
    `dragoman listens on ${url} (configuration: ${settings.origin})`,
    ...hostNames(url),
    ...(page === undefined ? [] : [`${PAGE}: ${page}`]),
    ...describeDemo(settings),
    '',
    ...table(
      adapters.map((adapter) => [adapter.dialect, `POST ${writeSample(adapter, SOME_MODEL).path}`]),
    ),
    '',
    ...summary(settings, undefined, processes, readEgress(environment)),
    '',
    ...describeClients(settings, url, environment),
    ...describeSample(settings, sampleModel(settings, findCredential(settings, environment))),
    'Try it:',
    `  ${curl(settings, url, environment)}`,
    '',
  ].join('\n')
}

/** What stands before the address of the page. */
export const PAGE = 'Both sides of every exchange'

/** `localhost` may mean ::1, and a proxy that listens at 127.0.0.1 is not found there. */
const hostNames = (url: string): string[] =>
  url.startsWith(`http://${LOCAL}:`)
    ? [`${url.replace(LOCAL, 'localhost')} is the same where that means ${LOCAL}`]
    : []

const LOCAL = '127.0.0.1'

/** Explains that the demo is no model, and how to go on. */
const describeDemo = ({ origin }: Settings): string[] =>
  origin === 'demo'
    ? [
        'This is the demo: upstreams in this process answer, without a model and without a network.',
        'To leave it, set DRAGOMAN_DIALECT, DRAGOMAN_URL and DRAGOMAN_KEY, or write dragoman.json here, and start again.',
      ]
    : []

function describeClients(settings: Settings, url: string, environment: Environment): string[] {
  if (settings.upstreams.size === 0) return []
  const credential = findCredential(settings, environment)
  const key = credential === undefined ? 'any' : `"${credential.word}"`
  const advice = { url, model: sampleModel(settings, credential), key }
  return ['Clients:', ...table(clientRows(advice)), '']
}

/** For each model that a route names: what it is known as. */
export const describeModels = (settings: Settings): string[] => table(routedModels(settings))

/** What a stopping proxy still waits for; undefined when it waits for nothing. */
export function farewell(open: number, lingerMs: number, drainMs: number): string | undefined {
  const streams = open === 1 ? '1 open exchange' : `${open} open exchanges`
  const parts = [
    ...(lingerMs > 0 ? [`stays open for ${seconds(lingerMs)} (limits.lingerMs)`] : []),
    ...(open > 0 ? [`waits for ${streams}, at most ${seconds(drainMs)} (limits.drainMs)`] : []),
  ]
  return parts.length > 0 ? `${parts.join(', then ')}; a second signal ends it at once` : undefined
}

/** Shows every second how long a drain may still take, on one line, until the returned function is called. */
export function countDown(
  open: () => number,
  ms: number,
  replaceLine: ((text: string) => void) | undefined,
): () => void {
  if (!replaceLine || open() === 0) return () => undefined
  const end = performance.now() + ms
  const tell = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000))
    replaceLine(`${open()} open, ${left} s left`)
  }
  tell()
  const clock = setInterval(tell, 1000)
  return () => {
    clearInterval(clock)
    replaceLine('')
  }
}

const seconds = (ms: number): string => `${Math.ceil(ms / 100) / 10} s`

/** Upstreams with their routes, tasks, state and callers, as `check` prints them. */
export function summary(
  settings: Settings,
  paint: Paint = (text) => text,
  processes = 1,
  egress: Egress = () => undefined,
): string[] {
  const upstreams = [...settings.upstreams.values()].map((upstream) => [
    'upstream',
    upstream.name,
    upstream.dialect + describeProfile(upstream),
    upstreamAddress(upstream, egress),
    routesTo(upstream.name, settings),
  ])
  const tasks = Object.entries(settings.tasks).map(([name, task]: [string, TaskSettings]) => [
    'tasks',
    name,
    '',
    task.base + task.prefix + through(egress(task.base)),
    TASK_PATHS.get(name) ?? '',
  ])
  const lines = [
    ...table([...upstreams, ...tasks]),
    ...table(describePools(settings)),
    ...table([
      ['state', describeState(settings)],
      ['callers', describeCallers(settings)],
      ['losses', settings.losses],
      ...describePages(settings),
      ...describeProcesses(settings, processes),
    ]),
  ]
  return lines.map((line) =>
    line
      .replace(/(?<=^ {2})\S+/, (label) => paint(label, 'grey'))
      .replace(NO_ROUTE, paint(NO_ROUTE, 'yellow')),
  )
}

const describeProfile = ({ profile, isByAddress }: UpstreamSettings): string =>
  profile === undefined ? '' : ` (${profile}${isByAddress ? ', by its address' : ''})`

const NO_ROUTE = 'no route leads here'

/** Only where web pages are configured; without that no page may call. */
function describePages({ web }: Settings): string[][] {
  const { origins = [], hosts = [] } = web ?? {}
  return [
    ...(origins.length > 0 ? [['pages', `of ${origins.join(', ')} may call`]] : []),
    ...(hosts.length > 0 ? [['hosts', `also called ${hosts.join(', ')}`]] : []),
  ]
}

/** What each process has for itself, although all are behind one port. */
function describeProcesses({ limits, state }: Settings, processes: number): string[][] {
  if (processes < 2) return []
  const each = `${limits.streams} streams, ${Math.round(limits.inFlightBytes / MIB)} MiB in flight`
  return [
    [
      'processes',
      `${processes} behind the port; limits hold for each of them (${each}${state.startsWith('redis') ? '' : ', callers.limits'}), and so do breakers`,
    ],
  ]
}

const MIB = 1024 * 1024

function describeState({ state, retention }: Settings): string {
  if (state === 'off') return 'off, nothing is kept'
  const { ttlMs } = { ...DEFAULT_RETENTION, ...retention }
  const period = `for ${describePeriod(Math.round(ttlMs / 1000))}`
  if (state === 'memory') return `memory, ${period} or until the process ends`
  return `${shownState(state)}, ${period}`
}

function describePeriod(seconds: number): string {
  const [unit, size] = PERIODS.find(([, length]) => seconds % length === 0) ?? ['second', 1]
  const count = seconds / size
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}

const PERIODS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

const TASK_PATHS: ReadonlyMap<string, string> = new Map([
  ['image', 'for /img'],
  ['music', 'for /music'],
])

function upstreamAddress({ base, version, proxy }: UpstreamSettings, egress: Egress): string {
  if (base.startsWith(DEMO_ORIGIN)) return 'in this process'
  return (version ? `${base}/${version}` : base) + through(proxy ?? egress(base))
}

const through = (proxy: string | undefined): string =>
  proxy === undefined ? '' : ` through ${new URL(proxy).host}`

function routesTo(name: string, settings: Settings): string {
  const models = settings.routes.flatMap((route) => {
    const member = membersOf(settings, route).find(({ upstream }) => upstream.name === name)
    if (!member) return []
    return member.as ? `${route.model} as ${member.as}` : route.model
  })
  return models.length > 0 ? `for ${models.join(', ')}` : NO_ROUTE
}

/** Each route of several members, in the order in which they are asked, with the owners of their accounts. */
const describePools = (settings: Settings): string[][] =>
  settings.routes.flatMap((route) => {
    const members = membersOf(settings, route)
    if (members.length < 2) return []
    const { hops } = failoverOf(settings, route)
    const isWeighted = route.pick === 'weighted'
    const names = members.map(({ name, account, weight }) =>
      isWeighted ? `${name} (${account}, ${weight})` : `${name} (${account})`,
    )
    const how = isWeighted ? 'by weight' : 'in order'
    const most = Math.min(hops, members.length - 1)
    return [['pool', route.model, `${how}, ${most} more if one fails: ${names.join(', ')}`]]
  })

function describeCallers({ callers }: Settings): string {
  if (callers.kind === 'open') return 'open, no key needed'
  const names = callers.keys.flatMap((key) =>
    typeof key === 'string' ? [] : [key.name + endOf(key.expiresAt)],
  )
  const count = callers.keys.length === 1 ? '1 key' : `${callers.keys.length} keys`
  return names.length > 0 ? `${count}: ${names.join(', ')}` : count
}

/** Says when a key ends; of one that has ended, since when it is refused. */
function endOf(time?: number): string {
  if (time === undefined) return ''
  return ` (${time > Date.now() ? 'until' : 'refused since'} ${new Date(time).toISOString().slice(0, 10)})`
}

/** Rows with their columns aligned. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)))
  return rows.map((row) =>
    `  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd(),
  )
}

/** A curl command that works as it stands. In the demo it shows a translation from the first dialect to the last. */
function curl(settings: Settings, url: string, environment: Environment): string {
  const [adapter] = adapters
  if (!adapter || settings.upstreams.size === 0) return `curl ${url}/healthz`
  const credential = findCredential(settings, environment)
  const model = sampleModel(settings, credential)
  const sample = writeSample(adapter, model)
  const { headers, body } = sample
  // Of a header with two spellings one is enough here.
  const others = new Set(adapter.same.headers.twins?.map(([, other]) => other))
  const lines = [
    `curl ${quoted(url + addressOf(sample))}`,
    ...Object.entries({ 'content-type': 'application/json', ...headers })
      .filter(([name]) => !others.has(name))
      .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(credential ? [`-H "authorization: Bearer ${credential.word}"`] : []),
    `-d ${quoted(stringify(body))}`,
  ]
  return lines.join(' \\\n    ')
}

/** The key in the lines to copy. */
interface Credential {
  /** A variable of the shell, because a key must never appear in what the proxy prints. */
  word: string
  /** Globs on the names of the models that it may ask for; any model when absent. */
  models?: readonly string[] | undefined
}

/**
 * A model for the lines to copy, which works with this key and in a request of no class: the last exact name of a
 * route, else one that the configuration has for a pattern. None is made up: an upstream would not know it.
 */
function sampleModel(settings: Settings, { models = ['*'] }: Partial<Credential> = {}): string {
  const { routes } = settings
  const names = [
    ...routes.map(({ model }) => model).toReversed(),
    ...routes.flatMap((route) => route.models ?? []),
    ...listModels(settings, dialects).map(({ id }) => id),
    ...models,
  ]
  const isServed = (name: string) =>
    !name.includes('*') &&
    findRoute(settings, name) !== undefined &&
    models.some((glob) => matchesGlob(glob, name))
  return names.find(isServed) ?? SOME_MODEL
}

const SOME_MODEL = 'MODEL'

/** Where the configuration names no model, the lines to copy have a word in its place. */
function describeSample(settings: Settings, model: string): string[] {
  if (model !== SOME_MODEL || settings.upstreams.size === 0) return []
  const globs = settings.routes.map((route) => route.model).join(', ')
  return [
    `No route names a model in full (${globs}): put one in the place of ${SOME_MODEL}, or list some in "models" of a route.`,
  ]
}

function findCredential(settings: Settings, environment: Environment): Credential | undefined {
  const { callers, upstreams } = settings
  if (callers.kind === 'keys') {
    const keys = callerSecrets(callers)
    const variable = Object.keys(environment).find((name) => {
      const value = environment[name]?.trim()
      return value !== undefined && /^\w+$/.test(name) && keys.includes(value)
    })
    const named = callers.keys.filter((entry) => typeof entry !== 'string')
    const value = variable && environment[variable]?.trim()
    return {
      word: `$${variable ?? 'CALLER_KEY'}`,
      models: named.find(({ key }) => key === value)?.models,
    }
  }
  const asksCaller = [...upstreams.values()].some((upstream) => upstream.key.kind === 'caller')
  return asksCaller ? { word: '$UPSTREAM_KEY' } : undefined
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** What the line for a client is made from. */
export interface ClientAdvice {
  /** Where the proxy is. */
  url: string
  model: string
  /** The key as a word of the shell, or as a variable. */
  key: string
}

const PROVIDER = (url: string): string =>
  `model_providers.dragoman={name="dragoman",base_url="${url}/v1",wire_api="responses",env_key="PROXY_KEY"}`

/** Common clients, each with the one line that leads it here. */
const CLIENTS: readonly (readonly [string, (advice: ClientAdvice) => string])[] = [
  [
    'Claude Code',
    ({ url, model, key }) =>
      `ANTHROPIC_BASE_URL=${url} ANTHROPIC_AUTH_TOKEN=${key} claude --model ${model}`,
  ],
  [
    'Codex',
    ({ url, model, key }) =>
      `PROXY_KEY=${key} codex -c model_provider='"dragoman"' -c '${PROVIDER(url)}' -m ${model}`,
  ],
  // Gemini CLI (0.61.0) takes the key only where its settings say so; with variables alone it chooses another
  // sign-in.
  [
    'Gemini CLI',
    ({ url, model, key }) =>
      `GOOGLE_GEMINI_BASE_URL=${url} GEMINI_API_KEY=${key} gemini -m ${model}  # with "selectedType": "gemini-api-key" in its settings`,
  ],
  ['SDKs', ({ url }) => `base URL ${url}, for those of OpenAI and the AI SDK ${url}/v1`],
]

/** One row per client. */
export const clientRows = (advice: ClientAdvice): string[][] =>
  CLIENTS.map(([name, line]) => [name, line(advice)])

/** A profile with where its facts come from. */
interface SourcedProfile extends ProfileRow {
  version: string
  source: string
}

export const SOURCED_PROFILES: readonly SourcedProfile[] = KNOWN_PROFILES.map((row) => {
  const [version = '', source = ''] = SOURCES[row.name][row.dialect] ?? []
  return { ...row, version, source }
})

/** The table that `profiles` prints. */
export function profileTable(): string {
  const rows = table(
    SOURCED_PROFILES.map((row) => [row.name, row.dialect, row.version, row.source]),
  )
  const lines = rows.flatMap((line, index) => {
    const row = SOURCED_PROFILES[index]
    return [line, `      ${(row && spellFacts(row)) || 'as the dialect has it'}`]
  })
  return `${lines.join('\n')}\n`
}

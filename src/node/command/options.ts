import { parseArgs } from 'node:util'
import { ConfigError, type Environment } from '../../config/config.ts'
import { defined } from '../../json/json.ts'
import { isLoopbackName, nameOfAddress } from '../../config/hostname.ts'
import { hint } from '../../config/lint/nearest.ts'

/** The oldest Node that the command runs on: `engines` of package.json, which npx takes for advice. */
const OLDEST = [22, 12] as const

/** What is wrong with this version of Node; undefined for one that will do. */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldest, least] = OLDEST
  if (major > oldest || (major === oldest && minor >= least)) return undefined
  return `this is Node ${version}; expected ${oldest}.${least} or newer`
}

export type Command =
  | 'serve'
  | 'check'
  | 'explain'
  | 'profiles'
  | 'models'
  | 'verify'
  | 'launch'
  | 'init'
  | 'help'
  | 'version'

export interface Options {
  command: Command
  /** help: the command that it is asked about. */
  about?: Command
  config?: string
  host: string
  port: number
  /** check: whether to ask the upstreams too. */
  online?: boolean
  /** check: whether warnings count as faults. */
  strict?: boolean
  /** serve: whether to read a configuration again when it changes. */
  watch?: boolean
  /** serve: how many processes answer behind the port. */
  workers?: number
  /** serve, launch: whether exchanges of its own make the first real ones faster. */
  warm?: boolean
  /** serve, launch: whether to serve the page; in the demo it is served by default. */
  inspect?: boolean
  inspectPort?: number
  /** explain: the path of the request, and the file with its body; models: the name in its place; verify: the record. */
  path?: string
  file?: string
  launch?: LaunchOptions
  init?: InitOptions
}

/** Options of `dragoman init`. */
export interface InitOptions {
  dialect?: string
  /** The name of a service of a cloud. */
  cloud?: string
  url?: string
  key?: string
  /** The proxy whose file is converted, and the file. */
  from?: string
  file?: string
}

/** Options of `dragoman launch`. */
export interface LaunchOptions {
  client: string
  model?: string
  /** The model for the client's small jobs. */
  small?: string
  /** The file for the log. Without one there is no log, because the screen is the client's. */
  log?: string
  print?: boolean
  /** Arguments for the client. */
  args: readonly string[]
}

/** At most 80 columns, as wide as a terminal is at first. */
export const HELP = `dragoman: a proxy between LLM APIs: Anthropic, OpenAI and Gemini

  dragoman [serve]         start the proxy: what is done without a command
      --port N --host H    where it listens; PORT and HOST say the same
      --watch              read a configuration that changes again
      --workers N          answer with N processes; DRAGOMAN_WORKERS, too
      --no-warm            run no exchanges of its own after the start;
                           DRAGOMAN_WARM=off, too
      --inspect            show both sides of every exchange on a page for
                           this machine alone; --inspect-port N: where
  dragoman check           validate the configuration
      --online             and ask the upstreams for their models
      --strict             and take no warnings (exit 78)
      --workers N          and whether N processes can share its memory
  dragoman explain FILE    show what would be sent upstream for the body in
                           FILE, and what would be lost
      --path PATH          where that body would be posted (/v1/messages …)
  dragoman verify FILE     translate what "record" has written once more, and say
                           what would come out otherwise
  dragoman launch CLIENT   start claude, codex, gemini, opencode or qwen over
                           a proxy of its own
      --model M --small S  the model, and that for small jobs
      --print              only print what leads the client to the proxy
      --log FILE --inspect
      -- ARGS…             for the client
  dragoman init            write a first dragoman.json, from three questions
      --dialect D --url U --key K
      --cloud NAME         for a service of docs/clouds.md, such as bedrock
      --from litellm|ccr|cliproxyapi FILE
  dragoman profiles        print what is known of servers that speak a part
                           of a dialect (API format)
  dragoman models [NAME]   print what is known of a model, and who says so;
                           without a name, the models that are known
  dragoman [COMMAND] --help, dragoman --version

--config FILE names the configuration. Without it: DRAGOMAN_CONFIG, then
dragoman.json, then DRAGOMAN_DIALECT, DRAGOMAN_URL and DRAGOMAN_KEY, then a demo.
`

/** The part of the help that is about one command; the whole without one. */
export function helpFor(command?: Command): string {
  const part = HELP.split(/^(?=  dragoman )/m).find((each) =>
    [`  dragoman ${command}`, `  dragoman [${command}]`].some((start) => each.startsWith(start)),
  )
  if (part === undefined) return HELP
  return WITHOUT_CONFIG.includes(command)
    ? part
    : part + HELP.slice(HELP.indexOf('\n\n--config') + 1)
}

const WITHOUT_CONFIG: readonly (Command | undefined)[] = ['init', 'profiles']

const DEFAULT_PORT = 8787
const DEFAULT_HOST = '127.0.0.1'
const COMMANDS: readonly Command[] = [
  'serve',
  'check',
  'explain',
  'profiles',
  'models',
  'verify',
  'launch',
  'init',
]

/** Parses the command line; throws `ConfigError` with one line about what is wrong. */
export function readCommandLine(argv: readonly string[], environment: Environment): Options {
  const [own, rest] = argv[0] === 'launch' ? divided(argv) : [argv, []]
  const { values, positionals } = parsed(own)
  if (argv[0] === 'launch' && !values.help)
    return launchOptions(values, positionals, { args: rest, environment })
  return plainOptions(values, positionals, environment)
}

type Values = ReturnType<typeof parsed>['values']

function plainOptions(
  values: Values,
  positionals: readonly string[],
  environment: Environment,
): Options {
  const [first = 'serve', ...rest] = positionals
  if (values.help || first === 'help')
    return helpOptions(positionals.filter((word) => word !== 'help'))
  refuseForeign(first, values)
  const command = values.version ? 'version' : readCommand(first)
  const [file, ...others] = rest
  if (command !== 'version') checkOperands(command, file, others, values.path)
  return {
    command,
    ...(values.config !== undefined && { config: values.config }),
    host: values.host ?? (environment['HOST'] || DEFAULT_HOST),
    port: readPort(values.port, environment['PORT']),
    ...(values.path !== undefined && { path: values.path }),
    ...(values.online && { online: true }),
    ...(values.strict && { strict: true }),
    ...(values.watch && { watch: true }),
    ...((command === 'serve' || command === 'check') &&
      workersOption(values.workers, environment['DRAGOMAN_WORKERS'])),
    ...(command === 'serve' && { warm: isWarmed(values, environment) }),
    ...inspectOptions(values),
    ...(file !== undefined && { file }),
    ...(command === 'init' && { init: initOptions(values, file) }),
  }
}

const helpOptions = ([about]: readonly string[]): Options => ({
  command: 'help',
  host: DEFAULT_HOST,
  port: DEFAULT_PORT,
  ...(about !== undefined && { about: readCommand(about) }),
})

/** A port for the page asks for the page. */
const inspectOptions = ({ inspect, 'inspect-port': port }: Values): Partial<Options> => ({
  ...((inspect || port !== undefined) && { inspect: true }),
  ...(port !== undefined && { inspectPort: readPort(port, undefined, '--inspect-port') }),
})

const initOptions = ({ dialect, url, key, cloud, from }: Values, file?: string): InitOptions =>
  defined({ dialect, url, key, cloud, from, file })

/** Splits at `--`, behind which the client's arguments stand. */
function divided(argv: readonly string[]): [string[], string[]] {
  const at = argv.indexOf('--')
  return at < 0 ? [[...argv], []] : [argv.slice(0, at), argv.slice(at + 1)]
}

/** Options that only some commands have. */
const OWN = [
  ['launch', ['model', 'small', 'log', 'print']],
  ['init', ['dialect', 'url', 'key', 'cloud', 'from']],
  ['serve', ['watch']],
  ['serve and launch', ['no-warm']],
  ['serve and check', ['workers']],
  ['check', ['online', 'strict']],
  ['explain', ['path']],
] as const

function refuseForeign(command: string, values: Values): void {
  for (const [owners, names] of OWN) {
    if (owners.split(' and ').includes(command)) continue
    const found = names.find((name) => values[name] !== undefined)
    if (found !== undefined)
      throw new ConfigError('options', `"--${found}" belongs to ${owners}; see --help`)
  }
}

/** The proxy of a launch listens only for this machine. */
function launchOptions(
  values: Values,
  [, client = '', extra]: readonly string[],
  { args, environment }: { args: readonly string[]; environment: Environment },
): Options {
  const { config, port, host, model, small, log, print } = values
  if (extra !== undefined) throw new ConfigError('options', `unexpected "${extra}"; see --help`)
  refuseForeign('launch', values)
  if (host !== undefined) throw new ConfigError('--host', `launch listens on ${DEFAULT_HOST} alone`)
  return {
    command: 'launch',
    ...(config !== undefined && { config }),
    host: DEFAULT_HOST,
    port: readPort(port ?? '0', undefined),
    // The screen is the client's, so the page's address is shown only when the page was asked for.
    inspect: false,
    ...inspectOptions(values),
    warm: isWarmed(values, environment),
    launch: {
      client,
      ...(model !== undefined && { model }),
      ...(small !== undefined && { small }),
      ...(log !== undefined && { log }),
      ...(print && { print }),
      args,
    },
  }
}

const OPTIONS = {
  config: { type: 'string', short: 'c' },
  port: { type: 'string', short: 'p' },
  host: { type: 'string' },
  path: { type: 'string' },
  online: { type: 'boolean' },
  strict: { type: 'boolean' },
  watch: { type: 'boolean' },
  workers: { type: 'string' },
  'no-warm': { type: 'boolean' },
  inspect: { type: 'boolean' },
  'inspect-port': { type: 'string' },
  model: { type: 'string' },
  small: { type: 'string' },
  log: { type: 'string' },
  print: { type: 'boolean' },
  dialect: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  cloud: { type: 'string' },
  from: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new ConfigError('options', faultOfOptions(error instanceof Error ? error.message : ''))
  }
}

/** In our own words, because those of Node name no option that was meant. */
function faultOfOptions(message: string): string {
  const [, name = ''] = /'(?:-\w, )?(--?[\w-]+)/.exec(message) ?? []
  if (message.startsWith('Unknown option')) {
    const known = Object.keys(OPTIONS).map((each) => `--${each}`)
    return `there is no option "${name}"${hint(name, known) || '; see --help'}`
  }
  const what = /does not take/.test(message) ? 'takes no value' : 'expects a value'
  return `"${name}" ${what}; see --help`
}

function readCommand(name: string): Command {
  const command = COMMANDS.find((known) => known === name)
  if (command) return command
  const advice = hint(name, COMMANDS) || `; ${adviceFor(name)}`
  throw new ConfigError('options', `there is no command "${name}"${advice}`)
}

/** `launch` is told by the first word, because what stands behind its `--` is the client's. */
const LAUNCH_FIRST =
  'launch comes first, and its options behind it: dragoman launch CLIENT --config FILE'

function checkOperands(
  command: Command,
  file: string | undefined,
  others: readonly string[],
  path: string | undefined,
): void {
  if (command === 'launch') throw new ConfigError('options', LAUNCH_FIRST)
  const [extra] = ['explain', 'init', 'models', 'verify'].includes(command)
    ? others
    : [file, ...others]
  if (extra !== undefined)
    throw new ConfigError('options', `unexpected "${extra}"; ${adviceFor(extra)}`)
  if (command === 'explain' && file === undefined)
    throw new ConfigError('options', 'explain expects a FILE that holds the body of a request')
  if (command === 'verify' && file === undefined)
    throw new ConfigError('options', 'verify expects a FILE that "record" has written')
  if (command === 'explain' && path === undefined)
    throw new ConfigError('options', 'explain expects --path, such as --path /v1/messages')
  if (command === 'explain' && !path?.startsWith('/'))
    throw new ConfigError('--path', 'expected a path that begins with "/", such as /v1/messages')
}

/** Where a word may belong that stands alone. */
const adviceFor = (word: string): string =>
  /\.jsonc?$/.test(word) ? '--config names a configuration' : 'see --help'

const MOST_WORKERS = 64

function workersOption(
  option: string | undefined,
  variable: string | undefined,
): Pick<Options, 'workers'> {
  const text = option ?? (variable?.trim() || undefined)
  if (text === undefined) return {}
  const workers = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (workers >= 1 && workers <= MOST_WORKERS) return { workers }
  const name = option === undefined ? 'DRAGOMAN_WORKERS' : '--workers'
  throw new ConfigError(name, `expected a number from 1 to ${MOST_WORKERS}`)
}

function isWarmed(values: Values, environment: Environment): boolean {
  const said = environment['DRAGOMAN_WARM']?.trim() || 'on'
  if (said !== 'on' && said !== 'off') throw new ConfigError('DRAGOMAN_WARM', 'expected on or off')
  return said === 'on' && !values['no-warm']
}

/** Port 0 lets the system choose one. */
function readPort(
  option: string | undefined,
  variable: string | undefined,
  name = '--port',
): number {
  const text = option ?? (variable || String(DEFAULT_PORT))
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new ConfigError(option === undefined ? 'PORT' : name, 'expected a number from 0 to 65535')
}

/** Whether only this machine reaches the address. */
export const isLoopback = (host: string): boolean => isLoopbackName(nameOfAddress(host))

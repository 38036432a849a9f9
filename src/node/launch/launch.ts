import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { constants, homedir } from 'node:os'
import { resolve } from 'node:path'
import { hint } from '../../config/lint/nearest.ts'
import { ConfigError, type Environment } from '../../config/config.ts'
import type { Settings } from '../../config/settings.ts'
import { PAGE } from '../command/describe.ts'
import { serve, settingsFor } from '../command/commands.ts'
import { secretNames } from '../command/find-settings.ts'
import type { LaunchOptions, Options } from '../command/options.ts'
import type { Process } from '../process/process.ts'
import { errorCode } from '../process/files.ts'
import type { Client, Start, LaunchFacts } from './client.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import { qwen } from './qwen.ts'
import { fillFolder, privateFolder, removeFolder, sweepLeftovers } from './folder.ts'
import { modelsFor, unknownLimits } from './models.ts'
import { askProgram, findProgram } from './program.ts'
import { FOLDER, shellLines } from './shell.ts'

const clients: readonly Client[] = [claude, codex, gemini, opencode, qwen]

/** The exit codes of shells for a program that cannot be started, and for one that is not found. */
const NOT_STARTED = 126
const NOT_FOUND = 127

/** Starts the proxy and a client that talks to it. Resolves with the exit code of the client. */
export async function launch(options: Options, world: Process): Promise<number> {
  const wanted = options.launch ?? { client: '', args: [] }
  const client = findClient(wanted.client)
  refuseOverruling(client, wanted.args)
  const settings = settingsFor(options, world)
  const program = findProgram(client, world.environment)
  const clientWorld = forClient(options, world)
  const known: Known = {
    ...modelsFor(client, settings, wanted),
    sockets: settings.sockets !== false,
    home: homedir(),
    directory: world.directory,
    environment: world.environment,
    learned: program && askProgram(program, client, clientWorld.environment),
  }
  const unknown = unknownLimits(client, settings, known.model)
  if (unknown !== undefined) world.complain(unknown)
  if (wanted.print) {
    const at = `http://127.0.0.1:${options.port || PRINTED_PORT}`
    const start = client.start({ ...known, url: at, key: 'any', folder: FOLDER })
    const set = { ...start.set, ...(goesRound(world.environment) && directly(world.environment)) }
    world.write(PRINTED + shellLines(client, { ...start, set }, wanted.args))
    return 0
  }
  if (program === undefined) {
    world.complain(`${client.name} is not on PATH; npm install -g ${client.npm} installs it`)
    return NOT_FOUND
  }
  const own = behind(wanted, world)
  if (settings.origin === 'demo') world.say(DEMO)
  const key = randomBytes(32).toString('base64url')
  const proxy = await serve(options, own, {
    settings: guarded(settings, client, key),
    files: [],
  })
  try {
    return await inFolder((folder) => {
      const start = client.start({ ...known, url: proxy.url, key, folder })
      fillFolder(folder, start)
      return runClient(program, start, wanted.args, clientWorld)
    })
  } finally {
    await proxy.stop()
  }
}

/** The client asks the proxy with a key of its own, and its model may read its environment. */
function forClient({ config: file }: Options, world: Process): Process {
  const { environment, directory } = world
  const secret = new Set(secretNames({ file, environment, directory }))
  const others = Object.entries(environment).filter(([name]) => !secret.has(name))
  return { ...world, environment: Object.fromEntries(others) }
}

/** What is known before anything listens. */
type Known = Omit<LaunchFacts, 'url' | 'key' | 'folder'>

const PRINTED_PORT = 8787
const PRINTED = `# These lines lead to a proxy that is open, as "dragoman" by itself starts one; launch starts one with a key.\n`
const DEMO =
  'dragoman: nothing is configured, so upstreams in this process answer, and no model does\n'

function findClient(name: string): Client {
  const client = clients.find((known) => known.name === name)
  if (client) return client
  const names = clients.map((known) => known.name)
  const advice = hint(name, names) || '; see --help'
  throw new ConfigError('options', `launch expects one of ${names.join(', ')}${advice}`)
}

/** Refuses arguments of the user that would lead the client past the proxy. */
function refuseOverruling({ name, overruling }: Client, args: readonly string[]): void {
  const found = args.find((each) => overruling.some((pattern) => pattern.test(each)))
  if (found === undefined) return
  const [option = found] = found.split('=')
  throw new ConfigError('options', `launch itself tells ${name} what "${option}" would; see --help`)
}

/**
 * The proxy of a launch serves this client alone, and ends with it. Gemini CLI sends no proofs of reasoning back, so
 * they are kept for it.
 */
const guarded = (settings: Settings, { name }: Client, key: string): Settings => ({
  ...settings,
  callers: { kind: 'keys', keys: [{ name: 'launch', key }] },
  limits: { ...settings.limits, drainMs: 0, lingerMs: 0 },
  ...(name === 'gemini' && { retention: { ...settings.retention, proofs: true } }),
})

/** The screen is the client's, so the proxy writes nothing, or to a file. */
function behind({ log }: LaunchOptions, world: Process): Process {
  const file = log === undefined ? undefined : logFile(world.directory, log)
  return {
    ...world,
    logStyle: 'json',
    say: (text) => {
      const line = text.split('\n').find((each) => each.startsWith(PAGE))
      if (line !== undefined) world.say(`dragoman: ${line}\n`)
    },
    complain: () => undefined,
    replaceLine: undefined,
    write: (text) => {
      if (file !== undefined) append(file, text)
    },
  }
}

/** The file for the log, which can be written to as the client starts. */
function logFile(directory: string, name: string): string {
  const file = resolve(directory, name)
  const fault = append(file, '')
  if (fault !== undefined) throw new ConfigError(name, `cannot be written (${fault})`)
  return file
}

/** Appends to a file. A failure there, such as a full disk, is no reason to end the client. */
function append(file: string, text: string): string | undefined {
  try {
    appendFileSync(file, text, { mode: 0o600 })
    return undefined
  } catch (error) {
    return errorCode(error)
  }
}

async function inFolder(work: (folder: string) => Promise<number>): Promise<number> {
  sweepLeftovers()
  const folder = privateFolder()
  const remove = () => removeFolder(folder)
  process.once('exit', remove)
  try {
    return await work(folder)
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/** The terminal sends these signals to both; in the client they stop its turn, so the proxy ignores them. */
const IGNORED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']
const FORWARDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP']

/** Runs the client on this terminal. Resolves with its exit code as a shell reports it. */
function runClient(
  program: string,
  start: Start,
  rest: readonly string[],
  world: Process,
): Promise<number> {
  const running = spawn(program, [...start.args, ...rest], {
    cwd: world.directory,
    env: environmentFor(start, world.environment),
    stdio: 'inherit',
  })
  const release = whileItRuns(running)
  return new Promise<number>((resolve) => {
    // It is there, and yet no program: a script whose interpreter is gone, or one for another machine.
    running.on('error', (error) => {
      if (running.pid !== undefined) return
      world.complain(`${program} cannot be started (${errorCode(error)})`)
      resolve(NOT_STARTED)
    })
    running.once('exit', (code, signal) => resolve(code ?? exitCode(signal)))
  }).finally(release)
}

const SIGNALLED = 128

const exitCode = (signal: NodeJS.Signals | null): number =>
  SIGNALLED + (signal === null ? 0 : constants.signals[signal])

const ignore = (): void => undefined

/** Ends the client when the proxy ends first. */
function whileItRuns(running: ChildProcess): () => void {
  const forward = (signal: NodeJS.Signals) => void running.kill(signal)
  const end = () => void running.kill()
  for (const signal of IGNORED) process.on(signal, ignore)
  for (const signal of FORWARDED) process.on(signal, forward)
  process.on('exit', end)
  return () => {
    for (const signal of IGNORED) process.off(signal, ignore)
    for (const signal of FORWARDED) process.off(signal, forward)
    process.off('exit', end)
  }
}

const LOOPBACK = ['127.0.0.1', 'localhost']

/** Whether requests may go through a proxy of the environment. */
const goesRound = (ours: Environment): boolean =>
  Object.keys(ours).some((name) => /^(?:https?|all)_proxy$/i.test(name))

function environmentFor({ set, unset }: Start, ours: Environment): NodeJS.ProcessEnv {
  const kept = Object.entries(ours).filter(([name]) => !unset.includes(name))
  return { ...Object.fromEntries(kept), ...set, ...directly(ours) }
}

/** A proxy in the environment would get the requests to this machine too, so this machine is added to NO_PROXY. */
function directly(ours: Environment): Record<string, string> {
  const names = ['NO_PROXY', 'no_proxy'] as const
  return Object.fromEntries(
    names.map((name) => {
      const listed = ours[name] || ours[name.toLowerCase()] || ours[name.toUpperCase()] || ''
      const all = listed.split(',').map((each) => each.trim())
      return [name, [...new Set([...all.filter(Boolean), ...LOOPBACK])].join(',')]
    }),
  )
}

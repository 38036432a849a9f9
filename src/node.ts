import { check, explain, models, type Proxy, serve, settingsFor } from './node/command/commands.ts'
import { serveTogether, WorkerFailure } from './node/cluster/primary.ts'
import { serveForPrimary } from './node/cluster/worker.ts'
import { errorCode } from './node/process/files.ts'
import { ConfigError } from './config/config.ts'
import { writeFault } from './config/lint/finding.ts'
import { versionText } from './node/command/commit.ts'
import { helpFor, type Options, readCommandLine, tooOld } from './node/command/options.ts'
import type { Process } from './node/process/process.ts'
import { profileTable } from './node/command/describe.ts'
import { onSignals } from './node/process/signals.ts'
import { boundedOutput } from './node/server/unread-output.ts'

/**
 * A configuration error has an exit code of its own (EX_CONFIG of sysexits.h), so that a supervisor need not start
 * again.
 */
const EXIT = { failure: 1, configuration: 78 } as const

const colourless = Boolean(process.env['NO_COLOR']) || process.env['TERM'] === 'dumb'

const complain = (line: string) => void process.stderr.write(`dragoman: ${line}\n`)

const world: Process = {
  environment: process.env,
  directory: process.cwd(),
  write: boundedOutput(process.stdout, complain),
  say: (text) => process.stderr.write(text),
  complain,
  replaceLine:
    process.stderr.isTTY && process.env['TERM'] !== 'dumb'
      ? (text) => process.stderr.write(`\r\u001b[K${text}`)
      : undefined,
  logStyle: process.stdout.isTTY ? (colourless ? 'plain' : 'colour') : 'json',
}

const fail = (message: string, code: number): never => {
  world.complain(message.replaceAll(/\s*\n\s*/g, ' '))
  process.exit(code)
}

function refuse({ faults }: ConfigError): never {
  for (const fault of faults) world.complain(writeFault(fault).replaceAll(/\s*\n\s*/g, ' '))
  process.exit(EXIT.configuration)
}

async function main(): Promise<void> {
  const reason = tooOld(process.versions.node)
  if (reason !== undefined) fail(reason, EXIT.failure)
  const options = readCommandLine(process.argv.slice(2), process.env)
  switch (options.command) {
    case 'help':
      return world.write(helpFor(options.about))
    case 'version':
      return world.write(`${versionText()}\n`)
    case 'check':
      if (!(await check(options, world))) process.exitCode = EXIT.configuration
      return
    case 'explain':
      if (!(await explain(options, world))) process.exitCode = EXIT.failure
      return
    case 'verify': {
      const { verifyFile } = await import('./node/record/verify.ts')
      const { file = '' } = options
      if (!(await verifyFile(file, settingsFor(options, world), world)))
        process.exitCode = EXIT.failure
      return
    }
    case 'profiles':
      return world.write(profileTable())
    case 'models':
      return models(options, world)
    case 'launch':
      return process.exit(await (await import('./node/launch/launch.ts')).launch(options, world))
    case 'init':
      return (await import('./node/init/init.ts')).init(options, world)
    case 'serve':
      return (options.workers ?? 1) > 1 ? startSeveral(options) : start(serve(options, world))
    default:
      options.command satisfies never
  }
}

/** The same command in each process: the first one starts the others, and they serve. */
async function startSeveral(options: Options): Promise<void> {
  const { default: cluster } = await import('node:cluster')
  if (cluster.isWorker) return serveForPrimary(options, world)
  return start(serveTogether(cluster, options, world))
}

async function start(proxy: Promise<Proxy>): Promise<void> {
  // Before the address is printed, so that a signal right after it is handled.
  onSignals(
    () => proxy.then((running) => running.stop()),
    () => proxy.then((running) => running.reload()),
  )
  await proxy
}

const LISTEN_ERRORS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'is taken by another program; --port N or PORT chooses another'],
  ['EACCES', 'may not be used by this user'],
  ['EADDRNOTAVAIL', 'is not an address of this machine'],
  ['ENOTFOUND', 'is not an address of this machine'],
])

function explainFailure(error: unknown): never {
  if (error instanceof ConfigError) return refuse(error)
  if (error instanceof WorkerFailure) {
    world.say(error.message)
    process.exit(error.code)
  }
  const { host, port } = readCommandLine(process.argv.slice(2), process.env)
  const reason = LISTEN_ERRORS.get(errorCode(error))
  return fail(
    reason ? `${host}:${port} ${reason}` : error instanceof Error ? error.message : String(error),
    EXIT.failure,
  )
}

// A reader of the log that ends (`| head`) does not stop the proxy.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)
process.on('uncaughtException', (error) =>
  fail(`stops because of a fault: ${error.message}`, EXIT.failure),
)

main().catch(explainFailure)

import { resolve } from 'node:path'
import { ConfigError, type Environment, examined, settingsIn } from '../../config/config.ts'
import { writeFault } from '../../config/lint/finding.ts'
import type { Settings } from '../../config/settings.ts'
import type { ConfigSource } from '../../config/source.ts'
import { secretFiles, withSecretFiles } from '../process/files.ts'
import { configurationFile, DEFAULT_FILE, findSource } from './find-settings.ts'
import { type Command, isLoopback, type Options } from './options.ts'
import type { Process } from '../process/process.ts'

/** A configuration as it was read, with the variables and secrets beside it: plain data, for another process too. */
export interface ReadConfig {
  source: Pick<ConfigSource, 'origin' | 'value' | 'broken' | 'faults'>
  environment: Environment
}

/** Settings with what they came from, and the files that have a part in it. */
export interface FoundSettings {
  settings: Settings
  files: string[]
  read: ReadConfig
  /** How many warnings were told. */
  warnings: number
}

/** The others may be asked about an upstream at the port where this proxy is by default. */
const LISTENERS: readonly Command[] = ['serve', 'check', 'launch']

const toPlatform = ({ command, host, port }: Options) => ({
  exposed: !isLoopback(host),
  listens: { host, port: LISTENERS.includes(command) ? port : 0 },
})

/**
 * Reads the configuration of a command; the address decides whether callers have to be named. `former`: the origin of
 * the one in use. Throws where that was `dragoman.json` and the file is gone, because a reload would go on with the
 * variables alone, or with the demo.
 */
export function foundSettings(options: Options, world: Process, former?: string): FoundSettings {
  const source = sourceFor(options, world)
  if (former === DEFAULT_FILE && source.origin !== former)
    throw new ConfigError(former, 'no such file')
  const environment = withSecretFiles(world.environment, source.value)
  const result = examined(source, environment, toPlatform(options))
  const settings = settingsIn(result)
  demandShareable(options, settings)
  for (const warning of result.faults) world.complain(writeFault(warning))
  const files = filesOf(options, world, source)
  const { origin, value, broken, faults } = source
  const warnings = result.faults.length
  return {
    settings,
    files,
    warnings,
    read: { source: { origin, value, broken, faults }, environment },
  }
}

/** The files that have a part in a configuration. */
function filesOf(
  { config: file }: Options,
  { directory, environment }: Process,
  { value }: Pick<ConfigSource, 'value'>,
): string[] {
  const main = configurationFile({ file, environment })
  return [...(main === undefined ? [] : [resolve(directory, main)]), ...secretFiles(value)]
}

/** The files that the configuration names now, also where it is faulty because one of them is not there yet. */
export function filesNow(options: Options, world: Process): string[] {
  try {
    return filesOf(options, world, sourceFor(options, world))
  } catch {
    return []
  }
}

/** The settings of a configuration that another process has read and checked. */
export const settingsFrom = ({ source, environment }: ReadConfig, options: Options): Settings =>
  settingsIn(examined(source, environment, toPlatform(options)))

export const sourceFor = ({ config }: Options, { environment, directory }: Process): ConfigSource =>
  findSource({ file: config, environment, directory })

/** Stores in the memory of one process, of which the others know nothing. */
const OF_ONE_PROCESS = /^memory$|^sqlite:(?::memory:)$/

/** Throws `ConfigError` for what several processes behind one port cannot do together. */
function demandShareable({ workers = 1, inspect }: Options, { state, inspect: page }: Settings) {
  if (workers < 2) return
  if (OF_ONE_PROCESS.test(state))
    throw new ConfigError(
      '--workers',
      `${workers} processes cannot share state.store "${state}": expected sqlite:FILE, redis://HOST or off`,
    )
  if (inspect ?? page)
    throw new ConfigError('--workers', 'the page (--inspect) sees one process: expected 1 with it')
}

import { ConfigError, type Environment } from '../../config/config.ts'
import { type ConfigSource, textSource } from '../../config/source.ts'
import { environmentSource, secretVariables, withVariables } from '../../config/variables.ts'
import { textFile } from '../process/files.ts'

/** Where a configuration is looked for that nothing names. */
export const DEFAULT_FILE = 'dragoman.json'
const VARIABLE = 'DRAGOMAN_CONFIG'

export interface SettingsSources {
  /** The value of --config. */
  file?: string | undefined
  environment: Environment
  directory: string
}

/**
 * The first of: --config, DRAGOMAN_CONFIG (a file, or the document itself) and dragoman.json, each with the
 * variables' values added; else the variables alone; else the demo.
 */
export function findSource({ file, environment, directory }: SettingsSources): ConfigSource {
  const from = (text: string, origin: string) =>
    withVariables(textSource(text, origin), environment)
  const fromFile = (name: string) => {
    const text = textFile(directory, name)
    if (text === undefined) throw new ConfigError(name, 'no such file')
    return from(text, name)
  }
  const named = environment[VARIABLE]?.trim()
  if (file === '') throw new ConfigError('--config', 'expected the name of a file')
  if (file !== undefined) {
    const source = fromFile(file)
    return named && named !== file ? overruling(source) : source
  }
  if (named) return isDocument(named) ? from(named, VARIABLE) : fromFile(named)
  const text = textFile(directory, DEFAULT_FILE)
  return text === undefined ? environmentSource(environment) : from(text, DEFAULT_FILE)
}

/** The path of the configuration, where it is a file. */
export function configurationFile({
  file,
  environment,
}: Omit<SettingsSources, 'directory'>): string | undefined {
  const named = environment[VARIABLE]?.trim()
  if (file !== undefined) return file
  if (named) return isDocument(named) ? undefined : named
  return DEFAULT_FILE
}

const overruling = (source: ConfigSource): ConfigSource => ({
  ...source,
  faults: [
    ...source.faults,
    {
      severity: 'warning',
      origin: 'environment',
      place: VARIABLE,
      expected: '--config names another one, which is used instead',
    },
  ],
})

/** The variables that hold secrets of a configuration. A document in a variable is one, whatever stands in it. */
export function secretNames({ environment, ...sources }: SettingsSources): string[] {
  const named = environment[VARIABLE]?.trim() ?? ''
  const own = secretVariables(findSource({ ...sources, environment }))
  return isDocument(named) ? [VARIABLE, ...own] : own
}

/** A document begins with a brace or a comment, which file names practically never do. */
const isDocument = (text: string): boolean => /^(?:\{|\/\*|\/\/)/.test(text)

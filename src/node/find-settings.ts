import { demoForm, shortForm } from '../gateway/config-short.ts'
import {
  ConfigError,
  type Environment,
  type Platform,
  settingsFromText,
} from '../gateway/config.ts'
import type { Settings } from '../gateway/settings.ts'
import { textFile } from './files.ts'

const DEFAULT_FILE = 'dragoman.json'
const VARIABLE = 'DRAGOMAN_CONFIG'

export interface Sources {
  /** What --config says. */
  file?: string | undefined
  environment: Environment
  directory: string
}

/** The first of: --config, DRAGOMAN_CONFIG (a file or the document itself), dragoman.json, the short form, the demo. */
export function findSettings(sources: Sources, platform: Platform): Settings {
  const { file, environment, directory } = sources
  const from = (text: string, origin: string) =>
    settingsFromText(text, environment, { ...platform, origin })
  const fromFile = (name: string) => {
    const text = textFile(directory, name)
    if (text === undefined) throw new ConfigError(name, 'no such file')
    return from(text, name)
  }
  if (file !== undefined) return fromFile(file)
  const named = environment[VARIABLE]?.trim()
  if (named) return isDocument(named) ? from(named, VARIABLE) : fromFile(named)
  const text = textFile(directory, DEFAULT_FILE)
  if (text !== undefined) return from(text, DEFAULT_FILE)
  return shortForm(environment, platform) ?? demoForm(environment, platform)
}

/** A document begins with a brace or a comment, as no file name does that anybody would choose. */
const isDocument = (text: string): boolean => /^(?:\{|\/\*|\/\/)/.test(text)

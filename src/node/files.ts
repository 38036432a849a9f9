import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError, type Environment } from '../config/config.ts'
import { FROM_FILE } from '../config/values.ts'

/** The text of a file; undefined when there is no such file. Throws `ConfigError` for a file that is no text. */
export function textFile(directory: string, name: string): string | undefined {
  try {
    const bytes = readFileSync(resolve(directory, name))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return undefined
    const isText = code !== 'ERR_ENCODING_INVALID_ENCODED_DATA'
    throw new ConfigError(name, isText ? `cannot be read (${code})` : 'expected UTF-8')
  }
}

/** The bytes of a file, or of the standard input for `-`. */
export function bytesFile(directory: string, name: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(name === '-' ? 0 : resolve(directory, name)))
  } catch (error) {
    throw new ConfigError(name, `cannot be read (${errorCode(error)})`)
  }
}

/** The code of a system error, or its name. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** The files in which a configuration keeps its secrets, each once. */
export const secretFiles = (value: unknown): string[] =>
  namedFiles(value).map((name) => name.slice(FROM_FILE.length - 1))

/** The places of files, as the configuration writes them: `file:/run/secrets/key`. */
function namedFiles(value: unknown): string[] {
  const strings = (JSON.stringify(value) ?? '').matchAll(/"(file:\/(?:[^"\\]|\\.)+)"/g)
  return [...new Set([...strings].map(([quoted]) => String(JSON.parse(quoted))))]
}

/** The variables, together with the content of these files. A file that cannot be read is left out. */
export function withSecretFiles(environment: Environment, value: unknown): Environment {
  const held = namedFiles(value).flatMap((name) => {
    const text = readable(name.slice(FROM_FILE.length - 1))
    return text === undefined ? [] : [[name, text] as const]
  })
  return held.length > 0 ? { ...environment, ...Object.fromEntries(held) } : environment
}

function readable(path: string): string | undefined {
  try {
    return textFile('/', path)
  } catch {
    return undefined
  }
}

import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError, type Environment } from '../../config/config.ts'
import { MAX_SECRET_FILE_BYTES } from '../../config/defaults.ts'
import { FROM_FILE, whyUnread } from '../../config/values.ts'

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

/** The variables, together with the content of these files, or with why there is none. */
export function withSecretFiles(environment: Environment, value: unknown): Environment {
  const held = namedFiles(value).map((name) => {
    const { text, fault } = secretFile(name.slice(FROM_FILE.length - 1))
    return fault === undefined ? [name, text] : [whyUnread(name), fault]
  })
  return held.length > 0 ? { ...environment, ...Object.fromEntries(held) } : environment
}

type SecretText = { text: string; fault?: undefined } | { text?: undefined; fault: string }

/** Opened without waiting: a pipe without a writer would hold up the whole process, and a device may have no end. */
function secretFile(path: string): SecretText {
  let file: number | undefined
  try {
    if (!statSync(path).isFile())
      return { fault: 'is no regular file, from which a secret is read' }
    // By now it may be another.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!fstatSync(file).isFile()) return { fault: 'cannot be read' }
    const bytes = beginningOf(file, MAX_SECRET_FILE_BYTES + 1)
    if (bytes.length > MAX_SECRET_FILE_BYTES)
      return { fault: `is larger than ${MAX_SECRET_FILE_BYTES} bytes, which no secret is` }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { fault: 'cannot be read' }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** The size that a file claims need not be true. */
function beginningOf(file: number, most: number): Uint8Array {
  const bytes = new Uint8Array(most)
  let length = 0
  let more: number
  do {
    more = readSync(file, bytes, length, most - length, null)
    length += more
  } while (more > 0 && length < most)
  return bytes.subarray(0, length)
}

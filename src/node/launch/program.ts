import { spawnSync } from 'node:child_process'
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Environment } from '../../config/config.ts'
import type { Client } from './client.ts'

/** The path of a client's program: on PATH, else where its installer puts it. */
export function findProgram(
  { name, places }: Pick<Client, 'name' | 'places'>,
  environment: Environment,
): string | undefined {
  const onPath = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const folders = [...onPath, ...places.map((place) => join(homedir(), place))]
  const endings = process.platform === 'win32' ? ['.exe', '.com'] : ['']
  return folders
    .flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
    .find(canRun)
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

const PATIENCE_MS = 3000

/**
 * What a client's program prints for the arguments in `asks`. Undefined where the client needs none, or where the
 * program is a script of the user's, which could do anything when it runs.
 */
export function askProgram(
  program: string,
  { asks, npm }: Pick<Client, 'asks' | 'npm'>,
  environment: Environment,
): string | undefined {
  if (!asks || !(realpathSync(program).includes(`/${npm}/`) || isBinary(program))) return undefined
  const { status, stdout } = spawnSync(program, asks, {
    env: { ...environment },
    encoding: 'utf8',
    killSignal: 'SIGKILL',
    maxBuffer: 16 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: PATIENCE_MS,
  })
  return status === 0 ? stdout : undefined
}

function isBinary(file: string): boolean {
  const handle = openSync(file, 'r')
  const start = Buffer.alloc(2)
  const count = readSync(handle, start)
  closeSync(handle)
  return count === start.length && start.toString('latin1') !== '#!'
}

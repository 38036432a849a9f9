import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const INSTALL_MS = 300_000
const TURN_MS = 90_000
/** For what takes minutes of a processor. */
export const SLOW_MS = 300_000
const PROJECT = 'test/clients'
const BIN = resolve(PROJECT, 'node_modules/.bin')

/** An empty world for the clients: a home, a folder to work in, and one for temporary files. */
export class World {
  readonly home = mkdtempSync(join(tmpdir(), 'dragoman-clients-'))
  readonly temporary = join(this.home, 'tmp')
  readonly work = join(this.home, 'work')

  constructor() {
    for (const folder of ['tmp', 'home', 'work']) mkdirSync(join(this.home, folder))
  }

  get environment(): Record<string, string> {
    return {
      PATH: [BIN, resolve('node_modules/.bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      HOME: join(this.home, 'home'),
      TMPDIR: this.temporary,
      TERM: 'dumb',
    }
  }

  /** A home of its own for what runs beside others. */
  homeOf(slot: number): string {
    const home = join(this.home, `home-${slot}`)
    mkdirSync(home, { recursive: true })
    return home
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 })
  }

  /** `others`: what is installed too, but may be missed by itself. */
  installed(names: readonly string[], others: readonly string[]): boolean {
    if ([...names, ...others].every(isInBin) && this.#work(names)) return true
    // Without a lock file: npm leaves the binaries of other platforms out of it, and then refuses it.
    install()
    return this.#work(names)
  }

  /** What starts here, with the Node that runs this. */
  #work(names: readonly string[]): boolean {
    return names.every((name) => {
      const options = { env: this.environment, timeout: 30_000 }
      return spawnSync(join(BIN, name), ['--version'], options).status === 0
    })
  }

  async starts(command: readonly string[], env: Record<string, string>): Promise<boolean> {
    const around = { cwd: this.work, env, mostMs: SLOW_MS }
    const { code } = await ended([...command, '--version'], around)
    return code === 0
  }
}

/** `packages`: installed beside those of the manifest. */
export function install(...packages: string[]): void {
  const more = packages.length > 0 ? ['--no-save', ...packages] : []
  npmInstall(PROJECT, more)
}

/** Into a project: what it names already, and these. */
export function npmInstall(project: string, packages: readonly string[]): void {
  const args = ['install', '--prefix', project, '--no-package-lock', '--no-audit', '--no-fund']
  spawnSync('npm', [...args, ...packages], { stdio: 'inherit', timeout: INSTALL_MS })
}

export const isInBin = (name: string): boolean => existsSync(join(BIN, name))

export interface Ended {
  code: unknown
  out: string
  error: string
  ms: number
  /** When a text came for which was waited, after so many milliseconds. */
  saidMs?: number
}

interface Surroundings {
  cwd: string
  env: Record<string, string>
  said?: RegExp
  mostMs?: number
}

/** A program up to its end. It reads nothing, so that no client waits for a person. */
export async function ended(
  command: readonly string[],
  { cwd, env, said, mostMs = TURN_MS }: Surroundings,
): Promise<Ended> {
  const began = performance.now()
  const [program = '', ...args] = command
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  const child = spawn(program, args, { cwd, env, stdio, timeout: mostMs })
  const since = () => Math.round(performance.now() - began)
  const result: Ended = { code: undefined, out: '', error: '', ms: 0 }
  child.stdout.on('data', (chunk) => {
    result.out += chunk
    if (result.saidMs === undefined && said?.test(result.out)) result.saidMs = since()
  })
  child.stderr.on('data', (chunk) => (result.error += chunk))
  const code = await new Promise((settle) => child.once('close', settle))
  return { ...result, code, ms: since() }
}

/** Whether all that a log says of turns came on a socket. */
export function isConnected(log: readonly string[]): boolean {
  const asked = log.filter((line) => line.includes('"path":"/v1/responses"'))
  return asked.length > 1 && asked.every((line) => line.includes('"connection":'))
}

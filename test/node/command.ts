import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { lookAtProcess } from '../canary/watch.ts'

/** The command that was built for the tests (`built.ts`); `COMMAND=src/node.ts` tries the sources in its place. */
const ENTRY = resolve(process.env['COMMAND'] ?? 'src/node.ts')
const DEADLINE_MS = 120_000

export interface Finished {
  code: number | null
  out: string
  error: string
}

/** The real command, in an empty folder of its own and an empty environment. */
export interface Command {
  child: ChildProcess
  /** What it has printed so far. */
  printed(): { out: string; error: string }
  /** Resolves with the address when it listens. */
  listening(): Promise<string>
  finished: Promise<Finished>
}

export interface Folder {
  path: string
  /** Writes a file into the folder. */
  write(name: string, text: string): void
  run(
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
    /** As npm does it: with a shell in between, which passes nothing on; or with room for few connections. */
    through?: 'shell' | 'few-files',
  ): Command
  remove(): void
}

export function emptyFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'dragoman-'))
  const commands: Command[] = []
  return {
    path,
    write: (name, text) => writeFileSync(join(path, name), text),
    run(args, environment = {}, through) {
      const line = [process.execPath, ENTRY, ...args]
      const text = `"${line.join('" "')}"`
      const script = through === 'shell' ? `${text}; true` : `ulimit -n 64; exec ${text}`
      const command = started(path, through ? ['sh', '-c', script] : line, environment)
      commands.push(command)
      return command
    },
    remove() {
      for (const { child } of commands) child.kill('SIGKILL')
      rmSync(path, { recursive: true })
    },
  }
}

function started(
  cwd: string,
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Command {
  // Exchanges that nobody asked for would take the time of the tests beside it.
  const child = spawn(program, args, { cwd, env: { DRAGOMAN_WARM: 'off', ...environment } })
  let out = ''
  let error = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (error += chunk))
  const finished = new Promise<Finished>((settle) =>
    child.once('close', (code) => {
      lookAtProcess(out + error, environment)
      settle({ code, out, error })
    }),
  )
  const until = performance.now() + DEADLINE_MS
  const listening = async (): Promise<string> => {
    for (;;) {
      const address = /listens on (http:\/\/\S+)/.exec(error)?.[1]
      if (address && error.includes('Try it:')) return address
      if (child.exitCode !== null || performance.now() > until) throw new Error(out + error)
      await new Promise((wake) => setTimeout(wake, 10))
    }
  }
  return { child, printed: () => ({ out, error }), listening, finished }
}

import { spawn, spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { freePort } from '../ports.ts'

const FOLDER = resolve('test/real-server')
const INSTALL_MS = 120_000
const MODEL_MS = 30_000
const START_MS = 30_000

/** A llama.cpp server with a model of random weights. */
export interface RealServer {
  url: string
  /** What it has logged. */
  log(): string
  stop(): void
}

/** Why there is none, in words, where it cannot be installed here. */
export async function startServer(home: string): Promise<RealServer | string> {
  const python = join(home, 'venv/bin/python')
  const model = join(home, 'tiny.gguf')
  const steps: [what: string, ms: number, command: string, ...args: string[]][] = [
    ['no Python with venv', MODEL_MS, 'python3', '-m', 'venv', join(home, 'venv')],
    [
      'the packages cannot be installed',
      INSTALL_MS,
      python,
      ...'-m pip install --quiet --disable-pip-version-check --only-binary :all: -r'.split(' '),
      join(FOLDER, 'requirements.txt'),
    ],
    ['no model can be made', MODEL_MS, python, join(FOLDER, 'model.py'), model],
  ]
  for (const [what, timeout, command, ...args] of steps) {
    const { status, stderr } = spawnSync(command, args, { timeout, encoding: 'utf8' })
    if (status !== 0) return `${what}: ${String(stderr ?? '').slice(-300)}`
  }
  return launch(python, model)
}

async function launch(python: string, model: string): Promise<RealServer | string> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(python, [join(FOLDER, 'serve.py'), model, String(port)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let log = ''
  child.stdout.on('data', (chunk) => (log += chunk))
  child.stderr.on('data', (chunk) => (log += chunk))
  const stop = () => void child.kill('SIGKILL')
  const until = Date.now() + START_MS
  while (Date.now() < until && child.exitCode === null) {
    const answer = await fetch(`${url}/health`).catch(() => undefined)
    if (answer?.ok) return { url, log: () => log, stop }
    await new Promise((settle) => setTimeout(settle, 100))
  }
  stop()
  return `the server does not start: ${log.slice(-300)}`
}

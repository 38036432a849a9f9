import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { buildSync } from 'esbuild'
import { RECALL_BYTES } from '../../src/config/defaults.ts'
import type { ProxyKind } from './lanes.ts'
import { configFor, type Proxy } from './processes.ts'

/** Processes of workerd, the runtime of Workers: one of Hono that hands everything through, and dragoman's. */

const BUNDLE = 'dist/worker/worker.js'

const BARE = `import { Hono } from 'hono'
const app = new Hono()
app.all('*', ({ req, env }) => {
  const { pathname, search } = new URL(req.url)
  const { method, headers, body } = req.raw
  return fetch(env.UPSTREAM + pathname + search, { method, headers, body })
})
export default app
`

/** In one file, as Workers take it. */
function bareCode(): string {
  const options = { bundle: true, format: 'esm', minify: true, write: false } as const
  const stdin = { contents: BARE, resolveDir: process.cwd() }
  return buildSync({ ...options, stdin }).outputFiles[0]?.text ?? ''
}

interface Worker {
  code: string
  bindings: Readonly<Record<string, string>>
}

const bareWorker = (port: number): Worker => ({
  code: bareCode(),
  bindings: { UPSTREAM: `http://127.0.0.1:${port}` },
})

/** No binding for a memory: on workerd alone there is no place for one. Sessions are remembered as with one. */
const STATE = { store: 'off', recallBytes: RECALL_BYTES.isolate }

const ownWorker = (port: number): Worker => ({
  code: readFileSync(BUNDLE, 'utf8'),
  bindings: { DRAGOMAN_CONFIG: JSON.stringify({ ...configFor(port), state: STATE }) },
})

const binding = ([name, text]: readonly [string, string]): string =>
  `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`

/** In the language that workerd is configured in. */
const configText = ({
  bindings,
}: Worker): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-10-20",
      compatibilityFlags = ["enable_request_signal"],
      bindings = [${Object.entries(bindings).map(binding).join(', ')}]
    )),
    (name = "internet", network = (allow = ["public", "private"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`

/** workerd says on a pipe of its own where it listens. */
async function portIn(control: Readable): Promise<number> {
  let text = ''
  for await (const chunk of control) {
    text += chunk
    const port = /"socket":"http","port":(\d+)/.exec(text)?.[1]
    if (port !== undefined) return Number(port)
  }
  throw new Error(`workerd did not start: ${text}`)
}

async function startWorkerd(worker: Worker): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
  writeFileSync(join(folder, 'worker.js'), worker.code)
  writeFileSync(join(folder, 'config.capnp'), configText(worker))
  const child = spawn(
    resolve('node_modules/.bin/workerd'),
    ['serve', '--control-fd=3', join(folder, 'config.capnp')],
    { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] },
  )
  const [, , , control] = child.stdio
  const port = await portIn(control as Readable)
  return {
    port,
    pid: child.pid,
    child,
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}

/** Builds the Worker unless it is there; whether it has grown too large is another's question. */
function buildWorker(): void {
  if (existsSync(BUNDLE)) return
  const { stderr } = spawnSync('npm', ['run', '--silent', 'build:worker'], { encoding: 'utf8' })
  if (!existsSync(BUNDLE)) throw new Error(`npm run build:worker: ${stderr}`)
}

/** The process behind a lane on workerd. */
export function startWorkerLane(kind: ProxyKind, upstreamPort: number): Promise<Proxy> {
  if (kind !== 'dragoman') return startWorkerd(bareWorker(upstreamPort))
  buildWorker()
  return startWorkerd(ownWorker(upstreamPort))
}

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/ports.ts'

const EMPTY = 'export class StateObject {}\nexport default { fetch: () => new Response("ok") }\n'
const RUNS = 9
const PATIENCE_MS = 15_000

/**
 * What the Worker costs to start: the CPU time that workerd has taken when the first request is answered, less
 * that of a Worker that does nothing, in milliseconds. Of several starts the cheapest counts: what else a machine
 * does makes one dearer, never cheaper. Undefined where the system does not say what a process has taken.
 */
export async function startCpuMs(code: string): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const own: number[] = []
  const empty: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    own.push(await firstAnswerMs(code))
    empty.push(await firstAnswerMs(EMPTY))
  }
  return Math.min(...own) - Math.min(...empty)
}

async function firstAnswerMs(code: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'worker-start-'))
  const port = await freePort()
  writeFileSync(join(folder, 'worker.js'), code)
  writeFileSync(join(folder, 'config.capnp'), configFor(port))
  const child = spawn('node_modules/workerd/bin/workerd', ['serve', join(folder, 'config.capnp')], {
    stdio: 'ignore',
  })
  try {
    await answered(`http://127.0.0.1:${port}/healthz`)
    return cpuMs(child.pid ?? 0)
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

const configFor = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-20",
  durableObjectNamespaces = [(className = "StateObject", uniqueKey = "state", enableSql = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "STATE", durableObjectNamespace = "StateObject")]
);
`

async function answered(url: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      await (await fetch(url)).text()
      return
    } catch (error) {
      if (Date.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** The first field of each thread is the time it has run, in nanoseconds. */
function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const spent = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6
}

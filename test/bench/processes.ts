import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Gateway } from './against.ts'
import type { Option, SideJob } from './alone.ts'
import type { ProxyKind } from './lanes.ts'
import {
  CALLER_KEY,
  type Dialect,
  DIALECTS,
  type Job,
  type Manner,
  modelOf,
  type Score,
} from './shared.ts'

/** The processes of the benchmark: started here, ended here. */

const HERE = fileURLToPath(new URL('.', import.meta.url))
const file = (name: string): string => join(HERE, name)

/** Nothing of the environment that could configure what is measured, and no exchanges but those that are. */
const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  DRAGOMAN_WARM: 'off',
}

const children = new Set<ChildProcess>()

/** Nobody is left behind, however this ends. */
function adopted(child: ChildProcess): ChildProcess {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

process.on('exit', () => {
  for (const child of children) child.kill()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/** The next message; rejects when the process ends instead. */
async function heardFrom(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const end = () => ended.abort(new Error(`${child.spawnargs.join(' ')} has ended`))
  child.once('exit', end)
  try {
    const [message] = await once(child, 'message', { signal: ended.signal })
    return message
  } finally {
    child.off('exit', end)
  }
}

export interface Upstream {
  port: number
  pid: number | undefined
  answer(manner: Manner): Promise<void>
  stop(): void
}

/** At a port of the system's choice, or at one that another gateway has been told. */
export async function startUpstream(port = 0): Promise<Upstream> {
  const child = adopted(fork(file('upstream.ts'), [String(port)]))
  return {
    port: Number(await heardFrom(child)),
    pid: child.pid,
    async answer(manner) {
      child.send(manner)
      await heardFrom(child)
    },
    stop: () => void child.kill(),
  }
}

export interface Caller {
  run(job: Job): Promise<Score>
  stop(): void
}

export function startCaller(): Caller {
  const child = adopted(fork(file('caller.ts'), { serialization: 'advanced' }))
  return {
    async run(job) {
      child.send(job)
      return (await heardFrom(child)) as Score
    },
    stop: () => void child.kill(),
  }
}

/** Exchanges without a socket, with an option or without. */
export interface Side {
  /** The kinds of traffic. */
  names: readonly string[]
  /** Microseconds on a processor for one exchange. */
  run(job: SideJob): Promise<number>
  stop(): void
}

export async function startSide(option: Option | 'without'): Promise<Side> {
  const child = adopted(fork(file('alone-side.ts'), [option]))
  return {
    names: (await heardFrom(child)) as string[],
    async run(job) {
      child.send(job)
      return Number(await heardFrom(child))
    },
    stop: () => void child.kill(),
  }
}

export interface Proxy {
  port: number
  pid: number | undefined
  child?: ChildProcess
  /** Ends it as a supervisor would, and waits. */
  stop(): Promise<void>
}

const ADDRESS = /http:\/\/127\.0\.0\.1:(\d+)/

/** What it prints is read to its end, as somebody would read a log. */
export function startProxy(
  args: readonly string[],
  { ipc, isWarmed }: Pick<Making, 'ipc' | 'isWarmed'> = {},
): Promise<Proxy> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    env: { ...ENVIRONMENT, ...(isWarmed && { DRAGOMAN_WARM: 'on' }) },
  })
  adopted(child)
  const stop = async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return new Promise((resolve, reject) => {
    let text = ''
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}\n${text}`)))
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const port = ADDRESS.exec(text)?.[1]
      if (port === undefined) return
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', read).resume()
      child.stderr?.pipe(process.stderr)
      resolve({ port: Number(port), pid: child.pid, child, stop })
    }
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', read)
  })
}

export interface Making {
  upstreamPort: number
  /** The built command. */
  command: string
  /** Further options for Node when it runs the command. */
  options?: readonly string[]
  /** Further options of the command itself. */
  args?: readonly string[]
  /** `state.store`, where it is not the usual one. */
  state?: string
  /** `callers`, where they are not one key. */
  callers?: object | 'open'
  ipc?: boolean | undefined
  /** Whether it runs exchanges of its own after its start, as it does by default. */
  isWarmed?: boolean | undefined
}

/** Another gateway, which nobody here starts or ends. */
export const foreign = ({ port, pid }: Gateway): Proxy => ({ port, pid, stop: async () => {} })

/** The process behind a kind of lane; the direct one has none of its own. */
export async function startLane(kind: ProxyKind, making: Making): Promise<Proxy> {
  const { upstreamPort, command, options = [], args = [], ipc, state, callers, isWarmed } = making
  if (kind === 'direct')
    return { port: upstreamPort, pid: undefined, stop: () => Promise.resolve() }
  if (kind !== 'dragoman')
    return startProxy([...options, file('bare.ts'), kind, String(upstreamPort)], { ipc })
  const config = configFile(upstreamPort, {
    ...(state && { state: { store: state } }),
    ...(callers && { callers }),
  })
  try {
    const own = ['--config', config.path, '--port', '0', ...args]
    return await startProxy([...options, command, ...own], { ipc, isWarmed })
  } finally {
    config.remove()
  }
}

/** Several of them for as long as the work takes. One that does not start leaves none of the others behind. */
export async function withLanes<Made>(
  makings: readonly Making[],
  work: (proxies: readonly Proxy[]) => Promise<Made>,
): Promise<Made> {
  const proxies: Proxy[] = []
  try {
    for (const making of makings) proxies.push(await startLane('dragoman', making))
    return await work(proxies)
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.stop()))
  }
}

const second = (dialect: Dialect): string => `${dialect}-2`

/** Everything is on that is on by default, and callers need a key. */
export const configFor = (port: number) => ({
  upstreams: Object.fromEntries(
    DIALECTS.flatMap((dialect) => {
      const upstream = { dialect, url: `http://127.0.0.1:${port}`, key: 'a-key-of-the-upstream' }
      return [dialect, second(dialect)].map((name) => [name, upstream])
    }),
  ),
  routes: DIALECTS.flatMap((dialect) => [
    { model: modelOf(dialect), upstream: dialect },
    { model: modelOf(dialect, true), upstream: [dialect, second(dialect)] },
  ]),
  callers: { keys: [CALLER_KEY] },
})

function configFile(port: number, others: object): { path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
  const path = join(folder, 'dragoman.json')
  writeFileSync(path, JSON.stringify({ ...configFor(port), ...others }))
  return { path, remove: () => rmSync(folder, { recursive: true }) }
}

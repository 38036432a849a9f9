import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { demoConfig } from '../../src/config/config.ts'
import { AGENTS, isByName, type Agent } from './agents.ts'
import { programFinder, type Program } from './programs.ts'
import { ended, SLOW_MS, type World } from './world.ts'

const WORDS = 'The words of the refusal.'

/** An upstream of each dialect that refuses everything in its own words. */
async function refusingServer() {
  const server = createServer((request, response) => {
    const adapter = adapters.find(({ dialect }) => request.url?.startsWith(`/${dialect}/`))
    const problem = { kind: 'invalid-request' as const, message: WORDS }
    const { status, body } = adapter?.caller.writeProblem(problem, 'r') ?? { status: 404, body: {} }
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens at a port.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** The demo, and an upstream of each dialect that refuses. */
function configFor(refusing: string): object {
  const { upstreams, routes = [] } = demoConfig()
  const names = adapters.map(({ dialect }) => [`refusing-${dialect}`, dialect] as const)
  const refusers = names.map(([name, dialect]) => [
    name,
    { dialect, url: `${refusing}/${dialect}/upstream`, key: 'key-of-the-test' },
  ])
  const refused = names.map(([name]) => ({ model: name, upstream: name }))
  return {
    upstreams: { ...upstreams, ...Object.fromEntries(refusers) },
    routes: [...refused, ...routes],
    callers: 'open',
  }
}

/** The proxy, where it listens, and the lines of its log so far. */
export async function startProxy(config: object, world: World) {
  const child = spawn(process.execPath, [resolve('src/node.ts'), '--port', '0'], {
    env: { ...world.environment, DRAGOMAN_CONFIG: JSON.stringify(config) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const log: string[] = []
  const url = await new Promise<string>((found, failed) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.push(line)
      const at = /"event":"start".*"url":"([^"]+)"/.exec(line)?.[1]
      if (at !== undefined) found(at)
    })
    child.once('exit', () => failed(new Error('the proxy did not start')))
  })
  return { url, log, stop: () => child.kill() }
}

interface Task {
  agent: Agent
  adapter: Adapter
  /** Whether the agent is refused, too. */
  isRefused: boolean
}

async function tried(
  { agent, adapter, isRefused }: Task,
  { command, environment }: Program,
  url: string,
  world: World,
) {
  const { dialect } = adapter
  const run = (model: string, text: string) => {
    const own = agent.world(url, model, world)
    const args = agent.args(model, text, world)
    const env = { ...environment, ...own }
    const around = { cwd: world.work, env, ...(isByName(agent) && { mostMs: SLOW_MS }) }
    return ended([...command, ...args], around)
  }
  const model = `demo-${dialect}`
  const { text, isDone } = agent.turn(model)
  const turn = await run(model, text)
  const error = isRefused ? await run(`refusing-${dialect}`, 'Hello there') : undefined
  const isTold = !error || `${error.out}${error.error}`.includes(WORDS)
  const isCalled = turn.code === 0 && isDone(turn.out, world)
  const faults = [
    ...(isCalled
      ? []
      : [`turn: ended with ${String(turn.code)}, ${(turn.out + turn.error).slice(-400)}`]),
    ...(isTold ? [] : [`error: said ${(error.out + error.error).slice(-400)}`]),
  ]
  const times = `turn ${turn.ms} ms${error ? `, error ${error.ms} ms` : ''}`
  console.log(
    `${agent.name.padEnd(9)} by chat-completions over ${dialect.padEnd(17)} ${[times, ...faults].join('; ')}`,
  )
  return faults.length === 0
}

/**
 * Agents that speak chat completions, over each other dialect: a turn with a tool, which ends in a text, and a refusal
 * of the upstream, whose words have to reach the person. Two at once: each waits for the other side half of its time.
 */
export async function chatFailures(world: World, wanted?: string): Promise<number> {
  const others = adapters.filter(({ dialect }) => dialect !== 'chat-completions')
  const agents = AGENTS.filter((agent) =>
    wanted === undefined ? !isByName(agent) : wanted === agent.name,
  )
  const tasks = agents.flatMap((agent, turn): Task[] =>
    others.map((adapter, index) => ({
      agent,
      adapter,
      isRefused: !agent.isRefusedOnce || index === turn % others.length,
    })),
  )
  const refusing = await refusingServer()
  const { url, stop } = await startProxy(configFor(refusing.url), world)
  let failed = 0
  const programs = programFinder(world)
  // Agents that start at the same time do not bear each other in one home: `database is locked`.
  const work = async (slot: number) => {
    const HOME = world.homeOf(slot)
    for (let task = tasks.shift(); task; task = tasks.shift()) {
      const program = await programs(task.agent)
      if (!program) continue
      const environment = { ...program.environment, HOME }
      if (!(await tried(task, { ...program, environment }, url, world))) failed += 1
    }
  }
  try {
    await Promise.all([work(1), work(2)])
  } finally {
    stop()
    refusing.close()
  }
  return failed
}

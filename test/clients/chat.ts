import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { demoConfig } from '../../src/config/config.ts'
import { ended, type World } from './world.ts'

/**
 * Agents that speak chat completions, over each other dialect: a turn with a tool, which ends in a text, and a refusal
 * of the upstream, whose words have to reach the person.
 */
interface Agent {
  name: string
  /** A tool that it offers and that may run unasked. */
  tool: string
  command(model: string, text: string): string[]
  world(url: string, model: string, world: World): Record<string, string>
}

const KEY = 'any'
const WORDS = 'The words of the refusal.'

const AGENTS: readonly Agent[] = [
  {
    name: 'opencode',
    tool: 'read',
    command: (_, text) => ['opencode', 'run', text],
    world: (url, model) => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeFor(url, model)) }),
  },
  {
    name: 'qwen',
    tool: 'glob',
    command: (_, text) => ['qwen', '--auth-type', 'openai', '-p', text],
    world: (url, model) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: KEY,
      OPENAI_MODEL: model,
    }),
  },
  {
    name: 'pi',
    tool: 'read',
    command: (model, text) => ['pi', '--provider', 'dragoman', '--model', model, '-p', text],
    world: (url, model, { home }) => ({ PI_CODING_AGENT_DIR: piFolder(url, model, home) }),
  },
]

const opencodeFor = (url: string, model: string) => ({
  provider: {
    dragoman: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: KEY },
      models: { [model]: {} },
    },
  },
  model: `dragoman/${model}`,
  small_model: `dragoman/${model}`,
})

/** pi knows providers from a file alone. */
function piFolder(url: string, model: string, home: string): string {
  const folder = join(home, `pi-${model}`)
  const models = [{ id: model, name: model, reasoning: false, input: ['text'] }]
  const provider = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: KEY, models }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers: { dragoman: provider } }))
  return folder
}

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
    { dialect, url: `${refusing}/${dialect}`, key: 'key-of-the-test' },
  ])
  const refused = names.map(([name]) => ({ model: name, upstream: name }))
  return {
    upstreams: { ...upstreams, ...Object.fromEntries(refusers) },
    routes: [...refused, ...routes],
    callers: 'open',
  }
}

/** The proxy, and where it listens. */
async function startProxy(config: object, world: World) {
  const child = spawn(process.execPath, [resolve('src/node.ts'), '--port', '0'], {
    env: { ...world.environment, DRAGOMAN_CONFIG: JSON.stringify(config) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /"url":"([^"]+)"/.exec(line)?.[1]
    if (url !== undefined) return { url, stop: () => child.kill() }
  }
  throw new Error('the proxy did not start')
}

async function tried(agent: Agent, { dialect }: Adapter, url: string, world: World) {
  const run = (model: string, text: string) =>
    ended(agent.command(model, text), {
      cwd: world.work,
      env: { ...world.environment, ...agent.world(url, model, world) },
    })
  const tool = await run(`demo-${dialect}`, `call ${agent.tool}`)
  const error = await run(`refusing-${dialect}`, 'Hello there')
  const isCalled = tool.code === 0 && tool.out.includes(`${agent.tool} said: `)
  const isTold = `${error.out}${error.error}`.includes(WORDS)
  const faults = [
    ...(isCalled
      ? []
      : [`tool: ended with ${String(tool.code)}, ${(tool.out + tool.error).slice(-400)}`]),
    ...(isTold ? [] : [`error: said ${(error.out + error.error).slice(-400)}`]),
  ]
  const times = `tool ${tool.ms} ms, error ${error.ms} ms`
  console.log(
    `${agent.name.padEnd(9)} by chat-completions over ${dialect.padEnd(17)} ${[times, ...faults].join('; ')}`,
  )
  return faults.length === 0
}

export const CHAT_AGENTS = AGENTS.map(({ name }) => name)

/** How many did not work. Two at once: each waits for the other side half of its time. */
export async function chatFailures(world: World, wanted?: string): Promise<number> {
  const others = adapters.filter(({ dialect }) => dialect !== 'chat-completions')
  const agents = AGENTS.filter(({ name }) => wanted === undefined || wanted === name)
  const tasks = agents.flatMap((agent) => others.map((adapter) => ({ agent, adapter })))
  const refusing = await refusingServer()
  const { url, stop } = await startProxy(configFor(refusing.url), world)
  let failed = 0
  const work = async () => {
    for (let task = tasks.shift(); task; task = tasks.shift())
      if (!(await tried(task.agent, task.adapter, url, world))) failed += 1
  }
  try {
    await Promise.all([work(), work()])
  } finally {
    stop()
    refusing.close()
  }
  return failed
}

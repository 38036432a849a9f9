/**
 * The real clients, each launched over every dialect of the demo: a turn of text and a turn with a tool. Then the
 * agents that speak chat completions, over the other dialects, and two over stand-ins of clouds. They are installed into a project of their own, which
 * takes 2 GB; where that is not possible, this says so and is skipped. `--time` measures the first reply of three
 * agents on a machine that has nothing but Node.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { adapters } from '../../adapters/index.ts'
import { AGENTS, isByName } from './agents.ts'
import { chatFailures } from './chat.ts'
import { cloudFailures } from './clouds.ts'
import { longFailures } from './long.ts'
import { sdkFailures } from './sdks.ts'
import { summingFailures } from './summing.ts'
import { timed } from './time.ts'
import { ended, isConnected, World } from './world.ts'

/** How each is asked for one reply, and the name of a tool that it offers and that may run unasked. */
const CLIENTS = [
  { name: 'claude', tool: 'Read', ask: (text: string) => ['-p', text] },
  {
    name: 'codex',
    tool: 'exec_command',
    ask: (text: string) => ['exec', '--skip-git-repo-check', text],
  },
  { name: 'gemini', tool: 'list_directory', ask: (text: string) => ['-p', text] },
  { name: 'opencode', tool: 'glob', ask: (text: string) => ['run', text] },
  { name: 'qwen', tool: 'glob', ask: (text: string) => ['-p', text] },
] as const

type Client = (typeof CLIENTS)[number]

interface Turn {
  fault?: string
  ms: number
}

interface Asked {
  dialect: string
  text: string
  said: RegExp
}

async function turn(
  { name, ask }: Client,
  { dialect, text, said }: Asked,
  world: World,
): Promise<Turn> {
  const log = join(world.home, 'log')
  rmSync(log, { force: true })
  const args = ['launch', name, '--model', `demo-${dialect}`, '--log', log, '--', ...ask(text)]
  const command = [process.execPath, resolve('src/node.ts'), ...args]
  const options = { cwd: world.work, env: world.environment }
  const { code, out, error, ms } = await ended(command, options)
  if (code !== 0) return { ms, fault: `ended with ${String(code)}: ${(error || out).slice(-400)}` }
  if (!said.test(out)) return { ms, fault: `said ${JSON.stringify(out.slice(-400))}` }
  if (name === 'codex' && !isConnected(readFileSync(log, 'utf8').split('\n')))
    return { ms, fault: 'went over HTTP' }
  const left = await whatIsLeft(log, world)
  return left ? { ms, fault: left } : { ms }
}

/** No folder of the launch, and nobody at the port that the log names. */
async function whatIsLeft(log: string, world: World): Promise<string | undefined> {
  const folders = readdirSync(world.temporary).filter((name) => name.startsWith('dragoman-launch-'))
  if (folders.length > 0) return `left ${folders.join()}`
  const url = /"url":"([^"]+)"/.exec(readFileSync(log, 'utf8'))?.[1]
  if (url === undefined) return 'the log names no address'
  const answer = await fetch(`${url}/livez`).catch(() => undefined)
  return answer ? `${url} still answers` : undefined
}

const told = (what: string, { fault, ms }: Turn) => `${what} ${fault ?? `${ms} ms`}`

async function tried(client: Client, dialect: string, world: World): Promise<boolean> {
  const greeting = { dialect, text: 'Hello there', said: /You said: "?Hello there/ }
  const text = await turn(client, greeting, world)
  const said = new RegExp(`${client.tool} said: `)
  const tool = await turn(client, { dialect, text: `call ${client.tool}`, said }, world)
  console.log(
    `${client.name.padEnd(9)} over ${dialect.padEnd(17)} ${told('text', text)}, ${told('tool', tool)}`,
  )
  return !text.fault && !tool.fault
}

interface Report {
  checks: Record<string, { status: string; summary: string }>
}

/** What Codex itself finds of the way to the proxy, a socket among it. What it says of its own updates is not asked. */
async function doctorFailures(world: World): Promise<number> {
  const asked = ['--', 'doctor', '--json', '--network-only']
  const launch = ['launch', 'codex', '--model', 'demo-messages', ...asked]
  const command = [process.execPath, resolve('src/node.ts'), ...launch]
  const { out, error } = await ended(command, { cwd: world.work, env: world.environment })
  const text = out.slice(Math.max(0, out.indexOf('{')))
  const { checks }: Report = text ? (JSON.parse(text) as Report) : { checks: {} }
  const faults = Object.entries(checks).filter(([, { status }]) => status !== 'ok')
  const told = faults.map(([id, { status, summary }]) => `${id}: ${status}, ${summary}`)
  if (!checks['network.websocket_reachability'])
    told.push(`no check of a socket: ${error.slice(-400)}`)
  console.log(`codex doctor ${told.join('; ') || `${Object.keys(checks).length} checks, all well`}`)
  return told.length
}

async function launchFailures(world: World, wanted?: string): Promise<number> {
  let failed = wanted === undefined || wanted === 'codex' ? await doctorFailures(world) : 0
  for (const client of CLIENTS.filter(({ name }) => wanted === undefined || wanted === name))
    for (const { dialect } of adapters) if (!(await tried(client, dialect, world))) failed += 1
  return failed
}

type Part = (world: World) => Promise<number>

const shortlySumming: Part = (world) => summingFailures(world, true)

/**
 * `wanted`: what has this name alone, `chat` for the agents of that dialect, `long` for sessions that are summed up,
 * `sdk` for libraries, `clouds` for stand-ins of these. What takes longest is first.
 */
function partsOf(wanted: string | undefined): Part[] {
  if (wanted === 'clouds') return [cloudFailures]
  if (wanted === 'sdk') return [sdkFailures]
  if (wanted === 'long') return [longFailures, (world) => summingFailures(world, false)]
  if (wanted === 'chat') return [chatFailures]
  if (wanted !== undefined)
    return [(world) => launchFailures(world, wanted), (world) => chatFailures(world, wanted)]
  return [launchFailures, longFailures, shortlySumming, sdkFailures, cloudFailures, chatFailures]
}

/** Two parts beside each other, each in a world of its own: an agent waits for the other side half of its time. */
async function failures(parts: Part[]): Promise<number> {
  let failed = 0
  const work = async () => {
    for (let part = parts.shift(); part; part = parts.shift()) {
      const more = await inWorld(part)
      failed += more
    }
  }
  await Promise.all([work(), work()])
  return failed
}

async function inWorld<T>(part: (world: World) => T | Promise<T>): Promise<T> {
  const world = new World()
  try {
    return await part(world)
  } finally {
    world.remove()
  }
}

const NEEDED = [...CLIENTS.map(({ name }) => name), 'pi']
const MISSABLE = AGENTS.flatMap((agent) => (isByName(agent) ? [] : [agent.name])).filter(
  (name) => !NEEDED.includes(name),
)

const [wanted] = process.argv.slice(2)
if (wanted === '--time') await inWorld(timed)
else if (!(await inWorld((world) => world.installed(NEEDED, MISSABLE))))
  console.log('SKIPPED: the clients cannot be installed here, so none of them was launched')
else {
  const failed = await failures(partsOf(wanted))
  if (failed > 0) throw new Error(`${failed} did not work`)
}

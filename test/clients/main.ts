/**
 * The real clients, each launched over every dialect of the demo: a turn of text and a turn with a tool. They are
 * installed into a project of their own, which takes 1.4 GB; where that is not possible, this says so and is skipped.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { adapters } from '../../adapters/index.ts'

const INSTALL_MS = 300_000
const TURN_MS = 90_000
const PROJECT = 'test/clients'
const BIN = resolve(PROJECT, 'node_modules/.bin')

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

const home = mkdtempSync(join(tmpdir(), 'dragoman-clients-'))
const temporary = join(home, 'tmp')

function installed(): boolean {
  if (CLIENTS.every(({ name }) => existsSync(join(BIN, name))) && works()) return true
  // Without a lock file: npm leaves the binaries of other platforms out of it, and then refuses it.
  const args = ['install', '--prefix', PROJECT, '--no-package-lock', '--no-audit', '--no-fund']
  spawnSync('npm', args, { stdio: 'inherit', timeout: INSTALL_MS })
  return works()
}

/** What starts here, with the Node that runs this. */
const works = (): boolean =>
  CLIENTS.every(({ name }) => {
    const { status } = spawnSync(join(BIN, name), ['--version'], { env: world(), timeout: 30_000 })
    return status === 0
  })

const world = (): Record<string, string> => ({
  PATH: [BIN, resolve('node_modules/.bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
  HOME: join(home, 'home'),
  TMPDIR: temporary,
  TERM: 'dumb',
})

interface Turn {
  fault?: string
  ms: number
}

async function turn(
  { name, ask }: Client,
  dialect: string,
  text: string,
  said: RegExp,
): Promise<Turn> {
  const began = performance.now()
  const log = join(home, 'log')
  rmSync(log, { force: true })
  const args = ['launch', name, '--model', `demo-${dialect}`, '--log', log, '--', ...ask(text)]
  const command = [resolve('src/node.ts'), ...args]
  const child = spawn(process.execPath, command, {
    cwd: join(home, 'work'),
    env: world(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TURN_MS,
  })
  let out = ''
  let error = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (error += chunk))
  const code = await new Promise((settle) => child.once('close', settle))
  const ms = Math.round(performance.now() - began)
  if (code !== 0) return { ms, fault: `ended with ${String(code)}: ${(error || out).slice(-400)}` }
  if (!said.test(out)) return { ms, fault: `said ${JSON.stringify(out.slice(-400))}` }
  const left = await whatIsLeft(log)
  return left ? { ms, fault: left } : { ms }
}

/** No folder of the launch, and nobody at the port that the log names. */
async function whatIsLeft(log: string): Promise<string | undefined> {
  const folders = readdirSync(temporary).filter((name) => name.startsWith('dragoman-launch-'))
  if (folders.length > 0) return `left ${folders.join()}`
  const url = /"url":"([^"]+)"/.exec(readFileSync(log, 'utf8'))?.[1]
  if (url === undefined) return 'the log names no address'
  const answer = await fetch(`${url}/livez`).catch(() => undefined)
  return answer ? `${url} still answers` : undefined
}

const told = (what: string, { fault, ms }: Turn) => `${what} ${fault ?? `${ms} ms`}`

async function tried(client: Client, dialect: string): Promise<boolean> {
  const text = await turn(client, dialect, 'Hello there', /You said: "?Hello there/)
  const call = `call ${client.tool}`
  const tool = await turn(client, dialect, call, new RegExp(`${client.tool} said: `))
  console.log(
    `${client.name.padEnd(9)} over ${dialect.padEnd(17)} ${told('text', text)}, ${told('tool', tool)}`,
  )
  return !text.fault && !tool.fault
}

mkdirSync(temporary)
mkdirSync(join(home, 'home'))
mkdirSync(join(home, 'work'))
try {
  if (!installed()) {
    console.log('SKIPPED: the clients cannot be installed here, so none of them was launched')
  } else {
    const [wanted] = process.argv.slice(2)
    let failed = 0
    for (const client of CLIENTS.filter(({ name }) => wanted === undefined || wanted === name))
      for (const { dialect } of adapters) if (!(await tried(client, dialect))) failed += 1
    if (failed > 0) throw new Error(`${failed} did not work`)
  }
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 3 })
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { startProxy } from './chat.ts'
import { EMPTY, FACTS, Model, startModels } from './model.ts'
import { ended, SLOW_MS, type World } from './world.ts'

/** An agent that sums a long session up in words of its own. */
interface Agent {
  name: string
  /** How full its window is said to be where it sums up. */
  full: number
  /** What it is asked, one run after another in one session. */
  runs: string[][]
  world(url: string): Record<string, string>
}

const KEY = 'any'
const ASKED = 'Go through it.'

const AGENTS: readonly Agent[] = [
  {
    name: 'claude',
    full: 175_000,
    runs: [['-p', ASKED, '--allowedTools', 'Bash']],
    world: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_MODEL: 'claude-of-the-test',
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: '200000',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    name: 'gemini',
    full: 700_000,
    // It sums up before the words of its user alone.
    runs: [
      ['-y', '-p', ASKED],
      ['-y', '--resume', 'latest', '-p', 'Go on.'],
      ['-y', '--resume', 'latest', '-p', 'Go on to the end.'],
    ],
    world: (url) => ({
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: KEY,
      GEMINI_MODEL: 'gemini-of-the-test',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
  {
    name: 'qwen',
    full: 112_000,
    runs: [['-y', '--auth-type', 'openai', '-p', ASKED]],
    world: (url) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: KEY,
      OPENAI_MODEL: 'gpt-of-the-test',
    }),
  },
  {
    name: 'opencode',
    full: 95_000,
    runs: [['run', ASKED]],
    world: (url) => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeFor(url)) }),
  },
]

const opencodeFor = (url: string) => ({
  provider: {
    dragoman: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: KEY },
      models: { 'model-of-the-test': { limit: { context: 100_000, output: 8000 } } },
    },
  },
  model: 'dragoman/model-of-the-test',
  small_model: 'dragoman/model-of-the-test',
})

/** The proxy before one stand-in, whatever model an agent names. */
async function startStage(adapter: Adapter, model: Model, world: World) {
  const { dialect } = adapter
  const upstream = await startModels(new Map([[dialect, model]]))
  const entry = { dialect, url: upstream.urlOf(adapter), key: 'key-1' }
  const routes = [{ model: '*', upstream: 'only', as: 'model-of-the-test' }]
  const { stop, url } = await startProxy(
    { upstreams: { only: entry }, routes, callers: 'open' },
    world,
  )
  const close = () => {
    stop()
    upstream.close()
  }
  return { url, close }
}

/** An agent whose own shell loses what a command says, as on a busy machine, has nothing to keep: it tries again. */
async function isThrough(
  agent: Agent,
  adapter: Adapter,
  world: World,
  triesLeft = 1,
): Promise<boolean> {
  const { name, full, runs } = agent
  const model = new Model([
    { command: 'cat facts.txt', input: EMPTY },
    { command: 'echo second', input: full },
    { command: 'echo third', input: full },
    { command: 'echo fourth', input: EMPTY },
  ])
  const { url, close } = await startStage(adapter, model, world)
  const env = { ...world.environment, ...agent.world(url) }
  const around = { cwd: world.work, env, mostMs: SLOW_MS }
  let last = { code: undefined as unknown, out: '', error: '', ms: 0 }
  for (const run of runs) last = await ended([name, ...run], around)
  close()
  const { came, known, summaries } = model
  if (came === 0 && triesLeft > 0) return isThrough(agent, adapter, world, triesLeft - 1)
  const isDone = last.code === 0 && last.out.includes('All is done.') && summaries > 1
  const isRight = isDone && known === FACTS.length
  const fault = `ended with ${String(last.code)}: ${(last.error || last.out).slice(-900)}`
  console.log(
    `${name.padEnd(9)} over ${adapter.dialect.padEnd(17)} ${summaries} summaries, ${known} facts, ${isRight ? `${last.ms} ms` : fault}`,
  )
  return isRight
}

/** Gemini CLI sums up after a run that was continued only if its window counts as full at once. */
function writeSettings(world: World): void {
  const folder = join(world.home, 'home/.gemini')
  mkdirSync(folder, { recursive: true })
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    model: { compressionThreshold: 0.0001 },
  }
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
}

/**
 * Agents that sum up in words of their own, through two summaries: every fact from before the first is known behind the
 * second. Each over every dialect, or each over one (`isShort`).
 */
export async function summingFailures(world: World, isShort: boolean): Promise<number> {
  writeFileSync(join(world.work, 'facts.txt'), `${FACTS.join('\n')}\n`)
  writeSettings(world)
  let failed = 0
  for (const [at, agent] of AGENTS.entries()) {
    const over = isShort ? adapters.slice(at % adapters.length).slice(0, 1) : adapters
    for (const adapter of over) if (!(await isThrough(agent, adapter, world))) failed += 1
  }
  return failed
}

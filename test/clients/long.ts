import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { adapters } from '../../adapters/index.ts'
import { startProxy } from './chat.ts'
import { FACTS, Model, startModels, type Step } from './model.ts'
import { ended, isConnected, SLOW_MS, type World } from './world.ts'

/** Above the limit at which the agent is told to sum up. */
const FULL = 60_000
const LIMIT = 30_000

const STEPS: readonly Step[] = [
  { command: 'cat facts.txt', input: 1000 },
  { command: 'echo second', input: FULL },
  { command: 'echo third', input: FULL },
]

/** How Codex is led to the proxy. */
interface Way {
  name: string
  isSocket: boolean
  settings(url: string): string[]
}

const own = (more: string) => (url: string) => [
  'model_provider="long"',
  `model_providers.long={name="long",base_url="${url}/v1",wire_api="responses",env_key="PROXY_KEY",capabilities={remote_compaction="v2"}${more}}`,
]

const WAYS: readonly Way[] = [
  { name: 'HTTP', isSocket: false, settings: own('') },
  { name: 'a socket', isSocket: true, settings: own(',supports_websockets=true') },
  {
    name: 'a socket, built-in',
    isSocket: true,
    settings: (url) => [`openai_base_url="${url}/v1"`],
  },
]

/** The proxy before a stand-in for each dialect. The names of models are of OpenAI's kind, which some clients demand. */
export async function startLong(world: World) {
  const models = new Map<string, Model>()
  const upstream = await startModels(models)
  const entries = adapters.map((adapter) => {
    const { dialect } = adapter
    return [dialect, { dialect, url: upstream.urlOf(adapter), key: 'key-1' }] as const
  })
  const routes = adapters.map(({ dialect }) => ({ model: modelOver(dialect), upstream: dialect }))
  const config = { upstreams: Object.fromEntries(entries), routes, callers: 'open' }
  const { stop, ...proxy } = await startProxy(config, world)
  const close = () => {
    stop()
    upstream.close()
  }
  return { ...proxy, models, close }
}

export const modelOver = (dialect: string): string => `gpt-over-${dialect}`

type Stage = Awaited<ReturnType<typeof startLong>>

async function isThrough(
  { name, isSocket, settings }: Way,
  dialect: string,
  { url, log, models }: Stage,
  world: World,
): Promise<boolean> {
  const model = new Model(STEPS)
  models.set(dialect, model)
  log.length = 0
  const limits = [`model_auto_compact_token_limit=${LIMIT}`, 'model_context_window=100000']
  const options = [...settings(url), ...limits].flatMap((setting) => ['-c', setting])
  const free = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
  const last = ['-m', modelOver(dialect), 'exec', ...free, 'Go through it.']
  const env = { ...world.environment, PROXY_KEY: 'any', CODEX_API_KEY: 'any' }
  const around = { cwd: world.work, env, mostMs: SLOW_MS }
  const { code, out, error, ms } = await ended(['codex', ...options, ...last], around)
  const { known, summaries } = model
  const isDone = code === 0 && out.includes('All is done.') && summaries === 2
  const isWay = isConnected(log) === isSocket
  const isRight = isDone && isWay && known === FACTS.length
  const fault =
    isWay || !isDone
      ? `ended with ${String(code)}: ${(error || out).slice(-900)}`
      : 'went another way'
  console.log(
    `codex by ${name.padEnd(18)} over ${dialect.padEnd(17)} ${summaries} summaries, ${known} facts, ${isRight ? `${ms} ms` : fault}`,
  )
  return isRight
}

/** Codex through two summaries over each dialect: every fact from before the first is known behind the second. */
export async function longFailures(world: World): Promise<number> {
  const stage = await startLong(world)
  writeFileSync(join(world.work, 'facts.txt'), `${FACTS.join('\n')}\n`)
  let failed = 0
  for (const way of WAYS)
    for (const { dialect } of adapters)
      if (!(await isThrough(way, dialect, stage, world))) failed += 1
  stage.close()
  return failed
}

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { parse, stringify } from '../../src/json/json.ts'
import { unfold } from '../../src/model/events.ts'
import { summaryMadeHere } from '../../src/model/proof.ts'
import type { Block, Request } from '../../src/model/request.ts'
import { framer } from '../../src/stream/stream-out.ts'
import { startProxy } from './chat.ts'
import { ended, SLOW_MS, type World } from './world.ts'

/** What stands in a file that the agent reads before its conversation is summed up the first time. */
const FACTS = Array.from({ length: 10 }, (_, at) => `fact-${at}-${(at * 7919 + 1009) % 9973}`)
/** Above the limit at which the agent is told to sum up. */
const FULL = 60_000
const LIMIT = 30_000

/** What the agent is to run, and how full its window is said to be with that. */
const STEPS = [
  { command: 'cat facts.txt', input: 1000 },
  { command: 'echo second', input: FULL },
  { command: 'echo third', input: FULL },
] as const

/** A model behind one dialect: it works through the steps, and its summary repeats the facts that it was shown. */
class Model {
  summaries = 0
  /** The facts in the last request but those for summaries. */
  known = 0
  #turns = 0

  reply(text: string, request: Request): { blocks: Block[]; input: number } {
    const found = FACTS.filter((fact) => text.includes(fact))
    const isOrdered = request.compact?.now === true || /replaced by a summary/.test(text)
    if (isOrdered) {
      this.summaries += 1
      const words = `Known: ${found.join(', ')}`
      const block = request.compact?.now ? summaryMadeHere(words) : undefined
      return { blocks: [block ?? { kind: 'text', text: words }], input: 1000 }
    }
    this.known = found.length
    const step = STEPS[this.#turns]
    this.#turns += 1
    if (!step) return { blocks: [{ kind: 'text', text: 'All is done.' }], input: 1000 }
    const tool = request.tools.find(({ kind, ...rest }) => kind === 'function' && isRunner(rest))
    const call = {
      kind: 'tool-call' as const,
      id: `call_${this.#turns}`,
      name: tool && 'name' in tool ? tool.name : 'exec_command',
      input: JSON.stringify({ cmd: step.command }),
      form: 'json' as const,
    }
    return { blocks: [call], input: step.input }
  }
}

const isRunner = (tool: object): boolean => 'name' in tool && tool.name === 'exec_command'

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += String(piece)
  return text
}

async function answer(
  adapter: Adapter,
  model: Model,
  asked: IncomingMessage,
): Promise<[string, string]> {
  const { pathname, searchParams } = new URL(asked.url ?? '', 'http://upstream')
  const path = pathname.slice(adapter.dialect.length + 1)
  const route = adapter.caller.match({ method: 'POST', path, query: searchParams })
  if (!route) throw new Error(`nothing is at ${path}`)
  const text = await bodyOf(asked)
  let ids = 0
  const newId = (prefix: string) => `${prefix}${(ids += 1)}${Date.now()}`
  const headers = new Headers({ 'anthropic-version': '2023-06-01' })
  const request = adapter.caller.readRequest(parse(text, adapter.caller.verbatim), {
    route,
    headers,
    newId,
  })
  const { blocks, input } = model.reply(text, request)
  const finish = blocks.some(({ kind }) => kind === 'tool-call') ? 'tool-call' : 'stop'
  const usage = { input, output: 50 }
  const writer = adapter.caller.writer({ request, now: 1, lose: () => undefined, newId })
  const frames = framer(route.framing)
  const events = unfold({ id: newId('up_'), model: request.model, blocks, usage, finish })
  const told = events.map((event) => frames.write(writer.push(event))).join('') + frames.end()
  return request.stream
    ? [frames.contentType, told]
    : ['application/json', stringify(writer.body())]
}

/** An upstream that speaks each dialect below a path of its name. */
async function startModels(models: ReadonlyMap<string, Model>) {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const adapter = adapters.find(({ dialect }) => request.url?.startsWith(`/${dialect}/`))
    const model = adapter && models.get(adapter.dialect)
    if (!adapter || !model) return response.writeHead(404).end('{}')
    const [type, body] = await answer(adapter, model, request)
    return response.writeHead(200, { 'content-type': type }).end(body)
  }
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: String(error) } }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens at a port.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const providerAt = (url: string): string =>
  `model_providers.long={name="long",base_url="${url}/v1",wire_api="responses",env_key="PROXY_KEY",capabilities={remote_compaction="v2"}}`

/** Codex through two summaries over each dialect: every fact from before the first is known behind the second. */
export async function longFailures(world: World): Promise<number> {
  const models = new Map(adapters.map(({ dialect }) => [dialect, new Model()]))
  const upstream = await startModels(models)
  const names = [...models.keys()]
  const proxy = await startProxy(
    {
      upstreams: Object.fromEntries(
        names.map((dialect) => [
          dialect,
          { dialect, url: `${upstream.url}/${dialect}`, key: 'key-1' },
        ]),
      ),
      routes: names.map((dialect) => ({ model: `long-${dialect}`, upstream: dialect })),
      callers: 'open',
    },
    world,
  )
  writeFileSync(join(world.work, 'facts.txt'), `${FACTS.join('\n')}\n`)
  let failed = 0
  for (const [dialect, model] of models) {
    const settings = [
      'model_provider="long"',
      providerAt(proxy.url),
      `model_auto_compact_token_limit=${LIMIT}`,
      'model_context_window=100000',
    ]
    const free = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
    const options = settings.flatMap((setting) => ['-c', setting])
    const command = [
      'codex',
      ...options,
      '-m',
      `long-${dialect}`,
      'exec',
      ...free,
      'Go through it.',
    ]
    const env = { ...world.environment, PROXY_KEY: 'any' }
    const { code, out, error, ms } = await ended(command, { cwd: world.work, env, mostMs: SLOW_MS })
    const { known, summaries } = model
    const isDone = code === 0 && out.includes('All is done.') && summaries === 2 && known === 10
    if (!isDone) failed += 1
    const said = isDone ? `${ms} ms` : `ended with ${String(code)}: ${(error || out).slice(-900)}`
    console.log(`codex over ${dialect.padEnd(17)} ${summaries} summaries, ${known} facts, ${said}`)
  }
  proxy.stop()
  upstream.close()
  return failed
}

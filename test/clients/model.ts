import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { parse, stringify } from '../../src/json/json.ts'
import { unfold } from '../../src/model/events.ts'
import { summaryMadeHere } from '../../src/model/proof.ts'
import type { Block, Request } from '../../src/model/request.ts'
import { framer } from '../../src/stream/framings.ts'

/** What stands in a file that the agent reads before its conversation is summed up the first time. */
export const FACTS = Array.from(
  { length: 10 },
  (_, at) => `fact-${at}-${(at * 7919 + 1009) % 9973}`,
)
/** What the agent is to run, and how full its window is said to be with that. */
export interface Step {
  command: string
  input: number
}

/** A window with hardly anything in it. */
export const EMPTY = 1000

/** How agents, and the proxy for those that leave it to a service, order a summary: in the last turn. */
const ORDERS =
  /replaced by a summary|Your task is to create a detailed summary|(?:updated|improved) <state_snapshot>|the <state_snapshot> XML|anchored summary|the summary process/

/** The tools that run a command, and what they are given. */
const RUNNERS: Readonly<Record<string, (command: string) => object>> = {
  exec_command: (cmd) => ({ cmd }),
  Bash: (command) => ({ command, description: 'Goes on.' }),
  bash: (command) => ({ command, description: 'Goes on.' }),
  run_shell_command: (command) => ({ command, description: 'Goes on.', is_background: false }),
}

/** A model behind one dialect: it works through the steps, and its summary repeats the facts that it was shown. */
export class Model {
  summaries = 0
  /** The facts in the last request but those for summaries. */
  known = 0
  /** The most facts that came in one request. */
  came = 0
  #turns = 0
  /** How full its window was said to be. */
  #input = EMPTY
  readonly #steps: readonly Step[]

  constructor(steps: readonly Step[]) {
    this.#steps = steps
  }

  reply(text: string, request: Request): { blocks: Block[]; input: number } {
    const found = FACTS.filter((fact) => text.includes(fact))
    this.came = Math.max(this.came, found.length)
    const isOrdered =
      request.compact?.now === true || ORDERS.test(JSON.stringify(request.turns.at(-1)))
    if (isOrdered) {
      this.summaries += 1
      const known = `Known: ${found.join(', ')}`
      // One agent looks for the one element, another for the other.
      const words = `<summary>${known}</summary><state_snapshot>${known}</state_snapshot>`
      const block = request.compact?.now ? summaryMadeHere(words) : undefined
      // A summary turn repeats the conversation: an agent that counts takes less for a fault.
      return { blocks: [block ?? { kind: 'text', text: words }], input: this.#input }
    }
    const name = request.tools.map(nameOf).find((each) => RUNNERS[each])
    // What an agent asks beside its work, such as for a title, it asks without this tool.
    if (name === undefined) return { blocks: [{ kind: 'text', text: 'A title' }], input: EMPTY }
    this.known = found.length
    const step = this.#steps[this.#turns]
    this.#turns += 1
    if (!step) return { blocks: [{ kind: 'text', text: 'All is done.' }], input: EMPTY }
    const call = {
      kind: 'tool-call' as const,
      id: `call_${this.#turns}`,
      name,
      input: JSON.stringify(RUNNERS[name]?.(step.command)),
      form: 'json' as const,
    }
    this.#input = step.input
    return { blocks: [call], input: step.input }
  }
}

const nameOf = (tool: Request['tools'][number]): string => ('name' in tool ? tool.name : '')

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += String(piece)
  return text
}

/** A base that ends like an endpoint would be taken for the endpoint itself. */
const baseOf = ({ dialect }: Adapter): string => `/${dialect}/upstream`

async function answer(
  adapter: Adapter,
  model: Model,
  asked: IncomingMessage,
): Promise<[string, string]> {
  const { pathname, searchParams } = new URL(asked.url ?? '', 'http://upstream')
  const path = pathname.slice(baseOf(adapter).length)
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
export async function startModels(models: ReadonlyMap<string, Model>) {
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
  const urlOf = (adapter: Adapter) => `http://127.0.0.1:${port}${baseOf(adapter)}`
  return { urlOf, close: () => server.close() }
}

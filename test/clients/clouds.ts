import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { demoConfig } from '../../src/config/config.ts'
import { chunk } from '../clouds/frames.ts'
import { startProxy } from './chat.ts'
import { bodyIn, SERVICES, type Passed, type Service } from './services.ts'
import { ended, type World } from './world.ts'

/** The stand-in of one cloud: it refuses what the cloud refuses, and asks the demo for all else. */
async function startService(service: Service, demo: string) {
  const refusals: string[] = []
  const taken: Passed[] = []
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(Buffer.from(piece as Uint8Array))
    const bytes = Buffer.concat(pieces)
    const { headers } = request
    const url = new URL(request.url ?? '', `http://${headers.host ?? ''}`)
    const judged = service.judge({ url, headers, bytes, body: bodyIn(String(bytes) || '{}') })
    if (typeof judged === 'string') {
      refusals.push(judged)
      response.writeHead(400, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ message: judged, error: { message: judged } }))
    }
    taken.push(judged)
    return pass(judged, service, demo, response)
  }
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      refusals.push(String(error))
      response.writeHead(500).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens at a port.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, refusals, taken, close: () => server.close() }
}

async function pass(
  { path, body }: Passed,
  { isFramed }: Service,
  demo: string,
  response: ServerResponse,
) {
  const answer = await fetch(`${demo}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  const type = answer.headers.get('content-type') ?? ''
  const text = await answer.text()
  if (!isFramed || !type.startsWith('text/event-stream'))
    return response.writeHead(answer.status, { 'content-type': type }).end(text)
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
  for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) response.write(chunk(data))
  return response.end()
}

const TURNS = {
  claude: { tool: 'Read', ask: (text: string) => ['-p', text] },
  codex: { tool: 'exec_command', ask: (text: string) => ['exec', '--skip-git-repo-check', text] },
} as const

async function turn(service: Service, url: string, text: string, world: World) {
  const { client, model } = service
  const log = join(world.home, 'log')
  rmSync(log, { force: true })
  const config = {
    upstreams: { cloud: service.upstream(url) },
    routes: [{ model: '*', upstream: 'cloud' }],
  }
  const args = ['launch', client, '--model', model, '--log', log, '--', ...TURNS[client].ask(text)]
  const env = { ...world.environment, DRAGOMAN_CONFIG: JSON.stringify(config) }
  const run = await ended([process.execPath, resolve('src/node.ts'), ...args], {
    cwd: world.work,
    env,
  })
  const betas = new Set(readFileSync(log, 'utf8').match(/dropped betas\.[\w-]+/g))
  return { ...run, betas }
}

async function tried(service: Service, demo: string, world: World): Promise<boolean> {
  const { name, client } = service
  const { tool } = TURNS[client]
  const standIn = await startService(service, demo)
  const faults: string[] = []
  const betas = new Set<string>()
  for (const [text, said] of [
    ['Hello there', /You said: "?Hello there/],
    [`call ${tool}`, new RegExp(`${tool} said: `)],
  ] as const) {
    const { code, out, error, betas: lost } = await turn(service, standIn.url, text, world)
    for (const beta of lost) betas.add(beta)
    if (code !== 0 || !said.test(out))
      faults.push(`${text}: ended with ${String(code)}, ${(out + error).slice(-400)}`)
  }
  standIn.close()
  faults.push(...new Set(standIn.refusals))
  if (standIn.taken.length < 3) faults.push(`was asked ${standIn.taken.length} times`)
  const told = faults.length > 0 ? faults.join('; ') : `${standIn.taken.length} requests`
  console.log(`${client.padEnd(9)} over ${name.padEnd(17)} ${told} ${[...betas].join(', ')}`)
  return faults.length === 0
}

/** Claude Code and Codex over stand-ins of the clouds: a turn of text and a turn with a tool. */
export async function cloudFailures(world: World): Promise<number> {
  const demo = await startProxy({ ...demoConfig(), callers: 'open' }, world)
  let failed = 0
  try {
    for (const service of SERVICES) if (!(await tried(service, demo.url, world))) failed += 1
  } finally {
    demo.stop()
  }
  return failed
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, emptyFolder, type Folder } from '../node/command.ts'
import { freePort } from '../ports.ts'
import { messagesReply } from '../dialects/messages/reply.ts'

/**
 * Two proxies that share a Redis, under load, of which one is killed in the middle: conversations go on at the other
 * one, and each stays with the caller that it belongs to.
 */

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

const KEYS = ['caller-one-0123456789abcdef', 'caller-two-0123456789abcdef'] as const

export interface Load {
  conversations: number
  turns: number
  /** How many of them speak at a time. */
  atOnce: number
}

export interface Outcome {
  replies: number
  /** Requests that were underway at the proxy that was killed, and were made once more. */
  repeated: number
  /** Replies that cannot be read any more, or turns that the upstream was not told again. */
  lost: string[]
  /** Replies that another caller can read, or turns of other conversations. */
  wrongOwners: string[]
  seconds: number
}

/** A process that ends with what uses it. */
async function startRedis(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort()
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.includes('Ready to accept connections')) break
  }
  child.stdout.resume()
  return { child, url: `redis://127.0.0.1:${port}` }
}

const MARK = /conversation-(\d+)-turn-(\d+)\./g

/** An upstream of messages: what it is told has to be one conversation, from its first turn to the last. */
async function startUpstream(outcome: Outcome): Promise<{ server: Server; url: string }> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { messages, stream } = JSON.parse(text)
    const marks = [...JSON.stringify(messages).matchAll(MARK)]
    const [, conversation, turn] = marks.at(-1) ?? []
    const told = new Set(marks.map(([, , each]) => each))
    if (marks.some(([, each]) => each !== conversation))
      outcome.wrongOwners.push(`the upstream heard several conversations: ${marks.join(' ')}`)
    if (told.size !== Number(turn))
      outcome.lost.push(`turn ${turn} of ${conversation} came with ${told.size} turns`)
    const type = stream ? 'text/event-stream' : 'application/json'
    response.writeHead(200, { 'content-type': type }).end(stream ? STREAM : JSON.stringify(REPLY))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const USAGE = { input_tokens: 3, output_tokens: 2 }
const REPLY = { ...messagesReply('Noted.'), usage: USAGE }
const STREAM = [
  { type: 'message_start', message: { ...REPLY, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Noted.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: USAGE },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')

const startProxy = (folder: Folder, upstream: string, store: string): Command =>
  folder.run(['--port', '0'], {
    DRAGOMAN_CONFIG: JSON.stringify({
      upstreams: { up: { dialect: 'messages', url: upstream, key: 'upstream-key-0123456789' } },
      callers: { keys: KEYS },
      state: { store },
    }),
  })

interface Turn {
  proxy: string
  key: string
  input: string
  previous: string | undefined
  stream: boolean
}

/** The id of a whole reply; throws where there is none. */
async function say({ proxy, key, input, previous, stream }: Turn): Promise<string> {
  const response = await fetch(`${proxy}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: 'm',
      input,
      stream,
      ...(previous !== undefined && { previous_response_id: previous }),
    }),
  })
  const text = await response.text()
  const id = /"id":"(resp_\w+)"/.exec(text)?.[1]
  const isWhole = stream ? text.includes('"response.completed"') : text.includes('"completed"')
  if (response.status !== 200 || id === undefined || !isWhole)
    throw new Error(`${input} ${stream} ${response.status} ${text.slice(-300)}`)
  // Where the store does not answer, that is what is told.
  const losses = response.headers.get('x-dragoman-losses') ?? ''
  if (losses.includes('store')) throw new Error(`not kept: ${input} ${losses}`)
  return id
}

const readAs = async (proxy: string, key: string, id: string): Promise<number> => {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${proxy}/v1/responses/${id}`, { headers })
  await response.text()
  return response.status
}

const keyOf = (conversation: number): string => KEYS[conversation % 2] ?? KEYS[0]
const otherKey = (conversation: number): string => keyOf(conversation + 1)

/** Speaks all conversations over both proxies; one is killed when half of all is said. */
async function speak(
  { conversations, turns, atOnce }: Load,
  proxies: readonly string[],
  outcome: Outcome,
  kill: () => void,
): Promise<Map<string, number>> {
  const kept = new Map<string, number>()
  const total = conversations * turns
  let [said, alive, next] = [0, proxies.length, 0]
  const turnOf = async (conversation: number, turn: number, previous: string | undefined) => {
    const input = `conversation-${conversation}-turn-${turn}.`
    for (;;) {
      const proxy = proxies[(conversation + turn) % alive] ?? ''
      const asked = { proxy, key: keyOf(conversation), input, previous, stream: turn % 2 === 0 }
      try {
        return await say(asked)
      } catch (error) {
        // Only what was underway at the one that is gone may fail; a client repeats it.
        if (proxy !== proxies[1] || alive > 1) throw error
        outcome.repeated += 1
      }
    }
  }
  const worker = async () => {
    for (let conversation = next++; conversation < conversations; conversation = next++) {
      let previous: string | undefined
      for (let turn = 1; turn <= turns; turn += 1) {
        previous = await turnOf(conversation, turn, previous)
        kept.set(previous, conversation)
        said += 1
        if (said === Math.floor(total / 2)) {
          alive = 1
          kill()
        }
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return kept
}

export async function replicas(load: Load): Promise<Outcome> {
  const outcome: Outcome = { replies: 0, repeated: 0, lost: [], wrongOwners: [], seconds: 0 }
  const started = performance.now()
  const folder = emptyFolder()
  const data = mkdtempSync(join(tmpdir(), 'dragoman-redis-'))
  const redis = await startRedis(data)
  const upstream = await startUpstream(outcome)
  try {
    const commands = [0, 1].map(() => startProxy(folder, upstream.url, redis.url))
    const proxies = await Promise.all(commands.map((command) => command.listening()))
    const kept = await speak(load, proxies, outcome, () => commands[1]?.child.kill('SIGKILL'))
    outcome.replies = kept.size
    const [alive = ''] = proxies
    for (const [id, conversation] of kept) {
      const own = await readAs(alive, keyOf(conversation), id)
      if (own !== 200) outcome.lost.push(`${id} of conversation ${conversation}: ${own}`)
      const others = await readAs(alive, otherKey(conversation), id)
      if (others !== 404) outcome.wrongOwners.push(`${id}: ${others} for another caller`)
    }
  } finally {
    folder.remove()
    redis.child.kill('SIGKILL')
    upstream.server.close().closeAllConnections()
    rmSync(data, { recursive: true, force: true })
  }
  outcome.seconds = (performance.now() - started) / 1000
  return outcome
}

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type Dialect, DIALECTS } from '../../adapters/dialect.ts'
import { buildProgram } from '../../scripts/library.ts'
import { kits } from '../dialects/index.ts'
import { voices, type Voice } from '../faults/voices.ts'
import { sleep } from './caller.ts'
import { IN_FLIGHT_BYTES, LARGE_BYTES, type Sample } from './shared.ts'
import { expect, percentile } from './soak.ts'
import { modelOf, type Upstream } from './upstream.ts'

/** Everything by which a few callers could fill the memory, each against a proxy of its own. */

const MEGABYTE = 1024 * 1024
/** The resident size that is never reached. */
const MOST_RESIDENT = (2 * IN_FLIGHT_BYTES) / MEGABYTE + 300
const MOST_HEALTH_MS = 250

interface Stand {
  port: number
  agent: Agent
}

interface Heard {
  status: number
  retryAfter: string | undefined
  request: ClientRequest
  response: IncomingMessage | undefined
  /** The whole body, where it was read. */
  text: string
}

interface Posting {
  path: string
  method?: string
  headers?: Record<string, string>
  /** What is sent, piece by piece; without `ends` the last byte never comes. */
  pieces?: readonly Buffer[]
  ends?: boolean
  /** How much of the answer is taken: nothing behind its head, or all of it. */
  takes?: 'head' | 'all'
}

/** Resolves with the head of the answer, or with its end. Never rejects. */
function ask({ port, agent }: Stand, posting: Posting): Promise<Heard> {
  const { path, method = 'POST', headers, pieces = [], ends = true, takes = 'all' } = posting
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      agent,
      path,
      method,
      headers: { ...HEADERS, ...headers },
    }
    const request = httpRequest(options)
    const heard: Heard = {
      status: 0,
      retryAfter: undefined,
      request,
      response: undefined,
      text: '',
    }
    request.on('error', () => resolve(heard))
    request.on('response', (response) => {
      heard.status = response.statusCode ?? 0
      heard.retryAfter = response.headers['retry-after']
      heard.response = response
      response.on('error', () => resolve(heard))
      if (takes === 'head') return resolve(heard)
      response.setEncoding('utf8').on('data', (text) => (heard.text += text))
      response.on('close', () => resolve(heard))
    })
    for (const piece of pieces) request.write(piece)
    if (ends) request.end()
  })
}

const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }

const voiceOf = (dialect: Dialect): Voice => kits[dialect].voice

/** A request that says so many bytes. */
function said(caller: Voice, model: string, stream: boolean, bytes: number): Buffer {
  const text = JSON.stringify({
    ...caller.request(model, stream),
    ...(caller.dialect === 'responses' && { store: true }),
  })
  return Buffer.from(text.replace('Hello', 'words '.repeat(bytes / 6)))
}

interface Outcome {
  served: number
  refused: number
  others: number
}

function sumUp(answers: readonly Heard[]): Outcome {
  const served = answers.filter(({ status }) => status === 200).length
  const refused = answers.filter(
    ({ status, retryAfter }) => status === 503 && retryAfter === '1',
  ).length
  return { served, refused, others: answers.length - served - refused }
}

type Scene = (stand: Stand) => Promise<Outcome>

/** Makes the bodies of a scene, for which this process takes longer than the proxy may be late with its health. */
type Preparation = () => Scene

interface Played extends Outcome {
  /** The largest resident size, in megabytes. */
  peak: number
  /** How late health was told at most, in milliseconds. */
  late: number
}

interface Stage {
  upstream: Upstream
  /** The proxy in one file, as it is shipped: what takes the types off its sources needs 40 MB itself. */
  program: string
}

/** One scene: how large the proxy became meanwhile, and how promptly it told its health. */
async function play({ upstream, program }: Stage, prepare: Preparation): Promise<Played> {
  const scene = prepare()
  const child = fork(program, [String(upstream.port), 'memory'], {
    execArgv: ['--expose-gc', '--disable-proto=throw'],
  })
  const [port] = await once(child, 'message')
  const stand = { port, agent: new Agent({ keepAlive: true, maxSockets: Infinity }) }
  const health: number[] = []
  const over = new AbortController()
  const watch = async () => {
    const agent = new Agent({ keepAlive: true })
    while (!over.signal.aborted) {
      const start = performance.now()
      await ask({ port, agent }, { path: '/healthz', method: 'GET' })
      health.push(performance.now() - start)
      await sleep(20)
    }
    agent.destroy()
  }
  const watching = watch()
  const outcome = await scene(stand)
  over.abort()
  await watching
  const peak = await watchPeak(child)
  stand.agent.destroy()
  child.kill('SIGTERM')
  await once(child, 'exit')
  return { ...outcome, peak, late: percentile(health, 1) }
}

/** Where others compute too, everything takes that much longer. */
const mostHealthMs = (): number =>
  MOST_HEALTH_MS * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())

const isBounded = ({ peak, late }: Played): boolean =>
  peak <= MOST_RESIDENT && late <= mostHealthMs()

/** When the collector runs is chance: a scene that went beyond a bound is played once more, and then has to hold it. */
async function hold(stage: Stage, name: string, prepare: Preparation): Promise<void> {
  const first = await play(stage, prepare)
  const { served, refused, others, peak, late } = isBounded(first)
    ? first
    : await play(stage, prepare)
  expect(
    peak <= MOST_RESIDENT && first.others + others === 0,
    `${name}: ${served} served, ${refused} sent away, ${others} neither; ` +
      `${peak.toFixed(0)} of ${MOST_RESIDENT} MB, health in ${late.toFixed(0)} ms at most`,
  )
  const most = mostHealthMs()
  expect(late <= most, `${name}: health is told within ${most.toFixed(0)} ms`)
}

async function watchPeak(child: ReturnType<typeof fork>): Promise<number> {
  child.send('sample')
  const [sample]: Sample[] = await once(child, 'message')
  return sample?.peak ?? Infinity
}

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

/** Those that are let in wait for their last byte; the others are told. */
const withheld: Scene = async (stand) => {
  const piece = Buffer.alloc(MEGABYTE, ' ')
  const pieces = Array.from({ length: 31 }, () => piece)
  const answers: Heard[] = []
  void times(24, async () =>
    answers.push(await ask(stand, { path: '/v1/messages', pieces, ends: false })),
  )
  await sleep(2500)
  const { refused, served, others } = sumUp(answers)
  return { refused, served, others: others + (answers.length > 23 ? 1 : 0) }
}

const bombs: Preparation = () => {
  const caller = voiceOf('messages')
  const bomb = gzipSync(said(caller, modelOf(voiceOf('responses'), 'slow', 1), true, 31 * MEGABYTE))
  const headers = { 'content-encoding': 'gzip' }
  return async (stand) =>
    sumUp(await times(40, () => ask(stand, { path: '/v1/messages', headers, pieces: [bomb] })))
}

/** Bodies of few bytes and many values: each call of a tool is a dozen objects and texts. */
const histories: Preparation = () => {
  const caller = voiceOf('messages')
  const calls = Array.from({ length: 9000 }, (_, index) => [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `toolu_${index}`, name: 'look', input: { at: index } }],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${index}`, content: 'seen' }],
    },
  ])
  const body = Buffer.from(
    JSON.stringify({
      ...caller.request(modelOf(voiceOf('responses'), 'whole', 1), false),
      messages: [{ role: 'user', content: 'Look.' }, ...calls.flat()],
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    }),
  )
  return async (stand) =>
    sumUp(await times(4, () => ask(stand, { path: '/v1/messages', pieces: [body] })))
}

const idIn = ({ text }: Heard) => /"id":"(resp_\w+)"/.exec(text)?.[1]

const chains: Scene = async (stand) => {
  const caller = voiceOf('responses')
  const model = modelOf(voiceOf('messages'), 'slow', 1)
  const turn = async (bytes: number, previous?: string) => {
    const body = said(caller, model, false, bytes).subarray(1)
    const before = previous === undefined ? '{' : `{"previous_response_id":"${previous}",`
    return ask(stand, { path: '/v1/responses', pieces: [Buffer.from(before), body] })
  }
  const first = idIn(await turn(14 * MEGABYTE))
  const second = idIn(await turn(14 * MEGABYTE, first))
  return sumUp(await times(40, () => turn(6, second)))
}

const streams: Preparation = () => {
  const callers = DIALECTS.map(voiceOf)
  const bodies = callers.map((caller, index) => {
    const model = modelOf(voices[(index + 1) % voices.length] ?? caller, 'idle', index)
    return { path: caller.path(model, true), pieces: [said(caller, model, true, 15 * MEGABYTE)] }
  })
  return async (stand) => {
    const answers = await times(40, async (index) => {
      await sleep(index * 20)
      return ask(stand, { path: '', ...bodies[index % bodies.length], takes: 'head' })
    })
    await sleep(500)
    for (const { request } of answers) request.destroy()
    return sumUp(answers)
  }
}

/** One reply, asked for again and again over as many connections, and never taken. */
const unread: Scene = async (stand) => {
  const id = await largeReply(stand)
  const get = { path: `/v1/responses/${id}`, method: 'GET', takes: 'head' } as const
  const answers = await times(60, () => ask(stand, get))
  await sleep(300)
  for (const { request } of answers) request.destroy()
  return sumUp(answers)
}

async function largeReply(stand: Stand): Promise<string> {
  const caller = voiceOf('responses')
  const body = said(caller, modelOf(voiceOf('messages'), 'large', 1), false, 6)
  return idIn(await ask(stand, { path: '/v1/responses', pieces: [body] })) ?? ''
}

/** The same over a single connection, which takes everything. */
const pipelined: Scene = async (stand) => {
  const id = await largeReply(stand)
  const { port } = stand
  const wanted = 60
  const socket = connect(port, '127.0.0.1')
  socket.resume()
  socket.write(`GET /v1/responses/${id} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(wanted))
  const end = performance.now() + 15_000
  while (socket.bytesRead < wanted * LARGE_BYTES && performance.now() < end) await sleep(50)
  socket.destroy()
  const served = Math.floor(socket.bytesRead / LARGE_BYTES)
  return { served, refused: 0, others: wanted - served }
}

const SCENES: readonly (readonly [string, Preparation])[] = [
  ['24 bodies of 31 MB without their end', () => withheld],
  ['40 bodies of 31 KB that unfold to 31 MB', bombs],
  ['4 histories of 9,000 calls', histories],
  ['40 short requests that go on a conversation of 28 MB', () => chains],
  ['40 streams after bodies of 15 MB', streams],
  ['60 replies of 13 MB that nobody takes', () => unread],
  ['60 replies of 13 MB over one connection', () => pipelined],
]

export async function bounds(upstream: Upstream, only = ''): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-soak-'))
  const program = join(folder, 'proxy.mjs')
  await buildProgram(fileURLToPath(new URL('proxy.ts', import.meta.url)), program)
  for (const [name, prepare] of SCENES)
    if (name.includes(only)) await hold({ upstream, program }, name, prepare)
  rmSync(folder, { recursive: true })
}

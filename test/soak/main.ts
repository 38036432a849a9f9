import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { parseArgs } from 'node:util'
import { voices, type Voice } from '../faults/voices.ts'
import { call, type Heard, sleep, stay } from './caller.ts'
import { type Sample, slopeOf, STREAMS } from './shared.ts'
import { faultOf, modelOf, openUpstream, type Upstream } from './upstream.ts'

/**
 * Load with mixed faults and callers who leave, against the proxy in a process of its own; then crowds of idle
 * streams and of stalled readers, and more callers than there is room for. Ends with 1 when something is
 * wrong or left behind.
 *
 *     npm run soak                  about 90 s
 *     npm run soak -- --minutes 30  before a release
 */

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '0.75' } } })
const LOAD_MS = Number(values.minutes) * 60_000
const REQUESTS = Math.max(20_000, Math.round((LOAD_MS / 60_000) * 16_000))
const LONGEST_MS = LOAD_MS * 4
const WORKERS = 60
const LEAVING = 11
const MAX_SLOPE = 0.05
const MAX_GROWTH = 8

interface Soak {
  port: number
  upstream: Upstream
  sample(): Promise<Sample>
}

let failures = 0
function expect(holds: boolean, text: string): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${text}`)
  if (!holds) failures += 1
}

const voiceAt = (index: number): Voice => voices[index % voices.length] as Voice

/** One request of the load; yields what is wrong with its answer. */
async function one({ port }: Soak, agent: Agent, round: number): Promise<string | undefined> {
  const fault = faultOf(round)
  const model = modelOf(voiceAt(Math.floor(round / 3)), fault, round)
  const stream = round % 4 !== 0
  const leaves = round % LEAVING === 0
  const asking = { port, agent, caller: voiceAt(round), model, stream }
  const heard = await call(asking, leaves ? round % 30 : undefined)
  if (leaves || isRight(heard, fault, round)) return undefined
  return `${model} for ${asking.caller.dialect}: ${heard.status} ${heard.text.slice(-200)}`
}

/** A whole answer belongs to its request; of any other the caller is told. */
function isRight({ status, text, complete }: Heard, fault: string, round: number): boolean {
  if (!complete) return false
  const isOwn = text.includes(`canary-${round}-`)
  if (fault === 'whole') return status === 200 && isOwn
  return status === 200 ? isOwn && /rror/.test(text) : status >= 400 && status < 600
}

async function load(soak: Soak): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const start = performance.now()
  const elapsed = () => performance.now() - start
  const wrong: string[] = []
  let rounds = 0
  const goesOn = () => elapsed() < LONGEST_MS && (elapsed() < LOAD_MS || rounds < REQUESTS)
  const worker = async () => {
    while (goesOn()) {
      rounds += 1
      const text = await one(soak, agent, rounds)
      if (text !== undefined) wrong.push(text)
    }
  }
  const samples: Sample[] = []
  const observer = async () => {
    while (goesOn()) {
      await sleep(Math.max(500, LOAD_MS / 100))
      samples.push(await soak.sample())
    }
  }
  await Promise.all([observer(), ...Array.from({ length: WORKERS }, worker)])
  agent.destroy()
  const slope = slopeOf(samples)
  const rate = rounds / (elapsed() / 1000)
  expect(rounds >= REQUESTS, `${rounds} requests, ${rate.toFixed(0)} a second`)
  expect(wrong.length === 0, `${wrong.length} wrong answers ${wrong.slice(0, 5).join('\n     ')}`)
  expect(slope <= MAX_SLOPE, `the heap grows by ${slope.toFixed(3)} MB a second`)
}

const lonely = () => new Agent({ keepAlive: false })
const plain = ({ port }: Soak) => ({
  port,
  agent: lonely(),
  caller: voiceAt(0),
  model: modelOf(voiceAt(2), 'whole', 1),
  stream: false,
})

/** As many idle streams as there is room for; whoever comes then is sent away at once. */
async function crowd(soak: Soak): Promise<void> {
  const before = await soak.sample()
  const streams = Array.from({ length: STREAMS }, (_, index) =>
    stay({ ...plain(soak), stream: true, model: modelOf(voiceAt(index), 'idle', index) }),
  )
  await Promise.all(streams.map(({ opened }) => opened))
  const during = await soak.sample()
  const each = ((during.rss - before.rss) * 1024) / STREAMS
  expect(each <= 128, `${STREAMS} idle streams cost ${each.toFixed(0)} KiB each`)
  const start = performance.now()
  const refused = await Promise.all(Array.from({ length: 100 }, () => call(plain(soak))))
  const right = refused.filter(({ status, retryAfter }) => status === 503 && retryAfter === '1')
  const took = (performance.now() - start) / refused.length
  expect(
    right.length === 100,
    `${right.length} of 100 more are sent away, ${took.toFixed(1)} ms each`,
  )
  for (const { leave } of streams) leave()
  await sleep(2000)
  const after = await call(plain(soak))
  expect(after.status === 200, `2 s after they left there is room again: ${after.status}`)
  const busy = soak.upstream.busy()
  expect(busy === 0, `and ${busy} connections to the upstream are still waited on`)
}

/** Four times as many callers as there is room for. */
async function overload(soak: Soak): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 3000 })
  const idle = Array.from({ length: STREAMS - 50 }, (_, index) =>
    stay({ ...plain(soak), stream: true, model: modelOf(voiceAt(index), 'idle', index) }),
  )
  await Promise.all(idle.map(({ opened }) => opened))
  const heard = await Promise.all(
    Array.from({ length: 200 }, () => call({ ...plain(soak), agent, stream: true })),
  )
  const fine = heard.filter(({ status }) => status === 200).length
  const away = heard.filter(({ status, retryAfter }) => status === 503 && retryAfter === '1').length
  expect(
    fine >= 50 && fine + away === 200,
    `200 callers for 50 places: ${fine} served, ${away} not`,
  )
  for (const { leave } of idle) leave()
  agent.destroy()
  await sleep(2000)
}

async function stalled(soak: Soak): Promise<void> {
  const before = await soak.sample()
  const readers = Array.from({ length: 50 }, (_, index) =>
    stay({ ...plain(soak), stream: true, model: modelOf(voiceAt(index), 'flood', index) }, true),
  )
  await Promise.all(readers.map(({ opened }) => opened))
  await sleep(3000)
  const during = await soak.sample()
  const most = soak.upstream.flooded()
  const cost = during.rss - before.rss
  // On top of what the proxy took come the buffers of the two connections.
  expect(most <= 16, `of 50 stalled readers none took more than ${most.toFixed(1)} MB`)
  expect(cost <= 64, `together they cost ${cost.toFixed(0)} MB`)
  for (const { leave } of readers) leave()
  await sleep(1500)
}

async function opened(child: ChildProcess, upstream: Upstream): Promise<Soak> {
  const [port] = await once(child, 'message')
  child.once('exit', (code) => {
    if (code === 0) return
    console.log(`FAIL the proxy ended with ${code}`)
    process.exit(1)
  })
  const soak = {
    port,
    upstream,
    async sample() {
      child.send('sample')
      const [sample] = await once(child, 'message')
      return sample
    },
  }
  return soak
}

/** What is compiled and pooled once is not growth. */
async function warmUp(soak: Soak): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (let round = 0; round < 20; round += 1)
    await Promise.all(Array.from({ length: 50 }, (_, at) => one(soak, agent, round * 50 + at)))
  agent.destroy()
}

async function main(): Promise<void> {
  const upstream = await openUpstream()
  const child = fork(new URL('proxy.ts', import.meta.url), [String(upstream.port)], {
    execArgv: ['--expose-gc', '--disable-proto=throw'],
  })
  const soak = await opened(child, upstream)
  const { resources } = await soak.sample()
  await warmUp(soak)
  const start = await soak.sample()
  await load(soak)
  await crowd(soak)
  await overload(soak)
  await stalled(soak)
  // Connections that are kept for another request are closed by then.
  await sleep(6000)
  const end = await soak.sample()
  const heaps = `${start.heap.toFixed(1)} MB, then ${end.heap.toFixed(1)} MB`
  expect(end.heap <= start.heap + MAX_GROWTH, `the heap: ${heaps}`)
  expect(end.resources <= resources + 2, `open: ${resources}, then ${end.resources}`)
  expect(upstream.busy() === 0, `${upstream.busy()} connections to the upstream are waited on`)
  console.log(`     the loop is late by ${end.lagP99Ms.toFixed(0)} ms in one of a hundred cases`)
  child.kill('SIGTERM')
  await once(child, 'exit')
  upstream.close()
  process.exit(failures > 0 ? 1 : 0)
}

await main()

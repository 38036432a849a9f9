import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { parseArgs } from 'node:util'
import { call, type Heard, sleep } from './caller.ts'
import { bounds } from './bounds.ts'
import { down } from './down.ts'
import { connected } from './connected.ts'
import { bodies, crowd, overload, stalled } from './pressure.ts'
import { reload } from './reload.ts'
import { killed } from './replicas.ts'
import { type Sample, measureSlope } from './shared.ts'
import { expect, hasFailed, voiceAt, type Soak } from './soak.ts'
import { faultOf, modelOf, openUpstream, type Upstream } from './upstream.ts'

/**
 * Load with mixed faults and callers who leave, against the proxy in a process of its own; then crowds of idle
 * streams, of stalled readers and of sockets, more callers than there is room for, and all the ways to fill the memory; then pools
 * of which one member is down, and a configuration that is read again and again.
 * Ends with 1 when something is wrong or left behind.
 *
 *     npm run soak                  about three minutes
 *     npm run soak -- --minutes 30  before a release
 */

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '0.75' } } })
const LOAD_MS = Number(values.minutes) * 60_000
const REQUESTS = Math.max(20_000, Math.round((LOAD_MS / 60_000) * 16_000))
const LONGEST_MS = LOAD_MS * 4
const LONG_MS = 600_000
const WORKERS = 60
const LEAVING = 11
const MAX_SLOPE = 0.05
const MAX_GROWTH = 8

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
  const slope = measureSlope(samples)
  const rate = rounds / (elapsed() / 1000)
  expect(rounds >= REQUESTS, `${rounds} requests, ${rate.toFixed(0)} a second`)
  expect(wrong.length === 0, `${wrong.length} wrong answers ${wrong.slice(0, 5).join('\n     ')}`)
  expect(slope <= MAX_SLOPE, `the heap grows by ${slope.toFixed(3)} MB a second`)
}

async function opened(child: ChildProcess, upstream: Upstream): Promise<Soak> {
  child.once('exit', (code) => {
    if (code === 0) return
    console.log(`FAIL the proxy ended with ${code}`)
    process.exit(1)
  })
  const [port] = await once(child, 'message')
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
  await overload(soak, LOAD_MS >= LONG_MS ? 20 : 5)
  await bodies(soak)
  await stalled(soak)
  await connected(soak)
  // Connections that are kept for another request are closed by then.
  await sleep(6000)
  const end = await soak.sample()
  const heaps = `${start.heap.toFixed(1)} MB, then ${end.heap.toFixed(1)} MB`
  expect(end.heap <= start.heap + MAX_GROWTH, `the heap: ${heaps}`)
  expect(end.resources <= resources + 2, `open: ${resources}, then ${end.resources}`)
  expect(upstream.busy() === 0, `${upstream.busy()} connections to the upstream are waited on`)
  child.kill('SIGTERM')
  await once(child, 'exit')
  await bounds(upstream)
  await down()
  await reload(upstream)
  await killed()
  upstream.close()
  process.exit(hasFailed() ? 1 : 0)
}

await main()

import { type Askers, askersFor } from './asker.ts'
import { type Connection, type Heard, openConnection } from './connection.ts'
import { stampReader } from './delays.ts'
import { faultIn } from './replies.ts'
import type { Asking, Busy, Crowd, Drip, Few, Job, Load, Score } from './shared.ts'
import { measureSpread } from './statistics.ts'
import { cpuMsOf } from './usage.ts'

/** The callers of all lanes, in a process of their own: one job after another, told by the parent. */

/** Until every connection has been used a few times, and what is slow at first is over. */
const RAMP_MS = 70
/**
 * Node accepts one connection in each turn of its loop (libuv does): one that is opened while requests of others are
 * worked on waits for so many turns as there are before it, which says nothing of how long a request takes.
 */
const ACCEPT_MS = 25
const MAX_PROBLEMS = 3
const PATIENCE_MS = 5000

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Bodies of 10 MB are made once. */
const askers = new Map<string, Askers>()
function makeAskers(asking: Asking): Askers {
  const { port, caller, model, prompt, stream } = asking
  const name = [port, caller, model, prompt, stream].join()
  const known = askers.get(name) ?? askersFor(asking)
  askers.set(name, known)
  return known
}

const makeRequest = (asking: Asking): Buffer => makeAskers(asking).at(0, 1).next()

interface Tally {
  problems: string[]
  add(heard: Heard): void
  fail(reason: string): void
}

const isFine = ({ startLine }: Heard): boolean => startLine.startsWith('HTTP/1.1 200')

function tallyInto(heards: Heard[]): Tally {
  const problems: string[] = []
  const fail = (reason: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(reason)
  }
  return {
    problems,
    fail,
    add(heard) {
      if (!isFine(heard)) fail(heard.startLine)
      heards.push(heard)
    },
  }
}

async function firstFault(job: Asking): Promise<string | undefined> {
  const parts: string[] = []
  return new Promise((resolve) => {
    const opening = openConnection(job.port, {
      body: (chunk) => parts.push(chunk.toString('latin1')),
      ended(heard) {
        void opening.then((connection) => connection.close())
        const fault = faultIn(parts.join(''), job.caller, job.stream)
        resolve(isFine(heard) ? fault : `${heard.startLine}: ${parts.join('').slice(0, 300)}`)
      },
      failed: resolve,
    })
    void opening.then((connection) => connection.ask(makeRequest(job)))
    setTimeout(() => resolve('no answer in five seconds'), PATIENCE_MS).unref()
  })
}

interface Loop {
  end(): Promise<void>
}

/** Every connection asks again as soon as it has its answer. */
async function closedLoop(job: Load, tally: Tally, body?: (chunk: Buffer) => void): Promise<Loop> {
  const own = makeAskers(job)
  let isOver = false
  const open = async (index: number) => {
    const asker = own.at(index, job.connections)
    const { promise: idle, resolve } = Promise.withResolvers<void>()
    const connection = await openConnection(job.port, {
      body,
      ended(heard) {
        tally.add(heard)
        if (isOver) resolve()
        else connection.ask(asker.next())
      },
      failed(reason) {
        tally.fail(reason)
        resolve()
      },
    })
    return { connection, idle, asker }
  }
  const opened = await Promise.all(Array.from({ length: job.connections }, (_, at) => open(at)))
  await sleep(ACCEPT_MS)
  for (const { connection, asker } of opened) connection.ask(asker.next())
  return {
    async end() {
      isOver = true
      await Promise.all(opened.map(({ idle }) => idle))
      for (const { connection } of opened) connection.close()
    },
  }
}

async function load(job: Load): Promise<Score> {
  const fault = job.checked ? await firstFault(job) : undefined
  const heards: Heard[] = []
  const tally = tallyInto(heards)
  if (fault !== undefined) tally.fail(fault)
  const stamps = stampReader()
  const loop = await closedLoop(job, tally, job.timed ? stamps.read : undefined)
  // Streams that are timed are so from their beginning.
  if (!job.timed) await sleep(RAMP_MS)
  const begun = performance.now()
  const before = cpuNow(job)
  stamps.clear()
  await sleep(job.seconds * 1000)
  const ended = performance.now()
  const busy = busyBetween(before, cpuNow(job), ended - begun)
  const delays = [...stamps.delays]
  await loop.end()
  const within = heards.filter(({ endedAt }) => endedAt > begun && endedAt <= ended)
  const done = workWithin(heards, begun, ended)
  return {
    ...toScore(within.length > 0 ? within : heards, tally.problems),
    perSecond: done / ((ended - begun) / 1000),
    cpuMs: Number.isFinite(busy.proxy) ? (busy.proxy * (ended - begun)) / done : undefined,
    delay: delays.length > 0 ? measureSpread(delays) : undefined,
    busy,
  }
}

/** Exchanges within a time, those at its edges in part: with few long ones a whole one more would tell much. */
function workWithin(heards: readonly Heard[], begun: number, ended: number): number {
  return heards.reduce((sum, { askedAt, endedAt }) => {
    const shared = Math.min(endedAt, ended) - Math.max(askedAt, begun)
    return sum + Math.max(0, shared) / Math.max(endedAt - askedAt, Number.EPSILON)
  }, 0)
}

/** NaN where nobody tells. */
const cpuNow = ({ pid, upstreamPid }: Load): Busy => ({
  proxy: cpuMsOf(pid) ?? Number.NaN,
  upstream: cpuMsOf(upstreamPid) ?? Number.NaN,
  callers: cpuMsOf(process.pid) ?? Number.NaN,
})

const busyBetween = (before: Busy, after: Busy, ms: number): Busy => ({
  proxy: (after.proxy - before.proxy) / ms,
  upstream: (after.upstream - before.upstream) / ms,
  callers: (after.callers - before.callers) / ms,
})

const toScore = (heards: readonly Heard[], problems: string[]): Score => ({
  requests: heards.length,
  perSecond: Number.NaN,
  cpuMs: undefined,
  wait: measureSpread(heards.map(({ askedAt, endedAt }) => endedAt - askedAt)),
  first: measureSpread(heards.map(({ askedAt, firstAt }) => firstAt - askedAt)),
  delay: undefined,
  busy: undefined,
  problems,
})

/** One request after another, and what the process took for them. */
async function few(job: Few): Promise<Score> {
  const heards: Heard[] = []
  const tally = tallyInto(heards)
  const asker = makeAskers(job).at(0, 1)
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const connection = await openConnection(job.port, {
    ended(heard) {
      tally.add(heard)
      if (heards.length < job.requests) connection.ask(asker.next())
      else resolve()
    },
    failed(reason) {
      tally.fail(reason)
      resolve()
    },
  })
  const before = cpuMsOf(job.pid) ?? Number.NaN
  connection.ask(asker.next())
  await over
  const used = (cpuMsOf(job.pid) ?? Number.NaN) - before
  connection.close()
  return {
    ...toScore(heards, tally.problems),
    cpuMs: Number.isFinite(used) ? used / heards.length : undefined,
  }
}

/** A small request at its time, on a connection that is free or on a new one. */
async function drip(job: Drip): Promise<Score> {
  const heards: Heard[] = []
  const tally = tallyInto(heards)
  const free: Connection[] = []
  const all: Connection[] = []
  const request = makeRequest(job)
  const open = async (): Promise<Connection> => {
    const connection = await openConnection(job.port, {
      ended(heard) {
        tally.add(heard)
        free.push(connection)
      },
      failed: tally.fail,
    })
    all.push(connection)
    return connection
  }
  const rounds = Math.round((job.seconds * 1000) / job.everyMs)
  for (let round = 0; round < rounds; round += 1) {
    const connection = free.pop()
    if (connection) connection.ask(request)
    else void open().then((fresh) => fresh.ask(request))
    await sleep(job.everyMs)
  }
  await sleep(job.everyMs * 5)
  for (const connection of all) connection.close()
  return toScore(heards, tally.problems)
}

const AT_ONCE = 25

let crowded: Connection[] = []

/** Streams that have begun, and then say nothing. */
async function crowd(job: Crowd): Promise<Score> {
  const tally = tallyInto([])
  const request = makeRequest(job)
  const one = async (): Promise<void> => {
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    const connection = await openConnection(job.port, {
      begun: resolve,
      ended: ({ startLine }) => tally.fail(`a stream ended that should be idle: ${startLine}`),
      failed(reason) {
        tally.fail(reason)
        resolve()
      },
    })
    crowded.push(connection)
    connection.ask(request)
    await begun
  }
  // A crowd does not come through the door all at once.
  for (let come = 0; come < job.connections; come += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, job.connections - come) }, one))
  return toScore([], tally.problems)
}

function leave(): Score {
  for (const connection of crowded) connection.close()
  crowded = []
  return toScore([], [])
}

function run(job: Job): Promise<Score> | Score {
  switch (job.kind) {
    case 'load':
      return load(job)
    case 'few':
      return few(job)
    case 'drip':
      return drip(job)
    case 'crowd':
      return crowd(job)
    case 'leave':
      return leave()
    default:
      return job satisfies never
  }
}

process.on('message', async (job: Job) => process.send?.(await run(job)))
process.on('disconnect', () => process.exit())

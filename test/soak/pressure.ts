import { Agent, get } from 'node:http'
import { weightOf } from '../../src/stream/budget.ts'
import { call, type Heard, sleep, stay } from './caller.ts'
import { IN_FLIGHT_BYTES, STREAMS } from './shared.ts'
import { expect, percentile, plain, voiceAt, type Soak } from './soak.ts'
import { modelOf } from './upstream.ts'

/** More of everything than there is room for. */

const MEGABYTE = 1024 * 1024
const BODY_BYTES = 8 * MEGABYTE
/** How many times their own size bodies may cost while they are in flight. */
const MOST_TIMES = 6
const HEALTH_CHECKS = 200

const isRefused = ({ status, retryAfter }: Heard) => status === 503 && retryAfter === '1'

const idleStreams = (soak: Soak, count: number) =>
  Array.from({ length: count }, (_, index) =>
    stay({ ...plain(soak), stream: true, model: modelOf(voiceAt(index), 'idle', index) }),
  )

/** As many idle streams as there is room for; whoever comes then is sent away, and health is told at once. */
export async function crowd(soak: Soak): Promise<void> {
  const before = await soak.sample()
  const streams = idleStreams(soak, STREAMS)
  await Promise.all(streams.map(({ opened }) => opened))
  await sleep(1000)
  const during = await soak.sample()
  const each = (kind: 'heap' | 'rss') => ((during[kind] - before[kind]) * 1024) / STREAMS
  // What is resident depends on what the system has lent before; the heap does not.
  expect(
    each('heap') <= 64 && each('rss') <= 96,
    `${STREAMS} idle streams cost ${each('heap').toFixed(0)} KiB of heap each, ${each('rss').toFixed(0)} resident`,
  )
  const health = await healthTimes(soak)
  expect(
    health.length === HEALTH_CHECKS && percentile(health, 0.99) <= 100,
    `meanwhile health is told in ${percentile(health, 0.99).toFixed(0)} ms in 99 of 100 cases`,
  )
  const refused = await Promise.all(Array.from({ length: 100 }, () => call(plain(soak))))
  const right = refused.filter(isRefused).length
  expect(right === 100, `${right} of 100 more are sent away`)
  for (const { leave } of streams) leave()
  await recovered(soak)
}

async function healthTimes({ port }: Soak): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < HEALTH_CHECKS; index += 1) {
    const start = performance.now()
    const status = await new Promise((resolve) => {
      const asking = get({ port, host: '127.0.0.1', path: '/healthz' }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
      asking.on('error', resolve)
    })
    if (status === 200) times.push(performance.now() - start)
    await sleep(10)
  }
  return times
}

async function recovered(soak: Soak): Promise<void> {
  await sleep(2000)
  const after = await call(plain(soak))
  expect(after.status === 200, `2 s after they left there is room again: ${after.status}`)
  const busy = soak.upstream.busy()
  expect(busy === 0, `and ${busy} connections to the upstream are still waited on`)
}

const PLACES = 50
const CALLERS = PLACES * 4
const REFUSED_PAUSE_MS = 500

async function timed(soak: Soak, model: string, agent = new Agent({ keepAlive: false })) {
  const start = performance.now()
  const one = await call({ ...plain(soak), agent, stream: true, model })
  return { one, took: performance.now() - start }
}

/** For a while, four times as many callers as there are places left. */
export async function overload(soak: Soak, seconds: number): Promise<void> {
  const alone: number[] = []
  for (let index = 0; index < 20; index += 1)
    alone.push((await timed(soak, modelOf(voiceAt(index), 'slow', index))).took)
  const idle = idleStreams(soak, STREAMS - PLACES)
  await Promise.all(idle.map(({ opened }) => opened))
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
  const heard: Heard[] = []
  const refusals: number[] = []
  const services: number[] = []
  const until = performance.now() + seconds * 1000
  const caller = async (index: number) => {
    // They do not all come at once, and hold their places for a while.
    await sleep((index * REFUSED_PAUSE_MS) / CALLERS)
    const model = modelOf(voiceAt(index), 'slow', index)
    while (performance.now() < until) {
      const { one, took } = await timed(soak, model, agent)
      heard.push(one)
      if (!isRefused(one)) services.push(took)
      else {
        refusals.push(took)
        await sleep(REFUSED_PAUSE_MS)
      }
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, index) => caller(index)))
  const fine = heard.filter(({ status, complete }) => status === 200 && complete).length
  const away = refusals.length
  expect(
    fine + away === heard.length && fine >= PLACES && away >= PLACES,
    `${CALLERS} callers for ${PLACES} places, ${seconds} s: ${fine} served, ${away} sent away, ` +
      `${heard.length - fine - away} neither`,
  )
  const [usual, served, away50] = [alone, services, refusals].map((times) => percentile(times, 0.5))
  expect(
    Number(served) <= 2 * Number(usual) && Number(away50) <= Number(usual) / 2,
    `half of them are served in ${served?.toFixed(0)} ms, as against ${usual?.toFixed(0)} ms alone, ` +
      `and sent away in ${away50?.toFixed(0)} ms`,
  )
  for (const { leave } of idle) leave()
  agent.destroy()
  await recovered(soak)
}

/** Large bodies: as many as there is room for, then three times as many. */
export async function bodies(soak: Soak): Promise<void> {
  const text = 'words '.repeat((BODY_BYTES - 4096) / 6)
  // A connection that is kept lets a refusal be heard that comes before the body has gone.
  const agent = new Agent({ keepAlive: true })
  const asking = { ...plain(soak), agent, text }
  const many = Math.floor(IN_FLIGHT_BYTES / weightOf(BODY_BYTES))
  await soak.sample()
  for (let index = 0; index < 3; index += 1) await call(asking)
  const { lagMostMs: single, rss } = await soak.sample()
  // What a call holds is let go of a moment after its answer was heard.
  await sleep(REFUSED_PAUSE_MS)
  // All are let in before the first is read: while one is translated, it takes room of those who come then.
  const following = sleep(REFUSED_PAUSE_MS)
  const fitting = await Promise.all(
    Array.from({ length: many }, () => call({ ...asking, following })),
  )
  const fine = fitting.filter(({ status }) => status === 200).length
  expect(fine === many, `${fine} of ${many} bodies of 8 MB at once are served`)
  const { lagMostMs } = await soak.sample()
  expect(
    // Not even when all of them end in one turn of the loop.
    lagMostMs <= single * many,
    `the loop is late by ${lagMostMs.toFixed(0)} ms at most, by ${single.toFixed(0)} ms for one of them`,
  )
  const crowded = await Promise.all(Array.from({ length: many * 3 }, () => call(asking)))
  const served = crowded.filter(({ status }) => status === 200).length
  const away = crowded.filter(isRefused).length
  expect(
    served + away === many * 3 && served > 0,
    `of ${many * 3} at once ${served} are served and ${away} sent away`,
  )
  agent.destroy()
  const { peak } = await soak.sample()
  const times = ((peak - rss) * MEGABYTE) / IN_FLIGHT_BYTES
  expect(times <= MOST_TIMES, `what is in flight costs ${times.toFixed(1)} times its size`)
}

const READERS = 50
/** Megabytes of text in what one of them was sent, and could not take. */
const MOST_HELD = 8

/** Readers of floods who take nothing after the first bytes. */
export async function stalled(soak: Soak): Promise<void> {
  const before = await soak.sample()
  const readers = Array.from({ length: READERS }, (_, index) =>
    stay({ ...plain(soak), stream: true, model: modelOf(voiceAt(index), 'flood', index) }, true),
  )
  await Promise.all(readers.map(({ opened }) => opened))
  await sleep(3000)
  const during = await soak.sample()
  const most = soak.upstream.flooded()
  const cost = during.rss - before.rss
  // On top of what the proxy took come the buffers of the two connections.
  expect(most <= 16, `of ${READERS} stalled readers none took more than ${most.toFixed(1)} MB`)
  // What a translated stream has said so far is held until it ends.
  expect(cost <= READERS * MOST_HELD, `together they cost ${cost.toFixed(0)} MB`)
  for (const { leave } of readers) leave()
  await sleep(1500)
}

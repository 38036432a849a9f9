import { findingsOf } from './goals.ts'
import { BASE, type Lane } from './lanes.ts'
import type { Extra } from './memory.ts'
import { verdicts } from './report.ts'
import { requestFor } from './requests.ts'
import { measure, type World } from './rounds.ts'
import type { Scenario } from './scenarios.ts'
import { DELTAS, modelOf } from './shared.ts'
import { answered } from './start.ts'
import { median, quotient } from './statistics.ts'
import { digits } from './table.ts'
import { cpuMsOf, residentKib } from './usage.ts'
import { startWorkerLane } from './workers.ts'

/** What a request takes on workerd, in proportion to a Worker of Hono that hands it through. */

const LOADS: readonly Scenario[] = [
  load('json', 'JSON of 1 KB, one at once', { manner: 'json', connections: 1 }),
  load('growing', 'growing sessions', { manner: 'json', prompt: 'growing', connections: 1 }),
  load('burst', 'burst of 200 deltas', { manner: 'burst', connections: 1 }),
  load('talk', '200 deltas, 50 a second, 64 at once', {
    manner: 'talk',
    connections: 64,
    seconds: 4,
    events: DELTAS,
  }),
]

function load(name: string, title: string, more: Partial<Scenario>): Scenario {
  const usual = { prompt: 'small', manner: 'json', connections: 1, seconds: 1, events: 1 } as const
  return { ...usual, ...more, name: `edge ${name}`, title }
}

/** Until what a Worker does at its start is over. */
const SETTLE_MS = 300
const KIB_OF_MB = 1000

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Milliseconds on a processor for the first request of an isolate. */
async function firstOf({ proxy, caller, upstream }: Lane, upstreamPort: number): Promise<number> {
  const { port, pid, stop } = await startWorkerLane(proxy, upstreamPort)
  try {
    await sleep(SETTLE_MS)
    const model = modelOf(upstream)
    const request = requestFor({ port, caller, model, prompt: 'small', stream: false })
    const before = cpuMsOf(pid) ?? Number.NaN
    await answered(port, request)
    await sleep(SETTLE_MS)
    return (cpuMsOf(pid) ?? Number.NaN) - before
  } finally {
    await stop()
  }
}

async function firsts(world: World, lanes: readonly Lane[], rounds: number): Promise<number[]> {
  await world.upstream.answer('json')
  const times = lanes.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [index, lane] of lanes.entries())
      times[index]?.push(await firstOf(lane, world.upstream.port))
  return times.map(median)
}

interface Figure {
  name: string
  title: string
  /** Of each lane. */
  values: readonly (number | undefined)[]
}

/** `lanes`: with that of Hono. */
export async function measureEdge(
  world: World,
  lanes: readonly Lane[],
  { rounds, progress }: { rounds: number; progress(text: string): void },
): Promise<Extra> {
  const problems: string[] = []
  const figures: Figure[] = []
  const first = await firsts(world, lanes, rounds)
  figures.push({ name: 'edge first', title: 'first request, ms', values: first })
  for (const scenario of LOADS) {
    const effort = { rounds, seconds: undefined, warmSeconds: 1, progress }
    const scores = await measure(world, lanes, scenario, effort)
    const { name, title, events } = scenario
    const unit = events === 1 ? 1 : 1000 / events
    const values = scores.map(
      ({ loads }) => median(loads.map((score) => score.cpuMs ?? NaN)) * unit,
    )
    figures.push({ name, title: `${title}, ${events === 1 ? 'ms' : 'µs an event'}`, values })
    problems.push(...scores.flatMap((score) => score.problems))
  }
  const proxies = await Promise.all(lanes.map((lane) => world.proxyOf(lane)))
  const resident = proxies.map(({ pid }) => (residentKib(pid) ?? Number.NaN) / KIB_OF_MB)
  figures.push({ name: 'edge resident', title: 'resident after that, MB', values: resident })
  return tableOf(lanes, figures, problems)
}

function tableOf(lanes: readonly Lane[], figures: readonly Figure[], problems: string[]): Extra {
  const base = lanes.findIndex(({ name }) => name === BASE)
  const ratio = ({ values }: Figure, index: number) => quotient(values[index], values[base])
  const findings = figures.flatMap((figure) =>
    lanes.flatMap((lane, index) => findingsOf(figure.name, 'edge', lane, ratio(figure, index))),
  )
  return {
    findings,
    cases: [],
    problems,
    section: {
      title: 'edge: CPU on workerd, and in proportion to a Worker of Hono',
      head: ['', ...lanes.flatMap(({ name }) => [name, 'to Hono']), 'goal'],
      rows: figures.map((figure) => [
        figure.title,
        ...figure.values.flatMap((value, index) => [digits(value), digits(ratio(figure, index))]),
        lanes
          .map(({ name }) =>
            verdicts(
              findings.filter(({ goal }) => goal.scenario === figure.name),
              name,
            ),
          )
          .filter((text) => text !== '')
          .join(', '),
      ]),
    },
  }
}

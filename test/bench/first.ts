import { modelFor } from './against.ts'
import { findingsOf } from './goals.ts'
import type { Lane } from './lanes.ts'
import type { Extra } from './memory.ts'
import { startLane } from './processes.ts'
import { verdicts } from './report.ts'
import type { World } from './rounds.ts'
import { sumUpSeries } from './statistics.ts'
import { digits } from './table.ts'

/** What somebody takes who starts a proxy and then a client. */
const REST_MS = 3000
const FIRST = 100
const LATER = 400
const WARM = { kind: 'load', connections: 16, seconds: 3, checked: true, timed: false } as const
/** The engine's threads go on compiling for a while. */
const SETTLE_MS = 700

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const microseconds = (ms = Number.NaN): number => ms * 1000

interface FirstRequests {
  /** Microseconds on a processor for one request. */
  first: number
  later: number
  problems: string[]
}

/** A process of its own: its first requests, one after another, and the same when it is warm. */
async function measureFirst(
  lane: Lane,
  { upstream, caller }: World,
  command: string,
): Promise<FirstRequests> {
  const proxy = await startLane(lane.proxy, {
    upstreamPort: upstream.port,
    command,
    isWarmed: true,
  })
  const { port, pid } = proxy
  const asking = {
    port,
    caller: lane.caller,
    model: modelFor(lane),
    prompt: 'small',
    stream: false,
  } as const
  await sleep(REST_MS)
  const first = await caller.run({ ...asking, kind: 'few', requests: FIRST, pid })
  const warm = await caller.run({ ...asking, ...WARM, pid, upstreamPid: upstream.pid })
  await sleep(SETTLE_MS)
  const later = await caller.run({ ...asking, kind: 'few', requests: LATER, pid })
  await proxy.stop()
  return {
    first: microseconds(first.cpuMs),
    later: microseconds(later.cpuMs),
    problems: [first, warm, later].flatMap(({ problems }) => problems),
  }
}

const middle = (own: readonly FirstRequests[], read: (one: FirstRequests) => number) =>
  sumUpSeries(own.map(read))?.middle

/** What the first requests of a process take on a processor, in proportion to later ones. */
export async function measureFirstRequests(
  world: World,
  lanes: readonly Lane[],
  { command, rounds }: { command: string; rounds: number },
): Promise<Extra> {
  await world.upstream.answer('json')
  const found = lanes.map((lane) => ({ lane, rounds: [] as FirstRequests[] }))
  for (let round = 0; round < rounds; round += 1)
    for (const { lane, rounds: own } of found) own.push(await measureFirst(lane, world, command))
  const values = found.map(({ lane, rounds: own }) => ({
    lane,
    value: middle(own, ({ first, later }) => first / later),
  }))
  const findings = values.flatMap(({ lane, value }) => findingsOf('first', 'first', lane, value))
  const title = `the first ${FIRST} requests of a process, to later ones: CPU`
  return {
    findings,
    cases: [{ title, values, findings }],
    problems: found.flatMap(({ lane, rounds: own }) =>
      own.flatMap(({ problems }) => problems.map((problem) => `first, ${lane.name}: ${problem}`)),
    ),
    section: {
      title: `first: ${title}`,
      head: ['lane', 'to later ones', 'first µs', 'later µs', 'goal'],
      rows: found.map(({ lane, rounds: own }, index) => [
        lane.name,
        digits(values[index]?.value),
        digits(middle(own, ({ first }) => first)),
        digits(middle(own, ({ later }) => later)),
        verdicts(findings, lane.name),
      ]),
    },
  }
}

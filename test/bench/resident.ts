import { modelFor } from './against.ts'
import { findingsOf } from './goals.ts'
import { BASE, type Lane } from './lanes.ts'
import type { Extra } from './memory.ts'
import { foreign, startLane } from './processes.ts'
import { verdicts } from './report.ts'
import type { World } from './rounds.ts'
import { median, quotient } from './statistics.ts'
import { digits } from './table.ts'
import { residentKib } from './usage.ts'

const HISTORIES = {
  kind: 'load',
  prompt: 'agent-wide',
  stream: false,
  connections: 16,
  seconds: 6,
  checked: true,
  timed: false,
} as const
/** A process that runs exchanges of its own after its start has done so. */
const REST_MS = 4000
const SETTLE_MS = 1000
const KIB = 1024

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

interface Residence {
  /** Resident MB. */
  before: number
  after: number
  perSecond: number
  problems: string[]
}

/** A process of its own, as somebody would start it, that is sent histories as fast as it takes them. */
async function measureLane(lane: Lane, world: World, command: string): Promise<Residence> {
  const { upstream, caller } = world
  const making = { upstreamPort: upstream.port, command, isWarmed: true }
  const proxy = lane.gateway ? foreign(lane.gateway) : await startLane(lane.proxy, making)
  const { port, pid } = proxy
  await sleep(REST_MS)
  const before = residentKib(pid) ?? Number.NaN
  const asking = {
    port,
    caller: lane.caller,
    model: modelFor(lane),
    pid,
    upstreamPid: upstream.pid,
  }
  const { problems, perSecond } = await caller.run({ ...asking, ...HISTORIES })
  await sleep(SETTLE_MS)
  const after = residentKib(pid) ?? Number.NaN
  await proxy.stop()
  return { before: before / KIB, after: after / KIB, perSecond, problems }
}

const middle = (own: readonly Residence[], read: (one: Residence) => number) =>
  median(own.map(read))

/** What a process keeps of the machine's memory after histories, with what is on by default. */
export async function measureResident(
  world: World,
  lanes: readonly Lane[],
  { command, rounds }: { command: string; rounds: number },
): Promise<Extra> {
  await world.upstream.answer('json')
  const found = lanes.map((lane) => ({ lane, rounds: [] as Residence[] }))
  for (let round = 0; round < rounds; round += 1)
    for (const { lane, rounds: own } of found) own.push(await measureLane(lane, world, command))
  const base = found.find(({ lane }) => lane.name === BASE)?.rounds ?? []
  const values = found.map(({ lane, rounds: own }) => ({
    lane,
    value: quotient(
      middle(own, ({ after }) => after),
      middle(base, ({ after }) => after),
    ),
  }))
  const findings = values.flatMap(({ lane, value }) =>
    findingsOf('resident', 'resident', lane, value),
  )
  return {
    findings,
    cases: [{ title: 'resident after histories, to Hono', values, findings }],
    problems: found.flatMap(({ lane, rounds: own }) =>
      own.flatMap(({ problems }) =>
        problems.map((problem) => `resident, ${lane.name}: ${problem}`),
      ),
    ),
    section: {
      title: 'resident: MB before and after histories (100 KB, wide characters, 16 at once)',
      head: ['lane', 'to Hono', 'before MB', 'after MB', 'requests/s', 'goal'],
      rows: found.map(({ lane, rounds: own }, index) => [
        lane.name,
        digits(values[index]?.value),
        digits(middle(own, ({ before }) => before)),
        digits(middle(own, ({ after }) => after)),
        digits(middle(own, ({ perSecond }) => perSecond)),
        verdicts(findings, lane.name),
      ]),
    },
  }
}

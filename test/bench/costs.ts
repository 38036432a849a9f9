import { measureAlone, type Option } from './alone.ts'
import { NAMED_CALLERS } from './callers.ts'
import type { Lane } from './lanes.ts'
import type { Extra } from './memory.ts'
import { type Making, type Proxy, startLane } from './processes.ts'
import { type LaneScores, measure, type World } from './rounds.ts'
import { readScenarios } from './scenarios.ts'
import { median, quantile } from './statistics.ts'
import { digits } from './table.ts'

const SCENARIOS = 'small-16,agent-16,burst-16'
/** Short, so that both slices of a pair meet the same other work on the machine. */
const SLICE_SECONDS = 0.25

interface Effort {
  command: string
  rounds: number
}

const lane = (name: string, upstream: Lane['upstream']): Lane => ({
  name,
  proxy: 'dragoman',
  caller: 'messages',
  upstream,
})

/** What the page costs while it looks at every exchange. */
export const measureInspect = (world: World, effort: Effort): Promise<Extra> =>
  measureProcesses(world, effort, {
    option: 'page',
    title: 'inspect: what the page costs',
    upstreams: ['responses'],
    without: {},
    changed: { args: ['--inspect'] },
  })

/** What it costs to know callers by their keys and to count what they use, beside a proxy that is open to anybody. */
export const measureCallers = (world: World, effort: Effort): Promise<Extra> =>
  measureProcesses(world, effort, {
    option: 'callers',
    title: 'callers: what names and limits cost',
    upstreams: ['messages', 'responses'],
    without: { callers: 'open' },
    changed: { callers: NAMED_CALLERS },
  })

interface Processes extends Pick<Compared, 'option' | 'title'> {
  upstreams: readonly Lane['upstream'][]
  without: Partial<Making>
  changed: Partial<Making>
}

/** Two processes of the same build, pair by pair. */
async function measureProcesses(
  world: World,
  effort: Effort,
  { upstreams, without, changed, ...compared }: Processes,
): Promise<Extra> {
  const making = { upstreamPort: world.upstream.port, command: effort.command }
  const plain = await startLane('dragoman', { ...making, ...without })
  const other = await startLane('dragoman', { ...making, ...changed })
  const pairs = upstreams.map((upstream): [Lane, Lane] => [
    lane('without', upstream),
    lane(compared.option, upstream),
  ])
  const proxyOf = async ({ name }: Lane): Promise<Proxy> => (name === 'without' ? plain : other)
  try {
    return await measureOption({ ...world, proxyOf }, effort, { ...compared, pairs })
  } finally {
    await Promise.all([plain.stop(), other.stop()])
  }
}

/** What a second upstream behind a model costs while both are well: two routes of one process, pair by pair. */
export async function measurePool(world: World, effort: Effort): Promise<Extra> {
  const proxy = await startLane('dragoman', {
    upstreamPort: world.upstream.port,
    command: effort.command,
  })
  const pairs = (['messages', 'responses'] as const).map((upstream): [Lane, Lane] => [
    lane('one upstream', upstream),
    { ...lane('two upstreams', upstream), twin: 'one upstream' },
  ])
  try {
    return await measureOption({ ...world, proxyOf: async () => proxy }, effort, {
      option: 'pool',
      title: 'pool: what a second upstream costs',
      pairs,
    })
  } finally {
    await proxy.stop()
  }
}

interface Compared {
  option: Option
  title: string
  /** Without the option and with it. */
  pairs: readonly [Lane, Lane][]
}

async function measureOption(
  world: World,
  { rounds }: Effort,
  { option, title, pairs }: Compared,
): Promise<Extra> {
  const rows: string[][] = []
  const problems: string[] = []
  for (const scenario of readScenarios(SCENARIOS))
    for (const pair of pairs) {
      const effort = {
        rounds,
        seconds: SLICE_SECONDS,
        warmSeconds: 1.5,
        progress: () => undefined,
      }
      const [off, on] = await measure(world, pair, scenario, effort)
      if (!off || !on) continue
      problems.push(...off.problems, ...on.problems)
      rows.push(rowOf(`${scenario.name}, over ${off.lane.upstream}`, cpuIn(off), cpuIn(on)))
    }
  for (const { name, without, more } of await measureAlone(option))
    rows.push([`${name}, alone`, digits(without), digits(more), digits(1 + more / without), ''])
  return {
    findings: [],
    problems,
    section: {
      title,
      head: ['messages', 'CPU µs without', 'µs more', 'with / without', 'middle half'],
      rows,
    },
  }
}

/** Microseconds for an exchange, in each slice. */
const cpuIn = ({ loads }: LaneScores): number[] =>
  loads.map(({ cpuMs = Number.NaN }) => cpuMs * 1000)

/** Of an exchange, by pairs of slices that follow each other. */
function rowOf(name: string, before: readonly number[], after: readonly number[]): string[] {
  const ratio = after.map((each, index) => each / (before[index] ?? Number.NaN))
  const more = after.map((each, index) => each - (before[index] ?? Number.NaN))
  const half = `${digits(quantile(ratio, 0.25))}–${digits(quantile(ratio, 0.75))}`
  return [name, digits(median(before)), digits(median(more)), digits(median(ratio)), half]
}

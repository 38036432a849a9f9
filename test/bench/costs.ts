import { measureAlone, type Option } from './alone.ts'
import { NAMED_CALLERS } from './callers.ts'
import type { Lane } from './lanes.ts'
import type { Extra } from './memory.ts'
import { type Making, type Proxy, withLanes } from './processes.ts'
import { type LaneScores, measure, type World } from './rounds.ts'
import { readScenarios } from './scenarios.ts'
import { median, quantile } from './statistics.ts'
import { digits } from './table.ts'

/** The largest comes first: with it the memory of the page has been written to once. */
const SCENARIOS = 'agent-16,small-16,burst-16'
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

interface Processes {
  option: Option
  title: string
  upstreams: readonly Lane['upstream'][]
  without: Partial<Making>
  changed: Partial<Making>
}

/** Two processes of one build do not take exactly the same: what a compiler does is never the same twice. */
const GENERATIONS = 3

/** Two processes of the same build, pair by pair, and then two others. */
async function measureProcesses(
  world: World,
  { command, rounds }: Effort,
  { upstreams, without, changed, option, title }: Processes,
): Promise<Extra> {
  const making = { upstreamPort: world.upstream.port, command }
  const pairs = upstreams.map((upstream): [Lane, Lane] => [
    lane('without', upstream),
    lane(option, upstream),
  ])
  const all: Measured[] = []
  for (let generation = 0; generation < GENERATIONS; generation += 1)
    await withLanes(
      [
        { ...making, ...without },
        { ...making, ...changed },
      ],
      async ([plain, other]) => {
        const proxyOf = async ({ name }: Lane): Promise<Proxy> =>
          started(name === 'without' ? plain : other)
        const effort = Math.ceil(rounds / GENERATIONS)
        all.push(...(await measurePairs({ ...world, proxyOf }, effort, pairs)))
      },
    )
  return tableOf(option, title, all)
}

/** What a second upstream behind a model costs while both are well: two routes of one process, pair by pair. */
export async function measurePool(world: World, { command, rounds }: Effort): Promise<Extra> {
  const pairs = (['messages', 'responses'] as const).map((upstream): [Lane, Lane] => [
    lane('one upstream', upstream),
    { ...lane('two upstreams', upstream), twin: 'one upstream' },
  ])
  const making = { upstreamPort: world.upstream.port, command }
  const all = await withLanes([making], ([proxy]) =>
    measurePairs({ ...world, proxyOf: async () => started(proxy) }, rounds, pairs),
  )
  return tableOf('pool', 'pool: what a second upstream costs', all)
}

function started(proxy: Proxy | undefined): Proxy {
  if (!proxy) throw new Error('no process')
  return proxy
}

/** What a kind of traffic took in slices that follow each other, without the option and with it. */
interface Measured {
  name: string
  off: number[]
  on: number[]
  problems: string[]
}

async function measurePairs(
  world: World,
  rounds: number,
  pairs: readonly [Lane, Lane][],
): Promise<Measured[]> {
  const all: Measured[] = []
  const effort = { rounds, seconds: SLICE_SECONDS, warmSeconds: 1.5, progress: () => undefined }
  for (const scenario of readScenarios(SCENARIOS))
    for (const pair of pairs) {
      const [off, on] = await measure(world, pair, scenario, effort)
      if (!off || !on) continue
      all.push({
        name: `${scenario.name}, over ${off.lane.upstream}`,
        off: cpuIn(off),
        on: cpuIn(on),
        problems: [...off.problems, ...on.problems],
      })
    }
  return all
}

async function tableOf(option: Option, title: string, all: readonly Measured[]): Promise<Extra> {
  const rows = [...Map.groupBy(all, ({ name }) => name)].map(([name, same]) =>
    rowOf(
      name,
      same.flatMap(({ off }) => off),
      same.flatMap(({ on }) => on),
    ),
  )
  for (const { name, without, more, ratio } of await measureAlone(option))
    rows.push([`${name}, alone`, ...[without, more, ratio].map((each) => digits(each)), ''])
  const head = ['messages', 'CPU µs without', 'µs more', 'with / without', 'middle half']
  return {
    findings: [],
    problems: all.flatMap(({ problems }) => problems),
    section: { title, head, rows },
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

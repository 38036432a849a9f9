import { resolve } from 'node:path'
import { lanesAgainst } from './against.ts'
import { buildIfOlder, COMMAND } from './build.ts'
import { isPair, type Lane, readLanes } from './lanes.ts'
import { measureCallers, measureInspect, measurePool } from './costs.ts'
import { measureFirstRequests } from './first.ts'
import { measureMemory } from './memory.ts'
import { measureEdge } from './edge.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { startLane } from './processes.ts'
import { profileIn } from './profile.ts'
import { measure, type World } from './rounds.ts'
import { conclude, print, progress, type Run, runScenario, show } from './run.ts'
import { SCENARIOS, type Scenario, readScenarios } from './scenarios.ts'
import { measureResident } from './resident.ts'
import { measureSeveral } from './several.ts'
import { measureSize } from './size.ts'
import { measureStart } from './start.ts'
import { startWorkerLane } from './workers.ts'
import { type StartLane, withWorld } from './world.ts'

/** `npm run bench`: dragoman against bare proxies, everything in proportion to one of them. */

const lanesFor = ({ lanes, against }: Options, usual?: string): Lane[] => [
  ...readLanes(lanes ?? usual),
  ...lanesAgainst(against),
]

async function memory(run: Run, world: World): Promise<void> {
  const { options, command } = run
  const usual = options.quick ? 'm:r' : 'node:http,m:m,r:r,m:r,r:g,g:m,c:m'
  const lanes = lanesFor(options, usual).filter(({ proxy }) => proxy !== 'direct')
  show(run, await measureMemory(world, lanes, { command, streams: 2000 }))
}

async function start(run: Run, world: World): Promise<void> {
  const { options, command } = run
  const lanes = lanesFor(options, options.quick ? 'm:r' : 'm:m,m:r,r:g').filter(isMeasuredAtStart)
  const rounds = options.rounds ?? (options.quick ? 5 : 9)
  show(run, await measureStart(world, lanes, { command, rounds }))
}

async function first(run: Run, world: World): Promise<void> {
  const { options, command } = run
  const lanes = lanesFor(options, options.quick ? 'm:r' : 'm:m,m:r,r:g').filter(isMeasuredAtStart)
  const rounds = options.rounds ?? (options.quick ? 1 : 3)
  show(run, await measureFirstRequests(world, lanes, { command, rounds }))
}

async function resident(run: Run, world: World): Promise<void> {
  const { options, command } = run
  const lanes = lanesFor(options, 'node:http,m:m,m:r').filter(({ proxy }) => proxy !== 'direct')
  show(run, await measureResident(world, lanes, { command, rounds: options.rounds ?? 3 }))
}

/** How often the same is measured with an option and without. */
const PAIRS = 31

async function inspect(run: Run, world: World): Promise<void> {
  const { options, command } = run
  show(run, await measureInspect(world, { command, rounds: options.rounds ?? PAIRS }))
}

async function pool(run: Run, world: World): Promise<void> {
  const { options, command } = run
  show(run, await measurePool(world, { command, rounds: options.rounds ?? PAIRS }))
}

async function callers(run: Run, world: World): Promise<void> {
  const { options, command } = run
  show(run, await measureCallers(world, { command, rounds: options.rounds ?? PAIRS }))
}

async function several(run: Run, world: World): Promise<void> {
  const { options, command } = run
  show(run, await measureSeveral(world, { command, rounds: options.rounds ?? 7 }))
}

/** The bare ones are run from TypeScript, which takes its time. */
const isMeasuredAtStart = (lane: Lane): boolean => isPair(lane)

const EDGE_LANES = 'm:m,m:r'

/** On workerd beside a Worker of Hono. */
async function edge(run: Run): Promise<void> {
  const lanes = workerLanes(run.options, EDGE_LANES)
  const rounds = run.options.rounds ?? 3
  await withWorld(startWorkerLane, async (world) =>
    show(run, await measureEdge(world, lanes, { rounds, progress })),
  )
}

const workerLanes = (options: Options, usual: string): Lane[] =>
  lanesFor(options, usual).filter(({ proxy }) => proxy === 'pass-through' || proxy === 'dragoman')

const WORKER_SCENARIOS = 'small-16,agent-16,burst-16,block-16'

/** In a world of its own, whose proxies are Workers. */
async function workers(run: Run): Promise<void> {
  const lanes = workerLanes(run.options, 'pairs')
  await withWorld(startWorkerLane, async (world) => {
    for (const scenario of readScenarios(WORKER_SCENARIOS)) {
      const { name, title } = scenario
      // The goals are those of a process.
      const named = { ...scenario, name: `workerd ${name}`, title: `${title}, on workerd` }
      await runScenario(run, world, named, lanes)
    }
  })
}

type Measurement = (run: Run, world: World) => Promise<void> | void

const EXTRAS: ReadonlyMap<string, Measurement> = new Map<string, Measurement>([
  ['start', start],
  ['first', first],
  ['memory', memory],
  ['resident', resident],
  ['inspect', inspect],
  ['pool', pool],
  ['callers', callers],
  ['several', several],
  ['size', (run) => show(run, measureSize())],
  ['workers', workers],
  ['edge', edge],
])
const QUICK_EXTRAS = 'start,memory,size'

const chooseExtras = ({ only, quick }: Options) => {
  const names = only ?? (quick ? QUICK_EXTRAS : [...EXTRAS.keys()].join())
  return [...EXTRAS].filter(([name]) => names.split(',').includes(name))
}

function scenariosFor({ only, quick }: Options): readonly Scenario[] {
  if (only !== undefined) return readScenarios(only)
  return quick ? SCENARIOS.filter((scenario) => scenario.quick) : SCENARIOS
}

async function bench(run: Run): Promise<void> {
  const { options, command } = run
  const scenarios = scenariosFor(options)
  const extras = chooseExtras(options)
  if (scenarios.length + extras.length === 0) throw new Error('--only names nothing; see --help')
  const begin: StartLane = (kind, upstreamPort) => startLane(kind, { upstreamPort, command })
  await withWorld(
    begin,
    async (world) => {
      for (const scenario of scenarios) {
        const short = options.quick ? scenario.quick : scenario.full
        await runScenario(run, world, scenario, lanesFor(options, short?.lanes), short)
      }
      for (const [, extra] of extras) await extra(run, world)
    },
    options.upstreamPort,
  )
  conclude(run)
}

const PROFILED_SECONDS = 5
/** The bundle has lost its names: the sources do the same with them. */
const PROFILED_COMMAND = 'src/node.ts'

/** One lane for a while, and what took its time; the profile stays for a browser to look at. */
async function profile(run: Run, name: string): Promise<void> {
  const { options } = run
  const lane = readLanes(name).at(-1)
  const [scenario] = readScenarios(options.only ?? 'small-64')
  if (!lane || !scenario) throw new Error('--prof needs a lane and, with --only, one scenario')
  const folder = resolve(options.profDir)
  const making = {
    command: options.command ?? PROFILED_COMMAND,
    options: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
  }
  await withWorld(
    (kind, upstreamPort) => startLane(kind, { ...making, upstreamPort }),
    async (world) => {
      const seconds = options.seconds ?? PROFILED_SECONDS
      const effort = { rounds: 1, seconds, warmSeconds: 1, progress }
      const [result] = await measure(world, [lane], scenario, effort)
      run.problems.push(...(result?.problems ?? []))
    },
  )
  print(run, profileIn(folder))
  for (const problem of run.problems) console.log(`PROBLEM ${problem}`)
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.help) return console.log(HELP)
  const run: Run = {
    options,
    command: options.command ?? COMMAND,
    findings: [],
    problems: [],
    cases: [],
  }
  if (options.prof !== undefined) return profile(run, options.prof)
  if (options.build && options.command === undefined) buildIfOlder()
  await bench(run)
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})

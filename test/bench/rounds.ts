import { modelFor } from './against.ts'
import { isPair, type Lane } from './lanes.ts'
import type { Caller, Proxy, Upstream } from './processes.ts'
import type { Scenario } from './scenarios.ts'
import type { Asking, Score } from './shared.ts'
import { rotated } from './statistics.ts'

/** What stands while scenarios are run. */
export interface World {
  upstream: Upstream
  caller: Caller
  /** For what runs beside a load. */
  bystander: Caller
  proxyOf(lane: Lane): Promise<Proxy>
}

/** What a lane did in each of the rounds. */
export interface LaneScores {
  lane: Lane
  loads: Score[]
  /** Of the small requests beside the load. */
  drips: Score[]
  problems: string[]
}

export interface Effort {
  rounds: number
  /** Of a slice, if not as long as the scenario says. */
  seconds: number | undefined
  warmSeconds: number
  progress(text: string): void
}

async function asking({ proxyOf }: World, lane: Lane, scenario: Scenario): Promise<Asking> {
  const { port } = await proxyOf(lane)
  const { caller, gateway } = lane
  const { prompt, manner } = scenario
  return {
    port,
    ...(gateway && { base: gateway.base, key: gateway.key }),
    caller,
    model: modelFor(lane),
    prompt,
    stream: manner !== 'json',
  }
}

interface Slice {
  lane: Lane
  scenario: Scenario
  seconds: number
  checked: boolean
}

async function slice(
  world: World,
  { lane, scenario, seconds, checked }: Slice,
): Promise<[Score, Score | undefined]> {
  const upstreamPid = world.upstream.pid
  const { pid } = await world.proxyOf(lane)
  const { connections, manner, dripMs } = scenario
  const request = await asking(world, lane, scenario)
  const load = { ...request, kind: 'load' as const, connections, seconds, pid, upstreamPid }
  const drip = dripMs !== undefined && isPair(lane)
  return Promise.all([
    world.caller.run({ ...load, checked, timed: manner === 'paced' }),
    drip
      ? world.bystander.run({ ...request, kind: 'drip', prompt: 'small', everyMs: dripMs, seconds })
      : undefined,
  ])
}

/** Another gateway may not know every kind of traffic. */
const isServed = ({ lane, problems }: LaneScores): boolean =>
  lane.gateway === undefined || problems.length === 0

/** Every lane for a short while in each of several rounds, in changing order, after all have been warmed up. */
export async function measure(
  world: World,
  lanes: readonly Lane[],
  scenario: Scenario,
  effort: Effort,
): Promise<LaneScores[]> {
  const { rounds, warmSeconds, progress } = effort
  const results = lanes.map((lane): LaneScores => ({ lane, loads: [], drips: [], problems: [] }))
  const warming = { ...scenario, ...scenario.warming }
  await world.upstream.answer(warming.manner)
  for (const { lane, problems } of results) {
    progress(`${scenario.name}: warming up ${lane.name}`)
    const seconds = scenario.warming?.seconds ?? warmSeconds
    const warm = { lane, scenario: warming, seconds, checked: true }
    problems.push(...(await slice(world, warm))[0].problems)
  }
  await world.upstream.answer(scenario.manner)
  for (let round = 0; round < rounds; round += 1)
    for (const { lane, loads, drips, problems } of rotated(results.filter(isServed), round)) {
      progress(`${scenario.name}: round ${round + 1} of ${rounds}, ${lane.name}`)
      const seconds = effort.seconds ?? scenario.seconds
      const [load, drip] = await slice(world, { lane, scenario, seconds, checked: false })
      loads.push(load)
      if (drip) drips.push(drip)
      problems.push(...load.problems, ...(drip?.problems ?? []))
    }
  progress('')
  return results
}

import { availableParallelism } from 'node:os'
import type { Lane } from './lanes.ts'
import type { Extra } from './memory.ts'
import { type Proxy, withLanes } from './processes.ts'
import { measure, type World } from './rounds.ts'
import { readScenarios } from './scenarios.ts'
import { ratios, sumUpSeries } from './statistics.ts'
import { digits } from './table.ts'

const SCENARIOS = 'small-64,agent-wide-16,growing-16,burst-16'
const PROCESSES = 2

const lane = (name: string): Lane => ({
  name,
  proxy: 'dragoman',
  caller: 'messages',
  upstream: 'responses',
})
const ONE = lane('one process')
const SEVERAL = lane(`--workers ${PROCESSES}`)

/** What a second process behind the same port brings, with the callers and the upstream on the same machine. */
export async function measureSeveral(
  world: World,
  { command, rounds }: { command: string; rounds: number },
): Promise<Extra> {
  const making = { upstreamPort: world.upstream.port, command, state: 'off' }
  const rows: string[][] = []
  const problems: string[] = []
  const makings = [making, { ...making, args: ['--workers', String(PROCESSES)] }]
  await withLanes(makings, async ([one, several]) => {
    const proxyOf = async ({ name }: Lane): Promise<Proxy> => {
      const proxy = name === ONE.name ? one : several
      if (!proxy) throw new Error('no process')
      return proxy
    }
    for (const scenario of readScenarios(SCENARIOS)) {
      const effort = { rounds, seconds: undefined, warmSeconds: 1.5, progress: () => undefined }
      const both = await measure({ ...world, proxyOf }, [ONE, SEVERAL], scenario, effort)
      const [before = [], after = []] = both.map(({ loads }) =>
        loads.map(({ perSecond }) => perSecond * scenario.events),
      )
      problems.push(...both.flatMap((each) => each.problems))
      const ratio = sumUpSeries(ratios(after, before))
      rows.push([
        scenario.name,
        ...[before, after].map((series) => digits(sumUpSeries(series)?.middle)),
        digits(ratio?.middle),
        `${digits(ratio?.least)}–${digits(ratio?.most)}`,
      ])
    }
  })
  return {
    findings: [],
    problems,
    section: {
      title: `several: messages over responses, on ${availableParallelism()} cores with callers and upstream`,
      head: ['scenario', 'one a second', `${PROCESSES} processes a second`, 'ratio', 'from–to'],
      rows,
    },
  }
}

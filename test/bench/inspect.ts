import { measureAlone } from './inspect-alone.ts'
import type { Lane } from './lanes.ts'
import type { Extra } from './memory.ts'
import { type Proxy, startLane } from './processes.ts'
import { measure, type World } from './rounds.ts'
import { readScenarios } from './scenarios.ts'
import { ratios, sumUpSeries } from './statistics.ts'
import { digits } from './table.ts'

const SCENARIOS = 'small-16,agent-16,burst-16,block-16'

const lane = (name: string): Lane => ({
  name,
  proxy: 'dragoman',
  caller: 'messages',
  upstream: 'responses',
})
const PLAIN = lane('without the page')
const INSPECTED = lane('--inspect')

/** What the page costs while it looks at every exchange: two processes of the same build, round by round. */
export async function measureInspect(
  world: World,
  { command, rounds }: { command: string; rounds: number },
): Promise<Extra> {
  const making = { upstreamPort: world.upstream.port, command }
  const plain = await startLane('dragoman', making)
  const inspected = await startLane('dragoman', { ...making, args: ['--inspect'] })
  const proxies = new Map<string, Proxy>([
    [PLAIN.name, plain],
    [INSPECTED.name, inspected],
  ])
  const both = { ...world, proxyOf: async ({ name }: Lane) => proxies.get(name) ?? plain }
  const rows: string[][] = []
  const problems: string[] = []
  try {
    for (const scenario of readScenarios(SCENARIOS)) {
      const effort = { rounds, seconds: undefined, warmSeconds: 1.5, progress: () => undefined }
      const [off, on] = await measure(both, [PLAIN, INSPECTED], scenario, effort)
      if (!off || !on) continue
      problems.push(...off.problems, ...on.problems)
      const series = [off, on].map(({ loads }) => loads.map(({ cpuMs }) => cpuMs))
      const [before = [], after = []] = series
      const ratio = sumUpSeries(ratios(after, before))
      const us = series.map((each) => digits((sumUpSeries(each)?.middle ?? Number.NaN) * 1000))
      rows.push([
        scenario.name,
        ...us,
        digits(ratio?.middle),
        `${digits(ratio?.least)}–${digits(ratio?.most)}`,
        digits(
          (sumUpSeries(after)?.least ?? Number.NaN) / (sumUpSeries(before)?.least ?? Number.NaN),
        ),
      ])
    }
  } finally {
    await Promise.all([plain.stop(), inspected.stop()])
  }
  for (const { name, without, more } of await measureAlone())
    rows.push([
      `${name}, alone`,
      digits(without),
      digits(without + more),
      '',
      '',
      `${digits(more)} µs more`,
    ])
  return {
    findings: [],
    problems,
    section: {
      title: 'inspect: what the page costs, messages over responses',
      head: [
        'scenario',
        'CPU µs without',
        'CPU µs with',
        'with / without',
        'from–to',
        'best to best',
      ],
      rows,
    },
  }
}

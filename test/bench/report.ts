import type { Figures } from './figures.ts'
import { writeBound, type Finding, LEAST_DIRECT } from './goals.ts'
import { BASE } from './lanes.ts'
import type { Scenario } from './scenarios.ts'
import type { Summary } from './statistics.ts'
import { digits, type Row } from './table.ts'

export interface Section {
  title: string
  head: Row
  rows: readonly Row[]
}

interface Column {
  head: string
  cell(figures: Figures): string
}

const range = (summary: Summary | undefined): string =>
  summary ? `${digits(summary.least)}–${digits(summary.most)}` : 'n/a'

const PROPORTION: readonly Column[] = [
  { head: 'rate', cell: ({ rate }) => digits(rate?.middle) },
  { head: 'from–to', cell: ({ rate }) => range(rate) },
  { head: 'CPU', cell: ({ cpu }) => digits(cpu?.middle) },
]

const WAITS: readonly Column[] = [
  { head: 'p50 ms', cell: ({ waitP50 }) => digits(waitP50) },
  { head: 'p99 ms', cell: ({ waitP99 }) => digits(waitP99) },
]

const TAILS: readonly Column[] = [
  { head: '+p50', cell: ({ moreP50 }) => digits(moreP50) },
  { head: '+p99', cell: ({ moreP99 }) => digits(moreP99) },
  { head: 'longest', cell: ({ longest }) => digits(longest) },
]

const REQUESTS: readonly Column[] = [
  ...PROPORTION,
  { head: 'to node:http', cell: ({ floor }) => digits(floor?.middle) },
  { head: 'requests/s', cell: ({ perSecond }) => digits(perSecond) },
  { head: 'CPU µs', cell: ({ cpuUs }) => digits(cpuUs) },
  ...WAITS,
  ...TAILS,
]

const DRIPS: readonly Column[] = [
  { head: 'beside p50 ms', cell: ({ dripP50 }) => digits(dripP50) },
  { head: 'beside p99 ms', cell: ({ dripP99 }) => digits(dripP99) },
]

const STREAMS: readonly Column[] = [
  ...PROPORTION,
  { head: 'events/s', cell: ({ perSecond }) => digits(perSecond) },
  { head: 'CPU µs', cell: ({ cpuUs }) => digits(cpuUs) },
  { head: 'first ms', cell: ({ firstP50 }) => digits(firstP50) },
  ...WAITS,
]

const PACED: readonly Column[] = [
  { head: 'delay p50 ms', cell: ({ delayP50 }) => digits(delayP50) },
  { head: 'p99 ms', cell: ({ delayP99 }) => digits(delayP99) },
  { head: 'over direct', cell: ({ overDirect }) => digits(overDirect) },
  { head: 'over pass-through', cell: ({ overBase }) => digits(overBase) },
  { head: 'p99', cell: ({ late }) => digits(late) },
  { head: 'first ms', cell: ({ firstP50 }) => digits(firstP50) },
  { head: 'first p99', cell: ({ firstP99 }) => digits(firstP99) },
  { head: 'CPU', cell: ({ cpu }) => digits(cpu?.middle) },
  { head: 'CPU µs', cell: ({ cpuUs }) => digits(cpuUs) },
]

function columnsFor({ manner, dripMs }: Scenario): readonly Column[] {
  if (manner === 'paced') return PACED
  if (manner !== 'json') return STREAMS
  return dripMs === undefined ? REQUESTS : [...REQUESTS, ...DRIPS]
}

const percent = (share: number): string =>
  Number.isFinite(share) ? `${Math.round(share * 100)} %` : 'n/a'

/** That the proxies are what is measured: how much faster everything is without one, and who is busy. */
export function proofOf(figures: readonly Figures[]): string | undefined {
  const direct = figures.find(({ lane }) => lane.proxy === 'direct')?.rate?.middle
  const base = figures.find(({ lane }) => lane.name === BASE)
  if (!base) return undefined
  const { proxy, upstream, callers } = base.busy
  const shares = `proxy ${percent(proxy)}, upstream ${percent(upstream)}, callers ${percent(callers)}`
  const busy = `on a processor during ${BASE}: ${shares}`
  if (direct === undefined) return busy
  const isEnough = direct >= LEAST_DIRECT ? '' : ` (less than ${LEAST_DIRECT}: go by the CPU)`
  return `direct is ${direct.toFixed(1)} times the ${BASE}${isEnough}; ${busy}`
}

/** What it costs that another upstream could be asked. */
export const poolsIn = (figures: readonly Figures[]): string[] =>
  figures.flatMap(({ lane, pool }) =>
    pool ? [`${lane.name} to ${lane.twin}: CPU ${digits(pool.middle)} (${range(pool)})`] : [],
  )

const SIGNS = { reached: 'ok', missed: 'MISSED', far: 'FAR' } as const

/** The goals of a lane and whether they are reached, as the last cell of its row. */
export const verdicts = (findings: readonly Finding[], lane: string): string =>
  findings
    .filter((finding) => finding.lane === lane)
    // What is as usual is not worth a word.
    .filter(({ goal, verdict }) => goal.metric !== 'usual' || verdict !== 'reached')
    .map(({ goal, verdict }) => `${writeBound(goal)} ${SIGNS[verdict]}`)
    .join(', ')

export function writeSection(
  scenario: Scenario,
  figures: readonly Figures[],
  findings: readonly Finding[],
): Section {
  const columns = columnsFor(scenario)
  return {
    title: `${scenario.name}: ${scenario.title}, ${scenario.connections} at once`,
    head: ['lane', ...columns.map(({ head }) => head), 'goal'],
    rows: figures.map((each) => [
      each.lane.name,
      ...columns.map(({ cell }) => cell(each)),
      verdicts(findings, each.lane.name),
    ]),
  }
}

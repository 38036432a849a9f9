import { excused, type Finding, findingsOf, type Metric } from './goals.ts'
import { BASE, baseOf, FLOOR, type Lane } from './lanes.ts'
import type { LaneScores } from './rounds.ts'
import { usualCpu } from './usual.ts'
import type { Scenario } from './scenarios.ts'
import type { Busy, Score } from './shared.ts'
import {
  added,
  differences,
  median,
  quotient,
  ratios,
  type Summary,
  sumUpSeries,
} from './statistics.ts'

/** What the rounds of a scenario say about a lane. */
export interface Figures {
  lane: Lane
  /** Against the bare pass-through of the same round. */
  rate: Summary | undefined
  cpu: Summary | undefined
  /** The least of all rounds to the least of the pass-through: other work on the machine only adds. */
  leastCpu: number | undefined
  /** Against a bare server and client of Node. */
  floor: Summary | undefined
  /** Processor time of a pool against one upstream, in the same round. */
  pool: Summary | undefined
  /** For itself: requests or deltas per second, and microseconds on a processor for each of them. */
  perSecond: number
  cpuUs: number | undefined
  waitP50: number
  waitP99: number
  /** The longest wait of all rounds. */
  longest: number
  /** Milliseconds more than without a proxy: in the best rounds, and in the middle of the rounds. */
  moreP50: number | undefined
  moreP99: number | undefined
  /** The latter to that of the bare pass-through. */
  tail: number | undefined
  firstP50: number
  firstP99: number
  /** Milliseconds from the upstream's write to the caller's read, and how many more than without a proxy. */
  delayP50: number | undefined
  delayP99: number | undefined
  overDirect: number | undefined
  overBase: number | undefined
  /** How many more than through the pass-through for the slowest event of a hundred. */
  late: number | undefined
  /** The wait for the first byte of the slowest of a hundred streams, to that of the pass-through. */
  begin: number | undefined
  dripP50: number | undefined
  dripP99: number | undefined
  /** Shares of one processor. */
  busy: Busy
  problems: string[]
}

type Series = (number | undefined)[]

type Pick = (score: Score) => number | undefined

const seriesOf = (scores: readonly Score[], pick: Pick): Series => scores.map(pick)

const against = (scores: readonly Score[], others: readonly Score[], pick: Pick) =>
  sumUpSeries(ratios(seriesOf(scores, pick), seriesOf(others, pick)))

const above = (scores: readonly Score[], others: readonly Score[], pick: Pick = delayIn) =>
  added(seriesOf(scores, pick), seriesOf(others, pick))

const rateIn = ({ perSecond }: Score) => perSecond
const cpuIn = ({ cpuMs }: Score) => cpuMs
const p50In = ({ wait }: Score) => wait.p50
const p99In = ({ wait }: Score) => wait.p99
const firstP99In = ({ first }: Score) => first.p99
const delayIn = ({ delay }: Score) => delay?.p50
const slowDelayIn = ({ delay }: Score) => delay?.p99

const leastOf = (series: Series): number | undefined => sumUpSeries(series)?.least
const middleOf = (series: Series): number | undefined => sumUpSeries(series)?.middle

export function measureFigures(results: readonly LaneScores[], { events }: Scenario): Figures[] {
  const all = new Map(results.map(({ lane, loads }) => [lane.name, loads]))
  const loadsOf = (name: string) => all.get(name) ?? []
  const baseFor = (lane: Lane) => all.get(baseOf(lane).name) ?? loadsOf(BASE)
  const direct = loadsOf('direct')
  const floor = loadsOf(FLOOR)
  const overDirect = (loads: readonly Score[], pick: Pick) =>
    differences(seriesOf(loads, pick), seriesOf(direct, pick))
  return results.map(({ lane, loads, drips, problems }) => {
    const base = baseFor(lane)
    return {
      lane,
      rate: against(loads, base, rateIn),
      cpu: against(loads, base, cpuIn),
      leastCpu: quotient(leastOf(seriesOf(loads, cpuIn)), leastOf(seriesOf(base, cpuIn))),
      floor: against(loads, floor, rateIn),
      pool: lane.twin === undefined ? undefined : against(loads, loadsOf(lane.twin), cpuIn),
      perSecond: median(loads.map(rateIn)) * events,
      cpuUs: scaled(middleOf(seriesOf(loads, cpuIn)), 1000 / events),
      waitP50: median(loads.map(({ wait }) => wait.p50)),
      waitP99: median(loads.map(({ wait }) => wait.p99)),
      longest: Math.max(...loads.map(({ wait }) => wait.most)),
      // The best rounds, because other work on the machine only adds.
      moreP50: added(seriesOf(loads, p50In), seriesOf(direct, p50In)),
      moreP99: middleOf(overDirect(loads, p99In)),
      tail: middleOf(ratios(overDirect(loads, p99In), overDirect(base, p99In))),
      firstP50: median(loads.map(({ first }) => first.p50)),
      firstP99: median(loads.map(firstP99In)),
      delayP50: middleOf(seriesOf(loads, delayIn)),
      delayP99: middleOf(seriesOf(loads, slowDelayIn)),
      overDirect: above(loads, direct),
      overBase: above(loads, base),
      late: above(loads, base, slowDelayIn),
      begin: against(loads, base, firstP99In)?.middle,
      dripP50: middleOf(drips.map(({ wait }) => wait.p50)),
      dripP99: middleOf(drips.map(({ wait }) => wait.p99)),
      busy: {
        proxy: median(loads.map(({ busy }) => busy?.proxy ?? Number.NaN)),
        upstream: median(loads.map(({ busy }) => busy?.upstream ?? Number.NaN)),
        callers: median(loads.map(({ busy }) => busy?.callers ?? Number.NaN)),
      },
      problems,
    }
  })
}

const scaled = (value: number | undefined, factor: number): number | undefined =>
  value === undefined ? undefined : value * factor

/** Processor time to what the lane usually takes: the steadiest figure there is on a machine with other work. */
function toUsual(scenario: string, { lane, leastCpu }: Figures): number | undefined {
  return quotient(leastCpu, usualCpu(scenario, lane.name))
}

/** What the goals say to the figures of a scenario. */
export function judged({ name }: Scenario, all: readonly Figures[]): Finding[] {
  return all.flatMap((figures) => {
    const { lane, rate, cpu, floor, moreP50, tail, overBase, dripP99, pool } = figures
    const usual = toUsual(name, figures)
    const values: readonly (readonly [Metric, number | undefined])[] = [
      ['rate', rate?.middle],
      ['floor', floor?.middle],
      ['more', moreP50],
      ['tail', tail],
      ['added', overBase],
      ['late', figures.late],
      ['begin', figures.begin],
      ['cpu', cpu?.middle],
      ['drip', dripP99],
      ['pool', pool?.middle],
      ['usual', usual],
    ]
    const found = values.flatMap(([metric, value]) => findingsOf(name, metric, lane, value))
    return usual === undefined ? found : found.map((finding) => excused(finding, usual))
  })
}

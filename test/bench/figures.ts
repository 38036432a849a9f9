import { type Finding, findingsOf, type Metric } from './goals.ts'
import { BASE, FLOOR, type Lane } from './lanes.ts'
import type { LaneScores } from './rounds.ts'
import type { Scenario } from './scenarios.ts'
import type { Busy, Score } from './shared.ts'
import { added, median, ratios, type Summary, summaryOf } from './statistics.ts'

/** What the rounds of a scenario say about a lane. */
export interface Figures {
  lane: Lane
  /** Against the bare pass-through of the same round. */
  rate: Summary | undefined
  cpu: Summary | undefined
  /** Against a bare server and client of Node. */
  floor: Summary | undefined
  /** Processor time of a pool against one upstream, in the same round. */
  pool: Summary | undefined
  /** For itself: requests or deltas per second, and microseconds on a processor for each of them. */
  perSecond: number
  cpuUs: number | undefined
  waitP50: number
  waitP99: number
  firstP50: number
  /** Milliseconds from the upstream's write to the caller's read, and how many more than without a proxy. */
  delayP50: number | undefined
  delayP99: number | undefined
  overDirect: number | undefined
  overBase: number | undefined
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
  summaryOf(ratios(seriesOf(scores, pick), seriesOf(others, pick)))

const above = (scores: readonly Score[], others: readonly Score[]) =>
  added(seriesOf(scores, delayIn), seriesOf(others, delayIn))

const rateIn = ({ perSecond }: Score) => perSecond
const cpuIn = ({ cpuMs }: Score) => cpuMs
const delayIn = ({ delay }: Score) => delay?.p50
const slowDelayIn = ({ delay }: Score) => delay?.p99

const middleOf = (series: Series): number | undefined => summaryOf(series)?.middle

export function figuresOf(results: readonly LaneScores[], { events }: Scenario): Figures[] {
  const loadsOf = (name: string) => results.find(({ lane }) => lane.name === name)?.loads ?? []
  const base = loadsOf(BASE)
  const direct = loadsOf('direct')
  const floor = loadsOf(FLOOR)
  return results.map(({ lane, loads, drips, problems }) => ({
    lane,
    rate: against(loads, base, rateIn),
    cpu: against(loads, base, cpuIn),
    floor: against(loads, floor, rateIn),
    pool: lane.twin === undefined ? undefined : against(loads, loadsOf(lane.twin), cpuIn),
    perSecond: median(loads.map(rateIn)) * events,
    cpuUs: scaled(middleOf(seriesOf(loads, cpuIn)), 1000 / events),
    waitP50: median(loads.map(({ wait }) => wait.p50)),
    waitP99: median(loads.map(({ wait }) => wait.p99)),
    firstP50: median(loads.map(({ first }) => first.p50)),
    delayP50: middleOf(seriesOf(loads, delayIn)),
    delayP99: middleOf(seriesOf(loads, slowDelayIn)),
    overDirect: above(loads, direct),
    overBase: above(loads, base),
    dripP50: middleOf(drips.map(({ wait }) => wait.p50)),
    dripP99: middleOf(drips.map(({ wait }) => wait.p99)),
    busy: {
      proxy: median(loads.map(({ busy }) => busy?.proxy ?? Number.NaN)),
      upstream: median(loads.map(({ busy }) => busy?.upstream ?? Number.NaN)),
      callers: median(loads.map(({ busy }) => busy?.callers ?? Number.NaN)),
    },
    problems,
  }))
}

const scaled = (value: number | undefined, factor: number): number | undefined =>
  value === undefined ? undefined : value * factor

/** What the goals say to the figures of a scenario. */
export function judged({ name }: Scenario, figures: readonly Figures[]): Finding[] {
  return figures.flatMap(({ lane, rate, floor, overBase, dripP99, pool }) => {
    const values: readonly (readonly [Metric, number | undefined])[] = [
      ['rate', rate?.middle],
      ['floor', floor?.middle],
      ['added', overBase],
      ['drip', dripP99],
      ['pool', pool?.middle],
    ]
    return values.flatMap(([metric, value]) => findingsOf(name, metric, lane, value))
  })
}

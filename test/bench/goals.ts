import { isCross, isPair, isPool, isSame, type Lane } from './lanes.ts'

/** What is measured of a lane and held against a goal. */
export type Metric =
  /** Requests or events per second, as a ratio to the bare pass-through. */
  | 'rate'
  /** The same as a ratio to a bare server and client of Node, below which nothing in Node can be. */
  | 'floor'
  /** Milliseconds that a request takes longer than without a proxy, in the middle. */
  | 'more'
  /** The same of the slowest of a hundred, as a ratio to that of the bare pass-through. */
  | 'tail'
  /** Milliseconds that an event takes longer than through the bare pass-through. */
  | 'added'
  /** The same of the slowest event of a hundred. */
  | 'late'
  /** The wait for its first byte of the slowest stream of a hundred, as a ratio to that of the bare pass-through. */
  | 'begin'
  /** Processor time of an event, as a ratio to that of the bare pass-through. */
  | 'cpu'
  /** Milliseconds that the slowest of a hundred small requests waits beside the load. */
  | 'drip'
  /** Processor time as a ratio to the pass-through, as a ratio to what that usually is (`usual.json`). */
  | 'usual'
  /** Time to the first answer, as a ratio to a bare server. */
  | 'start'
  /** Processor time of the first requests of a process, as a ratio to later ones. */
  | 'first'
  /** Processor time of a pool of two that are well, as a ratio to one upstream. */
  | 'pool'
  /** Resident KiB for each open stream, everything included. */
  | 'idle'
  /** Resident memory after histories, as a ratio to that of the bare pass-through. */
  | 'resident'
  /** Processor time or memory on workerd, as a ratio to a Worker of Hono. */
  | 'edge'

export interface Goal {
  /** Of any, where it is not said. */
  scenario?: string
  metric: Metric
  lanes(lane: Lane): boolean
  least?: number
  most?: number
  /**
   * From where on a figure is far, if that is not in proportion: goals that are not reached yet have the
   * bound of what has been, so that a short run still fails when something becomes slow.
   */
  far?: number
}

export const GOALS: readonly Goal[] = [
  { scenario: 'small-1', metric: 'more', lanes: isPair, most: 0.5, far: 2 },
  // Eight requests of a slice are its slowest hundredth: too few to fail anything.
  { scenario: 'small-64', metric: 'tail', lanes: isPair, most: 1, far: Infinity },
  { scenario: 'small-64', metric: 'floor', lanes: isCross, least: 0.5, far: 0.2 },
  ...['agent-16', 'agent-wide-16'].flatMap((scenario): Goal[] => [
    { scenario, metric: 'rate', lanes: isSame, least: 0.6, far: 0.4 },
    { scenario, metric: 'rate', lanes: isCross, least: 0.3, far: 0.18 },
  ]),
  { scenario: 'growing-16', metric: 'rate', lanes: isSame, least: 1, far: 0.6 },
  { scenario: 'growing-16', metric: 'rate', lanes: isCross, least: 0.65, far: 0.22 },
  { scenario: 'image-4', metric: 'rate', lanes: isPair, least: 0.9, far: 0.5 },
  { scenario: 'image-4', metric: 'drip', lanes: isPair, most: 50, far: 150 },
  { scenario: 'burst-16', metric: 'rate', lanes: isSame, least: 0.9, far: 0.3 },
  { scenario: 'burst-16', metric: 'rate', lanes: isCross, least: 0.6, far: 0.18 },
  { scenario: 'paced-64', metric: 'added', lanes: isPair, most: 0.1, far: 0.5 },
  // Few events of a slice are its slowest hundredth, and any other work on the machine is among them.
  { scenario: 'paced-64', metric: 'late', lanes: isPair, most: 1, far: Infinity },
  { scenario: 'paced-64', metric: 'begin', lanes: isPair, most: 1, far: Infinity },
  { scenario: 'talk-64', metric: 'cpu', lanes: isSame, most: 1.3, far: 2 },
  { scenario: 'talk-64', metric: 'cpu', lanes: isCross, most: 2, far: 3 },
  ...['small-16', 'agent-16', 'burst-16'].map((scenario): Goal => ({
    scenario,
    metric: 'pool',
    lanes: isPool,
    most: 1.03,
    far: 1.15,
  })),
  { metric: 'usual', lanes: isPair, most: 1.4, far: 2 },
  { scenario: 'start', metric: 'start', lanes: isPair, most: 3 },
  { scenario: 'first', metric: 'first', lanes: isPair, most: 2.5, far: 6 },
  { scenario: 'memory', metric: 'idle', lanes: isPair, most: 72, far: 140 },
  { scenario: 'resident', metric: 'resident', lanes: isPair, most: 1.1, far: 2 },
  // Of a stream at the pace of a model, reading each piece takes 1.7 by itself (docs/decisions/0023-gathered-deltas.md).
  { scenario: 'edge first', metric: 'edge', lanes: isPair, most: 4 },
  { scenario: 'edge json', metric: 'edge', lanes: isPair, most: 2.5, far: 5 },
  { scenario: 'edge growing', metric: 'edge', lanes: isPair, most: 4, far: 6 },
  { scenario: 'edge burst', metric: 'edge', lanes: isPair, most: 3, far: 5 },
  { scenario: 'edge talk', metric: 'edge', lanes: isPair, most: 5, far: 7 },
  { scenario: 'edge resident', metric: 'edge', lanes: isPair, most: 3, far: 5 },
]

/** The upstream and the callers have to be this much faster than what is measured. */
export const LEAST_DIRECT = 5

/** How far a figure may be from its goal before a short run fails: machines and moments differ. */
const TOLERANCE = 0.8

export type Verdict = 'reached' | 'missed' | 'far'

export interface Finding {
  goal: Goal
  lane: string
  value: number
  verdict: Verdict
}

/** What the goals say to a figure of a lane. */
export function findingsOf(
  scenario: string,
  metric: Metric,
  lane: Lane,
  value: number | undefined,
): Finding[] {
  if (value === undefined || !Number.isFinite(value)) return []
  return GOALS.filter(
    (goal) =>
      (goal.scenario ?? scenario) === scenario && goal.metric === metric && goal.lanes(lane),
  ).map((goal) => ({ goal, lane: lane.name, value, verdict: verdictOn(goal, value) }))
}

const BY_LOAD: readonly Metric[] = ['rate', 'floor', 'drip']
/** So much more processor time than usual is what a change of the code takes, and no other work on the machine. */
const SLOWER = 1.3

/** What is far under load and takes no more time on a processor than usual, has met other work on the machine. */
export function excused(finding: Finding, toUsual: number): Finding {
  const { goal, verdict } = finding
  const isExcused = verdict === 'far' && BY_LOAD.includes(goal.metric) && toUsual < SLOWER
  return isExcused ? { ...finding, verdict: 'missed' } : finding
}

const WORST_LAST = ['reached', 'missed', 'far'] as const

const rank = ({ verdict }: Finding): number => WORST_LAST.indexOf(verdict)

/** Of two looks at the same, the better one: what is really slow is so again. */
export function pickBetter(first: readonly Finding[], again: readonly Finding[]): Finding[] {
  return first.map((finding) => {
    const other = again.find(({ goal, lane }) => goal === finding.goal && lane === finding.lane)
    if (!other) return finding
    return rank(other) < rank(finding) ? other : finding
  })
}

/** What a busy machine adds to a wait of microseconds is no fault; what a timer or a held event adds is. */
export function verdictOn(
  { least, most, far }: Pick<Goal, 'least' | 'most' | 'far'>,
  value: number,
): Verdict {
  const isWithin = (factor: number) =>
    (least === undefined || value >= least * factor) &&
    (most === undefined || value <= most / factor)
  if (isWithin(1)) return 'reached'
  const isNear = least === undefined ? value <= (far ?? 0) : value >= (far ?? Infinity)
  return isWithin(TOLERANCE) || isNear ? 'missed' : 'far'
}

const UNITS: Readonly<Record<Metric, string>> = {
  rate: '',
  floor: ' of node:http',
  more: ' ms more',
  tail: ' of that of Hono',
  added: ' ms more',
  late: ' ms more than Hono',
  begin: ' of that of Hono',
  cpu: ' of the CPU of Hono',
  drip: ' ms',
  start: '',
  first: ' of later ones',
  pool: '',
  usual: ' of the usual CPU',
  idle: ' KiB',
  resident: ' of Hono',
  edge: ' of a Worker of Hono',
}

export const writeBound = ({ least, most, metric }: Goal): string =>
  `${least === undefined ? `<= ${most}` : `>= ${least}`}${UNITS[metric]}`

import type { Figures } from './figures.ts'
import { writeBound, type Finding, type Goal, type Metric } from './goals.ts'
import { BASE, FLOOR, RAW, isCross, isSame, type Lane } from './lanes.ts'
import type { Section } from './report.ts'
import type { Scenario } from './scenarios.ts'
import { digits } from './table.ts'

/** One line of the table for readers: a kind of traffic, what is counted, and what each lane came to. */
export interface Case {
  title: string
  values: readonly { lane: Lane; value: number | undefined }[]
  /** The goals that speak about what is counted. */
  findings: readonly Finding[]
}

interface Reading {
  what: string
  metrics: readonly Metric[]
  value(figures: Figures): number | undefined
}

const RATE: Reading = {
  what: '',
  metrics: ['rate', 'floor'],
  value: ({ rate }) => rate?.middle,
}
const MORE: Reading = {
  what: 'ms more than without a proxy',
  metrics: ['more'],
  value: ({ moreP50 }) => moreP50,
}
const TAIL: Reading = {
  what: 'ms more for the slowest of a hundred',
  metrics: ['tail'],
  value: ({ moreP99 }) => moreP99,
}
const ADDED: Reading = {
  what: 'ms more for an event than through Hono',
  metrics: ['added'],
  value: ({ overBase }) => overBase,
}

const LATE: Reading = {
  what: 'ms more for the slowest event of a hundred',
  metrics: ['late'],
  value: ({ late }) => late,
}
const BEGIN: Reading = {
  what: 'first byte of the slowest stream of a hundred',
  metrics: ['begin'],
  value: ({ begin }) => begin,
}
const CPU: Reading = {
  what: 'CPU for each',
  metrics: ['cpu'],
  value: ({ cpu }) => cpu?.middle,
}

function readingsOf({ manner, connections, name }: Scenario): readonly Reading[] {
  if (manner === 'paced') return [ADDED, LATE, BEGIN]
  if (manner === 'talk') return [CPU]
  if (manner === 'json' && connections === 1) return [MORE]
  return name === 'small-64' ? [RATE, TAIL] : [RATE]
}

export function casesOf(
  scenario: Scenario,
  figures: readonly Figures[],
  findings: readonly Finding[],
): Case[] {
  const title = `${scenario.title}, ${scenario.connections} at once`
  return readingsOf(scenario).map(({ what, metrics, value }) => ({
    title: what === '' ? title : `${title}: ${what}`,
    values: figures.map((each) => ({ lane: each.lane, value: value(each) })),
    findings: findings.filter(({ goal }) => metrics.includes(goal.metric)),
  }))
}

type Values = Case['values']

const writeSpan = (values: Values, isOne: (lane: Lane) => boolean): string => {
  const known = values.flatMap(({ lane, value }) =>
    isOne(lane) && value !== undefined && Number.isFinite(value) ? [value] : [],
  )
  if (known.length === 0) return ''
  const [least, most] = [digits(Math.min(...known)), digits(Math.max(...known))]
  return least === most ? least : `${least} to ${most}`
}

const isNamed =
  (name: string) =>
  (lane: Lane): boolean =>
    lane.name === name

/** A goal, and in how many lanes it is missed. */
function writeVerdict(goal: Goal, findings: readonly Finding[]): string {
  const own = findings.filter((finding) => finding.goal === goal)
  const missed = own.filter(({ verdict }) => verdict !== 'reached').length
  const bound = writeBound(goal)
  return missed === 0 ? `${bound} ok` : `**${bound} missed by ${missed} of ${own.length}**`
}

const goalsIn = ({ findings }: Case): string =>
  [...new Set(findings.map(({ goal }) => goal))]
    .map((goal) => writeVerdict(goal, findings))
    .join(', ')

const HEAD = ['', 'node:net', 'node:http', 'Hono', 'same dialect', 'translated']

/** Everything at a glance, with what is missed in bold. */
export function writeOverview(cases: readonly Case[]): Section {
  const others = new Set(
    cases.flatMap(({ values }) => values.flatMap(({ lane }) => (lane.gateway ? [lane.name] : []))),
  )
  const columns = [
    isNamed(RAW),
    isNamed(FLOOR),
    isNamed(BASE),
    isSame,
    isCross,
    ...[...others].map(isNamed),
  ]
  return {
    title: 'at a glance: rates as a ratio to the bare Hono proxy, unless a line says otherwise',
    head: [...HEAD, ...others, 'goal'],
    rows: cases.map((each) => [
      each.title,
      ...columns.map((isOne) => writeSpan(each.values, isOne)),
      goalsIn(each),
    ]),
  }
}

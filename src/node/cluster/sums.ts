import { cachedShare } from '../../observe/entry.ts'

/** What a process answers to /metrics and /usage. */
export interface Counted {
  metrics: string
  usage: string
}

interface Family {
  head: readonly string[]
  isGauge: boolean
  samples: Map<string, number>
}

const FIRST_LINE = '# HELP '

/** The metrics of a text in the format of Prometheus, by their names. */
function familiesIn(text: string): Map<string, Family> {
  const families = new Map<string, Family>()
  const blocks = text.split(FIRST_LINE).slice(1)
  for (const block of blocks) {
    const [help = '', type = '', ...lines] = block.split('\n')
    const [name = ''] = help.split(' ')
    const samples = lines.filter(Boolean).map((line): [string, number] => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    })
    const head = [FIRST_LINE + help, type]
    families.set(name, { head, isGauge: type.endsWith(' gauge'), samples: new Map(samples) })
  }
  return families
}

/** Metrics that are the same in every process, or of which the worst counts: they are not added up. */
const GREATEST: readonly string[] = [
  'dragoman_build_info',
  'dragoman_config_last_reload_success_timestamp_seconds',
  'dragoman_config_reloads_total',
  'dragoman_breaker_state',
]

function joined(name: string, one: Family, other: Family): Family {
  const samples = new Map(one.samples)
  for (const [series, value] of other.samples) {
    const known = samples.get(series) ?? 0
    samples.set(series, GREATEST.includes(name) ? Math.max(known, value) : known + value)
  }
  return { ...one, samples }
}

const writeFamilies = (families: ReadonlyMap<string, Family>): string =>
  [...families.values()]
    .map(({ head, samples }) => {
      const lines = [...samples].map(([series, value]) => `${series} ${value}`)
      return `${[...head, ...lines].join('\n')}\n`
    })
    .join('')

/** One text for several processes. */
function summedMetrics(texts: readonly string[]): string {
  const sum = new Map<string, Family>()
  for (const text of texts)
    for (const [name, family] of familiesIn(text)) {
      const known = sum.get(name)
      sum.set(name, known ? joined(name, known, family) : family)
    }
  return writeFamilies(sum)
}

/** What stays of a process that has ended: its counters, and no gauge. */
const lastingMetrics = (text: string): string =>
  writeFamilies(new Map([...familiesIn(text)].filter(([, { isGauge }]) => !isGauge)))

type Sums = Readonly<Record<string, number>>

interface CallerRow {
  byModel: Readonly<Record<string, Sums>>
}

interface UsageTable {
  since: string
  callers: Readonly<Record<string, CallerRow>>
}

function addedUp(one: Sums, other: Sums): Sums {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  const sums = [...names].map((name): [string, number] => [
    name,
    Math.round(((one[name] ?? 0) + (other[name] ?? 0)) * 1e6) / 1e6,
  ])
  const sum = Object.fromEntries(sums)
  return { ...sum, cachedShare: cachedShare(sum) ?? 0 }
}

/** By name, each name of one or both once. */
function byName<T>(
  one: Readonly<Record<string, T>>,
  other: Readonly<Record<string, T>>,
  both: (one: T, other: T) => T,
): Record<string, T> {
  const rows = new Map(Object.entries(one))
  for (const [name, row] of Object.entries(other)) {
    const known = rows.get(name)
    rows.set(name, known === undefined ? row : both(known, row))
  }
  return Object.fromEntries(rows)
}

function callersJoined(one: CallerRow, other: CallerRow): CallerRow {
  const { byModel: models, ...sums } = one
  const { byModel: others, ...more } = other
  return { ...addedUp(sums, more), byModel: byName(models, others, addedUp) }
}

/** One table for several processes. */
function summedUsage(texts: readonly string[]): string {
  const [first, ...rest] = texts.map((text) => JSON.parse(text) as UsageTable)
  if (!first) return '{}'
  const sum = rest.reduce(
    (one, other) => ({
      ...one,
      since: one.since < other.since ? one.since : other.since,
      callers: byName(one.callers, other.callers, callersJoined),
    }),
    first,
  )
  return JSON.stringify(sum)
}

export const summed = (all: readonly Counted[]): Counted => ({
  metrics: summedMetrics(all.map(({ metrics }) => metrics)),
  usage: summedUsage(all.map(({ usage }) => usage)),
})

/** What a process that has ended leaves behind, so that no counter falls. */
export const leftBy = ({ metrics, usage }: Counted): Counted => ({
  metrics: lastingMetrics(metrics),
  usage,
})

import type { Probe } from './silent.ts'

/** What is counted for a pair of dialects. */
const COLUMNS = [
  'replies',
  'members',
  'streams',
  'bodies',
  'proofs',
  'cuts',
  'requests',
  'readable',
  'prefixes',
  'bills',
  'tokens',
] as const
export type Column = (typeof COLUMNS)[number]

/** The share of good ones that a column must reach. */
const GOALS: Record<Column, number> = {
  replies: 0.99,
  members: 1,
  streams: 1,
  bodies: 1,
  proofs: 1,
  cuts: 1,
  requests: 1,
  readable: 1,
  prefixes: 1,
  bills: 1,
  tokens: 1,
}

const TITLES: Record<Column, string> = {
  replies: 'replies kept',
  members: 'none in silence',
  streams: 'clean streams',
  bodies: 'clean bodies',
  proofs: 'proofs equal',
  cuts: 'cuts noticed',
  requests: 'not silent',
  readable: 'own readable',
  prefixes: 'go on',
  bills: 'no dearer',
  tokens: 'tokens equal',
}

interface Cell {
  good: number
  all: number
}

export interface Failure {
  pair: string
  column: Column | 'crash'
  reason: string
  record: string
}

/** Counts per pair, and what went wrong. */
export class Tally {
  readonly #rows = new Map<string, Map<Column, Cell>>()
  readonly #failures = new Map<string, { example: Failure; count: number }>()
  readonly #numbers = new Map<string, number>()

  count(pair: string, column: Column, record: string, wrong: string | undefined, times = 1): void {
    const row = this.#rows.get(pair) ?? new Map<Column, Cell>()
    const cell = row.get(column) ?? { good: 0, all: 0 }
    this.#rows.set(pair, row)
    row.set(column, cell)
    cell.all += times
    if (wrong === undefined) cell.good += times
    else this.fail({ pair, column, reason: wrong, record })
  }

  changes(pair: string, column: Column, record: string, { kept, reported, silent }: Probe): void {
    this.count(pair, column, record, undefined, kept + reported)
    for (const { path, how, value } of silent) {
      const shown = JSON.stringify(value)?.slice(0, 80)
      this.count(pair, column, record, `${how} ${path} (${shown})`)
    }
  }

  fail(failure: Failure): void {
    const key = `${failure.pair} ${failure.column} ${general(failure.reason)}`
    const known = this.#failures.get(key)
    if (known) known.count += 1
    else this.#failures.set(key, { example: failure, count: 1 })
  }

  /** A number that is shown, not judged. */
  add(name: string, by = 1): void {
    this.#numbers.set(name, (this.#numbers.get(name) ?? 0) + by)
  }

  get missed(): string[] {
    const crashes = [...this.#failures.values()].some(({ example }) => example.column === 'crash')
    const missed = [...this.#rows].flatMap(([pair, row]) =>
      [...row].flatMap(([column, { good, all }]) =>
        good < all * GOALS[column] ? [`${pair}: ${TITLES[column]}`] : [],
      ),
    )
    return crashes ? ['no crash', ...missed] : missed
  }

  *lines(most: number): Generator<string> {
    const titles = COLUMNS.map((column) => TITLES[column].padStart(20)).join('')
    yield `${'caller <- upstream'.padEnd(40)}${titles}`
    for (const [pair, row] of [...this.#rows].toSorted())
      yield pair.padEnd(40) + COLUMNS.map((column) => share(row.get(column))).join('')
    yield ''
    for (const [name, value] of [...this.#numbers].toSorted()) yield `${name}: ${value}`
    const sorted = [...this.#failures.values()].toSorted(
      (left, right) => weight(right) - weight(left),
    )
    yield ''
    yield `${sorted.length} kinds of failure`
    for (const { example, count } of sorted.slice(0, most))
      yield `${count} x ${example.pair}, ${example.column}, ${example.record}: ${example.reason}`
  }
}

/** Crashes come first, and what concerns single changes of requests last. */
const weight = ({ example, count }: { example: Failure; count: number }): number =>
  count + (example.column === 'crash' ? 2e9 : example.column === 'requests' ? 0 : 1e9)

function share(cell: Cell | undefined): string {
  if (!cell?.all) return '-'.padStart(20)
  const percent = (100 * cell.good) / cell.all
  const shown = percent < 100 && percent > 99.99 ? '99.99' : percent.toFixed(2)
  return `${shown} % of ${cell.all}`.padStart(20)
}

/** The same failure at other places and with other values is one kind. */
const general = (reason: string): string =>
  reason
    .replace(/\d+/g, 'N')
    .replace(/"(?:[^"\\]|\\.)*"/g, 'S')
    .slice(0, 90)
